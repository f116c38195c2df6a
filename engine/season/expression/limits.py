"""The limits of a formula. They belong to the language, so a change needs a new version."""

from decimal import ROUND_HALF_EVEN, Context, Decimal, DivisionByZero, InvalidOperation, Overflow

LANGUAGE = 1
"""The version of the language that a season records with its formula."""

LENGTH_MAX = 500
"""Characters of a formula."""

DEPTH_MAX = 24
"""Nested expressions, parentheses included."""

STEPS_MAX = 200
"""Numbers, names, operators and calls. An evaluation counts each at most once."""

DIGITS_MAX = 20
"""Characters of a number in a formula."""

ARGUMENTS_MAX = 16
"""Arguments of ``min`` and ``max``."""

VALUE_MAX = Decimal(10) ** 30
"""The largest absolute value of any intermediate result."""

PRECISION = 50
"""Significant digits of all arithmetic, far above any sum of points."""

_EXPONENT_MAX = 999


def arithmetic() -> Context:
    """
    Return the decimal context for every formula: 50 digits, rounded half to even.

    Results smaller than 10^-999 become 0.
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
