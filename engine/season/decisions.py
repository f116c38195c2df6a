"""Which events a command to a season leads to."""

import itertools
from collections.abc import Iterable
from decimal import Decimal

from engine.season.commands import AwardPoints, CloseSeason, Command, OpenSeason
from engine.season.errors import (
    PlacingsInvalid,
    SeasonClosedAlready,
    SeasonNotOpened,
    SeasonTermsInvalid,
)
from engine.season.events import (
    Event,
    FinalStanding,
    PointsAwarded,
    SeasonClosed,
    SeasonOpened,
)
from engine.season.points import awards_of
from engine.season.schedule.decisions import decide as decide_schedule
from engine.season.state import TIE_BREAKS, Opened, State
from engine.season.values import PlacesFromEnd, PointsRule

NAME_LENGTH_MAX = 200
SCALE_MAX = 6
TABLE_LENGTH_MAX = 1_000


def decide(state: State, command: Command) -> tuple[Event, ...]:
    """
    Return the events that *command* causes in *state*; none if it is already so.

    Raises:
        CommandRejected: If the rules forbid the command.
    """
    match command:
        case OpenSeason():
            return _open(state, command)
        case AwardPoints():
            return _award(_opened(state), command)
        case CloseSeason():
            return _close(_opened(state))
        case _:
            return decide_schedule(_running(state).schedule, command)


def _opened(state: State) -> Opened:
    if not isinstance(state, Opened):
        raise SeasonNotOpened
    return state


def _running(state: State) -> Opened:
    opened = _opened(state)
    if opened.closed:
        raise SeasonClosedAlready
    return opened


def _open(state: State, command: OpenSeason) -> tuple[Event, ...]:
    if isinstance(state, Opened):
        return ()
    if not 0 < len(command.name.strip()) <= NAME_LENGTH_MAX:
        raise SeasonTermsInvalid(field="name", problem="must have 1 to 200 characters")
    if not 0 <= command.scale <= SCALE_MAX:
        raise SeasonTermsInvalid(field="scale", problem=f"must be 0 to {SCALE_MAX}")
    numbers = tuple(_numbers(command.points))
    if len(numbers) > TABLE_LENGTH_MAX:
        raise SeasonTermsInvalid(field="points", problem=f"at most {TABLE_LENGTH_MAX} places")
    if not numbers or any(number < 0 for number in numbers):
        raise SeasonTermsInvalid(field="points", problem="must be given, and not negative")
    if any(better < worse for better, worse in itertools.pairwise(numbers)):
        raise SeasonTermsInvalid(field="points", problem="a better place cannot be worth less")
    return (
        SeasonOpened(
            season=command.season,
            league=command.league,
            name=command.name,
            points=command.points,
            scale=command.scale,
            tie_breaks=TIE_BREAKS,
        ),
    )


def _numbers(rule: PointsRule) -> Iterable[Decimal]:
    if isinstance(rule, PlacesFromEnd):
        return (Decimal(rule.per_place),)
    return (Decimal(points) for points in rule.points)


def _award(state: Opened, command: AwardPoints) -> tuple[Event, ...]:
    if state.has_counted(command.tournament):
        return ()
    if state.closed:
        raise SeasonClosedAlready
    if not command.placings:
        raise PlacingsInvalid(problem="a tournament without entrants earns nobody points")
    if len({each.entrant for each in command.placings}) != len(command.placings):
        raise PlacingsInvalid(problem="an entrant is placed twice")
    if any(each.place < 1 or each.shared < 1 for each in command.placings):
        raise PlacingsInvalid(problem="places are counted from 1")
    rule = state.terms.points
    return (
        PointsAwarded(
            tournament=command.tournament,
            awards=awards_of(command.placings, rule=rule, scale=state.terms.scale),
            rule="points.places_from_end" if isinstance(rule, PlacesFromEnd) else "points.table",
        ),
    )


def _close(state: Opened) -> tuple[Event, ...]:
    if state.closed:
        return ()
    return (
        SeasonClosed(
            standings=tuple(
                FinalStanding(rank=each.rank, player=each.player, points=each.points)
                for each in state.standings()
            )
        ),
    )
