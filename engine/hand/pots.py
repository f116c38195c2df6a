"""
The division of the wagers of a hand into pots, and of a pot among its winners.

The winners are given: ``settle`` of each game in ``engine.table.games`` finds them.
"""

from collections.abc import Collection, Mapping, Sequence

import msgspec

from engine.errors import InvariantViolated
from engine.values import Chips


class Pot(msgspec.Struct, frozen=True, gc=False):
    """A number of chips and the seats that are eligible for it."""

    chips: Chips
    eligible: tuple[int, ...]


def unmatched(wagers: Mapping[int, Chips], *, live: Collection[int]) -> tuple[int, Chips] | None:
    """
    Return the seat and the chips of the uncalled bet, or None.

    A folded seat gets nothing back, but its wager matches the bets of others.

    Args:
        wagers: Chips that each seat has put into the hand, with one entry for every seat dealt in.
        live: Seats that have not folded.

    Source: rulebook ``pots.unmatched``.

    >>> unmatched({1: 50, 2: 20, 3: 100}, live=[2, 3])
    (3, 50)
    """
    if not wagers:
        return None
    chips = sorted(wagers.values())
    most, second = chips[-1], chips[-2] if len(chips) > 1 else 0
    if most == second:
        return None
    seat = next(seat for seat, wager in wagers.items() if wager == most)
    return (seat, most - second) if seat in live else None


def build_pots(
    wagers: Mapping[int, Chips], *, live: Collection[int], carry: Chips = 0
) -> tuple[Pot, ...]:
    """
    Divide the wagers of one hand into a main pot and its side pots.

    A live seat can win, from each opponent, no more than it has wagered itself.
    So every distinct wager among the live seats closes one pot. A folded seat's chips stay in
    the pots they had already reached.

    Args:
        wagers: Chips that each seat has put into the hand, with antes and blinds, after the return
            of the uncalled bet. It has one entry for every seat dealt in, folded seats too.
        live: Seats that have not folded, in any order.
        carry: Chips left from earlier hands. They join the main pot.

    Returns:
        Pots in the order they closed, the main pot first. Only the main pot may
        be empty. Each pot's ``eligible`` is ascending and a proper subset of
        the one before.

    Raises:
        InvariantViolated: If no seat is live, or a live seat has no wager.

    Source: rulebook ``pots.layers``.

    >>> build_pots({1: 50, 2: 200, 3: 200, 4: 20}, live=[1, 2, 3])
    (Pot(chips=170, eligible=(1, 2, 3)), Pot(chips=300, eligible=(2, 3)))
    """
    if not live:
        raise InvariantViolated("a hand with no live seat has no pots")
    if not wagers.keys() >= set(live):
        raise InvariantViolated(f"live seats {sorted(set(live) - wagers.keys())} have no wager")
    levels = sorted({wagers[seat] for seat in live})
    pots: list[Pot] = []
    below = 0
    for level in levels:
        # Chips that a folded seat wagered above every live wager belong to the last pot.
        last = level == levels[-1]
        reached = sum(wagers.values()) if last else sum([min(w, level) for w in wagers.values()])
        if reached > below:
            eligible = sorted([seat for seat in live if wagers[seat] >= level])
            pots.append(Pot(reached - below, tuple(eligible)))
        below = reached
    if not pots:
        pots.append(Pot(0, tuple(sorted(live))))
    main = pots[0]
    return (Pot(main.chips + carry, main.eligible), *pots[1:])


def split(
    chips: Chips, winners: Sequence[int], *, unit: Chips, carry: bool
) -> tuple[tuple[tuple[int, Chips], ...], Chips]:
    """
    Divide a pot among its tied winners.

    Args:
        chips: The chips in the pot.
        winners: Winning seats, clockwise from the left of the button.
        unit: The smallest chip.
        carry: True if the remainder stays for the next main pot. Otherwise it
            goes to the winners in the given order, one unit each.

    Returns:
        The chips of each winner in the given order, and the carry.

    Source: rulebook ``odd_chips``.

    >>> split(11, [2, 3, 1], unit=1, carry=False)
    (((2, 4), (3, 4), (1, 3)), 0)
    """
    if len(winners) == 1:
        return ((winners[0], chips),), 0
    share = chips // (len(winners) * unit) * unit
    remainder = chips - share * len(winners)
    if carry:
        return tuple((seat, share) for seat in winners), remainder
    odd_units, crumbs = divmod(remainder, unit)
    shares = [share + unit * (index < odd_units) for index in range(len(winners))]
    # Less than one unit is left only if a stack was never in whole units.
    shares[0] += crumbs
    return tuple(zip(winners, shares, strict=True)), 0
