"""House bots: they join the league and enter a tournament in one append."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import islice

from engine import league
from engine.coordination import policies
from engine.kit.house_bots import NUMBER_MAX, Strength, house_bot
from engine.league.commands import AddMember
from engine.league.state import Created
from engine.tournament.entering.checking_in import walking_in
from engine.tournament.entering.staff import counts_as_entered
from engine.tournament.model.commands import Register
from engine.tournament.model.errors import TournamentFull
from engine.tournament.model.events.entering import EntrantWaitlisted
from engine.tournament.model.state import Registering, Running
from engine.tournament.model.state import State as Tournament
from engine.values import EntrantId, PlayerId, TableId, identifier
from service.base.errors import Forbidden
from service.director.next_hand import lead_on
from service.director.runtime import Runtime
from service.director.submitting import decided_with_tables
from service.log.streams import league_stream, tournament_stream
from service.log.writer import Order, Receipt, States, StreamEvents


async def seat_house_bots(
    runtime: Runtime,
    league_id: str,
    tournament_id: str,
    bots: tuple[int, Strength],
    by: PlayerId,
    order: Order,
) -> Receipt:
    """
    Enter house bots in a tournament: all of them, or none.

    Bots of the league that are not entered come first. New ones join the league.

    Args:
        bots: The number of bots, and their strength.
        by: The member of staff who asks.

    Raises:
        CommandRejected: If the tournament refuses a bot.
        Forbidden: If staff who play ask after play has begun.
        TournamentFull: If there is no place for all. House bots join no waitlist.

    Source: rulebook ``entry.house_bots``.
    """
    house, stream = league_stream(league_id), tournament_stream(tournament_id)
    count, strength = bots

    async def decide(states: States) -> Sequence[StreamEvents]:
        now = order.received_at
        state = (await states.load(stream)).state
        before = (await states.load(house)).state
        if not isinstance(before, Created):
            return [StreamEvents(house)]
        _demand_before_play(order, state)
        chosen = tuple(islice(_free(before, state, strength), count))
        joined, _ = policies.decide_in_turn(league.decider, before, _joining(before, chosen, now))
        asked = [
            command
            for index, player in enumerate(chosen)
            for command in walking_in(state, _entry(order, index, count, player, by))
        ]
        entries = await decided_with_tables(runtime, states, stream, asked, now)
        lined_up = any(isinstance(each, EntrantWaitlisted) for each in entries[0].events)
        if lined_up and isinstance(state, Registering | Running):
            raise TournamentFull(entrants_max=state.terms.entrants_max)
        return [*entries, StreamEvents(house, joined)]

    receipt = await runtime.writer.submit(league_id, order, decide)
    lead_on(runtime, league_id, (await runtime.writer.load(league_id, stream, fresh=False)).state)
    return receipt


def _demand_before_play(order: Order, state: Tournament) -> None:
    """
    Check that no staff who play enter bots once play has begun.

    Raises:
        Forbidden: If they do. Bots bring chips to a table, and staff may sit there.
    """
    if order.entered and isinstance(state, Running):
        raise Forbidden(
            "you are entered here: once play has begun, ask a member of the staff who does not "
            "play to enter house bots",
            capability="run_tournaments",
        )


def _free(house: Created, state: Tournament, strength: Strength) -> Iterator[PlayerId]:
    """Return the house bots that may be entered, by number."""
    for number in range(1, NUMBER_MAX + 1):
        player = house_bot(house.league, strength, number)
        if house.ban_of(player) is None and not counts_as_entered(state, player):
            yield player


def _joining(house: Created, chosen: Sequence[PlayerId], now: datetime) -> list[AddMember]:
    """Return the commands that make the *chosen* bots members, if they are none."""
    new = (each for each in chosen if house.role_of(each) is None)
    return [AddMember(player=each, role="player", now=now) for each in new]


def _entry(order: Order, index: int, count: int, player: PlayerId, by: PlayerId) -> Register:
    return Register(
        entrant=EntrantId(identifier("ent", order.new_id(index))),
        player=player,
        bot=True,
        table_ids=(TableId(identifier("tbl", order.new_id(count + index))),),
        by=by,
        now=order.received_at,
    )
