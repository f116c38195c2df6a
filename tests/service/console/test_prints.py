"""Paper: seat cards with codes, sheets of tables, the result."""

import asyncio
import re
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from types import SimpleNamespace
from typing import Any
from uuid import UUID

import pytest
import segno

from service.base.pools import DRAWING
from service.console.pages import Reader, environment
from service.console.pieces import PAGE, page_of
from service.console.screens.evening.prints import PrintsScreen, Rank, Result

pytestmark = pytest.mark.anyio
Serving = Callable[..., Any]


async def test_papers_name_seats_and_codes(serving: Serving) -> None:
    async with serving(public_url="https://league.example") as console:
        owner, _, tournament, people, _ = await console.api.playing(3, name="<i>Night</i>")
        browser = await console.signed_in(owner.login)
        path = f"/tournaments/{tournament}/prints"

        entrants = (await owner.get(f"/v1/tournaments/{tournament}")).json()["entrants"]
        seated = [each["player"] for each in sorted(entrants, key=lambda each: each["seat"])]

        cards = (await browser.get(path)).text
        assert cards.count('class="seat-card"') == len(people)
        codes = re.findall(r'<img src="([^"]+)" alt="Code of the player">', cards)
        assert codes == [f"/tournaments/{tournament}/here/{each}/code.svg" for each in seated]
        assert "<i>Night" not in cards
        assert "A phone cannot open this address." not in cards
        sheets = (await browser.get(f"{path}?what=tables")).text
        assert sheets.count('class="sheet"') == 1
        assert "Knocked out by" in sheets
        assert "No result yet" in (await browser.get(f"{path}?what=result")).text
        assert "Seat cards" in (await browser.get(f"{path}?what=nothing")).text


async def test_the_code_of_a_card_is_drawn_for_who_is_signed_in_and_holds_its_own_address(
    serving: Serving,
) -> None:
    async with serving(public_url="https://league.example") as console:
        owner, _, tournament, [player, *_], _ = await console.api.playing(2)
        here = f"/tournaments/{tournament}/here/{player.player}"
        browser = await console.signed_in(owner.login)

        drawn = await browser.get(f"{here}/code.svg")
        assert drawn.headers["content-type"] == "image/svg+xml"
        assert drawn.headers["cache-control"] == "private, no-store"
        code = segno.make(f"https://league.example{here}", error="m", micro=False)
        [modules] = re.findall(r'd="(M[^"]+)"', code.svg_inline(omitsize=True, border=2))
        assert f'd="{modules}"' in drawn.text
        assert 'xmlns="http://www.w3.org/2000/svg"' in drawn.text

        stranger = await console.browser().http.get(f"{here}/code.svg")
        assert stranger.headers["location"].startswith("/sign-in")
        for wrong in (f"{tournament}/here/plr_1", f"elsewhere/here/{player.player}"):
            assert (await browser.get(f"/tournaments/{wrong}/code.svg")).status_code == 404


@pytest.mark.parametrize(
    ("name", "size"),
    [
        ("Wilhuff Tarkin-Motti", ""),
        ("Friederike Schwarzenberger", ""),
        ("Llanfairpwllgwyngyll Schwarz", ' class="long"'),
        ("Anna Maria Josephine von Hohenstaufen", ' class="long"'),
        ("Konstantinopolitanischer Dudelsackpfeifer", ' class="longer"'),
        ("Hubert Blaine der Dritte von und zu Irgendwo im Land", ' class="longer"'),
    ],
)
def test_a_long_name_is_smaller_so_that_no_word_is_broken(name: str, size: str) -> None:
    prints = environment("en").get_template("parts/prints.html").make_module({})
    assert str(prints.name_size(name)) == size  # type: ignore[attr-defined]
    card = prints.seat_card(name, 1, 2, {"table": "Table", "seat": "Seat"}, "")  # type: ignore[attr-defined]
    assert f"<h3{size}>{name}</h3>" in card


@pytest.mark.parametrize("what", ["result", "standings"])
def test_the_pages_of_a_long_list_on_paper_have_every_line_once(what: str) -> None:
    lines = [f"Player {number}" for number in range(1, 451)]
    screen = PrintsScreen(
        id="trn_1", league="lge_1", name="Night", place=None, currency="EUR", what=what,
        starts_at=datetime(2026, 11, 29, 20, tzinfo=UTC), seasonal=True,
        results=tuple(Result(place=at, name=name, prize=0) for at, name in enumerate(lines, 1)),
        ranks=tuple(Rank(rank=at, name=name, points="1") for at, name in enumerate(lines, 1)),
    )  # fmt: skip
    pages = [printed(screen, number) for number in ("", "2", "3")]

    assert [len(each) for each in pages] == [200, 200, 50]
    assert [name for each in pages for name in each] == lines


def printed(screen: PrintsScreen, number: str) -> list[str]:
    """Return the names on a page of a paper."""
    ask: Any = SimpleNamespace(query={PAGE: number}.get, failure=None, address="/prints")
    template = environment("en").get_template("evening/prints.html")
    reader = Reader(
        signed_in=False, me=None, plain=False, refused=False, sign_up="open", maintenance=False,
        language="en", scheme="auto",
    )  # fmt: skip
    values = {"screen": screen, "reader": reader, "here": "", "page_of": partial(page_of, ask)}
    context = template.new_context(values)
    next(iter(template.root_render_func(context)), None)
    paper = "".join(template.blocks["main"](context))
    return re.findall(r'<th role="rowheader" scope="row" class="lead">([^<]+)</th>', paper)


async def test_two_printers_behind_one_address_each_have_a_share_of_the_drawing(
    serving: Serving,
) -> None:
    async with serving() as console:
        owner, _, tournament, [player, *_], _ = await console.api.playing(2)
        owners, players = [await console.signed_in(each.login) for each in (owner, player)]
        for browser in (owners, players):
            await browser.get(f"/tournaments/{tournament}")
        go = threading.Event()
        number = UUID(owner.player.removeprefix("plr_"))
        held = [asyncio.create_task(DRAWING.run(str(number), go.wait, 30)) for _ in range(128)]
        await asyncio.sleep(0)
        code = f"/tournaments/{tournament}/here/{player.player}/code.svg"
        try:
            refused = await asyncio.wait_for(owners.get(code), 5)
            drawn = asyncio.create_task(players.get(code))
        finally:
            go.set()
        assert refused.status_code == 503
        assert all(await asyncio.gather(*held))
        assert (await drawn).status_code == 200
