"""
Admission of players to a league's tournaments: the checks, and the commands to their tables.

Checks and commands belong in the append that admits the player.
"""

from collections.abc import Sequence
from datetime import datetime

from engine import table
from engine.coordination import policies
from engine.league.banning import demand_unbanned
from engine.league.roles import may, rules_on_play
from engine.league.state import Created
from engine.league.state import State as League
from engine.table.model.commands import ComeBack, ImposePenalty, OpenTable, StepAway
from engine.tournament.entering.staff import demand_staff_in_time
from engine.tournament.model.commands import Command as TournamentCommand
from engine.tournament.model.commands import Register, Withdraw
from engine.tournament.model.commands.entering import AnswerOffer, Approve, CheckIn
from engine.tournament.model.events import Event as TournamentEvent
from engine.tournament.model.state import Drafted, Registering, Running, Unannounced
from engine.tournament.model.state import State as Tournament
from engine.values import PlayerId, TableId, identifier
from service.base.errors import StreamNotFound
from service.log.streams import league_stream, table_stream
from service.log.writer import Order, States, StreamEvents


def table_ids(order: Order, count: int = 1) -> tuple[TableId, ...]:
    """Return identifiers for the tables that *order* may open. Most commands may open only one."""
    return tuple(TableId(identifier("tbl", order.new_id(number))) for number in range(1, count + 1))


def table_ids_for(state: Tournament, order: Order) -> tuple[TableId, ...]:
    """Return identifiers for the tables that a start by *order* may open, one for each player."""
    count = 0
    if isinstance(state, Registering):
        count = len(state.entrants) + len(state.entering.waiting)
    return table_ids(order, count)


def appointment(state: Tournament) -> str:
    """Return the key that distinguishes a start that was moved or postponed from earlier ones."""
    if not isinstance(state, Registering):
        return ""
    return f"/{state.terms.starts_at.isoformat()}/{state.entering.postponements}"


async def guards(
    states: States, league: str, command: TournamentCommand, before: Tournament, now: datetime
) -> list[StreamEvents]:
    """
    Check the player that *command* lets in, and return the guards that the append needs.

    The list is empty if *command* lets nobody in.

    Raises:
        StreamNotFound: If the player is not, or no longer, a member of the league.
        PlayerBanned: If the player is banned from the league.
        OfficeHeld: If the player holds an office, is not entered, and play has begun.
    """
    if isinstance(command, Register):
        return [await admitted(states, league, command.player, now, before)]
    if not isinstance(command, AnswerOffer | Approve | CheckIn):
        return []
    if isinstance(command, AnswerOffer) and not command.accepted:
        return []
    if isinstance(command, CheckIn) and not isinstance(before, Running):
        return []  # a place goes to the waitlist at the start, which checks everybody
    known = () if isinstance(before, Unannounced | Drafted) else (before.entering,)
    outside = [each for one in known for each in (*one.waiting, *one.applicants)]
    return [
        await admitted(states, league, each.player, now, before)
        for each in outside
        if each.entrant == command.entrant
    ]


async def unwelcome(
    states: States, state: Tournament, now: datetime
) -> tuple[tuple[Withdraw, ...], list[StreamEvents]]:
    """
    Return the withdrawals of players who may no longer be in a tournament.

    The waitlist loses former members and banned players before anybody is taken from it.
    Players enter from it without a new request, so no other check sees them. Until the start,
    entrants who have been banned since they entered leave too.

    Returns:
        The withdrawals, and the guard that keeps the list of them complete.

    Source: rulebook ``registration.closed``.
    """
    if not isinstance(state, Registering | Running):
        return (), []
    entered = state.entrants if isinstance(state, Registering) else ()
    if not (entered or state.entering.waiting):
        return (), []
    stream = league_stream(state.terms.league)
    house = (await states.load(stream)).state
    leaving = [each.entrant for each in entered if _banned(house, each.player, now)]
    leaving += [
        each.entrant for each in state.entering.waiting if not _welcome(house, each.player, now)
    ]
    return tuple(Withdraw(entrant=each, now=now) for each in leaving), [StreamEvents(stream)]


def _welcome(house: League, player: PlayerId, now: datetime) -> bool:
    if not isinstance(house, Created) or not may(house.role_of(player), "enter_tournaments"):
        return False
    return not _banned(house, player, now)


def _banned(house: League, player: PlayerId, now: datetime) -> bool:
    ban = house.ban_of(player) if isinstance(house, Created) else None
    return ban is not None and ban.holds(now)


async def tables_told(
    states: States, after: Tournament, events: Sequence[TournamentEvent], now: datetime
) -> list[StreamEvents]:
    """Return the entries that open added tables and tell tables who is absent or has arrived."""
    entries = [
        await opened_table(states, opening, ())
        for opening in policies.added_tables(after, events, now=now)
    ]
    for there, told in policies.presence_of(after, events).items():
        here = (await states.load(table_stream(there))).state
        decided = policies.decide_in_turn(table.decider, here, told)
        entries.append(StreamEvents(table_stream(there), *decided))
    return entries


async def opened_table(
    states: States, opening: OpenTable, told: Sequence[StepAway | ComeBack | ImposePenalty]
) -> StreamEvents:
    """Return the entry that opens a table and then decides *told*, the commands on its players."""
    stream = table_stream(opening.table)
    before = (await states.load(stream)).state
    return StreamEvents(stream, *policies.decide_in_turn(table.decider, before, (opening, *told)))


async def admitted(
    states: States, league: str, player: PlayerId, now: datetime, before: Tournament
) -> StreamEvents:
    """
    Return the guard under which *player* may enter a tournament of *league*.

    The guard belongs in the append that admits the player. If the player is removed, banned or
    given an office at the same moment, the entry either comes first or is refused.

    Args:
        before: The tournament's state as the admitting append finds it.

    Raises:
        StreamNotFound: If the player is not, or no longer, a member of the league.
        PlayerBanned: If the player is banned from the league.
        OfficeHeld: If the player holds an office, is not entered, and play has begun.
    """
    stream = league_stream(league)
    state = (await states.load(stream)).state
    role = state.role_of(player) if isinstance(state, Created) else None
    if not isinstance(state, Created) or not may(role, "enter_tournaments"):
        raise StreamNotFound("it does not exist, or you may not see it")
    demand_unbanned(state, player, now)
    if rules_on_play(role):
        demand_staff_in_time(before, player)
    return StreamEvents(stream)
