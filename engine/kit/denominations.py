"""
Chips as pieces on a table: their values, and change.

The log counts whole credits only. Names and values of chips matter for display and rounding.
Source: rulebook ``denominations``.
"""

from collections.abc import Sequence

import msgspec

from engine.errors import Wording
from engine.values import Chips


class Denomination(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One kind of chip."""

    name: str
    """The name of the chip."""

    credits: Chips
    """The value of one piece."""

    in_stake: int = 0
    """The number of pieces of this kind in a standard stake."""


HYPERSPACE = (
    Denomination(name="bronze", credits=5, in_stake=10),
    Denomination(name="silver", credits=50, in_stake=4),
    Denomination(name="gold", credits=100, in_stake=2),
    Denomination(name="gem", credits=200),
    Denomination(name="doodad", credits=500),
    Denomination(name="ingot", credits=1000),
)
"""The chips of the *better* rules."""

_LARGEST = 10_000


def change(chips: Chips, denominations: Sequence[Denomination]) -> dict[str, int] | None:
    """
    Return the fewest pieces that make *chips*, by name, or None if no pieces make it.

    >>> change(450, HYPERSPACE[:3])
    {'gold': 4, 'silver': 1}
    """
    pieces: dict[str, int] = {}
    left = chips
    for each in sorted(denominations, key=lambda each: -each.credits):
        count, left = divmod(left, each.credits)
        if count:
            pieces[each.name] = count
    return pieces if left == 0 else None


def flaw(denominations: Sequence[Denomination], *, unit: Chips) -> Wording | None:
    """
    Return the reason why *denominations* do not fit a table with this unit, or None if they fit.

    Paying with the largest piece first must always need the fewest pieces. It is enough to try
    every amount below the sum of the two largest values.
    """
    values = sorted(each.credits for each in denominations)
    if len({each.name for each in denominations}) < len(denominations):
        return Wording("two denominations have one name")
    if len(set(values)) < len(values) or any(value % unit or value < 1 for value in values):
        return Wording(f"denominations must be different multiples of chip_unit {unit}")
    if values and values[0] != unit:
        return Wording(f"the smallest denomination must be chip_unit {unit}")
    if values and values[-1] > _LARGEST * unit:
        return Wording(f"a denomination is above {_LARGEST} units")
    fewest = [0]
    for amount in range(1, sum(values[-2:]) // unit):
        payable = (value // unit for value in values if value <= amount * unit)
        fewest.append(1 + min(fewest[amount - units] for units in payable))
        greedy = change(amount * unit, denominations)
        if greedy is None or sum(greedy.values()) > fewest[amount]:
            return Wording(f"the largest piece first is not the fewest pieces for {amount * unit}")
    return None
