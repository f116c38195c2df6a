"""The sheet of components renders, and a reader may choose the colours."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from markupsafe import Markup

from service.console.drawing import charts, icons
from service.console.pages import Reader, environment

Serving = Callable[..., Any]

EVENINGS = ("E1", "E2", "E3")
COURSES = (
    charts.ChartSeries("Ida Lindqvist", (3, 2, 1)),
    charts.ChartSeries("Mara Oduya", (1, 1, 2), lit=True),
    charts.ChartSeries("A name that is much longer than a chart is wide", (None, 3, 3)),
)


@dataclass(frozen=True, slots=True)
class Chart:
    svg: Markup
    caption: str
    columns: tuple[dict[str, str], ...] = ()
    rows: tuple[dict[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Styles:
    """The values for ``styles.html``."""

    charts: tuple[Chart, ...]
    icons: tuple[str, ...] = tuple(icons.ICONS)
    qr: str = ""


STYLES = Styles(
    (
        Chart(charts.bump(COURSES, EVENINGS), "Places after each evening"),
        Chart(charts.curve((12.5, -3, 18.25), EVENINGS, str, "18.3"), "A rating"),
        Chart(charts.columns((1, 4, 2), EVENINGS, range(1, 2)), "Ends of simulated evenings"),
    )
)


def rendered(scheme: str = "auto") -> str:
    reader = Reader(
        signed_in=True, me=None, plain=False, refused=False, sign_up="open", maintenance=False,
        language="en", scheme=scheme,
    )  # fmt: skip
    return (
        environment("en")
        .get_template("styles.html")
        .render(
            screen=STYLES,
            reader=reader,
            here="/styles",
            address="/styles",
            answers_form=False,
            said="",
            form_token=lambda etag=None: "",
        )
    )


def test_every_component_renders_without_inline_styles_and_scripts() -> None:
    page = rendered()

    assert "style=" not in page
    assert "onclick" not in page
    assert page.count("<h1") == 1


def test_ids_are_unique_on_the_sheet() -> None:
    ids = [part.partition('"')[0] for part in rendered().split(' id="')[1:]]

    assert sorted(ids) == sorted(set(ids))


def test_charts_escape_and_shorten_names() -> None:
    drawn = charts.bump((charts.ChartSeries("<script>", (1, 2, 1)),), EVENINGS)

    assert "<script>" not in drawn
    assert "A name that is mu…" in charts.bump(COURSES, EVENINGS)
    assert "than a chart" not in charts.bump(COURSES, EVENINGS)


def test_charts_of_nothing_are_drawn() -> None:
    empty = charts.ChartSeries("Nobody yet", (None, None, None))

    assert charts.bump((empty,), EVENINGS).startswith("<svg")
    assert charts.columns((), ()).startswith("<svg")


def test_a_few_columns_have_their_counts_and_all_their_labels() -> None:
    few = charts.columns((0, 3, 1), ("first", "second", "third"))
    many = charts.columns([5] * 20, [f"place {each}" for each in range(20)])

    assert re.findall(r">([^<>]+)</text>", few) == ["first", "3", "second", "1", "third"]
    assert re.findall(r">([^<>]+)</text>", many) == [f"place {each}" for each in range(0, 20, 3)]


@pytest.mark.anyio
async def test_a_reader_chooses_the_colours_and_gives_them_back(serving: Serving) -> None:
    async with serving() as console:
        browser = console.browser()
        page = await browser.get("/sign-in")
        assert "data-scheme" not in page.text

        page = await browser.submit("/scheme", scheme="dark")
        assert page.url.path == "/sign-in"
        assert 'data-scheme="dark"' in page.text
        page = await browser.submit("/scheme", scheme="auto")
        assert "data-scheme" not in page.text
        page = await browser.submit("/scheme", scheme='"><script>')
        assert "data-scheme" not in page.text


@pytest.mark.anyio
async def test_a_reader_chooses_the_language_which_wins_over_the_browsers(
    serving: Serving,
) -> None:
    async with serving() as console:
        browser = console.browser()
        browser.http.headers["accept-language"] = "de"
        page = await browser.get("/sign-in?then=/account")
        assert '<html lang="de"' in page.text
        assert 'value="en" lang="en" aria-pressed="false">English<' in page.text
        assert 'value="de" lang="de" aria-pressed="true">Deutsch<' in page.text

        page = await browser.submit("/language", language="en")
        assert str(page.url).endswith("/sign-in?then=/account")
        assert '<html lang="en"' in page.text
        assert page.headers["cache-control"] == "private, no-store"
        assert "Cookie" in page.headers["vary"]

        page = await browser.submit("/language", language='"><script>')
        assert '<html lang="de"' in page.text
