"""The rebuy window that is open for the reader."""

from datetime import datetime

import msgspec

from service.api.table.my_waiting import MyWaiting, RebuyWaiting
from service.console.asking import Ask


class Price(msgspec.Struct):
    """The price of a rebuy, in minor units: for the pool and for the house."""

    price: int
    fee: int


class Fees(msgspec.Struct):
    """The members of an evening's fees that make the price of a rebuy."""

    buy_in: int
    fee: int
    rebuy: Price | None


class Window(msgspec.Struct, frozen=True, kw_only=True):
    """An open rebuy window of the reader's."""

    price: int
    """The price in minor units of the currency."""

    until: datetime | None
    """The end of the window, or null while play is paused."""

    seconds: int
    """The whole length of the window."""


async def window_of(ask: Ask, tournament: str, fees: Fees, seconds: int) -> Window | None:
    """Return the reader's window in a tournament, or None without one that a rebuy closes."""
    waiting = await ask.api.get("/v1/me/waiting", MyWaiting)
    for each in waiting.items:
        if isinstance(each, RebuyWaiting) and each.tournament == tournament and each.rebuy:
            return Window(price=price_of(fees), until=each.until, seconds=seconds)
    return None


def price_of(fees: Fees) -> int:
    """Return what a rebuy costs: its own price, or buy-in and fee again."""
    return fees.buy_in + fees.fee if fees.rebuy is None else fees.rebuy.price + fees.rebuy.fee
