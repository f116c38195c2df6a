"""The seating of a scheduled round, or of the final, when its time has come."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from engine import tournament
from engine.coordination import policies, round_tables
from engine.kit.freezes import Frozen
from engine.tournament.model.commands.rounds import SeatRound
from engine.tournament.model.state import Running
from engine.tournament.model.state import State as Tournament
from engine.tournament.model.state.rounds import RoundsState
from engine.tournament.rounds.decisions import tables_max
from service.director.admission import opened_table, table_ids
from service.director.next_hand import lead_on
from service.director.runtime import Runtime
from service.log.streams import tournament_stream
from service.log.writer import States, StreamEvents


async def seat_round(
    runtime: Runtime, league: str, tournament_id: str, after: int
) -> datetime | None:
    """
    Seat the round or the final that follows round *after*, open its tables and start play.

    Repeating the call changes nothing. A pause, or a dispute that freezes the tournament, delays
    the seating.

    Returns:
        The instant to try again, or None once the next round has been seated.
    """
    stream = tournament_stream(tournament_id)
    order = runtime.order(f"seat_round/{tournament_id}/{after}")

    async def decide(states: States) -> Sequence[StreamEvents]:
        state = (await states.load(stream)).state
        if not isinstance(state, Running) or _waiting(state, after) is None:
            return [StreamEvents(stream)]
        command = SeatRound(table_ids=table_ids(order, tables_max(state)), now=order.received_at)
        events, state = policies.decide_in_turn(tournament.decider, state, (command,))
        entries = [StreamEvents(stream, events)]
        for opening, told in round_tables.opened(state, events, now=order.received_at):
            entries.append(await opened_table(states, opening, told))
        return entries

    state = (await runtime.writer.load(league, stream)).state
    if _waiting(state, after) is None:
        return None
    try:
        await runtime.writer.submit(league, order, decide)
    except Frozen:  # nobody knows when the dispute ends
        return runtime.clock.now() + timedelta(seconds=runtime.settings.sweep_seconds)
    # Another process may have seated the round, so this process's copy may be outdated.
    state = (await runtime.writer.load(league, stream)).state
    waiting = _waiting(state, after)
    if waiting is not None and waiting.next_at is not None:
        now, due = runtime.clock.now(), waiting.next_at
        # Nobody knows when a pause ends, so a late seating is tried again soon.
        return due if due > now else now + timedelta(seconds=runtime.settings.sweep_seconds)
    lead_on(runtime, league, state)
    return None


def _waiting(state: Tournament, after: int) -> RoundsState | None:
    """Return the rounds of *state* if nothing has been seated after round *after* yet."""
    rounds = state.rounds if isinstance(state, Running) else None
    if rounds is None or rounds.stage != "between" or rounds.number != after:
        return None
    return rounds
