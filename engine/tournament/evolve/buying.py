"""The state after events about rebuys, staked items and the chips of a casino."""

from typing import Any

from msgspec.structs import replace

from engine.tournament.evolve.seats import by_seat, without
from engine.tournament.model.events import (
    ChipsBrought,
    ChipsPromised,
    EntrantCashedOut,
    ItemPassed,
    ItemStaked,
    LeaveDeclared,
    RebuyDeclared,
    RebuyTaken,
    RebuyWindowOpened,
)
from engine.tournament.model.state import Running, Seated
from engine.tournament.model.values import Item, Promised, Standing, Window
from engine.values import EntrantId


def rebuy_declared(state: Running, event: RebuyDeclared) -> Running:
    return replace(state, declared=(*state.declared, event.entrant))


def window_opened(state: Running, event: RebuyWindowOpened) -> Running:
    window = Window(
        entrant=event.entrant,
        table=event.table,
        seat=event.seat,
        stack_at_start=event.stack_at_start,
        buys=event.buys,
    )
    return replace(state, windows=(*state.windows, window))


def rebuy_taken(state: Running, event: RebuyTaken) -> Running:
    left = tuple(each for each in state.declared if each != event.entrant)
    return replace(back(state, event), rebuys=(*state.rebuys, event.entrant), declared=left)


def without_window(state: Running, entrant: EntrantId) -> Running:
    return replace(state, windows=tuple(each for each in state.windows if each.entrant != entrant))


def chips_promised(state: Running, event: ChipsPromised) -> Running:
    promised = Promised(
        entrant=event.entrant,
        table=event.table,
        seat=event.seat,
        chips=event.chips,
        newcomer=event.newcomer,
        rule=event.rule,
    )
    return replace(state, promised=(*state.promised, promised))


def chips_brought(state: Running, event: ChipsBrought) -> Running:
    waiting = tuple(each for each in state.promised if each.entrant != event.entrant)
    seated = state if event.entrant in state.remaining() else back(state, event)
    return replace(seated, promised=waiting)


def leave_declared(state: Running, event: LeaveDeclared) -> Running:
    return replace(state, leaving=(*state.leaving, event.entrant))


def cashed_out(state: Running, event: EntrantCashedOut) -> Running:
    gone, entrant = without_window(state, event.entrant), event.entrant
    return replace(
        gone,
        tables=without(gone.tables, {entrant}),
        # Promised chips that have not come stay with their owner.
        promised=tuple(each for each in gone.promised if each.entrant != entrant),
        leaving=tuple(each for each in gone.leaving if each != entrant),
        left=(*gone.left, Standing(entrant=entrant, stack=event.stack)),
    )


def with_passed(state: Running, event: ItemPassed) -> Running:
    """Return the state after an item has passed to its taker."""
    return with_item(state, event.item, owner=event.taker, staked=False)


def back(state: Running, event: RebuyTaken | ItemStaked | ChipsBrought) -> Running:
    """Return the state in which a newcomer, or an entrant who was broke, sits at the table."""
    seated = Seated(entrant=event.entrant, seat=event.seat)
    tables = tuple(
        replace(table, seats=by_seat([*table.seats, seated]))
        if table.table == event.table
        else table
        for table in state.tables
    )
    return replace(without_window(state, event.entrant), tables=tables)


def item_staked(state: Running, event: ItemStaked) -> Running:
    if any(item.name == event.item for item in state.items):
        return with_item(state, event.item, staked=True)
    brought = Item(
        name=event.item,
        value=event.value,
        owner=event.entrant,
        brought_by=event.entrant,
        staked=True,
    )
    return replace(state, items=(*state.items, brought))


def with_item(state: Running, name: str, **changes: Any) -> Running:
    return replace(
        state,
        items=tuple(
            replace(item, **changes) if item.name == name else item for item in state.items
        ),
    )
