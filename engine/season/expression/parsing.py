"""
The parser of formulas: a tokenizer and a Pratt parser, within the limits of the language.

The grammar is ``expression = ["-"] term {("+" | "-" | "*" | "/") expression}``. ``*`` and ``/``
bind tighter than ``+`` and ``-``, and a sign binds tighter than both. Operators of equal rank
are evaluated from the left.
"""

import re
from collections.abc import Collection
from decimal import Decimal
from typing import NamedTuple, cast, get_args

from engine.errors import CommandRejected, Wording
from engine.season.expression.limits import (
    ARGUMENTS_MAX,
    DEPTH_MAX,
    DIGITS_MAX,
    LENGTH_MAX,
    STEPS_MAX,
)
from engine.season.expression.nodes import (
    Binary,
    Call,
    Choice,
    Comparison,
    Expression,
    Name,
    Negated,
    Number,
    Relation,
    Sign,
)

ARGUMENTS = {
    "sqrt": (1, 1),
    "ln": (1, 1),
    "log10": (1, 1),
    "exp": (1, 1),
    "floor": (1, 1),
    "pow": (2, 2),
    "min": (1, ARGUMENTS_MAX),
    "max": (1, ARGUMENTS_MAX),
}
"""Every function, with the fewest and the most arguments. ``if`` is parsed separately."""

_RELATIONS = frozenset(get_args(Relation))
_BINDS = {"+": 1, "-": 1, "*": 2, "/": 2}
_SIGN_BINDS = 3
_TOKEN = re.compile(
    r"(?P<space>[ \t\r\n]+)|(?P<number>[0-9]+(?:\.[0-9]+)?)|(?P<name>[a-z][a-z0-9_]*)"
    r"|(?P<sign><=|>=|==|!=|[-+*/(),<>])"
)


class FormulaInvalid(CommandRejected):
    """The formula is not an expression of the language, or exceeds its limits."""

    code = "formula_invalid"
    rule = "points.formula"
    detail = "{problem} (character {at})"

    problem: Wording
    at: int
    """The first character that is wrong, from 1."""


class _Token(NamedTuple):
    kind: str
    text: str
    at: int


def parse(text: str, names: Collection[str]) -> Expression:
    """
    Return the expression in *text*.

    Args:
        names: The names that *text* may use.

    Raises:
        FormulaInvalid: With the first wrong character, counted from 1.

    >>> parse("2 + n", {"n"})
    Binary(sign='+', left=Number(value=Decimal('2')), right=Name(name='n'))
    """
    if len(text) > LENGTH_MAX:
        raise FormulaInvalid(
            problem=Wording(f"more than {LENGTH_MAX} characters"), at=LENGTH_MAX + 1
        )
    return _Parser(_tokens(text), names).whole()


def _tokens(text: str) -> list[_Token]:
    found: list[_Token] = []
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise FormulaInvalid(problem=Wording("an unexpected character"), at=at + 1)
        if match.lastgroup != "space":
            found.append(_Token(str(match.lastgroup), match.group(), at))
        at = match.end()
    return [*found, _Token("end", "", len(text))]


class _Parser:
    def __init__(self, tokens: list[_Token], names: Collection[str]) -> None:
        self._tokens = tokens
        self._names = names
        self._next = 0
        self._steps = 0
        self._depth = 0

    def whole(self) -> Expression:
        found = self._expression(0)
        if self._here.kind != "end":
            raise self._problem(Wording("an operator or the end is missing"))
        return found

    @property
    def _here(self) -> _Token:
        return self._tokens[self._next]

    def _take(self) -> _Token:
        taken = self._here
        self._next += 1
        return taken

    def _expect(self, sign: str) -> None:
        if self._here.kind != "sign" or self._here.text != sign:
            raise self._problem(Wording(f"{sign!r} is missing"))
        self._next += 1

    def _step(self) -> None:
        self._steps += 1
        if self._steps > STEPS_MAX:
            raise self._problem(Wording(f"more than {STEPS_MAX} steps"))

    def _problem(self, problem: Wording) -> FormulaInvalid:
        return FormulaInvalid(problem=problem, at=self._here.at + 1)

    def _expression(self, binds: int) -> Expression:
        """Parse an expression while its operators bind tighter than *binds*."""
        self._depth += 1
        if self._depth > DEPTH_MAX:
            raise self._problem(Wording(f"more than {DEPTH_MAX} expressions within each other"))
        found = self._operand()
        while self._here.kind == "sign" and _BINDS.get(self._here.text, 0) > binds:
            self._step()
            sign = self._take().text
            right = self._expression(_BINDS[sign])
            found = Binary(cast(Sign, sign), found, right)
        self._depth -= 1
        return found

    def _operand(self) -> Expression:
        token = self._here
        self._step()
        if token.kind == "number":
            return self._number()
        if token.kind == "name":
            return self._named()
        if token.text == "-":
            self._next += 1
            return Negated(self._expression(_SIGN_BINDS))
        if token.text == "(":
            self._next += 1
            inner = self._expression(0)
            self._expect(")")
            return inner
        raise self._problem(Wording("a number, a name or a parenthesis is missing"))

    def _number(self) -> Number:
        if len(self._here.text) > DIGITS_MAX:
            raise self._problem(Wording(f"a number of more than {DIGITS_MAX} digits"))
        return Number(Decimal(self._take().text))

    def _named(self) -> Expression:
        name = self._here.text
        if name == "if":
            return self._choice()
        if name in ARGUMENTS:
            return self._call()
        if name not in self._names:
            raise self._problem(
                Wording(f"no name {name}; there are {', '.join(sorted(self._names))}")
            )
        self._next += 1
        return Name(name)

    def _call(self) -> Call:
        token = self._take()
        self._expect("(")
        arguments = [self._expression(0)]
        while self._here.text == ",":
            self._next += 1
            arguments.append(self._expression(0))
        self._expect(")")
        fewest, most = ARGUMENTS[token.text]
        if not fewest <= len(arguments) <= most:
            problem = Wording(f"{token.text} takes {fewest} to {most} arguments")
            if fewest == most:
                problem = Wording(f"{token.text} takes {most} arguments")
            raise FormulaInvalid(problem=problem, at=token.at + 1)
        return Call(token.text, tuple(arguments))

    def _choice(self) -> Choice:
        self._next += 1
        self._expect("(")
        left = self._expression(0)
        if self._here.text not in _RELATIONS:
            raise self._problem(Wording("a comparison is missing"))
        self._step()
        relation = cast(Relation, self._take().text)
        condition = Comparison(relation, left, self._expression(0))
        self._expect(",")
        then = self._expression(0)
        self._expect(",")
        otherwise = self._expression(0)
        self._expect(")")
        return Choice(condition, then, otherwise)
