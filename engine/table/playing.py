"""
What happens at a table by itself, from one decision to the next.

``advance`` runs the phases of the game until somebody has to decide or the hand
is settled.  A settled hand never opens the next.
"""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Literal

from engine.betting import next_to_act
from engine.dice import roll_target
from engine.errors import InvariantViolated
from engine.games.coruscant_shift import phases
from engine.table import events
from engine.table.course import Course
from engine.table.dealing import (
    deal,
    discard_unselected,
    discard_unused,
    lacking,
    replace_cards,
)
from engine.table.events import CardCount, DecisionOpened
from engine.table.settling import reveal, settle
from engine.table.state import Place, Table
from engine.table.wagers import forced_bets, min_open, street_of


def advance(course: Course, now: datetime) -> None:
    """Play on until a decision is open or the hand is settled."""
    while course.table.hand is not None and course.hand.decision is None:
        if len(course.table.live()) == 1:
            settle(course, "folds", now)
        else:
            _PHASES[_next_phase(course.table)](course, now)


def _next_phase(table: Table) -> str:
    hand = table.hand
    done = () if hand is None else hand.done
    for phase in phases(table.ruleset):
        match phase:
            case "kill":
                if any(place.hand is not None and place.hand.kill for place in table.live()):
                    return phase
            case "replace":
                if any(lacking(table, place) for place in table.live()):
                    return phase
            case _ if phase not in done:
                return phase
    raise InvariantViolated("a hand has no phase left")


def _forced(course: Course, now: datetime) -> None:
    rule = "forced.blinds" if course.hand.big_blind is not None else "forced.ante"
    course.emit(events.ForcedBetsPosted(posts=forced_bets(course.table), rule=rule))


def _roll(course: Course, now: datetime) -> None:
    hand = course.hand
    target, suit = roll_target(bytes.fromhex(hand.seeds.value.dice), hand.digest)
    roller: int | None
    match course.table.ruleset.roll.by:
        case "dealer":
            roller = course.table.button
        case "left_of_dealer":
            roller = hand.order[0]
        case "house":
            roller = None
    course.emit(events.DiceRolled(target=target, suit=suit, roller=roller, rule="dice.target"))


def _kill(course: Course, now: datetime) -> None:
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


def _open_decision(
    course: Course, phase: events.Phase, seats: tuple[int, ...], now: datetime
) -> None:
    hand = course.hand
    turn = hand.turn + 1
    course.emit(
        DecisionOpened(
            decision=f"{hand.number}.{hand.deal}.{turn}",
            phase=phase,
            street=hand.street,
            turn=turn,
            seats=seats,
            at=now,
            deadline=now + timedelta(seconds=course.table.decision_seconds),
        )
    )


def _select(course: Course, now: datetime) -> None:
    live = course.table.live()
    waiting = sorted(p.seat for p in live if p.hand is not None and not p.hand.selected)
    if waiting:
        _open_decision(course, "select", tuple(waiting), now)
    else:
        course.emit(events.SelectionsClosed(counts=_kept(live)))


def _improve(course: Course, now: datetime) -> None:
    live = course.table.live()
    waiting = sorted(p.seat for p in live if p.hand is not None and not p.hand.improved)
    if waiting:
        _open_decision(course, "improve", tuple(waiting), now)
    else:
        course.emit(events.ImprovementsClosed(counts=_kept(live)))


def _kept(places: tuple[Place, ...]) -> tuple[CardCount, ...]:
    return tuple(
        CardCount(seat=place.seat, cards=len(place.hand.selection))
        for place in places
        if place.hand is not None
    )


def _bet(course: Course, now: datetime) -> None:
    table = course.table
    seat = next_to_act(street_of(table))
    if seat is not None:
        _open_decision(course, "bet", (seat,), now)
        return
    level = table.level
    if level is None:
        raise InvariantViolated("a hand without a level")
    wagered = sum(place.hand.wager for place in table.places if place.hand is not None)
    course.emit(
        events.StreetClosed(
            street=course.hand.street, chips=wagered, min_open=min_open(table, level)
        )
    )


def _award(course: Course, now: datetime) -> None:
    settle(course, "showdown", now)


def _reveal(course: Course, now: datetime) -> None:
    reveal(course)


_PHASES: dict[str, Callable[[Course, datetime], None]] = {
    "forced": _forced,
    "roll": _roll,
    "deal": deal,
    "kill": _kill,
    "select": _select,
    "discard_unselected": discard_unselected,
    "bet1": _bet,
    "replace": replace_cards,
    "improve": _improve,
    "discard_unused": discard_unused,
    "bet2": _bet,
    "reveal": _reveal,
    "award": _award,
}
