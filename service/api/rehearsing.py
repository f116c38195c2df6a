"""``?dry_run=true``: the answer is what would change, and nothing does."""

import functools
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import msgspec
from litestar import Response

from engine import consequences, policies
from engine.aggregates import DECIDERS
from engine.consequences import StandingChange, TournamentChange
from engine.season.state import Opened
from engine.tournament.state import Unannounced
from engine.values import stream_of
from service.api.shell import Asked, shell_of
from service.eventstore.rehearsal import Rehearsed


class WouldChange(msgspec.Struct, kw_only=True):
    """What the command would cause, had it not been a dry run."""

    dry_run: bool
    events: tuple[str, ...]
    """Their types, in order."""

    tournaments: dict[str, TournamentChange]
    """By ``trn_…``, where something changes."""

    seasons: dict[str, tuple[StandingChange, ...]]
    """By ``ssn_…``, where somebody's rank or points change."""


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


async def _answer(request: Asked, found: Rehearsed) -> Response[bytes]:
    tournaments: dict[str, TournamentChange] = {}
    seasons: dict[str, tuple[StandingChange, ...]] = {}
    for stream, after in found.after.items():
        before = found.before[stream]
        category, _, number = stream.partition("-")
        if category == "tournament" and after is not before:
            tournaments[f"trn_{number}"] = consequences.of_tournament(before, after)
            seasons |= await _in_season(request, before, after, found.after)
        elif category == "season" and isinstance(before, Opened) and after is not before:
            seasons[f"ssn_{number}"] = consequences.of_season(before, after)
    content = WouldChange(
        dry_run=True,
        events=tuple(each.__struct_config__.tag for each in found.events),
        tournaments=tournaments,
        seasons={key: changes for key, changes in seasons.items() if changes},
    )
    return Response(msgspec.json.encode(content), status_code=200, media_type="application/json")


async def _in_season(
    request: Asked, before: Any, after: Any, touched: Mapping[str, Any]
) -> dict[str, tuple[StandingChange, ...]]:
    """Return what the season of a tournament would count otherwise."""
    terms = None if isinstance(before, Unannounced) else before.terms
    if terms is None or terms.season is None or stream_of(terms.season) in touched:
        return {}
    writer = shell_of(request).desk.writer
    season = (await writer.load(terms.league, stream_of(terms.season))).state
    told = policies.season_told(season, after, now=shell_of(request).now())
    if not isinstance(season, Opened) or season.closed or told is None:
        return {}  # what a closed season has counted stays so
    _, counted = DECIDERS["season"].carry_out(season, told)
    return {terms.season: consequences.of_season(season, counted)}
