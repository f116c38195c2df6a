"""Plan the commands that are appended between two hands of a table."""

from collections.abc import Mapping
from datetime import datetime

import msgspec

from engine.coordination import deals, purchases, round_tables
from engine.coordination.plans import ForTable, ForTournament, NextHandPlan, Outcome
from engine.coordination.policies import idle_tables
from engine.coordination.rearrangements import (
    arriving,
    giving_up,
    inheritance,
    penalties_along,
    redrawn,
    removing,
    vacating,
)
from engine.coordination.summaries import summaries_for
from engine.errors import InvariantViolated
from engine.kit.beacon import Pulse
from engine.table.model.commands import CloseTable, RecordWait, SeatArrivals
from engine.table.model.commands import Command as TableCommand
from engine.table.model.state import Table
from engine.tournament.model import directives
from engine.tournament.model.commands import CloseWindows, Finish, RecordBreak, RecordMoves
from engine.tournament.model.commands import Command as TournamentCommand
from engine.tournament.model.commands.floor import (
    CloseRound,
    CountLastHands,
    OpenRound,
    RecordRedraw,
)
from engine.tournament.model.directives import (
    Break,
    BringIn,
    Close,
    CloseRebuys,
    CountHands,
    Directive,
    EndRound,
    Hold,
    LetGo,
    MoveOut,
    NextRound,
    Open,
    Purge,
    Redraw,
    Remove,
    RoundOver,
)
from engine.tournament.model.state import Running
from engine.tournament.model.state import State as TournamentState
from engine.tournament.orders import directive
from engine.values import HandId, TableId, stream_of


def plan_next_hand(
    tournament: TournamentState,
    tables: Mapping[TableId, Table],
    table: TableId,
    *,
    now: datetime,
    hand: HandId,
    tournament_version: int,
    tournament_head: str,
    pulse: Pulse | None = None,
) -> NextHandPlan:
    """
    Return the commands to append before the next hand of *table*, or with it.

    Plan again after the append to get the next step.

    Args:
        tables: Every open table of the tournament, and *table* itself even if it is closed.
        hand: The identifier of the next hand, if one is opened.
        tournament_version: The version of *tournament*. The hand names it.
        tournament_head: The hash of that version, in hexadecimal.
        pulse: The pulse that the table waits for, once it has arrived.
    """
    here = tables[table]
    order = directive(tournament, summaries_for(here, tables), table)
    if here.closed:
        return NextHandPlan(outcome="nothing", directive=order)
    named = (tournament_version, tournament_head)
    if here.voided is not None and isinstance(tournament, Running):
        if here.held is not None:
            return NextHandPlan(outcome="nothing", directive=Hold(reason="held"))
        anew = deals.dealt_anew(tournament, here, here.voided, named=named, pulse=pulse, now=now)
        order = Open(last=here.voided.last, wait_seconds=0)
        plan = _only(here, *anew, outcome="open", order=order)
        return _by_beacon(tournament, here, plan, pulse, now=now)
    if isinstance(order, Open):
        opening = deals.first_deal(
            tournament, here, order, hand=hand, named=named, pulse=pulse, now=now
        )
        plan = _only(here, opening, outcome="open", order=order)
        waiting = tuple(each for each in _others(tables, here) if tables[each].wait)
        seconds = order.wait_seconds
        if deals.waits_for_openings(tournament, here):
            seconds = max(seconds, here.decision_seconds)
        plan = msgspec.structs.replace(plan, wait_seconds=seconds, ask_again=waiting)
        return _by_beacon(tournament, here, plan, pulse, now=now)
    return _without_a_hand(tables, here, order, version=tournament_version, now=now)


def _by_beacon(
    tournament: TournamentState,
    here: Table,
    plan: NextHandPlan,
    pulse: Pulse | None,
    *,
    now: datetime,
) -> NextHandPlan:
    """Return *plan*, which opens a hand, or the step that has to name a pulse first."""
    naming = deals.named_pulse(tournament, here, now=now)
    if naming is not None:
        entries = (ForTable(stream=stream_of(here.table), commands=(naming,)),)
        return msgspec.structs.replace(plan, outcome="name_pulse", entries=entries)
    if here.awaited is None:
        return plan
    # All other waits ended before the pulse was named.
    missing = here.awaited if pulse is None else None
    return msgspec.structs.replace(plan, wait_seconds=0, awaits=missing)


