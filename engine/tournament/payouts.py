"""
Who finished where, and what that pays.

Source: WSOP rule 126-b and TDA practice (simultaneous eliminations); money is
integer minor units and every unit of the pool is paid.
"""

from collections.abc import Mapping, Sequence
from itertools import groupby

from engine.errors import InvariantViolated
from engine.tournament.values import Entry, Payout, Placing, Standing
from engine.values import EntrantId


def ranked(
    standings: Sequence[Standing], *, first_place: int, entries: Mapping[EntrantId, Entry]
) -> tuple[Placing, ...]:
    """
    Return placings from *first_place* on, the best standing first; equals share.

    Args:
        standings:
            Stacks that decide: at the start of the fatal hand of those who
            went out together, or at the end of those who are left.

        first_place: The best place there is to give; 1 is the winner's.

    Source: rulebook ``elimination`` and ``finish.ties``.
    """
    by_number = sorted(standings, key=lambda each: entries[each.entrant].number)
    order = sorted(by_number, key=lambda each: each.rank, reverse=True)
    placings: list[Placing] = []
    for _, group in groupby(order, key=lambda each: each.rank):
        equals = tuple(group)
        place = first_place + len(placings)
        placings.extend(
            Placing(
                entrant=each.entrant,
                player=entries[each.entrant].player,
                place=place,
                shared=len(equals),
            )
            for each in equals
        )
    return tuple(placings)


def place_amounts(pool: int, *, shares: Sequence[int], entrants: int) -> tuple[int, ...]:
    """
    Return what each place pays, first place first.

    Only as many shares count as there are entrants.  Units that do not divide
    go one each to the places from the first down.

    >>> place_amounts(100, shares=(50, 30, 20), entrants=9)
    (50, 30, 20)
    >>> place_amounts(100, shares=(1, 1, 1), entrants=9)
    (34, 33, 33)
    >>> place_amounts(100, shares=(50, 30, 20), entrants=2)
    (63, 37)
    """
    counted = tuple(shares[:entrants])
    whole = sum(counted)
    if not pool or not whole:
        return ()
    amounts = [pool * share // whole for share in counted]
    for place in range(pool - sum(amounts)):
        amounts[place] += 1
    return tuple(amounts)


def payouts(
    placings: Sequence[Placing],
    *,
    pool: int,
    shares: Sequence[int],
    entries: Mapping[EntrantId, Entry],
) -> tuple[Payout, ...]:
    """
    Return what everyone in the money gets.

    Entrants who share places share what those places pay; units that do not
    divide go one each in order of registration.

    Raises:
        InvariantViolated: If the amounts do not add up to the pool.
    """
    amounts = place_amounts(pool, shares=shares, entrants=len(placings))
    paid: list[Payout] = []
    order = sorted(placings, key=lambda each: (each.place, entries[each.entrant].number))
    for place, group in groupby(order, key=lambda each: each.place):
        sharers = tuple(group)
        together = sum(amounts[place - 1 : place - 1 + len(sharers)])
        each_gets, odd_units = divmod(together, len(sharers))
        for index, placing in enumerate(sharers):
            amount = each_gets + (index < odd_units)
            if amount:
                paid.append(
                    Payout(
                        entrant=placing.entrant, player=placing.player, place=place, amount=amount
                    )
                )
    if (total := sum(each.amount for each in paid)) != sum(amounts):
        raise InvariantViolated(f"payouts of {total} do not add up to {sum(amounts)}")
    return tuple(paid)
