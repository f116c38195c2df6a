"""Selections and bets, made by players or by the clock after a timeout."""

from datetime import datetime

from engine.errors import InvariantViolated
from engine.hand.betting import Verb, act
from engine.hand.showdown import best_selection
from engine.rulesets import CoruscantShift, FixedContinue
from engine.table.decide.answering import answering, checked, open_decision
from engine.table.decide.turns import stand_by_clock
from engine.table.games.course import Course
from engine.table.games.playing import advance
from engine.table.games.steps import bet, rules_of
from engine.table.model import errors, events
from engine.table.model.commands import Act, Improve, Select, TimeOut
from engine.table.model.events import Event
from engine.table.model.hand import Decision
from engine.table.model.state import Place, Table
from engine.table.model.wagers import street_of
from engine.values import Chips, Sealed, only

TIMEOUTS_MAX = 3
"""Consecutive timeouts after which a seat counts as away (rulebook ``absence.timeouts``)."""


def select(course: Course, command: Select) -> None:
    """Commit the first selection of a seat."""
    decision, place, held = answering(course.table, command.entrant, command.decision, "select")
    cards = checked(command.cards, held.cards)
    least = rules_of(course.table, CoruscantShift).first_selection_min
    if len(cards) < least:
        raise errors.SelectionTooSmall(cards=len(cards), minimum=least, rule="selection.first")
    committed = events.SelectionCommitted(
        decision=decision.token,
        seat=place.seat,
        entrant=place.entrant,
        cards=_sealed(cards, command.salt, place),
        timed_out=False,
        at=command.now,
        rule="selection.first",
    )
    _commit(course, decision, committed, command.now)


def improve(course: Course, command: Improve) -> None:
    """Add new cards to the selection of a seat. Selected cards stay selected."""
    decision, place, held = answering(course.table, command.entrant, command.decision, "improve")
    cards = checked(command.cards, held.fresh)
    least = rules_of(course.table, CoruscantShift).final_selection_min
    if len(held.selection) + len(cards) < least:
        raise errors.SelectionTooSmall(
            cards=len(held.selection) + len(cards), minimum=least, rule="selection.improve"
        )
    committed = events.ImprovementCommitted(
        decision=decision.token,
        seat=place.seat,
        entrant=place.entrant,
        cards=_sealed(cards, command.salt, place),
        timed_out=False,
        at=command.now,
        rule="selection.improve",
    )
    _commit(course, decision, committed, command.now)


def _commit(course: Course, decision: Decision, committed: Event, now: datetime) -> None:
    """Append the selection of a seat. After the last seat's selection the hand goes on."""
    course.emit(committed)
    if len(decision.seats) == 1:
        advance(course, now)


def _sealed(cards: tuple[str, ...], salt: str, place: Place) -> Sealed[tuple[str, ...]]:
    return Sealed(cards, bytes.fromhex(salt), only(place.entrant))


def act_on_turn(course: Course, command: Act) -> None:
    """Take a betting action from the seat that is next to act."""
    decision, place, _ = answering(course.table, command.entrant, command.decision, "bet")
    _bet(course, decision, place, command.verb, command.now, command.amount, command.expected)
    if command.verb != "fold" or course.table.contested():
        # The street goes on. This asks for the next bet without a search for the next step.
        bet(course, command.now)
    advance(course, command.now)


def _bet(
    course: Course,
    decision: Decision,
    place: Place,
    verb: Verb,
    now: datetime,
    amount: Chips | None = None,
    expected: Chips | None = None,
    *,
    timed_out: bool = False,
) -> None:
    seat = place.seat
    outcome = act(street_of(course.table), seat, verb, amount, expected)
    course.emit(
        events.SeatActed(
            decision=decision.token,
            seat=seat,
            entrant=place.entrant,
            verb=verb,
            amount=amount,
            expected=expected,
            paid=outcome.paid,
            stack=outcome.stack,
            current_bet=outcome.current_bet,
            full_raise=outcome.full_raise,
            all_in=outcome.all_in,
            timed_out=timed_out,
            at=now,
            rule="clock.bet" if timed_out else outcome.rule,
        )
    )


def _verb_of_the_clock(table: Table, place: Place) -> Verb:
    if (held := place.hand) is None:
        raise InvariantViolated("a bet outside a hand")
    if street_of(table).due(place.seat, held.put_in) > 0:
        return "fold"
    return "stay" if isinstance(table.ruleset.betting, FixedContinue) else "check"


def time_out(course: Course, command: TimeOut) -> None:
    """
    Answer for every seat that the open decision still waits for.

    Source: rulebook ``clock``.
    """
    decision = open_decision(course.table, command.decision)
    until = course.table.answered_by_clock_at(decision)
    if command.now < until:
        raise errors.DeadlineNotReached(until=until)
    by_salt = decision.phase in ("select", "improve")
    if by_salt and len(command.salts) < len(decision.seats):
        raise errors.SaltsMissing(needed=len(decision.seats), given=len(command.salts))
    for index, seat in enumerate(decision.seats):
        place = course.table.at(seat)
        if decision.phase == "bet":
            verb = _verb_of_the_clock(course.table, place)
            _bet(course, decision, place, verb, command.now, timed_out=True)
        elif decision.phase == "card":
            stand_by_clock(course, decision, place, command.now)
        else:
            _commit_by_clock(course, decision, place, command.salts[index], command)
        after = course.table.at(seat)
        if after.timeouts >= TIMEOUTS_MAX and not after.away:
            course.emit(
                events.SeatWentAway(
                    seat=seat, entrant=after.entrant, cause="timeouts", rule="absence.timeouts"
                )
            )
    advance(course, command.now)


def _commit_by_clock(
    course: Course, decision: Decision, place: Place, salt: str, command: TimeOut
) -> None:
    hand, held = course.hand, place.hand
    if held is None or hand.target is None or hand.suit is None:
        raise InvariantViolated(f"seat {place.seat} has nothing to select from")
    selecting = decision.phase == "select"
    pool = tuple(card.card for card in (held.cards if selecting else held.fresh))
    cards: tuple[str, ...] = ()
    if selecting:
        least = max(1, rules_of(course.table, CoruscantShift).first_selection_min)
        cards = best_selection(pool, hand.target, hand.suit, least=least)
    elif not held.selection:
        cards = best_selection(pool, hand.target, hand.suit, most=1)
    committed = events.SelectionCommitted if selecting else events.ImprovementCommitted
    course.emit(
        committed(
            decision=decision.token,
            seat=place.seat,
            entrant=place.entrant,
            cards=_sealed(cards, salt, place),
            timed_out=True,
            at=command.now,
            rule="clock.selection" if selecting else "clock.improve",
        )
    )
