"""The nodes of a parsed expression."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Literal, Union

import msgspec

Sign = Literal["+", "-", "*", "/"]
Relation = Literal["<", "<=", ">", ">=", "==", "!="]


class Number(msgspec.Struct, frozen=True):
    value: Decimal


class Name(msgspec.Struct, frozen=True):
    name: str


class Negated(msgspec.Struct, frozen=True):
    of: "Expression"


class Binary(msgspec.Struct, frozen=True):
    sign: Sign
    left: "Expression"
    right: "Expression"


class Call(msgspec.Struct, frozen=True):
    function: str
    arguments: tuple["Expression", ...]


class Comparison(msgspec.Struct, frozen=True):
    """The condition of a :class:`Choice`. It is true or false, never a number."""

    relation: Relation
    left: "Expression"
    right: "Expression"


class Choice(msgspec.Struct, frozen=True):
    """``if(condition, then, otherwise)``. Only the chosen branch is evaluated."""

    condition: Comparison
    then: "Expression"
    otherwise: "Expression"


Expression = Union[Number, Name, Negated, Binary, Call, Choice]  # noqa: UP007 - names itself


def names_in(expression: Expression | Comparison) -> Iterator[str]:
    """Yield every name in *expression*, once for each use."""
    if isinstance(expression, Name):
        yield expression.name
    for part in parts_of(expression):
        yield from names_in(part)


def parts_of(expression: Expression | Comparison) -> tuple[Expression | Comparison, ...]:
    """Return the direct parts of *expression*."""
    match expression:
        case Negated(of=of):
            return (of,)
        case Binary(left=left, right=right) | Comparison(left=left, right=right):
            return (left, right)
        case Call(arguments=arguments):
            return arguments
        case Choice(condition=condition, then=then, otherwise=otherwise):
            return (condition, then, otherwise)
        case _:
            return ()