def _without_a_hand(
    tables: Mapping[TableId, Table], here: Table, order: Directive, *, version: int, now: datetime
) -> NextHandPlan:
    """Return the plan for any directive other than ``Open``."""
    match order:
        case LetGo():
            return _at_both(here, order, purchases.letting_go(here, order, now=now))
        case BringIn():
            return _at_both(here, order, purchases.bringing_in(here, order, now=now))
        case RoundOver():
            return _end_round(tables, here, order, now=now)
        case Purge():
            return _at_both(here, order, purchases.purging(here, order, now=now))
        case CloseRebuys():
            return _close_windows(here, order, now=now)
        case Remove():
            return _at_both(here, order, removing(here, order, now=now))
        case CountHands(hand_number=number):
            count = CountLastHands(table=here.table, hand_number=number, now=now)
            return _above(here, count, order=order)
        case NextRound() | EndRound():
            return _round(tables, here, order, now=now)
        case Redraw():
            return _redraw(tables, here, order, now=now)
        case Hold(reason=reason) if here.waits or reason in ("hand_in_play", "not_started"):
            return NextHandPlan(outcome="nothing", directive=order)
        case Hold(reason=reason):
            wait = RecordWait(reason=reason, tournament_version=version)
            return _only(here, wait, outcome="hold", order=order)
        case MoveOut():
            return _move(tables[order.table], tables, order, now=now)
        case Break():
            return _break(tables[order.table], tables, order, now=now)
        case Close() | directives.Finish():
            return _end(here, tables, order, now=now)
        case Open():
            raise InvariantViolated("a hand is opened by its own step")


def _above(here: Table, command: TournamentCommand, *, order: Directive) -> NextHandPlan:
    """Return a step of the tournament alone. The table must not change meanwhile."""
    return NextHandPlan(
        outcome="rearrange",
        directive=order,
        entries=(ForTournament(stream=stream_of(here.tournament), commands=(command,)),),
        guard=stream_of(here.table),
    )


def _round(
    tables: Mapping[TableId, Table], here: Table, order: NextRound | EndRound, *, now: datetime
) -> NextHandPlan:
    """
    Return the step that opens or closes one hand of hand-for-hand play.

    All tables are between hands.
    """
    command = OpenRound(now=now) if isinstance(order, NextRound) else CloseRound(now=now)
    plan = _above(here, command, order=order)
    if isinstance(order, EndRound):
        plan = msgspec.structs.replace(plan, wait_seconds=order.wait_seconds, since=order.since)
    return msgspec.structs.replace(plan, ask_again=_others(tables, here))


def _redraw(
    tables: Mapping[TableId, Table], here: Table, order: Redraw, *, now: datetime
) -> NextHandPlan:
    """Return the step that gives everybody another seat. All tables are between hands."""
    record = RecordRedraw(
        moves=order.moves,
        rule=order.rule,
        candidates=order.candidates,
        draw=order.draw,
        now=now,
    )
    asked = redrawn(tables, order.moves, now=now)
    seats = (ForTable(stream=stream_of(key), commands=each) for key, each in asked.items())
    return NextHandPlan(
        outcome="rearrange",
        directive=order,
        entries=(*seats, ForTournament(stream=stream_of(here.tournament), commands=(record,))),
        ask_again=_others(tables, here),
    )


def _at_both(here: Table, order: Directive, asked: purchases.Asked) -> NextHandPlan:
    """Return a step that the table and the tournament take together."""
    at_table, above = asked
    return NextHandPlan(
        outcome="rearrange",
        directive=order,
        entries=(
            ForTable(stream=stream_of(here.table), commands=at_table),
            ForTournament(stream=stream_of(here.tournament), commands=above),
        ),
    )


