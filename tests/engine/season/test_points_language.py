"""The language of points formulas: its meaning and its refusals."""

from decimal import Decimal, localcontext
from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as some

from engine.season.expression import FormulaInvalid, NoValue, evaluate, names_in, parse
from engine.season.expression.limits import DEPTH_MAX, LENGTH_MAX, STEPS_MAX, VALUE_MAX

NAMES = frozenset(("n", "k", "buy_in"))
VALUES = {"n": Decimal(16), "k": Decimal(3), "buy_in": Decimal(0)}


def value(text: str) -> Decimal:
    return evaluate(parse(text, NAMES), VALUES)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1 + 2 * 3", "7"),
        ("(1 + 2) * 3", "9"),
        ("8 - 4 - 2", "2"),
        ("16 / 4 / 2", "2"),
        ("8 / 4 * 2", "4"),
        ("-2 * 3", "-6"),
        ("2 - -3", "5"),
        ("--3", "3"),
        ("-2 + 3", "1"),
        ("0.5 * n", "8.0"),
        ("sqrt(n)", "4"),
        ("pow(2, 10)", "1024"),
        ("pow(n, 0.5)", "4.0"),
        ("pow(0, 0)", "1"),
        ("log10(1000)", "3"),
        ("ln(exp(2))", "2"),
        ("floor(7 / 2)", "3"),
        ("floor(-0.5)", "-1"),
        ("min(3, 1, 2)", "1"),
        ("max(n, k)", "16"),
        ("if(k <= 3, 1, 2)", "1"),
        ("if(k == 3, if(n != 16, 1, 2), 3)", "2"),
        ("if(k > 0, 1, 1 / 0)", "1"),
        ("\n n\t+ k ", "19"),
    ],
)
def test_an_expression_means_what_it_says(text: str, expected: str) -> None:
    """Signs bind tightest, then products, then sums. Equal operators apply from the left."""
    assert value(text).quantize(Decimal("1e-20")) == Decimal(expected)


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("", 1),
        ("1 +", 4),
        ("1 2", 3),
        ("(1", 3),
        ("1)", 2),
        ("n % k", 3),
        ("2 ** 3", 4),
        ("m + 1", 1),
        ("N", 1),
        ("sqrt", 5),
        ("sqrt(1, 2)", 1),
        ("pow(2)", 1),
        ("min()", 5),
        ("if(1, 2, 3)", 5),
        ("if(1 < 2, 3)", 12),
        ("1 < 2", 3),
        ("if(1 < 2 < 3, 1, 2)", 10),
        (".5", 1),
        ("1e5", 2),
        ("__import__", 1),
        ("n.real", 2),
        ("n\u200b", 2),
        ("\u0661", 1),
        ("123456789012345678901", 1),
    ],
)
def test_what_is_no_expression_is_refused_where_it_stops_being_one(text: str, at: int) -> None:
    """
    Characters are counted from 1.
    """
    with pytest.raises(FormulaInvalid) as refusal:
        parse(text, NAMES)

    assert refusal.value.facts == {"at": at}


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("1 / 0", "division_by_zero"),
        ("0 / 0", "division_by_zero"),
        ("n / buy_in", "division_by_zero"),
        ("pow(0, -1)", "division_by_zero"),
        ("sqrt(-1)", "outside_domain"),
        ("ln(0)", "outside_domain"),
        ("log10(-1)", "outside_domain"),
        ("pow(-2, 0.5)", "outside_domain"),
        ("pow(10, 31)", "too_large"),
        ("exp(99999999999999999999)", "too_large"),
        ("pow(1.0000000001, 99999999999999999999)", "too_large"),
        ("exp(60) * exp(60)", "too_large"),
    ],
)
def test_what_has_no_value_says_why(text: str, cause: str) -> None:
    with pytest.raises(NoValue) as none:
        value(text)

    assert none.value.cause == cause


