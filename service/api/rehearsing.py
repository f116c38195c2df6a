"""``?dry_run=true``: the answer is what would change, and nothing does."""

import functools
from collections.abc import Awaitable, Callable
from datetime import datetime
from hashlib import sha256
from typing import Any

import msgspec
from litestar import Response

from engine import consequences, policies
from engine.aggregates import DECIDERS
from engine.consequences import StandingChange, TournamentChange
from engine.season.state import Opened
from engine.tournament.state import Unannounced
from engine.values import SeasonId, stream_of
from service.api.shell import Asked, shell_of
from service.eventstore.rehearsal import Rehearsed

_canonical = msgspec.json.Encoder(order="sorted")


class WouldChange(msgspec.Struct, kw_only=True):
    """What the command would cause, had it not been a dry run."""

    dry_run: bool
    events: tuple[str, ...]
    """Their types, in order."""

    tournaments: dict[str, TournamentChange]
    """By ``trn_…``, where something changes."""

    seasons: dict[str, tuple[StandingChange, ...]]
    """By ``ssn_…``, where somebody's rank or points change."""

    digest: str = ""
    """Names exactly this answer to exactly this request; SHA-256, in hexadecimal."""


Load = Callable[[str, str], Awaitable[Any]]
Handler = Callable[..., Awaitable[Response[bytes]]]


def rehearsable(handler: Handler) -> Handler:
    """Return *handler*, which answers a command that was only rehearsed with what it would do."""

    @functools.wraps(handler)
    async def rehearsed(*args: Any, **kwargs: Any) -> Response[bytes]:
        try:
            return await handler(*args, **kwargs)
        except Rehearsed as found:
            return await _answer(kwargs["request"], found)

    return rehearsed


async def would_change(found: Rehearsed, load: Load, now: datetime) -> WouldChange:
    """
    Return what *found* would change for people.

    Args:
        load: Gives the state of another stream of the league: a season that counts it.
    """
    tournaments: dict[str, TournamentChange] = {}
    seasons: dict[str, tuple[StandingChange, ...]] = {}
    for stream, after in found.after.items():
        before = found.before[stream]
        category, _, number = stream.partition("-")
        if category == "tournament" and after is not before:
            tournaments[f"trn_{number}"] = consequences.of_tournament(before, after)
            counting = season_of(before)
            if counting is not None and stream_of(counting) not in found.after:
                season = await load(league_of_terms(before), stream_of(counting))
                seasons[counting] = _counted(season, after, now)
        elif category == "season" and isinstance(before, Opened) and after is not before:
            seasons[f"ssn_{number}"] = consequences.of_season(before, after)
    content = WouldChange(
        dry_run=True,
        events=tuple(each.__struct_config__.tag for each in found.events),
        tournaments=tournaments,
        seasons={key: changes for key, changes in seasons.items() if changes},
    )
    content.digest = sha256(found.asked + _canonical.encode(content)).hexdigest()
    return content


def season_of(state: Any) -> SeasonId | None:
    """Return the season that counts a tournament, None if none does."""
    season: SeasonId | None = None if isinstance(state, Unannounced) else state.terms.season
    return season


def league_of_terms(state: Any) -> str:
    """Return the league of a tournament that was announced."""
    return str(state.terms.league)


async def _answer(request: Asked, found: Rehearsed) -> Response[bytes]:
    writer = shell_of(request).desk.writer

    async def load(league: str, stream: str) -> Any:
        return (await writer.load(league, stream)).state

    content = await would_change(found, load, shell_of(request).now())
    return Response(msgspec.json.encode(content), status_code=200, media_type="application/json")


def _counted(season: Any, tournament: Any, now: datetime) -> tuple[StandingChange, ...]:
    """Return what *season* would count otherwise of *tournament* as it would be."""
    told = policies.season_told(season, tournament, now=now)
    if not isinstance(season, Opened) or season.closed or told is None:
        return ()  # what a closed season has counted stays so
    _, counted = DECIDERS["season"].carry_out(season, told)
    return consequences.of_season(season, counted)
