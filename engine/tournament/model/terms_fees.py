"""
What an entry costs and what is paid out.

Every amount is in minor units of the tournament's currency; nothing here is chips
but what an add-on brings.
"""

from typing import Literal

import msgspec

from engine.values import Chips

BeforeTheMoney = Literal["refund_all", "roll_forward"]
InTheMoney = Literal["lowest_unpaid_then_chips", "by_chips"]


class Price(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a rebuy costs: ``price`` goes to the prize pool, ``fee`` to the house."""

    price: int
    fee: int = 0


class AddOnTerms(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What an add-on costs and brings, and how many everyone may take."""

    price: int
    fee: int = 0
    chips: Chips
    max: int = 1


class PayoutRow(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Shares of the pool by place for fields of ``entrants_from`` entries or more."""

    entrants_from: int
    shares: tuple[int, ...]


class FeeTerms(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """
    What an entry costs and what is paid out.

    Which amounts the places are worth is said once: by ``amounts``, else by the row of
    ``table`` for the field, else by the shares of the announcement.
    """

    buy_in: int = 0
    """Of each entry, to the prize pool."""
    fee: int = 0
    """Of each entry, to the house."""
    bounty: int = 0
    """Of each entry, for whoever knocks it out."""
    rebuy: Price | None = None
    """None means that it costs buy-in and fee once more."""
    add_on: AddOnTerms | None = None
    guaranteed: int = 0
    """What the prize pool is at least: the house adds what is missing."""
    payment: Literal["on_trust", "recorded"] = "on_trust"
    """Whether what is owed counts as paid, or only what staff have written down."""
    table: tuple[PayoutRow, ...] = ()
    amounts: tuple[int, ...] = ()
    """What the places are worth in money; the house adds what the pool lacks."""
    paid_percent: int | None = None
    """How much of the field is paid, rounded up; the last share counts for later places too."""
    unit: int = 1
    """Places are worth whole multiples of it; what is left goes to the first."""
    cancellation: BeforeTheMoney = "refund_all"
    cancellation_in_money: InTheMoney = "lowest_unpaid_then_chips"
