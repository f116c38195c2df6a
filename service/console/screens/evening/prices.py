"""The prices and the prizes of a new evening, as they are typed."""

import msgspec
from markupsafe import Markup, escape

from engine.tournament.model.terms import FeeTerms
from service.base.documents import Document
from service.console.calling import Problem
from service.console.languages import Spoken
from service.console.numbers import listed, minor
from service.console.screens.evening.shares import proposed_shares
from service.console.screens.evening.typed import Values, laid_over, number, rebuys_of
from service.console.words import Words

NO_LIST = "Expected numbers"
"""The fault of a text that should list whole numbers."""

_PRICED = ("buy_in", "fee", "bounty", "rebuy", "add_on")
"""The members of the fees that say what players pay."""

_WHOLE, _AMOUNT, _MISSING = "Expected `int`", "Expected `float`", "missing required field"


class AddOn(msgspec.Struct, kw_only=True):
    """The add-on on sale."""

    chips: int
    price: int
    most: int
    """The number that everyone may take."""


class Prices(msgspec.Struct, kw_only=True):
    """The prices in minor units, and the shares of the paid places."""

    entry: int = 0
    rebuy: int | None = None
    """The price of a rebuy, or null if it costs an entry again."""

    rebuys: bool = False
    """True if rebuys are on sale."""

    add_on: AddOn | None = None
    shares: tuple[int, ...] = ()
    """The shares as the organiser set them, or those that are proposed."""

    @property
    def money(self) -> bool:
        """True if anybody pays for anything."""
        add_on = 0 if self.add_on is None else self.add_on.price
        return bool(self.entry or self.rebuy or add_on)

    def terms(self, currency: str, payment: str) -> Document:
        """Return the members of the announcement."""
        fees: Document = {"buy_in": self.entry} if self.entry else {}
        if self.rebuy is not None:
            fees["rebuy"] = {"price": self.rebuy}
        if self.add_on is not None:
            more = self.add_on
            fees["add_on"] = {"chips": more.chips, "price": more.price, "max": more.most}
        if not self.money:
            return {"fees": fees} if fees else {}
        fees["payment"] = payment
        return {"currency": currency, "fees": fees, "payouts": self.shares}


def prices_of(
    values: Values, currency: str, players: int, price: int, wrong: dict[str, str]
) -> Prices:
    """
    Return the prices and the shares of the fields *values*, and put each fault into *wrong*.

    Args:
        price: The price of an entry, if the fields do not say.
    """
    entry = _amount(values, "price", currency, wrong)
    entry = price if "price" not in values else entry or 0
    shares = listed(text_of(values, "payouts"))
    if shares is None:
        wrong["payouts"] = NO_LIST
    return Prices(
        entry=entry,
        rebuy=_amount(values, "rebuy_price", currency, wrong),
        rebuys=rebuys_of(values) is not None,
        add_on=_add_on(values, currency, entry, wrong),
        shares=() if shares is None else shares or proposed_shares(players),
    )


def fees_over(content: Document, prices: Prices, currency: str) -> FeeTerms:
    """Return the fees that an evening with *prices* announces over an earlier one."""
    fees = laid_over(content, prices.terms(currency, "on_trust")).get("fees", {})
    return msgspec.convert({name: fees[name] for name in _PRICED if name in fees}, FeeTerms)


def sold(
    language: Spoken, fees: FeeTerms, stack: int, currency: str, *, rebuys: bool
) -> tuple[str, ...]:
    """Return what is paid beside an entry, and what a rebuy and the add-on cost and bring."""
    _, words, found = language.gettext, Words(language), []
    if more := _beside_an_entry(language, fees, currency):
        found.append(more)
    if rebuys:
        price = fees.price_of_rebuy.price + fees.price_of_rebuy.fee
        said = _("A rebuy costs %(money)s and brings %(chips)s chips.")
        if not price:
            said = _("A rebuy is free and brings %(chips)s chips.")
        money = words.money(price, currency)
        found.append(escape(said) % {"money": money, "chips": words.number(stack)})
    if (add_on := fees.add_on) is not None:
        price = add_on.price + add_on.fee
        found.append(add_on_said(language, add_on.chips, price, add_on.max, currency))
    return tuple(found)


def _beside_an_entry(language: Spoken, fees: FeeTerms, currency: str) -> Markup | None:
    """Return in a sentence the fee and the bounty of an entry, or None without any."""
    _, words = language.gettext, Words(language)
    if fees.fee and fees.bounty:
        said = _("Each entry also pays a fee of %(fee)s for the house and a bounty of %(bounty)s.")
    elif fees.fee:
        said = _("Each entry also pays a fee of %(fee)s for the house.")
    elif fees.bounty:
        said = _("Each entry also pays a bounty of %(bounty)s.")
    else:
        return None
    fee, bounty = words.money(fees.fee, currency), words.money(fees.bounty, currency)
    return escape(said) % {"fee": fee, "bounty": bounty}


def add_on_said(
    language: Spoken, chips: int, price: int, most: int, currency: str | None
) -> Markup:
    """Return in a sentence what an add-on costs and brings, and when it is sold."""
    _, words = language.gettext, Words(language)
    said = _("An add-on costs %(money)s and brings %(chips)s chips. It is sold in a break or a "
             "pause, between hands: at most %(most)s each.")  # fmt: skip
    if not price:
        said = _("An add-on is free and brings %(chips)s chips. It is given in a break or a pause, "
                 "between hands: at most %(most)s each.")  # fmt: skip
    return escape(said) % {
        "money": words.money(price, currency),
        "chips": words.number(chips),
        "most": words.number(most),
    }


def _add_on(values: Values, currency: str, entry: int, wrong: dict[str, str]) -> AddOn | None:
    """Return the add-on. Without a price of its own it costs as much as a buy-in."""
    price = _amount(values, "add_on_price", currency, wrong)
    for name in ("add_on_chips", "add_on_max"):
        text = text_of(values, name)
        if text and not number(values, name) and text.strip("0"):
            wrong[name] = _WHOLE
    chips = number(values, "add_on_chips")
    if chips is None:
        if price is not None:
            wrong.setdefault("add_on_chips", _MISSING)
        return None
    most = number(values, "add_on_max") or 1
    return AddOn(chips=chips, price=entry if price is None else price, most=most)


def text_of(values: Values, name: str) -> str:
    """Return the text of a field without the spaces around it."""
    return values.get(name, ("",))[-1].strip()


def _amount(values: Values, name: str, currency: str, wrong: dict[str, str]) -> int | None:
    text = text_of(values, name)
    if not text:
        return None
    try:
        return minor(text, currency, name)
    except Problem:
        wrong[name] = _AMOUNT
        return None
