"""Walk-ins: a new member of the league, the entry and the seat in one append."""

from collections.abc import Sequence

from engine import league
from engine.league.commands import AddMember
from engine.league.state import Created
from engine.tournament.entering.checking_in import walking_in
from engine.tournament.model.commands import Register
from service.director.admission import admitted
from service.director.next_hand import lead_on
from service.director.runtime import Runtime
from service.director.submitting import decided_with_tables
from service.log.streams import league_stream, tournament_stream
from service.log.writer import Order, Receipt, States, StreamEvents


async def walk_in(
    runtime: Runtime, league_id: str, tournament_id: str, entry: Register, order: Order
) -> Receipt:
    """
    Make a player a member if they are none, enter them, and seat them if play has begun.

    A player who enters while check-in is open is checked in too.

    Raises:
        CommandRejected: If the league or the tournament refuses the player.

    Source: rulebook ``entry.walk_in``.
    """
    house, stream = league_stream(league_id), tournament_stream(tournament_id)

    async def decide(states: States) -> Sequence[StreamEvents]:
        now = order.received_at
        state = (await states.load(stream)).state
        before = (await states.load(house)).state
        if isinstance(before, Created) and before.role_of(entry.player) is None:
            member = AddMember(player=entry.player, role="player", now=now)
            admission = StreamEvents(house, league.decider.decide(before, member))
        else:
            admission = await admitted(states, league_id, entry.player, now, state)
        asked = walking_in(state, entry)
        return [*await decided_with_tables(runtime, states, stream, asked, now), admission]

    receipt = await runtime.writer.submit(league_id, order, decide)
    lead_on(runtime, league_id, (await runtime.writer.load(league_id, stream, fresh=False)).state)
    return receipt
