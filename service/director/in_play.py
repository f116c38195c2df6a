"""
Open tournaments and offices of members, read from the log.

Read models are not used here: they lag behind, and a rebuild empties them.
"""

from collections.abc import Sequence
from datetime import datetime

import asyncpg
from msgspec.structs import replace

from engine import league, tournament
from engine.coordination import policies
from engine.league.commands import RemoveMember
from engine.league.roles import Role, rules_on_play
from engine.tournament.entering import late
from engine.tournament.entering.staff import counts_as_entered
from engine.tournament.model.commands import Withdraw
from engine.tournament.model.errors.entering import OfficeHeld
from engine.tournament.model.events import Event as TournamentEvent
from engine.tournament.model.state import Registering, Running
from engine.tournament.model.state import State as Tournament
from engine.tournament.model.values import Entry
from engine.tournament.model.values.entering import Applicant
from engine.values import PlayerId, Stream, number_of
from service.base.errors import BadRequest
from service.director.runtime import Runtime
from service.log.read import voided
from service.log.roles import TELLING, Told, role_after
from service.log.streams import league_stream, tournament_stream
from service.log.writer import Order, Receipt, States, StreamEvents

_OPEN = """
    SELECT first.stream FROM events first
     WHERE first.league = $1 AND first.stream_version = 1 AND first.stream LIKE 'tournament-%'
       AND NOT EXISTS (
        SELECT FROM events over
         WHERE over.league = $1 AND over.stream = first.stream
           AND over.type IN ('tournament_finished', 'tournament_cancelled'))
     ORDER BY first.stream
"""


_BEGAN = """
    SELECT min(position) FROM events WHERE league = $1 AND stream = $2 AND type = 'play_started'
"""
_ROLES = """
    SELECT position, type, schema_version, data::text AS data FROM events
     WHERE league = $1 AND stream = $2 AND type = ANY($3::text[])
       AND $4 IN (data->>'player', data->>'owner')
     ORDER BY position
"""
_ROLES_SINCE = """
    SELECT position, type, schema_version, data::text AS data FROM events
     WHERE league = $1 AND stream = $2 AND type = ANY($3::text[])
       AND data->>'player' = $4 AND at > $5
     ORDER BY position
"""


async def open_tournaments(pool: asyncpg.Pool, league: str) -> Sequence[Stream[Tournament]]:
    """Return the streams of tournaments of *league* that are neither finished nor cancelled."""
    rows = await pool.fetch(_OPEN, number_of(league))
    return [Stream(row["stream"]) for row in rows]


async def guards_of_outsider(
    states: States, pool: asyncpg.Pool, league: str, player: PlayerId
) -> list[StreamEvents]:
    """
    Return guards on the open tournaments of *league*, in none of which *player* is entered.

    Raises:
        BadRequest: If the player is entered in one of them.
    """
    found = await open_tournaments(pool, league)
    for each in found:
        if counts_as_entered((await states.load(each)).state, player):
            raise BadRequest(
                "entered_by_hand",
                "this player is entered in a tournament that is not over: make a new login with"
                " the code and play with that. Afterwards an owner can merge the two players",
            )
    return [StreamEvents(each) for each in found]


async def demand_no_office_since(
    pool: asyncpg.Pool, league_id: str, tournament_id: str, player: str
) -> None:
    """
    Check that *player* has held no office that rules on play since play began.

    Otherwise an office holder could leave the league, come back as a player and enter late.
    The append itself checks the office that the player holds now.

    Raises:
        OfficeHeld: If the player has given up or lost such an office since play began.
        EventUnreadable: If an event that gives the player a role is malformed.
    """
    number = number_of(league_id)
    began = await pool.fetchval(_BEGAN, number, tournament_stream(tournament_id))
    if began is None:
        return
    held: Role | None = None
    away = await voided(pool, league_id)
    for row in await pool.fetch(_ROLES, number, league_stream(league_id), TELLING, player):
        if row["position"] in away:
            continue
        if row["position"] > began and rules_on_play(held):
            raise OfficeHeld
        told = Told(league_id, row["type"], row["schema_version"], row["data"])
        held = role_after(held, told, player)


async def roles_since(
    pool: asyncpg.Pool, league_id: str, player: str, since: datetime
) -> list[Role | None]:
    """
    Return every role that *player* came to have after *since*. None stands for a removal.

    Raises:
        EventUnreadable: If an event that gives the player a role is malformed.
    """
    given = number_of(league_id), league_stream(league_id), TELLING, player, since
    away = await voided(pool, league_id)
    return [
        role_after(None, Told(league_id, row["type"], row["schema_version"], row["data"]), player)
        for row in await pool.fetch(_ROLES_SINCE, *given)
        if row["position"] not in away
    ]


async def remove_member(
    runtime: Runtime, league_id: str, command: RemoveMember, order: Order
) -> Receipt:
    """
    Remove a member from the league. The member must not be in a running tournament.

    Raises:
        MemberPlaying: If the member plays in a running tournament, or waits to enter one late.
        LastOwner: If the member is the league's only owner.
    """

    async def decide(states: States) -> Sequence[StreamEvents]:
        # Read in its turn: a tournament may be announced or entered while the command waits.
        found = await open_tournaments(runtime.pool, league_id)
        return await removal(states, league_id, command, found, order.received_at)

    return await runtime.writer.submit(league_id, order, decide)


async def removal(
    states: States,
    league_id: str,
    command: RemoveMember,
    found: Sequence[Stream[Tournament]],
    now: datetime,
) -> list[StreamEvents]:
    """
    Return the removal of a member and the member's withdrawals from tournaments to come.

    The append guards every open tournament. If a start or a late registration is accepted
    meanwhile, the league decides again.

    Args:
        found: The streams that :func:`open_tournaments` returned.

    Raises:
        MemberPlaying: If the member plays in a running tournament, or waits to enter one late.
        LastOwner: If the member is the league's only owner.
    """
    stream = league_stream(league_id)
    state = (await states.load(stream)).state
    loaded = {each: (await states.load(each)).state for each in found}
    to_come = {k: each for k, each in loaded.items() if isinstance(each, Registering | Running)}
    playing = tuple(
        each.terms.tournament for each in to_come.values() if late.awaited(each, command.player)
    )
    events = league.decider.decide(state, replace(command, playing=playing))
    given_up = {each: _withdrawn(entered, command.player, now) for each, entered in to_come.items()}
    return [
        StreamEvents(stream, events),
        *(StreamEvents(each, told) for each, told in given_up.items()),
    ]


def _withdrawn(
    state: Registering | Running, player: PlayerId, now: datetime
) -> tuple[TournamentEvent, ...]:
    """Return the withdrawals of *player*'s entries, waitlist places and open applications."""
    if not isinstance(state, Registering):
        return ()
    asking = (each for each in state.entering.applicants if each.refused is None)
    standing: tuple[Entry | Applicant, ...] = (*state.entrants, *state.entering.waiting, *asking)
    mine = [Withdraw(entrant=each.entrant, now=now) for each in standing if each.player == player]
    events, _ = policies.decide_in_turn(tournament.decider, state, mine)
    return events
