"""
What the books of a tournament come to.

The pool follows from entries, rebuys, add-ons and what the house adds; nothing is
stored that can be added up.  Source: rulebook ``entry_fee`` and ``pool``.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Literal

import msgspec

from engine.rulesets import OpenEnd
from engine.tournament.model.money_values import Books
from engine.tournament.model.state import (
    Announced,
    Cancelled,
    Closed,
    Drafted,
    Finished,
    Registering,
    Running,
    State,
    Unannounced,
    entries_of,
)
from engine.tournament.model.terms_announced import Terms
from engine.tournament.model.terms_fees import AddOnTerms, Price
from engine.tournament.money.prizes import prizes, promised
from engine.values import EntrantId

Known = Drafted | Announced | Registering | Closed | Running | Finished | Cancelled
"""A tournament that has terms."""


class Charged(msgspec.Struct, frozen=True, kw_only=True):
    """What an entrant owes, or all of them do, by what it is for."""

    buy_in: int = 0
    fee: int = 0
    """Of entry, rebuys and add-ons."""
    rebuy: int = 0
    add_on: int = 0
    bounty: int = 0

    def for_kind(self, kind: Literal["buy_in", "fee", "rebuy", "add_on", "bounty"]) -> int:
        """Return what one *kind* of payment comes to."""
        match kind:
            case "buy_in":
                return self.buy_in
            case "fee":
                return self.fee
            case "rebuy":
                return self.rebuy
            case "add_on":
                return self.add_on
            case "bounty":
                return self.bounty

    @property
    def pooled(self) -> int:
        """Return what goes to the prize pool."""
        return self.buy_in + self.rebuy + self.add_on

    @property
    def whole(self) -> int:
        """Return all of it."""
        return self.pooled + self.fee + self.bounty


class Ledger(msgspec.Struct, frozen=True, kw_only=True):
    """
    A tournament's accounts.

    ``paid + added + owed`` is ``prizes + bounties_won + refunds + pool + bounties + fees +
    credit + returned``, always.
    """

    paid: int
    """By entrants; on trust what they were charged."""
    added: int
    """By the house: what the terms add, and what a guarantee lacks."""
    owed: int
    """Charged and not seen to be paid."""
    prizes: int
    bounties_won: int
    refunds: int
    """Given back, and owed to entrants of a cancelled tournament."""
    pool: int
    """Not won yet."""
    bounties: int
    """Not won yet."""
    fees: int
    """The house's."""
    credit: int
    """Paid and not charged, as by who has withdrawn."""
    returned: int
    """What the house had added to a tournament that was cancelled, and nobody got."""


def price_of_rebuy(terms: Terms) -> Price:
    """Return what a rebuy costs (rulebook ``rebuy.price``)."""
    fees = terms.fees
    return fees.rebuy or Price(price=fees.buy_in, fee=fees.fee)


def charged_to(
    terms: Terms, books: Books, entrants: Sequence[EntrantId]
) -> dict[EntrantId, Charged]:
    """Return what each of *entrants* was charged; nobody anything once all is called off."""
    if books.policy == "before_play":
        return {}
    fees, again = terms.fees, price_of_rebuy(terms)
    more = fees.add_on or AddOnTerms(price=0, chips=0)
    rebuys, add_ons = Counter(books.rebuys), Counter(books.add_ons)
    return {
        entrant: Charged(
            buy_in=fees.buy_in,
            fee=fees.fee + again.fee * rebuys[entrant] + more.fee * add_ons[entrant],
            rebuy=again.price * rebuys[entrant],
            add_on=more.price * add_ons[entrant],
            bounty=fees.bounty,
        )
        for entrant in entrants
    }


def charges(terms: Terms, books: Books, entrants: Sequence[EntrantId]) -> Charged:
    """Return what *entrants* were charged together."""
    charged = charged_to(terms, books, entrants).values()
    return Charged(
        buy_in=sum(each.buy_in for each in charged),
        fee=sum(each.fee for each in charged),
        rebuy=sum(each.rebuy for each in charged),
        add_on=sum(each.add_on for each in charged),
        bounty=sum(each.bounty for each in charged),
    )


def entrants_of(state: State) -> tuple[EntrantId, ...]:
    """Return everyone who counts as entered, in order of registration."""
    return tuple(each.entrant for each in entries_of(state))


def pool_of(terms: Terms, books: Books, entrants: Sequence[EntrantId]) -> int:
    """Return what there is to win in all, what the house adds included."""
    return _collected(terms, books, entrants) + _added(terms, books, entrants)


