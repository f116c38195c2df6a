"""The caller's own entry in a tournament: the seat, and the items to stake."""

import msgspec

from engine.tournament.chips.rebuying import may_bring
from engine.tournament.model.state import Running, State
from engine.tournament.money.paying import no_add_on
from engine.values import EntrantId
from service.api.tournament.entrants import EntrantShown


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

    add_on: bool
    """True if the entrant may take the add-on of the terms as soon as no hand is in play."""

    items: tuple[MyItem, ...]
    """The caller's items, if the game has any. Others can win them."""

    brings_item: bool
    """True if the caller may still bring an item, to stake it after a bust."""


def my_entry(state: State, entry: EntrantShown) -> MyEntry:
    """Return an entry of the caller's, with what only they may do."""
    open_now = isinstance(state, Running) and no_add_on(state, EntrantId(entry.id)) is None
    items = state.items if isinstance(state, Running) else ()
    return MyEntry(
        entrant=entry.id,
        table=entry.table,
        seat=entry.seat,
        add_on=open_now,
        items=tuple(
            MyItem(item=each.name, value=each.value, staked=each.staked)
            for each in items
            if each.owner == entry.id
        ),
        brings_item=isinstance(state, Running) and may_bring(state, EntrantId(entry.id)),
    )
