"""The points formulas that seasons may name, and trying a formula."""

from decimal import Decimal
from typing import Annotated

import msgspec
from litestar import Response
from msgspec import Meta

from engine.season.expression import LANGUAGE, NoValue
from engine.season.expression.evaluation import Cause
from engine.season.points import FORMULA_NAMES, written
from engine.season.presets import PRESETS, Preset, worth
from engine.season.values import Points
from service.api.http.operations import operation
from service.api.http.reading.listing import Pages
from service.api.http.reading.paging import Page
from service.api.http.writing.submitting import encoded

_SCALE_MAX = 6
Value = Annotated[Points, Meta(max_length=20)]


class FormulaTried(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """A formula and the numbers to try it with. A missing number is 0."""

    formula: str
    """The expression. `docs/guides/points.md` describes its language."""

    n: Value = "0"
    """The number of entries that have a place."""

    k: Value = "0"
    """The place, from 1."""

    entries: Value = "0"
    """The number of buy-ins, rebuys included."""

    buy_in: Value = "0"
    """The price of one entry, in whole units of the currency."""

    pool: Value = "0"
    """The prize pool, in whole units of the currency."""

    spent: Value = "0"
    """The money that the player paid for all their entries, in whole units of the currency."""

    knockouts: Value = "0"
    """The number of opponents that the player knocked out."""

    scale: Annotated[int, Meta(ge=0, le=_SCALE_MAX)] = 2
    """The fraction digits of the answer."""


class FormulaWorth(msgspec.Struct, kw_only=True):
    """The value of a formula, or the reason why it has none."""

    points: str | None
    """The value as a decimal number, or null if the formula has no value."""

    failure: Cause | None
    """The cause if the formula has no value, otherwise null."""

    language: int
    """The version of the expression language."""


@operation(
    "GET", "/v1/points-formulas", "list_points_formulas",
    "List the points presets that a season may name, with their published numbers.",
    needs="anyone", answer=Page[Preset], problems=("invalid_cursor",),
)  # fmt: skip
async def list_points_formulas(pages: Pages) -> Response[bytes]:
    """List the complete presets by name."""
    found = sorted(PRESETS.items())
    page = pages.listing("points formulas", str).cut(found, lambda each: (each[0],))
    shown = [formula for _, formula in page.items]
    return pages.answer(Page(items=shown, next_cursor=page.next_cursor))


@operation(
    "POST", "/v1/points-formulas/try", "try_points_formula",
    "Evaluate a formula for given numbers. Changes nothing.",
    asks=True, needs="account", scope="leagues:read", answer=FormulaWorth,
    problems=("formula_invalid",),
)  # fmt: skip
async def try_points_formula(body: FormulaTried) -> Response[bytes]:
    """Evaluate the formula in the same way as an award."""
    given = msgspec.structs.asdict(body)
    values = {name: given[name] for name in FORMULA_NAMES}
    try:
        points: Decimal = worth(body.formula, values)
    except NoValue as none:
        return encoded(FormulaWorth(points=None, failure=none.cause, language=LANGUAGE))
    shown = written(points, scale=body.scale)
    return encoded(FormulaWorth(points=shown, failure=None, language=LANGUAGE))
