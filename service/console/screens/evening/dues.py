"""The dues of a player: the entry, and what was bought later."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Literal

from service.api.tournament.entrants import EntrantShown
from service.api.tournament.money import AccountShown, LedgerShown, PaymentWanted
from service.api.tournament.tournaments import TournamentShown
from service.console.asking import Ask
from service.console.forms import Given
from service.console.words import Words

Kind = Literal["buy_in", "fee", "rebuy", "add_on", "bounty"]
Due = tuple[Kind, int]
"""A purpose, and the amount that is not paid for it."""

PARTS: tuple[Kind, ...] = ("buy_in", "fee", "bounty")
"""The parts of an entry."""

_LATER: tuple[Kind, ...] = ("rebuy", "add_on", "fee")
"""The parts of rebuys and add-ons. Their fees stand in one account with that of the entry."""


def entry_parts(account: AccountShown, shown: TournamentShown) -> list[Due]:
    """Return the parts of the entry that are not paid."""
    return _parts(account, shown, PARTS, _fees(account, shown)[0])


def later_parts(account: AccountShown, shown: TournamentShown) -> list[Due]:
    """Return the parts of rebuys and add-ons that are not paid."""
    return _parts(account, shown, _LATER, _fees(account, shown)[1])


_Fee = tuple[int, int]
"""A fee, and what is paid of it."""


def _parts(
    account: AccountShown, shown: TournamentShown, kinds: Sequence[Kind], fee: _Fee
) -> list[Due]:
    if shown.fees.payment == "on_trust" or shown.state == "cancelled":
        return []
    if account.paid >= account.charged:
        return []
    found: list[Due] = []
    for kind in kinds:
        of_kind = account.charges.for_kind(kind), _paid_for(account, kind)
        charged, paid = fee if kind == "fee" else of_kind
        if charged > paid:
            found.append((kind, charged - paid))
    return found


def _fees(account: AccountShown, shown: TournamentShown) -> tuple[_Fee, _Fee]:
    """Return the fee of the entry, and the fees of what was bought later."""
    charged, paid = account.charges.fee, _paid_for(account, "fee")
    entry = min(charged, shown.fees.fee)
    later = charged - entry
    # Of the fees, that of the entry is paid first, unless a rebuy or an add-on was paid before it.
    before = _paid_for(account, "buy_in") < account.charges.buy_in and (
        _paid_for(account, "rebuy") or _paid_for(account, "add_on")
    )
    of_later = min(paid, later) if before else max(0, paid - entry)
    return (entry, paid - of_later), (later, of_later)


def _paid_for(account: AccountShown, kind: Kind) -> int:
    return sum(each.amount for each in account.payments if each.kind == kind)


async def pay_for(
    ask: Ask,
    given: Given,
    tournament: str,
    entrant: str,
    parts_of: Callable[[AccountShown, TournamentShown], list[Due]],
) -> None:
    """
    Record what is not paid.

    Each part has a key of its own, so that a second tap records nothing twice.
    """
    path = f"/v1/tournaments/{tournament}"
    shown, books = await asyncio.gather(
        ask.api.get(path, TournamentShown), ask.api.get(f"{path}/ledger", LedgerShown)
    )
    account = account_of(books, entrant)
    for kind, due in () if account is None else parts_of(account, shown):
        wanted = PaymentWanted(entrant=entrant, kind=kind, amount=due)
        key = f"{given.key}-{kind}"
        await ask.api.send("POST", f"{path}/payments", wanted, object, key=key)


def bought(account: AccountShown, parts: Sequence[Due]) -> tuple[str, ...]:
    """Return what the *parts* of rebuys and add-ons are for. A fee may be for either."""
    named = tuple(kind for kind, _ in parts if kind != "fee")
    if named or not parts:
        return named
    return tuple(kind for kind in ("rebuy", "add_on") if account.charges.for_kind(kind))


def account_of(books: LedgerShown, entrant: str) -> AccountShown | None:
    """Return the account of an entrant, as far as the reader sees the books."""
    return next((each for each in books.accounts if each.entrant == entrant), None)


def entry_price(shown: TournamentShown) -> int:
    """Return the price of an entry at the door: nothing on trust, or if it is cancelled."""
    fees = shown.fees
    free = fees.payment == "on_trust" or shown.state == "cancelled"
    return 0 if free else fees.buy_in + fees.fee + fees.bounty


def entry_due(books: LedgerShown, shown: TournamentShown, entrant: str) -> int:
    """Return the part of an entry that is not paid, as far as the reader sees the books."""
    account = account_of(books, entrant)
    return 0 if account is None else total(entry_parts(account, shown))


def unpaid_in(books: LedgerShown, shown: TournamentShown) -> tuple[EntrantShown, ...]:
    """Return the entrants whose entry is not paid, as far as the reader sees the books."""
    owing = {each.entrant for each in books.accounts if entry_parts(each, shown)}
    return tuple(each for each in shown.entrants if each.id in owing)


def total(parts: Sequence[Due]) -> int:
    """Return the sum of *parts*."""
    return sum(amount for _, amount in parts)


async def to_give_back(ask: Ask, tournament: str, entrant: str) -> str:
    """Return where to give back what an entrant has paid, or nothing if nothing was paid."""
    ledger = await ask.api.get(f"/v1/tournaments/{tournament}/ledger", LedgerShown)
    account = account_of(ledger, entrant)
    recorded = [] if account is None else account.payments
    paid = sum(-each.amount if each.kind == "refund" else each.amount for each in recorded)
    if paid <= 0:
        return ""
    money = Words(ask.language).money(paid, ledger.currency).striptags()
    return " " + ask.gettext("Give back %(money)s on the page Money.") % {"money": money}
