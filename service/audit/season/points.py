"""
Points and ranks, counted a second time without any of the season's own code.

A shunting yard turns formulas into postfix, which runs on a stack. If a part has no value,
everything that uses it has none. Source: rulebook ``points`` and ``standings``.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import (
    ROUND_FLOOR,
    ROUND_HALF_EVEN,
    Context,
    Decimal,
    DivisionByZero,
    InvalidOperation,
    Overflow,
)
from fractions import Fraction
from functools import lru_cache
from typing import Any

from engine.season.values import PlacesFromEnd, PointsRule, PointsTable

_WORDS = re.compile(r"\d+(?:\.\d+)?|[a-z][a-z0-9_]*|<=|>=|==|!=|[-+*/(),<>]")
_BINDS = {"<": 1, "<=": 1, ">": 1, ">=": 1, "==": 1, "!=": 1, "+": 2, "-": 2, "*": 3, "/": 3}
_SIGN = "negated"
_SIGN_BINDS = 4
_CALLED = -1
"""Stands for a function's number of arguments until they are counted."""

_Operation = Callable[..., Any]  # the number of arguments differs
"""Takes the decimals that its word needs, and returns a decimal, or a bool for a comparison."""

_LARGEST = Decimal(10) ** 30
_AWARD_MAX = Decimal(10) ** 12
_COUNTING = Context(
    prec=50,
    rounding=ROUND_HALF_EVEN,
    Emin=-999,
    Emax=999,
    traps=[InvalidOperation, DivisionByZero, Overflow],
)

Value = Decimal | bool | None

NOTHING = Fraction()


def worth(text: str, values: Mapping[str, Decimal]) -> Decimal | None:
    """Return the value of a formula for *values*, or None if it has no value."""
    stack: list[Value] = []
    for word, count in _postfix(text):
        if count == 0:
            stack.append(values[word] if word in values else Decimal(word))
            continue
        taken = stack[-count:]
        del stack[-count:]
        stack.append(_applied(word, *taken))
    found = stack.pop()
    return found if isinstance(found, Decimal) else None


@lru_cache(maxsize=1_024)
def _postfix(text: str) -> list[tuple[str, int]]:
    """Return the words of *text* in postfix order, each with the number of values it takes."""
    out: list[tuple[str, int]] = []
    waiting: list[tuple[str, int]] = []
    before = "("
    for word in _WORDS.findall(text):
        if word == "(":
            waiting.append((word, 1))
        elif word in (",", ")"):
            while waiting[-1][0] != "(":
                out.append(waiting.pop())
            opening, count = waiting.pop()
            if word == ",":
                waiting.append((opening, count + 1))
            elif waiting and waiting[-1][1] == _CALLED:
                out.append((waiting.pop()[0], count))
        elif word == "-" and (before in _BINDS or before in ("(", ",")):
            waiting.append((_SIGN, 1))
        elif word in _BINDS:
            while waiting and _strength(waiting[-1]) >= _BINDS[word]:
                out.append(waiting.pop())
            waiting.append((word, 2))
        elif word in _FUNCTIONS:
            waiting.append((word, _CALLED))
        else:
            out.append((word, 0))
        before = word
    return [*out, *reversed(waiting)]


def _strength(waiting: tuple[str, int]) -> int:
    word, count = waiting
    if (word, count) == (_SIGN, 1):
        return _SIGN_BINDS
    return _BINDS.get(word, 0)


# Much of a formula is the same for all entrants. Typed, because True and 1 are different values.
@lru_cache(maxsize=16_384, typed=True)
def _applied(word: str, *taken: Value) -> Value:
    if word == "if":
        condition, then, otherwise = taken
        return None if condition is None else then if condition else otherwise
    given = [each for each in taken if isinstance(each, Decimal)]
    if len(given) < len(taken):
        return None
    try:
        found = _OPERATIONS[word](*given)
    except (InvalidOperation, DivisionByZero, Overflow, ZeroDivisionError):
        return None
    if isinstance(found, bool):
        return found
    return found if found.is_finite() and _COUNTING.abs(found) <= _LARGEST else None


def _power(base: Decimal, exponent: Decimal) -> Decimal:
    return Decimal(1) if exponent == 0 else _COUNTING.power(base, exponent)


