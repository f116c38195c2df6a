"""
The sums of a tournament's books.

The pool follows from entries, rebuys, add-ons and the additions of the house. Nothing is stored
that can be added up.

Source: rulebook ``entry_fee`` and ``pool``.
"""

from collections import Counter
from collections.abc import Collection, Sequence
from typing import Literal

import msgspec

from engine.rulesets import OpenEnd
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
from engine.tournament.model.terms.announced import Terms
from engine.tournament.model.terms.fees import AddOnTerms
from engine.tournament.model.values.money import Books
from engine.tournament.money.prizes import prizes, promised
from engine.values import EntrantId

Known = Drafted | Announced | Registering | Closed | Running | Finished | Cancelled
"""A tournament that has terms."""


class Charged(msgspec.Struct, frozen=True, kw_only=True):
    """The charges of one entrant, or of all together, by purpose."""

    buy_in: int = 0
    """The part of the entry for the prize pool."""
    fee: int = 0
    """The fees of entry, rebuys and add-ons."""
    rebuy: int = 0
    """The part of all rebuys for the prize pool."""
    add_on: int = 0
    """The part of all add-ons for the prize pool."""
    bounty: int = 0
    """The part of the entry for whoever knocks the entrant out."""

    def for_kind(self, kind: Literal["buy_in", "fee", "rebuy", "add_on", "bounty"]) -> int:
        """Return the charge for one *kind* of payment."""
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
        """Return the part that goes to the prize pool."""
        return self.buy_in + self.rebuy + self.add_on

    @property
    def whole(self) -> int:
        """Return the sum of all charges."""
        return self.pooled + self.fee + self.bounty


class Ledger(msgspec.Struct, frozen=True, kw_only=True):
    """
    The accounts of a tournament.

    ``paid + added + owed`` always equals ``prizes + bounties_won + refunds + pool + bounties + fees
    + credit + returned``.
    """

    paid: int
    """The money that entrants paid. On trust, it is the money that they were charged."""
    added: int
    """The money that the house adds by the terms, and to fill a guarantee."""
    owed: int
    """Charges that have not been paid, as far as recorded."""
    prizes: int
    """Money paid out as prizes."""

    bounties_won: int
    """Bounties that somebody has won."""

    refunds: int
    """Money given back, or owed to the entrants of a cancelled tournament."""
    pool: int
    """The part of the pool that nobody has won yet."""
    bounties: int
    """The bounties that nobody has won yet."""
    fees: int
    """The house's fees."""
    credit: int
    """Money paid but not charged, such as that of a withdrawn player."""
    returned: int
    """Money that the house had added to a cancelled tournament and that nobody got."""


def charged_to(
    terms: Terms, books: Books, entrants: Sequence[EntrantId]
) -> dict[EntrantId, Charged]:
    """Return the charges of each of *entrants*, or none after a cancellation before play."""
    if books.policy == "before_play":
        return {}
    fees, again = terms.fees, terms.fees.price_of_rebuy
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
    """Return the charges of all *entrants* together."""
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
    """Return the whole prize pool, with the additions of the house."""
    return _collected(terms, books, entrants) + _added(terms, books, entrants)


def amounts_of(state: Known, *, places: int | None = None) -> tuple[int, ...]:
    """
    Return the present worth of each place, first place first.

    Args:
        places: The number of places, by default the number of entrants.
    """
    entrants = entrants_of(state)
    pool = pool_of(state.terms, state.books, entrants)
    return prizes(state.terms, pool=pool, entrants=len(entrants), places=places)


def paid_places(state: Known) -> int:
    """Return the number of places that are paid at present."""
    return sum(amount > 0 for amount in amounts_of(state))


def not_placed(state: Running) -> tuple[EntrantId, ...]:
    """Return everyone who is not out for good, in order of registration."""
    placed = {placing.entrant for placing in state.placings}
    return tuple(each.entrant for each in state.entrants if each.entrant not in placed)


def knockouts_of(
    state: Running | Finished, *, uncounted: Collection[EntrantId] = ()
) -> dict[EntrantId, int]:
    """
    Return the knock-outs of each entrant. Every winner of a shared pot counts one.

    In a casino there are none: nobody is eliminated, because a broke entrant may come back or
    leaves.

    Args:
        uncounted: Entrants whose elimination counts for nobody.
    """
    if isinstance(state.terms.ruleset.end, OpenEnd):
        return {}
    out = {placing.entrant for placing in state.placings}.difference(uncounted)
    winners = (
        winner for each in state.books.knockouts if each.entrant in out for winner in each.by
    )
    return dict(Counter(winners))


def ledger_of(state: State) -> Ledger | None:
    """Return a tournament's accounts, or None before it is announced."""
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
    """Return the recorded payments of *entrant*, less the refunds."""
    return sum(
        -each.amount if each.kind == "refund" else each.amount
        for each in books.payments
        if each.entrant == entrant
    )


def owed_back(books: Books, entrant: EntrantId) -> int:
    """Return the money owed to *entrant* after a cancellation before play."""
    if books.policy != "before_play":
        return 0
    return sum(each.amount for each in books.refunds if each.entrant == entrant)


def _payments(state: Known, entrants: Sequence[EntrantId], given: int) -> tuple[int, int, int, int]:
    """Return the sums paid, owed, credited and given back, over all entrants."""
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
