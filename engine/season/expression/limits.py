"""What a formula may be at most; part of the language, so a change is another version of it."""

from decimal import ROUND_HALF_EVEN, Context, Decimal, DivisionByZero, InvalidOperation, Overflow

LANGUAGE = 1
"""The version that a season pins with its formula."""

LENGTH_MAX = 500
"""Characters."""

DEPTH_MAX = 24
"""Expressions within expressions, parentheses included."""

STEPS_MAX = 200
"""Numbers, names, operators and calls; each is counted at most once in an evaluation."""

DIGITS_MAX = 20
"""Of a number that is written out."""

ARGUMENTS_MAX = 16
"""Of ``min`` and ``max``."""

VALUE_MAX = Decimal(10) ** 30
"""Largest absolute value of any intermediate result."""

PRECISION = 50
"""Significant digits while counting: far above any sum of points."""

_EXPONENT_MAX = 999


def arithmetic() -> Context:
    """
    Return the context that every formula is counted in: 50 digits, half to even.

    What is smaller than 10^-999 becomes 0.
    """
    return Context(
        prec=PRECISION,
        rounding=ROUND_HALF_EVEN,
        Emin=-_EXPONENT_MAX,
        Emax=_EXPONENT_MAX,
        capitals=1,
        clamp=0,
        flags=[],
        traps=[InvalidOperation, DivisionByZero, Overflow],
    )
