"""What a season has become: its terms and every award, from which standings follow."""

from collections.abc import Iterable
from decimal import Decimal
from itertools import groupby

import msgspec
from msgspec.structs import replace

from engine.errors import InvariantViolated
from engine.season.events import Event, PointsAwarded, SeasonClosed, SeasonOpened
from engine.season.points import written
from engine.season.schedule import events as schedule
from engine.season.schedule.state import Schedule, evolved
from engine.season.values import Award, Points
from engine.values import PlayerId, TournamentId

TIE_BREAKS = ("standings.best_result", "standings.wins")


class Unopened(msgspec.Struct, frozen=True, kw_only=True):
    """The state of an empty stream."""


class Counted(msgspec.Struct, frozen=True, kw_only=True):
    tournament: TournamentId
    awards: tuple[Award, ...]


class Opened(msgspec.Struct, frozen=True, kw_only=True):
    terms: SeasonOpened
    counted: tuple[Counted, ...] = ()
    closed: bool = False
    schedule: Schedule = Schedule()

    def has_counted(self, tournament: TournamentId) -> bool:
        """Return whether points for *tournament* have been awarded."""
        return any(each.tournament == tournament for each in self.counted)

    def standings(self) -> "tuple[Standing, ...]":
        """
        Return everyone with an award, the leader first; equals share a rank.

        Ordered by points, then the best single result, then tournaments won
        outright; among equals by player, so that the order never depends on
        when a tournament was counted.
        """
        awards = (award for each in self.counted for award in each.awards)
        return _standings(awards, scale=self.terms.scale)


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    rank: int
    """From 1; after a shared rank as many are skipped as shared it."""
    player: PlayerId
    points: Points
    best: Points
    """The best single result."""
    wins: int
    """Tournaments won outright."""
    tournaments: int
    shared: bool


State = Unopened | Opened


def evolve(state: State, event: Event) -> State:
    """
    Return the state after *event*.

    Raises:
        InvariantViolated: If *event* cannot have happened in *state*.
    """
    match state, event:
        case Unopened(), SeasonOpened():
            return Opened(terms=event)
        case Opened(closed=False), PointsAwarded(tournament=tournament, awards=awards):
            counted = Counted(tournament=tournament, awards=awards)
            return replace(state, counted=(*state.counted, counted))
        case Opened(closed=False), SeasonClosed():
            return replace(state, closed=True)
        case Opened(closed=False), _ if isinstance(event, schedule.Event):
            return replace(state, schedule=evolved(state.schedule, event))
        case _:
            raise InvariantViolated(f"{type(event).__name__} cannot follow {type(state).__name__}")


def _standings(awards: Iterable[Award], *, scale: int) -> tuple[Standing, ...]:
    results: dict[PlayerId, list[Award]] = {}
    for award in awards:
        results.setdefault(award.player, []).append(award)
    rows = sorted(
        ((_merit(each), player, len(each)) for player, each in results.items()),
        key=lambda row: (tuple(-part for part in row[0]), row[1]),
    )
    standings: list[Standing] = []
    for merit, group in groupby(rows, key=lambda row: row[0]):
        level = tuple(group)
        rank = len(standings) + 1
        points, best, wins = merit
        standings.extend(
            Standing(
                rank=rank,
                player=player,
                points=written(points, scale=scale),
                best=written(best, scale=scale),
                wins=int(wins),
                tournaments=count,
                shared=len(level) > 1,
            )
            for _, player, count in level
        )
    return tuple(standings)


def _merit(awards: list[Award]) -> tuple[Decimal, Decimal, Decimal]:
    points = [Decimal(each.points) for each in awards]
    wins = sum(each.place == 1 and each.shared == 1 for each in awards)
    return sum(points, Decimal(0)), max(points), Decimal(wins)
