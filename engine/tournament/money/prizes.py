"""
The worth of the places, and the payout of everyone in the money.

Every unit of the pool is paid.

Source: rulebook ``payouts``.
"""

from collections.abc import Mapping, Sequence
from itertools import groupby

from engine.errors import InvariantViolated
from engine.tournament.model.terms.announced import Terms
from engine.tournament.model.values import Entry, Payout, Placing
from engine.tournament.model.values.money import Offer
from engine.tournament.money.sharing import alike
from engine.values import EntrantId

_PERCENT = 100


def place_amounts(
    pool: int, *, shares: Sequence[int], entrants: int, unit: int = 1
) -> tuple[int, ...]:
    """
    Return the worth of each place, first place first.

    Only as many shares count as there are entrants. Units that cannot be divided go one each to the
    places, from the first down. Money below one unit goes to the first place.

    >>> place_amounts(100, shares=(50, 30, 20), entrants=9)
    (50, 30, 20)
    >>> place_amounts(100, shares=(1, 1, 1), entrants=9)
    (34, 33, 33)
    >>> place_amounts(100, shares=(50, 30, 20), entrants=2)
    (63, 37)
    >>> place_amounts(1_003, shares=(50, 30, 20), entrants=9, unit=100)
    (503, 300, 200)
    """
    counted = tuple(shares[:entrants])
    whole = sum(counted)
    if not pool or not whole:
        return ()
    units, rest = divmod(pool, unit)
    amounts = [units * share // whole for share in counted]
    for place in range(units - sum(amounts)):
        amounts[place] += 1
    return (amounts[0] * unit + rest, *(amount * unit for amount in amounts[1:]))


def shares_for(terms: Terms, entrants: int) -> tuple[int, ...]:
    """Return the shares by place for a field of *entrants* (rulebook ``payouts.table``)."""
    fees = terms.fees
    rows = [row for row in fees.table if row.entrants_from <= entrants]
    shares = max(rows, key=lambda row: row.entrants_from).shares if rows else terms.payouts
    if fees.paid_percent is None or not shares:
        return shares
    places = max(1, -(-entrants * fees.paid_percent // _PERCENT))
    return (*shares, *(shares[-1:] * (places - len(shares))))[:places]


def promised(terms: Terms, entrants: int) -> int:
    """Return the least pool that the terms promise to a field of *entrants*."""
    return max(terms.fees.guaranteed, sum(terms.fees.amounts[:entrants]))


def prizes(terms: Terms, *, pool: int, entrants: int, places: int | None = None) -> tuple[int, ...]:
    """
    Return the worth of each place in a field of *entrants*, first place first.

    Args:
        places: The number of places, by default the number of entrants.
    """
    most = entrants if places is None else places
    fixed = terms.fees.amounts[:most]
    if fixed:
        return (fixed[0] + pool - sum(fixed), *fixed[1:])
    shares = shares_for(terms, entrants)
    return place_amounts(pool, shares=shares, entrants=most, unit=terms.fees.unit)


def payouts(
    placings: Sequence[Placing], amounts: Sequence[int], *, entries: Mapping[EntrantId, Entry]
) -> tuple[Payout, ...]:
    """
    Return the payout of everyone in the money.

    Entrants who share places share the worth of those places. Units that cannot be divided go one
    each in order of registration.

    Raises:
        InvariantViolated: If the payouts do not add up to the *amounts* of the places.
    """
    paid: list[Payout] = []
    held = 0
    order = sorted(placings, key=lambda each: (each.place, entries[each.entrant].number))
    for place, group in groupby(order, key=lambda each: each.place):
        sharers = tuple(group)
        together = sum(amounts[place - 1 : place - 1 + len(sharers)])
        held += together
        for placing, amount in zip(sharers, alike(together, len(sharers)), strict=True):
            if amount:
                paid.append(_payout(placing, amount))
    if (total := sum(each.amount for each in paid)) != held:
        raise InvariantViolated(f"payouts of {total} do not add up to {held}")
    return tuple(paid)


def payouts_of(
    placings: Sequence[Placing],
    amounts: Sequence[int],
    deal: Offer | None,
    *,
    entries: Mapping[EntrantId, Entry],
) -> tuple[Payout, ...]:
    """
    Return all payouts, by a *deal* if the remaining entrants have made one.

    The parties get their shares, and the best of them the money that was left to play for. Entrants
    who were out before get the worth of their places.

    Raises:
        InvariantViolated: If the shares are more than their places are worth.
    """
    if deal is None:
        return payouts(placings, amounts, entries=entries)
    shares = {share.entrant: share.amount for share in deal.shares}
    parties = [placing for placing in placings if placing.entrant in shares]
    others = [placing for placing in placings if placing.entrant not in shares]
    rest = sum(amounts[: len(parties)]) - shared_out(deal, placings)
    if rest < 0:
        raise InvariantViolated(f"a deal shares out {-rest} more than there is")
    won = {each.entrant: each.amount for each in payouts(parties, (rest,), entries=entries)}
    by_deal = (
        _payout(placing, amount)
        for placing in sorted(parties, key=lambda each: (each.place, entries[each.entrant].number))
        if (amount := shares[placing.entrant] + won.get(placing.entrant, 0))
    )
    return (*by_deal, *payouts(others, amounts, entries=entries))


def shared_out(deal: Offer, placings: Sequence[Placing]) -> int:
    """Return the sum of the shares of *deal* for placed entrants. Forfeited shares do not count."""
    placed = {each.entrant for each in placings}
    return sum(share.amount for share in deal.shares if share.entrant in placed)


def _payout(placing: Placing, amount: int) -> Payout:
    return Payout(
        entrant=placing.entrant, player=placing.player, place=placing.place, amount=amount
    )