def amounts_of(state: Known, *, places: int | None = None) -> tuple[int, ...]:
    """
    Return what each place is worth as things stand, first place first.

    Args:
        places: How many there are; by default as many as entrants.
    """
    entrants = entrants_of(state)
    pool = pool_of(state.terms, state.books, entrants)
    return prizes(state.terms, pool=pool, entrants=len(entrants), places=places)


def paid_places(state: Known) -> int:
    """Return how many places are paid as things stand."""
    return sum(amount > 0 for amount in amounts_of(state))


def not_placed(state: Running) -> tuple[EntrantId, ...]:
    """Return everyone who is not out for good, in order of registration."""
    placed = {placing.entrant for placing in state.placings}
    return tuple(each.entrant for each in state.entrants if each.entrant not in placed)


def knockouts_of(state: Running | Finished) -> dict[EntrantId, int]:
    """
    Return how many each entrant has knocked out; of a shared pot every winner counts one.

    None in a casino: nobody is eliminated there, who is broke may come back or goes.
    """
    if isinstance(state.terms.ruleset.end, OpenEnd):
        return {}
    out = {placing.entrant for placing in state.placings}
    winners = (
        winner for each in state.books.knockouts if each.entrant in out for winner in each.by
    )
    return dict(Counter(winners))


def ledger_of(state: State) -> Ledger | None:
    """Return a tournament's accounts; None before it is announced."""
    if isinstance(state, Unannounced):
        return None
    terms, books = state.terms, state.books
    entrants = entrants_of(state)
    charged = charges(terms, books, entrants)
    given = sum(refund.amount for refund in books.refunds)
    paid, owed, credit, given_back = _payments(state, entrants, given)
    bounties_won = sum(each.amount for each in books.bounties)
    fallen = terms.fees.bounty * len(books.unclaimed)
    prizes_won = sum(each.amount for each in state.payouts) if isinstance(state, Finished) else 0
    struck = books.policy == "before_play"
    parts = () if struck else books.refunds
    left = pool_of(terms, books, entrants) - prizes_won
    left -= sum(each.paid_in + each.prize + each.equal + each.chips for each in parts)
    over = isinstance(state, Cancelled)
    return Ledger(
        paid=paid,
        added=_added(terms, books, entrants),
        owed=owed,
        prizes=prizes_won,
        bounties_won=bounties_won,
        refunds=given_back + given,
        pool=0 if over else left,
        bounties=charged.bounty - bounties_won - fallen - sum(each.bounty for each in parts),
        fees=charged.fee - sum(each.fee for each in parts),
        credit=credit,
        returned=left if over else 0,
    )


def _collected(terms: Terms, books: Books, entrants: Sequence[EntrantId]) -> int:
    # A bounty that nobody won has joined the pool.
    return charges(terms, books, entrants).pooled + terms.fees.bounty * len(books.unclaimed)


def _added(terms: Terms, books: Books, entrants: Sequence[EntrantId]) -> int:
    if books.policy == "before_play":
        return 0
    known = _collected(terms, books, entrants) + terms.prize_pool
    return terms.prize_pool + max(0, promised(terms, len(entrants)) - known)


def paid_by(books: Books, entrant: EntrantId) -> int:
    """Return what *entrant* was seen to pay, less what it was given back."""
    return sum(
        -each.amount if each.kind == "refund" else each.amount
        for each in books.payments
        if each.entrant == entrant
    )


def owed_back(books: Books, entrant: EntrantId) -> int:
    """Return what *entrant* is owed of what it paid, all having been called off before play."""
    if books.policy != "before_play":
        return 0
    return sum(each.amount for each in books.refunds if each.entrant == entrant)


def _payments(state: Known, entrants: Sequence[EntrantId], given: int) -> tuple[int, int, int, int]:
    """Return what was paid, is owed, is credited and was given back, of all together."""
    terms, books = state.terms, state.books
    struck = books.policy == "before_play"
    if terms.fees.payment == "on_trust":
        paid = given if struck else charges(terms, books, entrants).whole
        return paid, 0, 0, 0
    charged = charged_to(terms, books, entrants)
    net = {each.entrant: -each.amount for each in books.refunds} if struck else {}
    for payment in books.payments:
        amount = -payment.amount if payment.kind == "refund" else payment.amount
        net[payment.entrant] = net.get(payment.entrant, 0) + amount
    dues = {entrant: each.whole for entrant, each in charged.items()}
    balances = [net.get(who, 0) - dues.get(who, 0) for who in {**dues, **net}]
    return (
        sum(each.amount for each in books.payments if each.kind != "refund"),
        sum(-balance for balance in balances if balance < 0),
        sum(balance for balance in balances if balance > 0),
        sum(each.amount for each in books.payments if each.kind == "refund"),
    )
