"""
The chips that the reader may get now: by a rebuy or a staked item in the open window, as an add-on.
"""

from datetime import datetime

import msgspec

from service.api.table.my_waiting import MyWaiting, RebuyWaiting
from service.console.asking import Ask


class Price(msgspec.Struct):
    """The price of a rebuy, in minor units: for the pool and for the house."""

    price: int
    fee: int


class AddOn(Price):
    """An add-on on sale: its price, and the chips that come with it."""

    chips: int


class Fees(msgspec.Struct):
    """The members of an evening's fees that make the prices of rebuys and add-ons."""

    buy_in: int
    fee: int
    rebuy: Price | None
    add_on: AddOn | None


class Window(msgspec.Struct, frozen=True, kw_only=True):
    """An open rebuy window of the reader's."""

    buys: bool
    """True if a rebuy is allowed. Otherwise only a staked item brings the reader back."""

    number: int
    """The number of the rebuy among the reader's."""

    price: int
    """The price of a rebuy in minor units of the currency."""

    until: datetime | None
    """The end of the window, or null while play is paused."""

    seconds: int
    """The whole length of the window."""


async def window_of(ask: Ask, tournament: str, fees: Fees, seconds: int) -> Window | None:
    """Return the reader's window in a tournament, or None without one."""
    waiting = await ask.api.get("/v1/me/waiting", MyWaiting)
    for each in waiting.items:
        if isinstance(each, RebuyWaiting) and each.tournament == tournament:
            return Window(
                buys=each.rebuy,
                number=each.number,
                price=price_of(fees),
                until=each.until,
                seconds=seconds,
            )
    return None


def price_of(fees: Fees) -> int:
    """Return what a rebuy costs: its own price, or buy-in and fee again."""
    return fees.buy_in + fees.fee if fees.rebuy is None else fees.rebuy.price + fees.rebuy.fee
