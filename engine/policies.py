"""
What an event of one aggregate asks of another: the only place where aggregates meet.

Everything here is a function of states and events; the service loads them,
decides the commands answered and appends all of it at once.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Literal

import msgspec

from engine import deals, purchases
from engine.decider import Command, Decider, Event, State
from engine.errors import InvariantViolated
from engine.season.commands import AwardPoints
from engine.season.values import Finish as SeasonFinish
from engine.table.commands import (
    Arrival,
    CloseTable,
    LevelFloor,
    Omission,
    Opening,
    OpenTable,
    Placed,
    RecordWait,
    SeatArrivals,
    VacateSeats,
)
from engine.table.commands import Command as TableCommand
from engine.table.events import Event as TableEvent
from engine.table.events import HandSettled
from engine.table.opening import dealable
from engine.table.positions import DEALT_MIN
from engine.table.state import Table
from engine.tournament import directing
from engine.tournament.commands import (
    CloseWindows,
    Finish,
    RecordBreak,
    RecordBusts,
    RecordMoves,
)
from engine.tournament.commands import Command as TournamentCommand
from engine.tournament.directing import (
    Break,
    BringIn,
    Close,
    CloseRebuys,
    Directive,
    Hold,
    LetGo,
    MoveOut,
    Open,
    directive,
)
from engine.tournament.endings import TableSummary
from engine.tournament.state import Finished, Running
from engine.tournament.state import State as TournamentState
from engine.tournament.values import Busted, Move, Standing
from engine.values import HandId, Seat, TableId, stream_of

Outcome = Literal["open", "windows", "hold", "rearrange", "finish", "close", "nothing"]


class Planned(msgspec.Struct, frozen=True, kw_only=True):
    """Commands to one stream, to be decided in turn."""

    stream: str
    commands: tuple[TableCommand | TournamentCommand, ...]


class BoundaryPlan(msgspec.Struct, frozen=True, kw_only=True):
    """What has to be appended, all at once, before anything else happens at a table."""

    outcome: Outcome
    """
    ``open``: a hand is opened, nothing more to ask.  ``windows``: who lost the last
    chip and did not come back is out; ask again at once.  ``hold``: the wait is
    recorded; ask again when the tournament has changed.  ``rearrange``: entrants
    move; ask again at once.  ``finish``: ask again, and the table is closed.
    ``close``: the table is closed.  ``nothing``: a hand is in play, or it is closed.
    """
    directive: Directive
    entries: tuple[Planned, ...] = ()
    """One for each stream; a table that gives entrants away comes first."""
    guard: str | None = None
    """A stream that must not have moved on, though nothing is appended to it."""
    wait_seconds: int = 0
    """How long after the last hand was settled this may be done."""
    ask_again: tuple[TableId, ...] = ()
    """Other idle tables: their directive may have changed with this, or with the last bust."""


def decide_in_turn(
    decider: Decider[State, Command, Event], state: State, commands: Iterable[Command]
) -> tuple[tuple[Event, ...], State]:
    """
    Return the events of *commands*, each decided in the state the ones before it left.

    Raises:
        CommandRejected: If one of them is refused; then none counts.
    """
    events: list[Event] = []
    for command in commands:
        decided, state = decider.carry_out(state, command)
        events.extend(decided)
    return tuple(events), state


def tables_of(tournament: TournamentState, *, now: datetime) -> tuple[OpenTable, ...]:
    """
    Return how the tables of a tournament that has just started are opened.

    Raises:
        InvariantViolated: If it is not running.
    """
    if not isinstance(tournament, Running):
        raise InvariantViolated(f"a tournament {type(tournament).__name__} opens no tables")
    terms = tournament.terms
    return tuple(
        OpenTable(
            table=seating.table,
            tournament=terms.tournament,
            number=seating.number,
            ruleset=terms.ruleset,
            ruleset_hash=terms.ruleset_hash,
            decision_seconds=terms.decision_seconds,
            grace_seconds=terms.grace_seconds,
            seats=tuple(
                Placed(seat=each.seat, entrant=each.entrant, stack=terms.starting_stack)
                for each in seating.seats
            ),
            seat_count=terms.table_seats,
            now=now,
        )
        for seating in tournament.tables
    )


def busts_of(table: TableId, events: Iterable[TableEvent], *, level: int = 1) -> RecordBusts | None:
    """
    Return what the tournament must be told of one table's new *events*; None if nobody went out.

    To be decided in the append of those events, never later.
    """
    settled = next((each for each in events if isinstance(each, HandSettled)), None)
    if settled is None or not settled.busts:
        return None
    main = settled.winners[:1]
    return RecordBusts(
        table=table,
        hand_number=settled.number,
        busts=tuple(
            Busted(entrant=bust.entrant, seat=Seat(bust.seat), stack_at_start=bust.stack_at_start)
            for bust in settled.busts
        ),
        level=level,
        main_winner=next((each.entrant for each in settled.stacks if each.seat in main), None),
        now=settled.at,
    )


def points_of(tournament: Finished, *, now: datetime) -> AwardPoints:
    """Return what a season must be told of a finished tournament."""
    return AwardPoints(
        tournament=tournament.terms.tournament,
        placings=tuple(
            SeasonFinish(
                entrant=each.entrant, player=each.player, place=each.place, shared=each.shared
            )
            for each in tournament.placings
        ),
        now=now,
    )


def idle_tables(tables: Mapping[TableId, Table]) -> tuple[TableId, ...]:
    """Return the open tables without a hand in play, by number: ask them when things change."""
    by_number = sorted(tables.values(), key=lambda each: each.number)
    return tuple(each.table for each in by_number if each.idle and not each.closed)


def summary_of(table: Table) -> TableSummary:
    """Return what a tournament needs to know of *table*."""
    able = dealable(table)
    return TableSummary(
        table=table.table,
        idle=table.settled,
        hand_number=table.hand_number,
        button=Seat(table.button) if table.button else None,
        stacks=tuple(
            Standing(
                entrant=place.entrant,
                stack=place.stack,
                hands_won=place.hands_won if table.ruleset.moneyless else 0,
                pots_won=place.pots_won,
            )
            for place in table.places
        ),
        playable=len(able) >= DEALT_MIN,
        dealers_left=len(set(table.dealers_left).intersection(able)),
        stage=table.stage,
        carried=table.carry + table.sabacc_pot,
    )


def plan_boundary(
    tournament: TournamentState,
    tables: Mapping[TableId, Table],
    table: TableId,
    *,
    now: datetime,
    hand: HandId,
    tournament_version: int,
    tournament_head: str,
    openings: tuple[Opening, ...] = (),
    omissions: tuple[Omission, ...] = (),
) -> BoundaryPlan:
    """
    Return what is to be appended at the boundary of one table.

    Planning again once it has been appended leads on to the next step.

    Args:
        tables: Every open table of the tournament, and *table* itself.
        hand: What the next hand is to be called, if one is opened.
        tournament_version: Of the state given; the hand names it.
        tournament_head: Hash of that version, in hexadecimal.
    """
    here = tables[table]
    order = directive(tournament, {key: summary_of(each) for key, each in tables.items()}, table)
    if here.closed:
        return BoundaryPlan(outcome="nothing", directive=order)
    if here.voided is not None and isinstance(tournament, Running):
        named = (tournament_version, tournament_head)
        anew = deals.dealt_anew(tournament, here, here.voided, named=named, now=now)
        order = Open(last=here.voided.last, wait_seconds=0)
        return _only(here, *anew, outcome="open", order=order)
    match order:
        case Open():
            opening = deals.first_deal(
                tournament,
                here,
                order,
                hand=hand,
                named=(tournament_version, tournament_head),
                openings=openings,
                omissions=omissions,
                now=now,
            )
            plan = _only(here, opening, outcome="open", order=order)
            waiting = tuple(each for each in _others(tables, here) if tables[each].wait)
            return msgspec.structs.replace(plan, wait_seconds=order.wait_seconds, ask_again=waiting)
        case LetGo():
            return _at_both(here, order, purchases.letting_go(here, order, now=now))
        case BringIn():
            return _at_both(here, order, purchases.bringing_in(here, order, now=now))
        case CloseRebuys():
            return _close_windows(here, order, now=now)
        case Hold(reason="hand_in_play" | "not_started"):
            return BoundaryPlan(outcome="nothing", directive=order)
        case Hold(reason=reason):
            wait = RecordWait(reason=reason, tournament_version=tournament_version)
            return _only(here, wait, outcome="hold", order=order)
        case MoveOut():
            return _move(tables[order.table], tables, order, now=now)
        case Break():
            return _break(tables[order.table], tables, order, now=now)
        case Close() | directing.Finish():
            return _end(here, tables, order, now=now)


def _at_both(here: Table, order: Directive, asked: purchases.Asked) -> BoundaryPlan:
    """Return a step that the table and the tournament take together."""
    at_table, above = asked
    return BoundaryPlan(
        outcome="rearrange",
        directive=order,
        entries=(
            Planned(stream=stream_of(here.table), commands=at_table),
            Planned(stream=stream_of(here.tournament), commands=above),
        ),
    )


def _close_windows(here: Table, order: CloseRebuys, *, now: datetime) -> BoundaryPlan:
    close = CloseWindows(table=here.table, now=now)
    return BoundaryPlan(
        outcome="windows",
        directive=order,
        entries=(Planned(stream=stream_of(here.tournament), commands=(close,)),),
        guard=stream_of(here.table),
        wait_seconds=order.wait_seconds,
    )


def _end(
    here: Table, tables: Mapping[TableId, Table], order: Close | directing.Finish, *, now: datetime
) -> BoundaryPlan:
    """Close a table that is not needed any more, or end the tournament."""
    others = _others(tables, here)
    if isinstance(order, Close):
        closing = purchases.closing(here, order, now=now)
        plan = _only(here, *closing, outcome="close", order=order)
        return msgspec.structs.replace(plan, ask_again=others)
    ending = [each for each in tables.values() if not each.closed]
    awards, order = purchases.carry_at_closing(ending, order, now=now)
    finish = Finish(rule=order.rule, stacks=order.stacks, now=now)
    awarding = (
        Planned(stream=stream_of(table), commands=(award,)) for table, award in awards.items()
    )
    return BoundaryPlan(
        outcome="finish",
        directive=order,
        entries=(*awarding, Planned(stream=stream_of(here.tournament), commands=(finish,))),
        ask_again=others,
    )


def _only(here: Table, *commands: TableCommand, outcome: Outcome, order: Directive) -> BoundaryPlan:
    return BoundaryPlan(
        outcome=outcome,
        directive=order,
        entries=(Planned(stream=stream_of(here.table), commands=commands),),
        guard=stream_of(here.tournament),
    )


def _others(tables: Mapping[TableId, Table], here: Table) -> tuple[TableId, ...]:
    return tuple(each for each in idle_tables(tables) if each != here.table)


def _vacating(moves: tuple[Move, ...], *, now: datetime) -> tuple[VacateSeats, ...]:
    targets = dict.fromkeys(move.to_table for move in moves)
    return tuple(
        VacateSeats(
            departures=tuple(move.entrant for move in moves if move.to_table == target),
            to_table=target,
            now=now,
        )
        for target in targets
    )


def _giving_up(order: Break, *, now: datetime) -> tuple[VacateSeats, ...]:
    """Return how a table where nobody sits any more lets go of what it carries."""
    return (VacateSeats(departures=(), to_table=order.carry_to, now=now),)


def _arriving(here: Table, moves: tuple[Move, ...], table: TableId) -> tuple[Arrival, ...]:
    places = {place.entrant: place for place in here.places}
    return tuple(
        Arrival(
            seat=move.to_seat,
            entrant=move.entrant,
            stack=move.stack,
            away=places[move.entrant].away,
            timeouts=places[move.entrant].timeouts,
            hands_won=places[move.entrant].hands_won,
            pots_won=places[move.entrant].pots_won,
        )
        for move in moves
        if move.to_table == table
    )


def _move(
    here: Table, tables: Mapping[TableId, Table], order: MoveOut, *, now: datetime
) -> BoundaryPlan:
    record = RecordMoves(
        table=here.table,
        hand_number=here.hand_number,
        moves=order.moves,
        rule=order.rule,
        candidates=order.candidates,
        draw=order.draw,
        now=now,
    )
    receiving = tuple(
        Planned(
            stream=stream_of(target),
            commands=(SeatArrivals(arrivals=_arriving(here, order.moves, target), now=now),),
        )
        for target in dict.fromkeys(move.to_table for move in order.moves)
    )
    return BoundaryPlan(
        outcome="rearrange",
        directive=order,
        entries=(
            Planned(stream=stream_of(here.table), commands=_vacating(order.moves, now=now)),
            *receiving,
            Planned(stream=stream_of(here.tournament), commands=(record,)),
        ),
        ask_again=_others(tables, here),
    )


def _break(
    here: Table, tables: Mapping[TableId, Table], order: Break, *, now: datetime
) -> BoundaryPlan:
    record = RecordBreak(
        table=here.table,
        hand_number=here.hand_number,
        moves=order.moves,
        carry_to=order.carry_to,
        rule=order.rule,
        candidates=order.candidates,
        draw=order.draw,
        final=order.final,
        now=now,
    )
    leaving: tuple[TableCommand, ...] = (
        *(_vacating(order.moves, now=now) or _giving_up(order, now=now)),
        CloseTable(reason="broken", now=now),
    )
    receiving = tuple(
        Planned(stream=stream_of(target), commands=(arrivals,))
        for target in dict.fromkeys((order.carry_to, *(move.to_table for move in order.moves)))
        if (arrivals := _inheritance(here, tables[target], order, now=now)) is not None
    )
    return BoundaryPlan(
        outcome="rearrange",
        directive=order,
        entries=(
            Planned(stream=stream_of(here.table), commands=leaving),
            *receiving,
            Planned(stream=stream_of(here.tournament), commands=(record,)),
        ),
        ask_again=_others(tables, here),
    )


def _inheritance(here: Table, target: Table, order: Break, *, now: datetime) -> SeatArrivals | None:
    """Return who and what comes to *target* from the broken table; None if nothing does."""
    inherits = target.table == order.carry_to
    arrivals = _arriving(here, order.moves, target.table)
    carry = here.carry if inherits else 0
    sabacc_pot = here.sabacc_pot if inherits else 0
    if not (arrivals or carry or sabacc_pot):
        return None
    merged = order.final and bool(arrivals)
    return SeatArrivals(
        arrivals=arrivals,
        carry=carry,
        sabacc_pot=sabacc_pot,
        floor=_highest(here.floor(), target.floor()) if merged else None,
        restart=merged,
        now=now,
    )


def _highest(one: LevelFloor, other: LevelFloor) -> LevelFloor:
    return LevelFloor(
        small=max(one.small, other.small),
        big=max(one.big, other.big),
        ante=max(one.ante, other.ante),
    )
