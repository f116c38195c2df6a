"""
Hand-for-hand play: every table plays one hand, and all wait for the slowest.

The hands in play at the beginning count as its first hand. Everyone who busts in them is placed
together.

Source: WSOP rule 126 and TDA's recommended procedure 8, rulebook ``hand_for_hand``.
"""

from datetime import datetime
from typing import Literal

from engine.tournament import levels
from engine.tournament.model.commands.floor import (
    CloseRound,
    EndHandForHand,
    OpenRound,
    StartHandForHand,
)
from engine.tournament.model.errors.floor import RulingNotPossible
from engine.tournament.model.events import Event
from engine.tournament.model.events.floor import (
    HandForHandEnded,
    HandForHandStarted,
    RoundClosed,
    RoundOpened,
)
from engine.tournament.model.state import Running
from engine.tournament.model.values import Busted
from engine.tournament.money.pool import paid_places
from engine.tournament.results import ranking
from engine.values import Seat

Cause = Literal["bubble", "left"]


def start(state: Running, command: StartHandForHand) -> tuple[Event, ...]:
    """
    Return the events that begin hand-for-hand play by order of a director.

    Raises:
        RulingNotPossible: If there is only one table, a scheduled round is in play, or the last
            hands have been called.
    """
    if state.floor.hand_for_hand is not None:
        return ()
    if state.in_round:
        raise RulingNotPossible(reason="scheduled_round")
    if len(state.tables) < 2:
        raise RulingNotPossible(reason="one_table")
    if state.floor.last_hands is not None or state.closing:
        raise RulingNotPossible(reason="last_hands")
    started = HandForHandStarted(
        left=left_in(state),
        paid=paid_places(state),
        cause="director",
        by=command.by,
        reason=command.reason,
        rule="hand_for_hand",
    )
    return (started, *levels.rested(state.clock, command.now, rule="hand_for_hand.clock"))


def may_begin_by_itself(state: Running) -> bool:
    """Return whether an elimination may begin hand-for-hand play by the terms."""
    terms = state.terms.floor.hand_for_hand
    return state.floor.hand_for_hand is None and (terms.at_bubble or terms.at_left is not None)


def begun_by_itself(state: Running) -> Cause | None:
    """Return the reason why hand-for-hand play has to begin now by the terms, or None."""
    terms, left = state.terms.floor.hand_for_hand, left_in(state)
    over = state.floor.hand_for_hand or state.floor.bubble_played or state.floor.last_hands
    if over or len(state.tables) < 2:
        return None
    # While players may still enter, nobody knows how many entrants are one too many.
    if terms.at_bubble and not state.entering.late:
        paid = paid_places(state)
        if paid and left == paid + 1:
            return "bubble"
    return "left" if terms.at_left is not None and 1 < left <= terms.at_left else None


def beginning(state: Running, cause: Cause, now: datetime) -> tuple[Event, ...]:
    """Return the events that begin hand-for-hand play by the terms."""
    started = HandForHandStarted(
        left=left_in(state),
        paid=paid_places(state),
        cause=cause,
        by=None,
        reason=None,
        rule="hand_for_hand",
    )
    return (started, *levels.rested(state.clock, now, rule="hand_for_hand.clock"))


def open_round(state: Running, command: OpenRound) -> tuple[Event, ...]:
    """Return the events that let each table open one hand, for a fixed time of the level clock."""
    play = state.floor.hand_for_hand
    if play is None or play.playing:
        return ()
    opened = RoundOpened(
        round=state.floor.round + 1,
        tables=tuple(each.table for each in state.tables),
        rule="hand_for_hand",
    )
    seconds = state.terms.floor.hand_for_hand.clock_seconds
    return (opened, *levels.sliced(state, seconds, command.now))


def close_round(state: Running, command: CloseRound) -> tuple[Event, ...]:
    """
    Return the places of everyone who busted in the hand, and the end of hand-for-hand play if due.
    """
    play = state.floor.hand_for_hand
    alone = len(state.tables) == 1
    if play is None or not (play.playing or play.out or state.windows or alone):
        return ()
    gone = _gone(state)
    closed = RoundClosed(
        round=state.floor.round,
        out=tuple(bust.entrant for bust, _ in gone),
        rule="hand_for_hand",
    )
    placed = _placed(state, gone)
    left = left_in(state)
    if ranking.ends(placed):
        return (closed, *placed)
    return (closed, *placed, *_ending(state, left, command.now))


def end(state: Running, command: EndHandForHand) -> tuple[Event, ...]:
    """
    Return the events that end hand-for-hand play and place everyone who busted in its last hand.

    Raises:
        RulingNotPossible: If there is no hand-for-hand play.
    """
    if state.floor.hand_for_hand is None:
        raise RulingNotPossible(reason="not_hand_for_hand")
    placed = _placed(state, _gone(state, windows=False))
    if ranking.ends(placed):
        return placed
    ended = HandForHandEnded(
        left=left_in(state),
        cause="director",
        by=command.by,
        reason=command.reason,
        rule="hand_for_hand",
    )
    return (*placed, ended, *levels.released(state, command.now))


def left_in(state: Running) -> int:
    """Return the number of entrants who are not out, with open rebuy windows and newcomers."""
    coming = sum(each.newcomer for each in state.promised)
    return state.still_in + len(state.windows) + coming


def _gone(state: Running, *, windows: bool = True) -> tuple[tuple[Busted, str], ...]:
    """Return the busts of the present hand of hand-for-hand play, each with its table."""
    play = state.floor.hand_for_hand
    out = () if play is None else play.out
    winners = {each.entrant: each.by for each in state.books.knockouts}
    gone = [(each.entrant, each.stack_at_start, each.table) for each in out]
    if windows:
        gone += [(each.entrant, each.stack_at_start, each.table) for each in state.windows]
    return tuple(
        (
            Busted(
                entrant=entrant,
                seat=Seat(1),
                stack_at_start=stack,
                won_by=winners.get(entrant, ()),
            ),
            table,
        )
        for entrant, stack, table in gone
    )


def _placed(state: Running, gone: tuple[tuple[Busted, str], ...]) -> tuple[Event, ...]:
    tables = {table for _, table in gone}
    shared = state.terms.floor.hand_for_hand.ties == "shared" and len(tables) > 1
    busts = tuple(bust for bust, _ in gone)
    rule = None
    if len(tables) > 1:
        rule = "hand_for_hand.shared" if shared else "hand_for_hand.stack_at_start"
    return ranking.eliminations(state, busts, equal=shared, rule=rule)


def _ending(state: Running, left: int, now: datetime) -> tuple[Event, ...]:
    terms, paid = state.terms.floor.hand_for_hand, paid_places(state)
    left -= len(state.windows)
    cause: Literal["in_the_money", "one_table"]
    if state.floor.bubble_played and terms.at_bubble and left <= paid:
        cause = "in_the_money"
    elif len([each for each in state.tables if each.seats]) < 2:
        cause = "one_table"
    else:
        return ()
    ended = HandForHandEnded(left=left, cause=cause, by=None, reason=None, rule="hand_for_hand")
    return (ended, *levels.released(state, now))
