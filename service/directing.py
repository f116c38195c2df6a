"""
What directors, players and the house do to a tournament and its tables.

Each is one append, over several streams where they must be true together; tables
that are idle afterwards are led on in the background, after the commit.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from engine import policies, purchases, season, table, tournament
from engine.table.commands import Command as TableCommand
from engine.table.state import Table
from engine.tournament.commands import Command as TournamentCommand
from engine.tournament.commands import OpenRegistration, StartPlay
from engine.tournament.state import Finished, Registering, Running
from engine.tournament.values import Masters
from service.addresses import stream_of
from service.admission import (
    appointment,
    guards,
    opened_table,
    table_ids_for,
    tables_told,
    unwelcome,
)
from service.boundaries import open_next_hand, settled
from service.busts import at_table, with_busts
from service.desk import Desk
from service.writer import Command, Entry, Receipt, States


async def open_registration(
    desk: Desk, league: str, tournament_id: str, order: Command | None = None
) -> None:
    """
    Open a tournament's registration and commit to its masters.

    Args:
        order: The request behind it; without one the house does it, once.
    """
    entropy, stream = desk.entropy, stream_of(tournament_id)
    command = OpenRegistration(
        masters=Masters(cards=entropy.token(), open=entropy.token()),
        salts=(entropy.token(), entropy.token()),
        now=desk.clock.now(),
    )

    async def decide(states: States) -> Sequence[Entry]:
        state = (await states.load(stream)).state
        return [Entry(stream, tournament.decider.decide(state, command))]

    await desk.writer.submit(
        league, order or desk.order(f"open_registration/{tournament_id}"), decide
    )


async def start_tournament(
    desk: Desk,
    league: str,
    tournament_id: str,
    now: datetime,
    order: Command | None = None,
    *,
    scheduled: bool = False,
) -> datetime | None:
    """
    Close registration, draw seats, open the tables, and soon their first hands.

    With too few entrants it is cancelled or put off instead.  Asking again changes nothing.

    Args:
        order: The request behind it; without one the house does it, once.
        scheduled: Whether a clock asks: nothing happens before the announced time.

    Returns:
        When the house should ask again, having come too early.

    Raises:
        CommandRejected: If it is not registering, or over.
    """
    stream = stream_of(tournament_id)
    before = (await desk.writer.load(league, stream)).state
    command = order or desk.order(f"start/{tournament_id}{appointment(before)}")

    async def decide(states: States) -> Sequence[Entry]:
        state = (await states.load(stream)).state
        ids = table_ids_for(state, command)
        start = StartPlay(table_ids=ids, scheduled=scheduled, now=now)
        leaving, guarded = await unwelcome(states, state, now)
        asked: tuple[TournamentCommand, ...] = (*leaving, start)
        events, state = policies.decide_in_turn(tournament.decider, state, asked)
        opened = policies.tables_of(state, now=now) if isinstance(state, Running) else ()
        tables = opened if events else ()
        told = policies.presence_of(state, events)
        return [
            Entry(stream, events),
            *[await opened_table(states, each, told.get(each.table, ())) for each in tables],
            *guarded,
        ]

    await desk.writer.submit(league, command, decide)
    started = (await desk.writer.load(league, stream, fresh=False)).state
    return _set_going(desk, league, started, now)


def _set_going(desk: Desk, league: str, started: Any, now: datetime) -> datetime | None:
    """Open first hands in the background; return when to ask again what has not started."""
    if isinstance(started, Running):
        for seating in started.tables:
            desk.later(open_next_hand(desk, league, seating.table))
    if isinstance(started, Registering) and now < started.terms.starts_at:
        return started.terms.starts_at
    return None


async def submit(
    desk: Desk, league: str, table_id: str, command: TableCommand, order: Command
) -> Receipt:
    """
    Have *command* decided by the table, and by the tournament what follows from it.

    A bust is written to both streams in one append.  If the hand is settled the
    next one is opened in the background, after the commit.
    """
    stream = stream_of(table_id)

    async def decide(states: States) -> Sequence[Entry]:
        state = (await states.load(stream)).state
        if not isinstance(state, Table):
            return [Entry(stream, table.decider.decide(state, command))]
        return await at_table(states, state, (command,))

    receipt = await desk.writer.submit(league, order, decide)
    if settled(receipt.recorded):
        desk.later(open_next_hand(desk, league, table_id))
    return receipt


async def buy(
    desk: Desk, league: str, tournament_id: str, command: TournamentCommand, order: Command
) -> Receipt:
    """
    Have an entry, a rebuy, a stake or its return decided, and chips brought or taken away.

    Raises:
        CommandRejected: If the tournament or the table refuses it.
    """
    stream = stream_of(tournament_id)

    async def decide(states: States) -> Sequence[Entry]:
        state = (await states.load(stream)).state
        entries = await guards(states, league, command, state, order.received_at)
        decided = await decided_with_tables(states, stream, (command,), order.received_at)
        return [*decided, *entries]

    receipt = await desk.writer.submit(league, order, decide)
    running = (await desk.writer.load(league, stream, fresh=False)).state
    for seating in getattr(running, "tables", ()):
        desk.later(open_next_hand(desk, league, seating.table))
    return receipt


async def decided_with_tables(
    states: States, stream: str, commands: Sequence[TournamentCommand], now: datetime
) -> list[Entry]:
    """
    Return what a tournament makes of *commands*, and its tables of that: chips come and go.

    Args:
        stream: The tournament's.

    Raises:
        CommandRejected: If the tournament or a table refuses one.
    """
    state = (await states.load(stream)).state
    events, state = policies.decide_in_turn(tournament.decider, state, commands)
    entries = await tables_told(states, state, events, now)
    for each, asked in purchases.chips_of(events, now=now).items():
        there = stream_of(each)
        before = (await states.load(there)).state
        decided, after = policies.decide_in_turn(table.decider, before, asked)
        # Who leaves may end a hand in which somebody else had nothing left.
        busts = policies.busts_of(each, decided, level=after.level_number, round_number=after.round)
        if busts is not None:
            told, state, bought, _ = with_busts(state, after, busts)
            events, decided = (*events, *told), (*decided, *bought)
        entries.append(Entry(there, decided))
    return [Entry(stream, events), *entries]


async def award_points(desk: Desk, league: str, tournament_id: str) -> None:
    """
    Give the season the placings of a finished tournament, or what a correction made of them.

    Asking again changes nothing.

    Raises:
        CommandRejected: If the season is closed.
    """
    floor = stream_of(tournament_id)
    loaded = await desk.writer.load(league, floor)
    if not isinstance(loaded.state, Finished) or loaded.state.terms.season is None:
        return
    stream = stream_of(loaded.state.terms.season)

    async def decide(states: States) -> Sequence[Entry]:
        before, result = [(await states.load(each)).state for each in (stream, floor)]
        told = policies.season_told(before, result, now=desk.clock.now())
        events = () if told is None else season.decider.decide(before, told)
        # A result that was corrected meanwhile must not be counted after the correction.
        return [Entry(stream, events), Entry(floor)]

    order = desk.order(f"award_points/{tournament_id}/{loaded.version}")
    await desk.writer.submit(league, order, decide)
