"""Steps that the hands of several games share."""

from datetime import datetime, timedelta
from functools import lru_cache
from typing import Literal, TypeVar

from engine.errors import InvariantViolated
from engine.hand.betting import next_to_act
from engine.rulesets import Ruleset
from engine.table.games.course import Course
from engine.table.model import events
from engine.table.model.events import DecisionOpened
from engine.table.model.state import Table
from engine.table.model.wagers import forced_bets, price_of, street_of

Game = TypeVar("Game", bound=Ruleset)


def rules_of(table: Table, game: type[Game]) -> Game:
    """
    Return the table's ruleset.

    Raises:
        InvariantViolated: If the table plays another game.
    """
    if not isinstance(table.ruleset, game):
        raise InvariantViolated(f"this table does not play {game.__name__}")
    return table.ruleset


def post_forced_bets(course: Course, now: datetime) -> None:
    """Post the forced bets and set the price of the first street."""
    rule = "forced.blinds" if course.hand.big_blind is not None else "forced.ante"
    posts = forced_bets(course.table)
    price = price_of(course.table, posts)
    course.emit(events.ForcedBetsPosted(posts=posts, price=price, rule=rule))


def to_be_killed(table: Table) -> bool:
    """Return whether a live hand belongs to a seat that is away or serves a penalty."""
    for place in table.places:
        held = place.hand
        if held is not None and held.kill and held.live:
            return True
    return False


def kill(course: Course, now: datetime) -> None:
    """Kill the hands of seats that are away or serve a penalty. Keep the last live hand."""
    for place in course.table.live():
        if place.hand is None or place.hand.kill is None:
            continue
        if len(course.table.live()) == 1:
            return
        cause: Literal["away", "penalty"] = "penalty" if place.hand.kill == "penalty" else "away"
        course.emit(
            events.HandKilled(
                seat=place.seat, entrant=place.entrant, cause=cause, rule="absence.killed"
            )
        )


def open_decision(
    course: Course, phase: events.Phase, seats: tuple[int, ...], now: datetime
) -> None:
    """Open a decision for *seats* with the table's decision time."""
    table = course.table
    hand = table.hand
    if hand is None:
        raise InvariantViolated("a decision outside a hand")
    turn = hand.turn + 1
    course.emit(
        DecisionOpened(
            decision=f"{hand.number}.{hand.deal}.{turn}",
            phase=phase,
            street=hand.street,
            turn=turn,
            seats=seats,
            at=now,
            deadline=now + _lasting(table.decision_seconds),
        )
    )


@lru_cache(maxsize=256)
def _lasting(seconds: int) -> timedelta:
    """Return a cached ``timedelta``. All decisions of a tournament last equally long."""
    return timedelta(seconds=seconds)


def bet(course: Course, now: datetime) -> None:
    """Open the next seat's betting decision, or close the street if nobody is left to act."""
    table = course.table
    seat = next_to_act(street_of(table))
    if seat is not None:
        open_decision(course, "bet", (seat,), now)
        return
    hand = course.hand
    wagered = sum([held.wager for place in table.places if (held := place.hand) is not None])
    course.emit(events.StreetClosed(street=hand.street, chips=wagered, min_open=hand.min_open))
