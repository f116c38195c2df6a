"""
The decisions of house bots at one table.

A bot chooses from the view of its own seat, which is all that its player could read from the API.
The rest of the table's state is used only to find the seats that have to answer.
"""

from collections.abc import Mapping
from hashlib import sha256
from typing import Final

import msgspec
import structlog

from engine.errors import CommandRejected
from engine.kit.house_bots import house_bot_of
from engine.table.model.commands import ComeBack, Command
from engine.table.model.state import Place, Table
from engine.table.read.view import seen_by
from engine.values import EntrantId, PlayerId
from service.api.table.actions import action_in
from service.api.table.commanding import command_of
from service.base.documents import Document
from service.director.next_hand import lead
from service.director.runtime import Runtime
from service.director.submitting import submit_to_table
from service.log.streams import table_stream
from service.sandbox.bots.betting import Temper
from service.sandbox.bots.player import STALE, choose
from service.sandbox.bots.strengths import STYLES

Bots = Mapping[EntrantId, PlayerId]
"""The house bots of a tournament, by entrant."""

_MOODS: Final = b"holotable/house-bots/1"

_log = structlog.get_logger(__name__)


def seed_of(secret_key: str) -> int:
    """Return the seed of the bots' moods. Nobody outside can foresee their bluffs."""
    return int.from_bytes(sha256(_MOODS + secret_key.encode()).digest()[:8], "big")


def waiting_seat(table: Table, bots: Bots) -> Place | None:
    """Return a bot's seat that the open decision waits for, or None."""
    decision = table.decision
    if decision is None or table.held is not None or table.closed:
        return None
    seats = (table.at(seat) for seat in decision.seats)
    return next((place for place in seats if place.entrant in bots), None)


def action_of(table: Table, entrant: EntrantId, player: PlayerId, seed: int) -> Document | None:
    """Return the bot's action, or None if nothing waits for it. Only its own view is used."""
    view: Document = msgspec.to_builtins(seen_by(table, entrant))
    bot = house_bot_of(player)
    if bot is None:
        raise TypeError(f"{player} is no house bot")
    return choose(view, Temper.of(player, seed), player, seed, STYLES[bot.strength])


async def play(runtime: Runtime, league: str, table_id: str, bots: Bots, seed: int) -> None:
    """
    Answer every decision at a table that waits for a bot, until there is none.

    An action that is refused is logged. The clock then answers for the bot.
    """
    refused: set[tuple[str, EntrantId]] = set()
    while True:
        state = (await runtime.writer.load(league, table_stream(table_id))).state
        if not isinstance(state, Table) or state.closed:
            return
        await _come_back(runtime, league, state, bots)
        place = waiting_seat(state, bots)
        if place is None or state.decision is None:
            return
        this = (state.decision.token, place.entrant)
        if this in refused:
            return
        action = action_of(state, place.entrant, bots[place.entrant], seed)
        if action is None:
            return
        try:
            await _act(runtime, league, state, place.entrant, bots[place.entrant], action)
        except CommandRejected as refusal:
            refused.add(this)
            if refusal.code not in STALE:
                _log.error("a house bot was refused", table=table_id, code=refusal.code)


async def _act(
    runtime: Runtime,
    league: str,
    table: Table,
    entrant: EntrantId,
    player: PlayerId,
    action: Document,
) -> None:
    now = runtime.clock.now()
    read, salt = action_in(action), runtime.entropy.token
    command = command_of(read, entrant=entrant, now=now, salt=salt)
    # Another process of bots would choose the same action. Only one of the two counts.
    await _submit(runtime, league, table, player, command, msgspec.json.encode(action))


async def _come_back(runtime: Runtime, league: str, table: Table, bots: Bots) -> None:
    """Bring back bots that timed out while this process was away."""
    for place in table.places:
        if place.away and place.entrant in bots:
            command = ComeBack(entrant=place.entrant)
            asked = f"{table.table}/{table.hand_number}/{place.entrant}/back"
            await _submit(runtime, league, table, bots[place.entrant], command, asked.encode())
            lead(runtime, league, table.table)


async def _submit(
    runtime: Runtime, league: str, table: Table, player: PlayerId, command: Command, request: bytes
) -> None:
    """Submit a command in the name of the bot. The same request is one command."""
    occurrence = f"house_bot/{table.table}/{player}/{sha256(request).hexdigest()}"
    order = runtime.order(occurrence, actor=player)
    await submit_to_table(runtime, league, table.table, command, order)