_SIGNS: dict[str, _Operation] = {
    _SIGN: _COUNTING.minus,
    "+": _COUNTING.add,
    "-": _COUNTING.subtract,
    "*": _COUNTING.multiply,
    "/": _COUNTING.divide,
    "<": lambda one, other: one < other,
    "<=": lambda one, other: one <= other,
    ">": lambda one, other: one > other,
    ">=": lambda one, other: one >= other,
    "==": lambda one, other: one == other,
    "!=": lambda one, other: one != other,
}
_FUNCTIONS: dict[str, _Operation] = {
    "if": lambda *_: None,
    "sqrt": _COUNTING.sqrt,
    "ln": _COUNTING.ln,
    "log10": _COUNTING.log10,
    "exp": _COUNTING.exp,
    "floor": lambda it: it.to_integral_value(ROUND_FLOOR),
    "pow": _power,
    "min": lambda *given: min(given),
    "max": lambda *given: max(given),
}
_OPERATIONS = _SIGNS | _FUNCTIONS


def place_worth(
    rule: PointsRule, place: int, field: Mapping[str, int], own: Mapping[str, int]
) -> Decimal | None:
    """
    Return the points of one place by *rule*, or None if its formula has no value.

    Args:
        field: ``entrants``, ``entries``, ``buy_in``, ``pool``, ``money_digits``.
        own: ``spent`` and ``knockouts`` of the player.
    """
    if isinstance(rule, PlacesFromEnd):
        return Decimal(rule.per_place) * (field["entrants"] + 1 - place)
    if isinstance(rule, PointsTable):
        return Decimal((dict(enumerate(rule.points, 1))).get(place, "0"))
    unit = Decimal(10) ** -field["money_digits"]
    values = {"n": field["entrants"], "k": place, "entries": field["entries"]}
    plain = {name: Decimal(value) for name, value in values.items()}
    money = {"buy_in": field["buy_in"], "pool": field["pool"], "spent": own["spent"]}
    paid = {name: minor * unit for name, minor in money.items()}
    return worth(rule.text, {**plain, **paid, "knockouts": Decimal(own["knockouts"])})


def shared_worth(worths: Iterable[Decimal | None], scale: int) -> str | None:
    """Return the average of *worths*, rounded half to even, or None if one has no value."""
    known = list(worths)
    if None in known:
        return None
    average = sum((Fraction(each) for each in known if each is not None), Fraction()) / len(known)
    if abs(average) > Fraction(_AWARD_MAX):
        return None
    return rounded(average, scale)


def rounded(value: Fraction, scale: int) -> str:
    """Return *value* with *scale* fraction digits, half to even, in the form of the log."""
    units = round(value * 10**scale)
    sign, digits = "-" * (units < 0), str(abs(units)).rjust(scale + 1, "0")
    return f"{sign}{digits[: len(digits) - scale]}" + (f".{digits[-scale:]}" if scale else "")


def times(points: str, count: int) -> Fraction:
    """Return *points* times *count*."""
    return Fraction(points) * count


def total(mode: str, results: int, points: Sequence[Fraction], tournaments: int) -> Fraction:
    """Return the total of a player's *points*, which are in order of play."""
    best = sorted(points)[::-1]
    match mode:
        case "sum":
            return sum(points, Fraction())
        case "average":
            return _average(best)
        case "best":
            return sum(best[:results], Fraction())
        case "best_average":
            return _average(best[:results])
        case "drop_worst":
            padded = sorted([*best, *[Fraction()] * (tournaments - len(best))])
            dropped = min(results, tournaments - 1)
            return sum(padded[max(dropped, 0) :], Fraction())
    sums = [
        sum(points[start : start + results], Fraction())
        for start in range(len(points))
        if start + results <= len(points)
    ]
    return max(sums, default=sum(points, Fraction()))


def _average(points: Sequence[Fraction]) -> Fraction:
    return sum(points, Fraction()) / len(points) if points else Fraction()


def overall(text: str, reached: Fraction, points: Sequence[Fraction]) -> Fraction:
    """Return a player's points by the season's own formula, or 0 if it has no value."""
    values = {"total": reached, "average": _average(points), "played": Fraction(len(points))}
    found = worth(
        text,
        {
            name: _COUNTING.divide(Decimal(it.numerator), Decimal(it.denominator))
            for name, it in values.items()
        },
    )
    return Fraction() if found is None else Fraction(found)
