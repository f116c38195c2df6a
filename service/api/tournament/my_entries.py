"""The caller's own entry in a tournament: the seat, and the items to stake."""

import msgspec

from engine.coordination.policies import level_played
from engine.coordination.purchases import no_hand_left
from engine.table.model.state import State, Table
from engine.tournament.chips.rebuying import may_bring, may_declare
from engine.tournament.model.state import Running
from engine.tournament.money.paying import no_add_on
from engine.values import EntrantId
from service.api.http.access.rights import TournamentPlace
from service.api.http.reading.moments import Moment
from service.api.http.shell import Shell
from service.api.tournament.entrants import EntrantShown
from service.log.streams import table_stream


class MyItem(msgspec.Struct, kw_only=True):
    """An item of the caller's that was staked in this tournament before."""

    item: str
    """The slug by which it is staked."""

    value: int
    """The chips that it is worth."""

    staked: bool
    """True while the item is in escrow. The caller may buy it back between hands."""


class MyEntry(msgspec.Struct, kw_only=True):
    """The caller's latest entry. ``table`` and ``seat`` are null without a seat."""

    entrant: str
    table: str | None
    """The table at which the entrant sits, or null."""

    seat: int | None
    """The seat at that table, or null."""

    promised_table: str | None
    """The table at which the entrant gets a seat before its next hand, or null."""

    add_on: bool
    """
    True if the entrant may take the add-on of the terms as soon as no hand is in play. False once
    the table's last hand is opened.
    """

    declares_rebuy: bool
    """True if the entrant, who has chips, may declare a rebuy for the loss of the last one."""

    items: tuple[MyItem, ...]
    """The caller's items, if the game has any. Others can win them."""

    brings_item: bool
    """True if the caller may still bring an item, to stake it after a bust."""


async def my_entry(
    shell: Shell, place: TournamentPlace, entry: EntrantShown, moment: Moment | None
) -> MyEntry:
    """
    Return an entry of the caller's, with what only they may do.

    Args:
        moment: The moment of *place*, or None for now.
    """
    state, mine = place.state, EntrantId(entry.id)
    open_now = isinstance(state, Running) and no_add_on(state, mine) is None
    declares = isinstance(state, Running) and may_declare(state, mine, level=1)
    if entry.table is not None and isinstance(state, Running) and (open_now or declares):
        here = await _table(shell, place.league, entry.table, moment)
        if isinstance(here, Table):
            open_now = open_now and not no_hand_left(here)
            declares = declares and may_declare(state, mine, level_played(here, state.clock))
    items = state.items if isinstance(state, Running) else ()
    return MyEntry(
        entrant=entry.id,
        table=entry.table,
        seat=entry.seat,
        promised_table=_promised(state, mine),
        add_on=open_now,
        declares_rebuy=declares,
        items=tuple(
            MyItem(item=each.name, value=each.value, staked=each.staked)
            for each in items
            if each.owner == entry.id
        ),
        brings_item=isinstance(state, Running) and may_bring(state, mine),
    )


def _promised(state: object, mine: EntrantId) -> str | None:
    """Return the table that has promised a seat to an entrant, or None."""
    if not isinstance(state, Running):
        return None
    return next((each.table for each in state.promised if each.entrant == mine), None)


async def _table(shell: Shell, league: str, table: str, moment: Moment | None) -> State:
    stream = table_stream(table)
    if moment is not None:
        return (await moment.state(stream)).state
    return (await shell.runtime.writer.load(league, stream, fresh=False)).state
