"""
The differences between a player's knowledge of a tournament and the present facts.

Each function looks for one kind of difference. It returns the item and the facts that the reader
knows after it. The facts are None if no later item is about the tournament.
"""

from collections.abc import Callable
from typing import NamedTuple, TypeAlias, TypedDict

from msgspec.structs import replace

from engine.tournament.model.state import Running
from engine.values import identifier
from service.api.table.my_facts import is_over
from service.api.table.my_following import Mine
from service.api.table.my_items import (
    EntryItem,
    MoveItem,
    MyItem,
    OfferItem,
    RebuyWindowItem,
    SeatAt,
    SeatItem,
    TournamentItem,
    TurnClosedItem,
    TurnItem,
    UnseatedItem,
)
from service.api.table.told import Facts
from service.api.table.views import read_of, seen_with_clock, unnamed

_GONE = ("out", "withdrawn")


class Difference(NamedTuple):
    """An item, and its reader's knowledge after it."""

    item: MyItem
    """The item, still without its cursor."""

    after: Facts | None
    """The facts, or None if no later item is about the tournament."""


class About(TypedDict):
    """The members that all items about a tournament have."""

    cursor: str
    league: str
    tournament: str


def about(mine: Mine) -> About:
    """
    Return the common members of an item about *mine*. The cursor is set when the item is sent.
    """
    return {"cursor": "", "league": mine.league, "tournament": mine.id}


def _tournament(told: Facts, mine: Mine) -> Difference | None:
    now = mine.facts
    withdrawn = mine.player.status == "withdrawn"
    if withdrawn or (told.state, told.check_in) == (now.state, now.check_in):
        return None
    return None if is_over(mine.loaded.state) else _state(told, mine)


def _state(told: Facts, mine: Mine) -> Difference:
    now, over = mine.facts, is_over(mine.loaded.state)
    after = None if over else replace(told, state=now.state, check_in=now.check_in)
    state = now.state or "unannounced"
    item = TournamentItem(**about(mine), at=mine.loaded.at, state=state, check_in=now.check_in)
    return Difference(item, after)


def _entry(told: Facts, mine: Mine) -> Difference | None:
    return None if mine.player.status in _GONE else _status(told, mine)


def _status(told: Facts, mine: Mine) -> Difference | None:
    now = mine.facts
    if (told.entrant, told.entry) == (now.entrant, now.entry):
        return None
    item = EntryItem(
        **about(mine),
        at=mine.loaded.at,
        entrant=mine.player.entrant,
        status=mine.player.status,
        place=mine.player.place,
    )
    withdrawn = mine.player.status == "withdrawn"
    after = None if withdrawn else replace(told, entrant=now.entrant, entry=now.entry)
    return Difference(item, after)


def _offer(told: Facts, mine: Mine) -> Difference | None:
    until = mine.facts.offer
    if told.offer == until:
        return None
    item = OfferItem(**about(mine), at=mine.loaded.at, until=until)
    return Difference(item, replace(told, offer=until))


def _turn_closed(told: Facts, mine: Mine) -> Difference | None:
    now = mine.facts
    if told.decision is None or told.table is None:
        return None
    if (told.table, told.decision) == (now.table, now.decision):
        return None
    item = TurnClosedItem(
        **about(mine),
        at=mine.loaded.at if mine.table is None else mine.table.at,
        table=identifier("tbl", told.table),
        decision=told.decision,
    )
    return Difference(item, replace(told, decision=None, deadline=None))


def _seat(told: Facts, mine: Mine) -> Difference | None:
    now = mine.facts
    if (told.table, told.seat) == (now.table, now.seat):
        return None
    after = replace(told, table=now.table, seat=now.seat, version=now.version)
    old = None if told.table is None else identifier("tbl", told.table)
    at_table = None if mine.table is None else mine.table.state.place_of(mine.player.entrant)
    if mine.table is None or at_table is None:
        left = UnseatedItem(**about(mine), at=mine.loaded.at, table=old or "", seat=told.seat)
        return Difference(left, after)
    table, at = mine.table.state.table, mine.table.at
    if old is None:
        got = SeatItem(**about(mine), at=at, table=table, seat=at_table.seat, stack=at_table.stack)
        return Difference(got, after)
    moved = MoveItem(
        **about(mine),
        at=at,
        from_=SeatAt(table=old, seat=told.seat),
        to=SeatAt(table=table, seat=at_table.seat),
        stack=at_table.stack,
    )
    return Difference(moved, after)


def _rebuy_window(told: Facts, mine: Mine) -> Difference | None:
    buys = mine.facts.rebuy
    if told.rebuy == buys:
        return None
    state, number = mine.loaded.state, None
    if buys is not None and isinstance(state, Running):
        number = state.next_rebuy(mine.player.entrant)
    item = RebuyWindowItem(
        **about(mine), at=mine.loaded.at, open=buys is not None, rebuy=bool(buys), number=number
    )
    return Difference(item, replace(told, rebuy=buys))


def _turn(told: Facts, mine: Mine) -> Difference | None:
    now, table = mine.facts, mine.table
    if table is None or now.decision is None or now.deadline is None:
        return None
    if (told.decision, told.deadline) == (now.decision, now.deadline):
        return None
    seen = seen_with_clock(table.state, mine.player.entrant, mine.loaded.state)
    item = TurnItem(
        **about(mine),
        at=table.at,
        table=table.state.table,
        decision=now.decision,
        deadline=now.deadline,
        view=unnamed(read_of(mine.league, table, seen)),
    )
    return Difference(item, replace(told, decision=now.decision, deadline=now.deadline))


def _end(told: Facts, mine: Mine) -> Difference | None:
    return _state(told, mine) if is_over(mine.loaded.state) else None


Kind: TypeAlias = Callable[[Facts, Mine], Difference | None]

BEFORE_HANDS: tuple[Kind, ...] = (_tournament, _entry, _offer, _turn_closed)
"""The kinds of items that come before the ends of hands, in order."""

AFTER_HANDS: tuple[Kind, ...] = (_seat, _rebuy_window, _status, _end, _turn)
"""The kinds of items that come after the ends of hands, in order."""