def test_a_formula_is_no_longer_than_the_language_allows() -> None:
    """Characters, depth and steps have limits."""
    with pytest.raises(FormulaInvalid, match="characters"):
        parse("1" + " " * LENGTH_MAX, NAMES)
    nested = (DEPTH_MAX - 1) * "(" + "n" + (DEPTH_MAX - 1) * ")"
    assert value(nested) == 16
    with pytest.raises(FormulaInvalid, match="within each other"):
        parse(f"({nested})", NAMES)
    with pytest.raises(FormulaInvalid, match="within each other"):
        parse("-" * (LENGTH_MAX - 1) + "n", NAMES)
    long = "+".join("n" * (STEPS_MAX // 2))
    assert value(long) == 16 * (STEPS_MAX // 2)
    with pytest.raises(FormulaInvalid, match="steps"):
        parse(f"{long}+n+n", NAMES)


def test_a_formula_is_counted_alike_whatever_the_caller_counts_in() -> None:
    """The language has its own context and leaves the caller's unchanged."""
    usual = value("10 * sqrt(n / k)")
    with localcontext(prec=3) as context:
        assert value("10 * sqrt(n / k)") == usual
        assert context.prec == 3
    assert usual == Decimal("23.094010767585030580365951220078298225904070050805")


def test_every_name_is_known() -> None:
    """Names may stand in both branches, in conditions and in arguments."""
    text = "if(n < k, -n, max(buy_in, 1) * 2)"

    assert sorted(names_in(parse(text, NAMES))) == ["buy_in", "k", "n", "n"]


numbers = some.sampled_from(
    ("0", "1", "2", "0.5", "10", "99999999999999999999", "0.0000000001", "n", "k", "buy_in")
)


def _larger(inner: some.SearchStrategy[str]) -> some.SearchStrategy[str]:
    pair = some.tuples(inner, inner)
    return some.one_of(
        some.tuples(pair, some.sampled_from("+-*/")).map(lambda it: f"({it[1].join(it[0])})"),
        some.tuples(some.sampled_from(("sqrt", "ln", "log10", "exp", "floor", "-")), inner).map(
            lambda it: f"{it[0]}({it[1]})"
        ),
        pair.map(lambda it: f"pow({it[0]}, {it[1]})"),
        some.lists(inner, min_size=1, max_size=4).map(lambda it: f"max({', '.join(it)})"),
        some.tuples(pair, pair, some.sampled_from(("<", "<=", "==", "!=", ">"))).map(
            lambda it: f"if({it[2].join(it[0])}, {', '.join(it[1])})"
        ),
    )


expressions = some.recursive(numbers, _larger, max_leaves=40)
scribbles = some.text(alphabet="nk0123456789.+-*/(),<>=! \t_aeiou\u00b2\x00", max_size=120)


@given(
    text=some.one_of(expressions, scribbles, some.text(max_size=200)), place=some.integers(1, 16)
)
def test_a_formula_has_a_value_or_a_typed_reason_and_nothing_else(text: str, place: int) -> None:
    """
    Any text gives a finite number within bounds, a refusal with its place, or a cause.

    The answer comes soon, and is the same twice.
    """

    def outcome() -> Decimal | tuple[str, object]:
        try:
            return evaluate(parse(text, NAMES), VALUES | {"k": Decimal(place)})
        except FormulaInvalid as refusal:
            at = refusal.facts["at"]
            assert isinstance(at, int) and 1 <= at <= len(text) + 1
            return "invalid", at
        except NoValue as none:
            return "none", none.cause

    began = perf_counter()
    found = outcome()
    assert perf_counter() - began < 1
    assert outcome() == found
    if isinstance(found, Decimal):
        assert found.is_finite()
        assert abs(found) <= VALUE_MAX


@given(text=expressions)
def test_whitespace_and_parentheses_around_it_change_nothing(text: str) -> None:
    """The parser returns the same expression for both texts."""
    try:
        plain = parse(text, NAMES)
        around = parse(f" ( {text} )", NAMES)
    except FormulaInvalid:
        return
    assert plain == around
