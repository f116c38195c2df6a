"""
The price of an entry, and the payouts.

Every amount is in minor units of the tournament's currency. Only an add-on's ``chips`` are
chips.
"""

from typing import Literal

import msgspec

from engine.values import Chips

BeforeTheMoney = Literal["refund_all", "roll_forward"]
InTheMoney = Literal["lowest_unpaid_then_chips", "by_chips"]


class Price(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The price of a rebuy: ``price`` goes to the prize pool, ``fee`` to the house."""

    price: int
    """The part that goes to the prize pool."""

    fee: int = 0
    """The part that goes to the house."""


class AddOnTerms(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The price and the chips of an add-on, and the number that everyone may take."""

    price: int
    """The part that goes to the prize pool."""

    fee: int = 0
    """The part that goes to the house."""

    chips: Chips
    """The chips that the entrant gets."""

    max: int = 1
    """The number of add-ons that an entrant may take."""


class PayoutRow(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The shares of the pool by place for fields of ``entrants_from`` entries or more."""

    entrants_from: int
    """The row applies from this number of entries on, up to the next row."""

    shares: tuple[int, ...]
    """The shares by place, first place first, relative to each other."""


class FeeTerms(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """
    The price of an entry, and the payouts.

    The worth of the places is set once. ``amounts`` decides, or else the row of ``table`` for
    the field, or else the shares of the announcement.
    """

    buy_in: int = 0
    """The part of each entry for the prize pool."""
    fee: int = 0
    """The part of each entry for the house."""
    bounty: int = 0
    """The part of each entry for the player who knocks it out."""
    rebuy: Price | None = None
    """Null if a rebuy costs buy-in and fee again."""
    add_on: AddOnTerms | None = None
    """The add-on on sale, or null if there is none."""

    guaranteed: int = 0
    """The least amount of the prize pool. The house adds what is missing."""
    payment: Literal["on_trust", "recorded"] = "on_trust"
    """
    ``on_trust``: what is owed counts as paid. ``recorded``: only payments that staff recorded
    count.
    """
    table: tuple[PayoutRow, ...] = ()
    """Shares by the size of the field, in ascending order. Empty uses those of the announcement."""

    amounts: tuple[int, ...] = ()
    """The worth of the places in money. The house adds what the pool lacks."""
    paid_percent: int | None = None
    """
    The percentage of the field that is paid, rounded up. The last share also counts for later
    places.
    """
    unit: int = 1
    """Places are worth whole multiples of this amount. The rest goes to the first place."""
    cancellation: BeforeTheMoney = "refund_all"
    """The division of the pool if play is cancelled before everybody left is in the money."""

    cancellation_in_money: InTheMoney = "lowest_unpaid_then_chips"
    """The division of the pool if play is cancelled with everybody left in the money."""

    @property
    def price_of_rebuy(self) -> Price:
        """The price of a rebuy (rulebook ``rebuy.price``)."""
        return self.rebuy or Price(price=self.buy_in, fee=self.fee)
