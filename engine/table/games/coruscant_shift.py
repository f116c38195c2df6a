"""
A hand of Coruscant Shift, phase by phase.

Source: rulebook ``phases``.
"""

from collections.abc import Callable
from datetime import datetime

from engine.errors import InvariantViolated
from engine.hand.coruscant_ranking import phases
from engine.kit.dice import roll_target
from engine.rulesets import CoruscantShift
from engine.table.games.coruscant_showdown import reveal, settle
from engine.table.games.course import Course
from engine.table.games.dealing import (
    deal,
    discard_unselected,
    discard_unused,
    replace_cards,
    replacements_due,
)
from engine.table.games.steps import (
    bet,
    kill,
    open_decision,
    post_forced_bets,
    rules_of,
    to_be_killed,
)
from engine.table.model import events
from engine.table.model.events import CardCount
from engine.table.model.state import Place


def step(course: Course, now: datetime) -> None:
    """Play the next phases until one of them opens a decision or ends the hand."""
    done = course.hand.done
    for phase in phases(rules_of(course.table, CoruscantShift), after=done[-1] if done else None):
        if phase == "kill":
            if to_be_killed(course.table):
                kill(course, now)
                # Fewer than two live hands may be left for the other phases.
                return
        elif phase == "replace":
            while replacements_due(course.table):
                replace_cards(course, now)
        else:
            _PHASES[phase](course, now)
        hand = course.table.hand
        if hand is None or hand.decision is not None:
            return
    raise InvariantViolated("a hand has no phase left")


def _roll(course: Course, now: datetime) -> None:
    hand = course.hand
    target, suit = roll_target(bytes.fromhex(hand.seeds.value.dice), hand.digest)
    roller: int | None
    match rules_of(course.table, CoruscantShift).roll.by:
        case "dealer":
            # If the dead button is an empty seat, the house rolls.
            roller = course.table.button if course.table.button in hand.order else None
        case "left_of_dealer":
            roller = hand.order[0]
        case "house":
            roller = None
    course.emit(events.DiceRolled(target=target, suit=suit, roller=roller, rule="dice.target"))


def _select(course: Course, now: datetime) -> None:
    table = course.table
    waiting = [p.seat for p in table.places if (h := p.hand) and h.live and not h.selected]
    if waiting:
        open_decision(course, "select", tuple(waiting), now)
    else:
        course.emit(events.SelectionsClosed(counts=_kept(table.live())))


def _improve(course: Course, now: datetime) -> None:
    table = course.table
    waiting = [p.seat for p in table.places if (h := p.hand) and h.live and not h.improved]
    if waiting:
        open_decision(course, "improve", tuple(waiting), now)
    else:
        course.emit(events.ImprovementsClosed(counts=_kept(table.live())))


def _kept(places: tuple[Place, ...]) -> tuple[CardCount, ...]:
    counts = [
        CardCount(seat=place.seat, cards=len(place.hand.selection))
        for place in places
        if place.hand is not None
    ]
    return tuple(counts)


def _award(course: Course, now: datetime) -> None:
    settle(course, now)


def _reveal(course: Course, now: datetime) -> None:
    reveal(course)


_PHASES: dict[str, Callable[[Course, datetime], None]] = {
    "forced": post_forced_bets,
    "roll": _roll,
    "deal": deal,
    "select": _select,
    "discard_unselected": discard_unselected,
    "bet1": bet,
    "improve": _improve,
    "discard_unused": discard_unused,
    "bet2": bet,
    "reveal": _reveal,
    "award": _award,
}
