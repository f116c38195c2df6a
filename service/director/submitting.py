"""
Commands of directors, players and the house to a tournament and its tables.

Each command is one append, in several streams if their events belong together. After the
commit, idle tables take their next step in the background.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

from engine import season, table, tournament
from engine.coordination import policies, purchases
from engine.errors import CommandRejected
from engine.kit.beacon import Pulse
from engine.table.model.commands import Command as TableCommand
from engine.table.model.state import Table, opened_of
from engine.tournament.model.commands import Command as TournamentCommand
from engine.tournament.model.commands import OpenRegistration, StartPlay
from engine.tournament.model.commands.entering import ExtendEntryTimes
from engine.tournament.model.events.entering import WaitlistTaken
from engine.tournament.model.state import Announced, Finished, Registering, Running
from engine.tournament.model.state import State as Tournament
from engine.tournament.model.values import Masters
from engine.tournament.model.values.fairness import Fairness
from engine.values import Stream
from service.base.errors import ServiceError
from service.director.admission import (
    appointment,
    guards,
    opened_table,
    table_ids_for,
    tables_told,
    unwelcome,
)
from service.director.busts import at_table, with_busts
from service.director.entry_times import extensions
from service.director.level_clock import after_outages
from service.director.next_hand import lead, lead_on, settled
from service.director.runtime import Runtime, naming_instant
from service.log.orders import on_stream
from service.log.streams import season_stream, table_stream, tournament_stream
from service.log.writer import Order, Receipt, States, StreamEvents


async def open_registration(runtime: Runtime, league: str, tournament_id: str) -> datetime | None:
    """
    Open a tournament's registration and commit to its masters. The house acts, and only once.

    Returns:
        The instant to try again, if changed terms open registration later.
    """
    entropy, stream = runtime.entropy, tournament_stream(tournament_id)
    before = (await runtime.writer.load(league, stream)).state
    opens_at = before.terms.registration_opens_at if isinstance(before, Announced) else None
    if opens_at is not None and runtime.clock.now() < opens_at:
        return opens_at
    command = OpenRegistration(
        masters=Masters(cards=entropy.token(), open=entropy.token()),
        salts=(entropy.token(), entropy.token()),
        now=runtime.clock.now(),
    )
    order = runtime.order(f"open_registration/{tournament_id}")
    decide = on_stream(stream, tournament.decider, command)
    await runtime.writer.submit(league, order, decide)
    return None


def after_opening(runtime: Runtime, state: Announced, now: datetime) -> datetime:
    """
    Return the instant at which to try again what has to wait until registration opens.

    After an outage, jobs of several instants are due at once, and nothing orders them.
    """
    opens_at = state.terms.registration_opens_at
    pause = timedelta(seconds=runtime.settings.sweep_seconds)
    return max(now, opens_at or now) + pause


async def start_tournament(
    runtime: Runtime,
    league: str,
    tournament_id: str,
    now: datetime,
    order: Order | None = None,
    *,
    scheduled: bool = False,
) -> datetime | None:
    """
    Close registration, draw the seats, open the tables and start play.

    With too few entrants the clock cancels or postpones the tournament. Repeating the call changes
    nothing.

    Args:
        order: The request that asked for this. Without one the house acts, and only once.
        scheduled: True if a clock asked. Then nothing happens before the announced time.

    Returns:
        The instant to try again, if the start has not come yet, or if registration is due but has
        not opened.

    Raises:
        CommandRejected: If somebody asks before registration has opened, with too few entrants, or
            after the end.
    """
    before = (await runtime.writer.load(league, tournament_stream(tournament_id))).state
    if scheduled and isinstance(before, Announced) and now >= before.terms.starts_at:
        return after_opening(runtime, before, now)
    command = order or runtime.order(f"start/{tournament_id}{appointment(before)}")
    started = await _start(runtime, league, tournament_id, command, now, scheduled=scheduled)
    if isinstance(started, Registering) and started.fairness.waiting:
        runtime.later(_drawn_later(runtime, league, tournament_id))
    return _set_going(runtime, league, started, now)


async def draw_by_beacon(runtime: Runtime, league: str, tournament_id: str) -> datetime | None:
    """
    Draw the seats of a tournament that waits for the beacon, once its pulse has arrived.

    Returns:
        The instant to try again, if the beacon does not answer.

    Source: rulebook ``beacon.seats`` and ``beacon.silence``.
    """
    state = (await runtime.writer.load(league, tournament_stream(tournament_id))).state
    if not isinstance(state, Registering) or not state.fairness.waiting:
        return None
    chain, number = state.fairness.chain, state.fairness.awaited
    pulse = None if chain is None or number is None else await runtime.pulses.pulse(chain, number)
    now = runtime.clock.now()
    if pulse is None:
        return now + timedelta(seconds=runtime.settings.sweep_seconds)
    order = runtime.order(f"draw/{tournament_id}/{number}")
    started = await _start(runtime, league, tournament_id, order, now, pulse=pulse)
    return _set_going(runtime, league, started, now)


async def _drawn_later(runtime: Runtime, league: str, tournament_id: str) -> None:
    await draw_by_beacon(runtime, league, tournament_id)


async def _start(
    runtime: Runtime,
    league: str,
    tournament_id: str,
    command: Order,
    now: datetime,
    *,
    scheduled: bool = False,
    pulse: Pulse | None = None,
) -> Tournament:
    """Append a step of the start, with the tables it opens, and return the new state."""
    stream = tournament_stream(tournament_id)

    async def decide(states: States) -> Sequence[StreamEvents]:
        loaded = await states.load(stream)
        state, at = loaded.state, now
        if isinstance(state, Registering) and _names_round(state.fairness):
            at = naming_instant(runtime, league, loaded)
        ids = table_ids_for(state, command)
        start = StartPlay(table_ids=ids, scheduled=scheduled, pulse=pulse, now=at)
        if isinstance(state, Running):
            # Nothing may come before a repeated start, because its events would open tables again.
            return [StreamEvents(stream, tournament.decider.decide(state, start))]
        if scheduled and isinstance(state, Registering) and now < state.terms.starts_at:
            # The start was moved. Nothing may come with a start that is not due.
            return []
        leaving, guarded = await _leaving(states, state, at)
        moved = await extensions(runtime.pool, states.league, state, at)
        asked: tuple[TournamentCommand, ...] = (*moved, *leaving, start)
        events, state = policies.decide_in_turn(tournament.decider, state, asked)
        tables = policies.tables_of(state, now=at) if isinstance(state, Running) else ()
        told = policies.presence_of(state, events)
        return [
            StreamEvents(stream, events),
            *[await opened_table(states, each, told.get(each.table, ())) for each in tables],
            *guarded,
        ]

    await runtime.writer.submit(league, command, decide)
    return (await runtime.writer.load(league, stream, fresh=False)).state


def _names_round(fairness: Fairness) -> bool:
    """Return whether the next step of the start names the pulse for the seat draw."""
    return fairness.chain is not None and fairness.awaited is None


async def _leaving(
    states: States, state: Tournament, now: datetime
) -> tuple[Sequence[TournamentCommand], list[StreamEvents]]:
    """Return the withdrawals before a start. There are none while the seats await the beacon."""
    if isinstance(state, Registering) and state.fairness.waiting:
        return (), []
    return await unwelcome(states, state, now)


def _set_going(
    runtime: Runtime, league: str, started: Tournament, now: datetime
) -> datetime | None:
    """Open the first hands in the background. Before the start, return the announced instant."""
    lead_on(runtime, league, started)
    if isinstance(started, Registering) and now < started.terms.starts_at:
        return started.terms.starts_at
    return None


async def submit_to_table(
    runtime: Runtime, league: str, table_id: str, command: TableCommand, order: Order
) -> Receipt:
    """
    Decide *command* on the table, and its consequences on the tournament.

    One append records a bust in both streams. If the hand is settled, the next one is opened in
    the background after the commit.
    """
    stream = table_stream(table_id)

    async def decide(states: States) -> Sequence[StreamEvents]:
        state = (await states.load(stream)).state
        if not isinstance(state, Table):
            return [StreamEvents(stream, table.decider.decide(state, command))]
        return await at_table(runtime, states, state, (command,))

    receipt = await runtime.writer.submit(league, order, decide)
    if settled(receipt.recorded):
        lead(runtime, league, table_id)
    return receipt


async def submit_to_tournament(
    runtime: Runtime, league: str, tournament_id: str, command: TournamentCommand, order: Order
) -> Receipt:
    """
    Decide *command* on the tournament, and the chips that it brings or takes on its tables.

    Raises:
        CommandRejected: If the tournament or the table refuses it.
    """
    stream = tournament_stream(tournament_id)

    async def decide(states: States) -> Sequence[StreamEvents]:
        state = (await states.load(stream)).state
        now = order.received_at
        entries = await guards(states, league, command, state, now)
        decided = await decided_with_tables(runtime, states, stream, (command,), now)
        return [*decided, *entries]

    receipt = await runtime.writer.submit(league, order, decide)
    lead_on(runtime, league, (await runtime.writer.load(league, stream, fresh=False)).state)
    return receipt


async def submit_all_to_tournament(
    runtime: Runtime,
    league: str,
    tournament_id: str,
    commands: Sequence[TournamentCommand],
    order: Order,
) -> Receipt:
    """
    Decide *commands* on the tournament in one append: all of them, or none.

    Raises:
        CommandRejected: If a command is refused. The fact ``change`` is its index, from 0.
        ServiceError: If a player may not enter, with the same fact.
    """
    stream = tournament_stream(tournament_id)

    async def decide(states: States) -> Sequence[StreamEvents]:
        state, now = (await states.load(stream)).state, order.received_at
        moved = await extensions(runtime.pool, states.league, state, now)
        _, state = policies.decide_in_turn(tournament.decider, state, moved)
        guarded: dict[str, StreamEvents] = {}
        for index, command in enumerate(commands):
            try:
                for each in await guards(states, league, command, state, now):
                    guarded[each.stream] = each
                _, state = policies.decide_in_turn(tournament.decider, state, (command,))
            except (CommandRejected, ServiceError) as refusal:
                refusal.facts = {**refusal.facts, "change": index}
                raise
        decided = await _with_tables(runtime, states, stream, commands, now, moved)
        return [*decided, *guarded.values()]

    receipt = await runtime.writer.submit(league, order, decide)
    lead_on(runtime, league, (await runtime.writer.load(league, stream, fresh=False)).state)
    return receipt


async def decided_with_tables(
    runtime: Runtime,
    states: States,
    stream: Stream[Tournament],
    commands: Sequence[TournamentCommand],
    now: datetime,
) -> list[StreamEvents]:
    """
    Decide *commands* on the tournament, and their consequences on its tables.

    Outages are counted first: times of entry become longer, and if the commands may stop the level
    clock, it gets its time back. Before a place goes to the waitlist, former members and banned
    players leave it.

    Args:
        stream: The tournament's stream.

    Raises:
        CommandRejected: If the tournament or a table refuses a command.
    """
    state = (await states.load(stream)).state
    moved = await extensions(runtime.pool, states.league, state, now)
    return await _with_tables(runtime, states, stream, commands, now, moved)


async def _with_tables(
    runtime: Runtime,
    states: States,
    stream: Stream[Tournament],
    commands: Sequence[TournamentCommand],
    now: datetime,
    moved: Sequence[ExtendEntryTimes],
) -> list[StreamEvents]:
    """Do what :func:`decided_with_tables` does, which has looked up the extensions *moved*."""
    state = (await states.load(stream)).state
    asked = (*moved, *await after_outages(runtime, states.league, state, commands, now))
    entries = await _decided(states, stream, asked, now)
    if not any(isinstance(event, WaitlistTaken) for each in entries for event in each.events):
        return entries
    leaving, guarded = await unwelcome(states, state, now)
    # Those whom a command names have been checked for it, or leave anyway.
    named = {getattr(each, "entrant", None) for each in commands}
    first = [each for each in leaving if each.entrant not in named]
    return [*await _decided(states, stream, (*first, *asked), now), *guarded]


async def _decided(
    states: States,
    stream: Stream[Tournament],
    commands: Sequence[TournamentCommand],
    now: datetime,
) -> list[StreamEvents]:
    """Decide *commands* on the tournament, and the chips that they move at its tables."""
    state = (await states.load(stream)).state
    events, state = policies.decide_in_turn(tournament.decider, state, commands)
    entries = await tables_told(states, state, events, now)
    for each, asked in purchases.chips_of(events, now=now).items():
        there = table_stream(each)
        before = (await states.load(there)).state
        purchases.demand_a_hand(before, asked)
        decided, there_then = policies.decide_in_turn(table.decider, before, asked)
        after = opened_of(there_then)
        # A player who leaves may end a hand in which another player had no chips left.
        busts = policies.busts_of(after, decided)
        if busts is not None:
            told, state, bought, _ = with_busts(state, after, busts)
            events, decided = (*events, *told), (*decided, *bought)
        entries.append(StreamEvents(there, decided))
    return [StreamEvents(stream, events), *entries]


async def award_points(runtime: Runtime, league: str, tournament_id: str) -> None:
    """
    Award the season's points for a finished tournament, or revise them after a correction.

    Repeating the call changes nothing.

    Raises:
        CommandRejected: If the season is closed.
    """
    above = tournament_stream(tournament_id)
    loaded = await runtime.writer.load(league, above)
    if not isinstance(loaded.state, Finished) or loaded.state.terms.season is None:
        return
    stream = season_stream(loaded.state.terms.season)

    async def decide(states: States) -> Sequence[StreamEvents]:
        before = (await states.load(stream)).state
        result = (await states.load(above)).state
        told = policies.season_told(before, result, now=runtime.clock.now())
        events = () if told is None else season.decider.decide(before, told)
        # The guard keeps an old result from being counted after its correction.
        return [StreamEvents(stream, events), StreamEvents(above)]

    order = runtime.order(f"award_points/{tournament_id}/{loaded.version}")
    await runtime.writer.submit(league, order, decide)
