"""
The chips that the reader may get now: by a rebuy or a staked item in the open window, as an add-on.
"""

from datetime import datetime

import msgspec

from engine.rulesets import EachDealtOnce, Ruleset
from engine.tournament.model.terms import FeeTerms
from service.api.table.my_waiting import MyWaiting, RebuyWaiting
from service.console.asking import Ask


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

    each_deals: bool
    """True if the game ends once everybody has dealt, so that no hand may come after this one."""


async def window_of(ask: Ask, tournament: str, fees: FeeTerms, ruleset: Ruleset) -> Window | None:
    """Return the reader's window in a tournament, or None without one."""
    waiting = await ask.api.get("/v1/me/waiting", MyWaiting)
    price = fees.price_of_rebuy
    for each in waiting.items:
        if isinstance(each, RebuyWaiting) and each.tournament == tournament:
            return Window(
                buys=each.rebuy,
                number=each.number,
                price=price.price + price.fee,
                until=each.until,
                seconds=ruleset.rebuy.seconds,
                each_deals=isinstance(ruleset.end, EachDealtOnce),
            )
    return None
