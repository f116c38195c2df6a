"""
Letting players into a league's tournaments: who may, and what their tables are told.

All of it stands in the append that lets them in.
"""

from collections.abc import Sequence
from datetime import datetime

from engine import table
from engine.coordination import policies
from engine.league.banning import demand_unbanned
from engine.league.roles import may, rules_on_play
from engine.league.state import Created
from engine.league.state import State as League
from engine.table.model.commands import ComeBack, OpenTable, StepAway
from engine.tournament.entering.staff import demand_staff_in_time
from engine.tournament.model.commands import Command as TournamentCommand
from engine.tournament.model.commands import Register, Withdraw
from engine.tournament.model.entering_commands import AnswerOffer, Approve
from engine.tournament.model.events import Event as TournamentEvent
from engine.tournament.model.state import Drafted, Registering, Running, Unannounced
from engine.tournament.model.state import State as Tournament
from engine.values import PlayerId, TableId, identifier
from service.base.errors import StreamNotFound
from service.director.runtime import new_id
from service.log.streams import league_stream, table_stream
from service.log.writer import Command, Entry, States

_ADDED_TABLE = 1
"""Which of a command's own identifiers a table is called by, if it adds one."""


def table_ids(order: Command) -> tuple[TableId, ...]:
    """Return what the table is called that *order* may have to add."""
    return (TableId(identifier("tbl", new_id(order, _ADDED_TABLE))),)


def table_ids_for(state: Tournament, order: Command) -> tuple[TableId, ...]:
    """Return what the tables are called that the start by *order* may need, one for each player."""
    count = 0
    if isinstance(state, Registering):
        count = len(state.entrants) + len(state.entering.waiting)
    return tuple(
        TableId(identifier("tbl", new_id(order, number))) for number in range(1, count + 1)
    )


def appointment(state: Tournament) -> str:
    """Return what tells the start of a tournament from the one it was put off from."""
    put_off = state.entering.postponements if isinstance(state, Registering) else 0
    return f"/{put_off}" if put_off else ""


async def guards(
    states: States, league: str, command: TournamentCommand, before: Tournament, now: datetime
) -> list[Entry]:
    """
    Return under which guards *command* may let somebody in; none where it lets nobody in.

    Raises:
        StreamNotFound: If the player does not belong to the league (any longer).
        PlayerBanned: If the player is banned from it.
        OfficeHeld: If the player holds an office, is not entered, and play has begun.
    """
    if isinstance(command, Register):
        return [await admitted(states, league, command.player, now, before)]
    if not isinstance(command, AnswerOffer | Approve):
        return []
    if isinstance(command, AnswerOffer) and not command.accepted:
        return []
    known = () if isinstance(before, Unannounced | Drafted) else (before.entering,)
    outside = [each for one in known for each in (*one.waiting, *one.applicants)]
    return [
        await admitted(states, league, each.player, now, before)
        for each in outside
        if each.entrant == command.entrant
    ]


async def unwelcome(
    states: States, state: Tournament, now: datetime
) -> tuple[tuple[Withdraw, ...], list[Entry]]:
    """
    Return who must leave before play, or the line before anybody is taken from it.

    Nobody is asked who is taken from the line at the start or into a place that falls
    free, so membership and bans are looked at here; and before play at the bans of those
    who were let in before they were banned.

    Returns:
        The withdrawals, and the guard under which they are all there are.

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
    return tuple(Withdraw(entrant=each, now=now) for each in leaving), [Entry(stream)]


def _welcome(house: League, player: PlayerId, now: datetime) -> bool:
    if not isinstance(house, Created) or not may(house.role_of(player), "enter_tournaments"):
        return False
    return not _banned(house, player, now)


def _banned(house: League, player: PlayerId, now: datetime) -> bool:
    ban = house.ban_of(player) if isinstance(house, Created) else None
    return ban is not None and ban.holds(now)


async def tables_told(
    states: States, after: Tournament, events: Sequence[TournamentEvent], now: datetime
) -> list[Entry]:
    """Return how tables are opened that *events* add, and what others are told of who came."""
    entries = [
        await opened_table(states, opening, ())
        for opening in policies.added_tables(after, events, now=now)
    ]
    for there, told in policies.presence_of(after, events).items():
        here = (await states.load(table_stream(there))).state
        decided = policies.decide_in_turn(table.decider, here, told)
        entries.append(Entry(table_stream(there), *decided))
    return entries


async def opened_table(
    states: States, opening: OpenTable, told: Sequence[StepAway | ComeBack]
) -> Entry:
    """Return the entry that opens a table, and says who of its players is not there."""
    stream = table_stream(opening.table)
    before = (await states.load(stream)).state
    return Entry(stream, *policies.decide_in_turn(table.decider, before, (opening, *told)))


async def admitted(
    states: States, league: str, player: PlayerId, now: datetime, before: Tournament
) -> Entry:
    """
    Return the guard under which *player* may enter a tournament of *league*.

    It belongs into the append that lets the player in: one who is removed, banned or given
    an office at the same moment is either in before that, or not at all.

    Args:
        before: The tournament, as the append that lets the player in finds it.

    Raises:
        StreamNotFound: If the player does not belong to the league (any longer).
        PlayerBanned: If the player is banned from it.
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
    return Entry(stream)
