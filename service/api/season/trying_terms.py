"""A trial of a season's terms: invented evenings, counted as a season counts them."""

from collections import Counter
from datetime import datetime
from decimal import Decimal
from typing import Annotated
from uuid import UUID

import msgspec
from litestar import Response
from msgspec import Meta

from engine.season import decider
from engine.season.commands import AwardPoints, Command, OpenSeason
from engine.season.standings import counting
from engine.season.state import Opened, State
from engine.season.values import (
    Count,
    Finish,
    MinorUnits,
)
from engine.values import (
    EntrantId,
    HexDigest,
    LeagueId,
    PlayerId,
    SeasonId,
    TournamentId,
    identifier,
)
from service.api.http.operations import operation
from service.api.http.problems.faults import Fault, refused
from service.api.http.shell import Shell
from service.api.http.writing.submitting import encoded
from service.api.season.seasons import RulesWanted, points_of
from service.base.pools import SIMULATION
from service.people.tokens import Principal

_PLAYERS_MAX, _EVENINGS_MAX = 12, 8
_Label = Annotated[str, Meta(min_length=1, max_length=60)]


class PlaceInvented(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """A player's place in an invented evening."""

    label: _Label
    """A name of the player. The same label is the same player in every evening."""

    place: Annotated[int, Meta(ge=1, le=_PLAYERS_MAX)]
    """The place, from 1. Players with the same place share it."""

    knockouts: Count = 0
    """The number of opponents that the player knocked out."""


class EveningInvented(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """An invented evening. Everybody buys in once."""

    places: Annotated[tuple[PlaceInvented, ...], Meta(min_length=1, max_length=_PLAYERS_MAX)]
    """The places, in any order."""

    buy_in: MinorUnits = 0
    """The price of an entry, in minor units of a currency with two fraction digits."""


class SeasonTried(RulesWanted, forbid_unknown_fields=True, kw_only=True):
    """Terms of a season, and invented evenings to count by them."""

    evenings: Annotated[tuple[EveningInvented, ...], Meta(min_length=1, max_length=_EVENINGS_MAX)]
    """The evenings, in order of play."""


class ResultTried(msgspec.Struct, kw_only=True):
    """A player's result in an invented evening."""

    evening: int
    """The number of the evening, from 1."""

    place: int
    """The place of the player."""

    points: str
    """The points for the place, without bonuses."""

    counts: bool
    """True if the result is part of the total."""


class StandingTried(msgspec.Struct, kw_only=True):
    """A line of the standings after the invented evenings."""

    rank: int
    """The rank, from 1. Equals share one."""

    label: str
    """The label of the player."""

    points: str
    """The total, with bonuses."""

    bonuses: str
    """The points apart from the places, such as those for knock-outs."""

    qualified: bool
    """True if the player has played enough games."""

    results: tuple[ResultTried, ...]
    """The results of the player, in order of play."""


class SeasonTriedShown(msgspec.Struct, kw_only=True):
    """The standings that a season with these terms would have."""

    standings: tuple[StandingTried, ...]
    """All players, the leader first."""


@operation(
    "POST", "/v1/season-terms/try", "try_season_terms",
    "Count invented evenings by the terms of a season. Changes nothing.",
    asks=True, needs="account", scope="leagues:read", answer=SeasonTriedShown,
    problems=(
        "bad_request", "season_terms_invalid", "formula_invalid", "too_many_requests", "overloaded",
    ),
    about="A try counts as a simulation in the limit of the account.",
)  # fmt: skip
async def try_season_terms(
    body: SeasonTried, principal: Principal, shell: Shell
) -> Response[bytes]:
    """Count the evenings in a thread. A long formula takes up to a second."""
    _check(body)
    account = principal.account.number
    shell.limits.simulate(account)
    token = shell.runtime.entropy.token
    found = await SIMULATION.run(str(account), _tried, body, token(), token(), shell.now())
    return encoded(SeasonTriedShown(standings=found))


def _tried(
    body: SeasonTried, master: HexDigest, salt: HexDigest, now: datetime
) -> tuple[StandingTried, ...]:
    """Open a season in memory, count the evenings in it, and return its standings."""
    labels = sorted({each.label for evening in body.evenings for each in evening.places})
    players = {label: PlayerId(_id("plr", number)) for number, label in enumerate(labels)}
    season = _opened(body, master, salt, now)
    for number, evening in enumerate(body.evenings):
        season = _after(season, _award(evening, number, players, now))
    return _standings(season, players)


def _check(tried: SeasonTried) -> None:
    """Refuse an evening in which a player has two places. Raise ``BadRequest``."""
    faults = [
        Fault(f"/evenings/{number}/places", "a player has two places", "invalid_value")
        for number, evening in enumerate(tried.evenings)
        if len({each.label for each in evening.places}) != len(evening.places)
    ]
    if faults:
        raise refused(faults)


def _opened(tried: SeasonTried, master: HexDigest, salt: HexDigest, now: datetime) -> Opened:
    command = OpenSeason(
        season=SeasonId(_id("ssn", 0)),
        league=LeagueId(_id("lge", 0)),
        name="Trial",
        aggregation=tried.aggregation,
        minimum_games=tried.minimum_games,
        tie_breaks=tried.tie_breaks,
        master=master,
        salt=salt,
        now=now,
        **points_of(tried),
    )
    return _after(decider.initial, command)


def _award(
    evening: EveningInvented, number: int, players: dict[str, PlayerId], now: datetime
) -> AwardPoints:
    shared = Counter(each.place for each in evening.places)
    placings = tuple(
        Finish(
            entrant=EntrantId(_id("ent", index)),
            player=players[each.label],
            place=each.place,
            shared=shared[each.place],
            spent=evening.buy_in,
            knockouts=each.knockouts,
        )
        for index, each in enumerate(evening.places)
    )
    return AwardPoints(
        tournament=TournamentId(_id("trn", number)),
        placings=placings,
        buy_in=evening.buy_in,
        pool=evening.buy_in * len(placings),
        entries=len(placings),
        now=now,
    )


def _after(state: State, command: Command) -> Opened:
    _, season = decider.carry_out(state, command)
    if not isinstance(season, Opened):
        raise TypeError("the season did not open")
    return season


def _standings(season: Opened, players: dict[str, PlayerId]) -> tuple[StandingTried, ...]:
    labels = {player: label for label, player in players.items()}
    evenings = [results for _, results in season.results()]
    bonuses = season.adjusted_points()
    found = []
    for line in season.standings():
        own = [
            (number, result)
            for number, results in enumerate(evenings, 1)
            for result in results
            if result.player == line.player
        ]
        points = [Decimal(result.points) for _, result in own]
        counts = counting(season.terms.aggregation, points, len(evenings))
        found.append(
            StandingTried(
                rank=line.rank,
                label=labels[line.player],
                points=line.points,
                bonuses=f"{bonuses.get(line.player, Decimal(0)):f}",
                qualified=line.qualified,
                results=tuple(
                    ResultTried(
                        evening=number, place=result.place, points=result.points,
                        counts=index in counts,
                    )
                    for index, (number, result) in enumerate(own)
                ),
            )
        )  # fmt: skip
    return tuple(found)


def _id(prefix: str, number: int) -> str:
    return identifier(prefix, UUID(int=number + 1))
