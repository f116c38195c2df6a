"""
The evaluation of an expression, to a number or the reason why it has none.

All evaluations use one decimal context, so the same numbers give the same points on every
machine. See :func:`engine.season.expression.limits.arithmetic`.
"""

import operator
from collections.abc import Callable, Mapping
from decimal import (
    ROUND_FLOOR,
    Context,
    Decimal,
    DecimalException,
    DivisionByZero,
    InvalidOperation,
    localcontext,
)
from typing import Any, Literal, assert_never

from engine.errors import EngineError
from engine.season.expression.limits import STEPS_MAX, VALUE_MAX, arithmetic
from engine.season.expression.nodes import (
    Binary,
    Call,
    Choice,
    Comparison,
    Expression,
    Name,
    Negated,
    Number,
)

Cause = Literal["division_by_zero", "outside_domain", "too_large", "too_many_steps"]


class NoValue(EngineError):
    """A formula has no value for these numbers. This alone is not a refusal."""

    def __init__(self, cause: Cause) -> None:
        super().__init__(cause)
        self.cause: Cause = cause


_SIGNS: dict[str, Callable[[Decimal, Decimal], Decimal]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
}
_RELATIONS: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}


def evaluate(expression: Expression, values: Mapping[str, Decimal]) -> Decimal:
    """
    Return the value of *expression*.

    Args:
        values: The value of every name in the expression.

    Raises:
        NoValue: If the expression divides by zero, takes an undefined root or logarithm, grows
            too large or needs too many steps.

    >>> from engine.season.expression.parsing import parse
    >>> evaluate(parse("10 * sqrt(n / k)", {"n", "k"}), {"n": Decimal(16), "k": Decimal(4)})
    Decimal('20')
    """
    with localcontext(arithmetic()) as context:
        return _Evaluation(values, context).of(expression)


class _Evaluation:
    def __init__(self, values: Mapping[str, Decimal], context: Context) -> None:
        self._values = values
        self._context = context
        self._steps = 0

    def of(self, expression: Expression) -> Decimal:
        """Return the value of *expression* and count one step."""
        self._steps += 1
        if self._steps > STEPS_MAX:
            raise NoValue("too_many_steps")
        try:
            found = self._value(expression)
        except DivisionByZero:
            raise NoValue("division_by_zero") from None
        except InvalidOperation:
            raise NoValue("outside_domain") from None
        except DecimalException:
            raise NoValue("too_large") from None
        if not found.is_finite():
            raise NoValue("outside_domain")
        if abs(found) > VALUE_MAX:
            raise NoValue("too_large")
        return found

    def _value(self, expression: Expression) -> Decimal:
        match expression:
            case Number(value=value):
                return value
            case Name(name=name):
                return self._values[name]
            case Negated(of=of):
                return -self.of(of)
            case Binary(sign=sign, left=left, right=right):
                return self._binary(sign, self.of(left), self.of(right))
            case Choice(condition=condition, then=then, otherwise=otherwise):
                return self.of(then if self._holds(condition) else otherwise)
            case Call(function=function, arguments=arguments):
                return self._call(function, [self.of(each) for each in arguments])
            case _:
                assert_never(expression)

    def _binary(self, sign: str, left: Decimal, right: Decimal) -> Decimal:
        if sign == "/" and not right:
            raise NoValue("division_by_zero")
        return _SIGNS[sign](left, right)

    def _holds(self, condition: Comparison) -> bool:
        left, right = self.of(condition.left), self.of(condition.right)
        return _RELATIONS[condition.relation](left, right)

    def _call(self, function: str, given: list[Decimal]) -> Decimal:
        first = given[0]
        match function:
            case "min":
                return min(given)
            case "max":
                return max(given)
            case "sqrt":
                return first.sqrt(self._context)
            case "ln":
                return first.ln(self._context)
            case "log10":
                return first.log10(self._context)
            case "exp":
                return first.exp(self._context)
            case "floor":
                return first.to_integral_value(ROUND_FLOOR, self._context)
            case _:
                return self._power(first, given[1])

    def _power(self, base: Decimal, exponent: Decimal) -> Decimal:
        if not base and exponent < 0:
            raise NoValue("division_by_zero")
        if not exponent:
            # The decimal module refuses 0 to the power of 0. Here it is 1, the empty product.
            return Decimal(1)
        return self._context.power(base, exponent)