def _close_windows(here: Table, order: CloseRebuys, *, now: datetime) -> NextHandPlan:
    close = CloseWindows(table=here.table, now=now)
    return NextHandPlan(
        outcome="windows",
        directive=order,
        entries=(ForTournament(stream=stream_of(here.tournament), commands=(close,)),),
        guard=stream_of(here.table),
        wait_seconds=order.wait_seconds,
    )


def _end(
    here: Table, tables: Mapping[TableId, Table], order: Close | directives.Finish, *, now: datetime
) -> NextHandPlan:
    """Return the step that closes a table with nothing left to play for, or ends the tournament."""
    others = _others(tables, here)
    if isinstance(order, Close):
        closing = purchases.closing(here, order, now=now)
        plan = _only(here, *closing, outcome="close", order=order)
        return msgspec.structs.replace(plan, ask_again=others)
    ending = [each for each in tables.values() if not each.closed]
    awards, stacks = purchases.carry_at_closing(ending, order.stacks, now=now)
    finish = Finish(rule=order.rule, stacks=stacks, now=now)
    awarding = (
        ForTable(stream=stream_of(table), commands=(award,)) for table, award in awards.items()
    )
    return NextHandPlan(
        outcome="finish",
        directive=order,
        entries=(*awarding, ForTournament(stream=stream_of(here.tournament), commands=(finish,))),
        ask_again=others,
    )


def _end_round(
    tables: Mapping[TableId, Table], here: Table, order: RoundOver, *, now: datetime
) -> NextHandPlan:
    """Return the step that closes all tables of a round at once, after they award their carry."""
    at_tables, end = round_tables.ending(tables, order, now=now)
    closing = (ForTable(stream=stream_of(key), commands=each) for key, each in at_tables.items())
    return NextHandPlan(
        outcome="rearrange",
        directive=order,
        entries=(*closing, ForTournament(stream=stream_of(here.tournament), commands=(end,))),
    )


def _only(here: Table, *commands: TableCommand, outcome: Outcome, order: Directive) -> NextHandPlan:
    return NextHandPlan(
        outcome=outcome,
        directive=order,
        entries=(ForTable(stream=stream_of(here.table), commands=commands),),
        guard=stream_of(here.tournament),
    )


def _others(tables: Mapping[TableId, Table], here: Table) -> tuple[TableId, ...]:
    return tuple(each for each in idle_tables(tables) if each != here.table)


def _move(
    here: Table, tables: Mapping[TableId, Table], order: MoveOut, *, now: datetime
) -> NextHandPlan:
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
        ForTable(
            stream=stream_of(target),
            commands=(
                SeatArrivals(arrivals=arriving(here, order.moves, target), now=now),
                *penalties_along(here, order.moves, target, now=now),
            ),
        )
        for target in dict.fromkeys(move.to_table for move in order.moves)
    )
    return NextHandPlan(
        outcome="rearrange",
        directive=order,
        entries=(
            ForTable(stream=stream_of(here.table), commands=vacating(order.moves, now=now)),
            *receiving,
            ForTournament(stream=stream_of(here.tournament), commands=(record,)),
        ),
        ask_again=_others(tables, here),
    )


def _break(
    here: Table, tables: Mapping[TableId, Table], order: Break, *, now: datetime
) -> NextHandPlan:
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
        *(vacating(order.moves, now=now) or giving_up(order, now=now)),
        CloseTable(reason="broken", now=now),
    )
    receiving = tuple(
        ForTable(
            stream=stream_of(target),
            commands=(arrivals, *penalties_along(here, order.moves, target, now=now)),
        )
        for target in dict.fromkeys((order.carry_to, *(move.to_table for move in order.moves)))
        if (arrivals := inheritance(here, tables[target], order, now=now)) is not None
    )
    return NextHandPlan(
        outcome="rearrange",
        directive=order,
        entries=(
            ForTable(stream=stream_of(here.table), commands=leaving),
            *receiving,
            ForTournament(stream=stream_of(here.tournament), commands=(record,)),
        ),
        ask_again=_others(tables, here),
    )
