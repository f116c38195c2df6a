"""
Numbers that people type.

A field holds any text of any length, so a text is measured before it becomes a number. Python takes
minutes for a number such as ``9e999999``.
"""

import re
from decimal import Decimal

from babel.numbers import get_currency_precision

from service.console.calling import Problem

DIGITS_MAX = 18
_DECIMAL = re.compile(rf"\d{{1,{DIGITS_MAX}}}(?:[.,]\d{{0,9}})?|[.,]\d{{1,9}}")
_MINOR_MAX = 2**50
_LISTED = re.compile(r"([1-9]\d{0,5})\s*%?")
_BETWEEN = re.compile(r"\s*[,;/]\s*|\s+(?!%)")


def whole(text: str) -> int | None:
    """
    Return a whole number from 0 on, or None if *text* is none, or too long.

    >>> whole(" 12 "), whole("-1"), whole("1e9"), whole("9" * 19)
    (12, None, None, None)
    """
    plain = text.strip()
    return int(plain) if plain.isdecimal() and len(plain) <= DIGITS_MAX else None


def decimal(text: str) -> Decimal | None:
    """
    Return a number from 0 on with a point or a comma, or None if *text* is none, or too long.

    >>> decimal("5,50"), decimal("9e9"), decimal("-1"), decimal("")
    (Decimal('5.50'), None, None, None)
    """
    plain = text.strip()
    return Decimal(plain.replace(",", ".")) if _DECIMAL.fullmatch(plain) else None


def listed(text: str) -> tuple[int, ...] | None:
    """
    Return a list of whole numbers from 1 on, or None if *text* is none. An empty list is one.

    >>> listed("50, 30, 20"), listed("65 % 35 %"), listed(" ")
    ((50, 30, 20), (65, 35), ())
    >>> listed("abc"), listed("50, -3"), listed("12.5, 3"), listed("0")
    (None, None, None, None)
    """
    parts = _BETWEEN.split(text.strip()) if text.strip() else []
    found = [_LISTED.fullmatch(each) for each in parts]
    return tuple(int(each[1]) for each in found if each) if all(found) else None


def demanded(text: str, name: str, least: int = 0) -> int:
    """
    Return a whole number that a person typed.

    Args:
        name: The field that it was typed into.

    Raises:
        Problem: If it is no whole number from *least* on.
    """
    found = whole(text)
    if found is None or found < least:
        raise _wrong(name, "int")
    return found


def minor(text: str, currency: str | None, name: str) -> int:
    """
    Return an amount that a person typed, in minor units.

    Args:
        name: The field that it was typed into.

    Raises:
        Problem: If it is no amount.
    """
    found = decimal(text)
    value = None if found is None else found * unit(currency)
    if value is None or value > _MINOR_MAX or value != int(value):
        raise _wrong(name, "float")
    return int(value)


def written(amount: int, currency: str | None) -> str:
    """
    Return an amount of minor units as a person types it.

    >>> written(500, "EUR"), written(550, "EUR"), written(5, None)
    ('5', '5.50', '5')
    """
    whole_units, rest = divmod(amount, unit(currency))
    digits = len(str(unit(currency))) - 1
    return f"{whole_units}.{rest:0{digits}}" if rest else str(whole_units)


def unit(currency: str | None) -> int:
    """Return the number of minor units in one unit of a currency."""
    return 1 if currency is None else int(10 ** get_currency_precision(currency))


def _wrong(name: str, expected: str) -> Problem:
    pointer = "/" + name.replace(".", "/")
    error = {"pointer": pointer, "detail": f"Expected `{expected}`", "code": "invalid_value"}
    return Problem(
        400, {"code": "validation_failed", "title": "Validation failed", "errors": [error]}
    )
