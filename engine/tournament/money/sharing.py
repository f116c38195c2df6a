"""The division of whole units of money without any loss."""

from collections.abc import Sequence


def by_weight(amount: int, weights: Sequence[int]) -> tuple[int, ...]:
    """
    Return *amount* divided in proportion to *weights*, or equally if all of them are 0.

    Units that cannot be divided go one each to the largest weights. Of equal weights, the first
    gets the unit.

    >>> by_weight(100, (1, 2, 0))
    (33, 67, 0)
    >>> by_weight(10, (0, 0, 0))
    (4, 3, 3)
    """
    weights = weights if any(weights) else [1] * len(weights)
    whole = sum(weights)
    shares = [amount * weight // whole for weight in weights]
    order = sorted(range(len(weights)), key=lambda index: (-weights[index], index))
    for index in order[: amount - sum(shares)]:
        shares[index] += 1
    return tuple(shares)


def alike(amount: int, among: int) -> tuple[int, ...]:
    """
    Return *amount* in equal parts. Units that cannot be divided go one each to the first parts.

    >>> alike(11, 3)
    (4, 4, 3)
    """
    return by_weight(amount, (1,) * among)
