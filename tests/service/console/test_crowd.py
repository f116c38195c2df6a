"""Every page of a big league is light, and nobody is missing from it."""

import re
from collections.abc import Callable
from typing import Any

import pytest

from service.console.app import routes
from service.console.assets import assets
from service.console.declaring import Screen
from tests.service.api.proof.test_evidence import project
from tests.service.console.conftest import Browser, Console
from tests.service.console.crowd import ENTRANTS, MEMBERS, Crowd, gathered
from tests.support.databases import TestDatabase

pytestmark = pytest.mark.anyio
Serving = Callable[..., Any]

FIRST_PAINT_MAX = 20 * 1024
"""Bytes of a page and its style sheets, as sent."""

ALIKE = ("/new-evening/plan", "/code.svg", ".csv")
"""The ends of paths that are no pages, or whose pages are alike in every league."""

PAPERS = ("?what=tables", "?what=result", "?what=standings")


def pages() -> list[Screen]:
    """Return the pages about a league, an evening, a season or a player."""
    found: list[Screen] = [each.opt["screen"] for each in routes()]
    return [each for each in found if each.method == "GET" and not each.path.endswith(ALIKE)]


def paths(crowd: Crowd) -> list[str]:
    """Return the addresses of all pages that grow with the league."""
    about = {"league": crowd.league, "season": crowd.season, "player": crowd.players[0]}
    found = []
    for each in pages():
        for evening in (crowd.coming, crowd.live):
            names = about | {"tournament": evening}
            if each.parameters and set(each.parameters) <= names.keys():
                found.append(each.at(names))
    printed = [f"/tournaments/{crowd.live}/prints{each}" for each in PAPERS]
    return list(dict.fromkeys([*found, *printed]))


async def weights(browser: Browser, asked: list[str]) -> dict[str, int]:
    """Return the bytes to the first paint of each page that is answered."""
    found = {}
    for path in asked:
        answer = await browser.http.get(path)
        if answer.status_code == 200:
            sheets = re.findall(
                r'<link rel="stylesheet" href="/static/[^/]+/([^"]+)">', answer.text
            )
            style = sum(len(assets()[each].compressed or b"") for each in sheets)
            found[path] = int(answer.headers["content-length"]) + style
    return found


async def test_a_big_league_has_light_pages_and_loses_nobody(
    serving: Serving, database: TestDatabase
) -> None:
    async with serving() as console:
        crowd = await gathered(console)
        await project(database)
        owner, stranger = await console.signed_in(crowd.owner.login), console.browser()
        asked = paths(crowd)

        for browser, least in ((owner, 30), (stranger, 9)):
            found = await weights(browser, asked)
            assert len(found) >= least, sorted(found)
            assert {path: each for path, each in found.items() if each > FIRST_PAINT_MAX} == {}
            print(sorted(found.items(), key=lambda each: -each[1])[:6])

        await lists_are_whole(console, owner, crowd)
        await papers_are_whole(owner, crowd)


async def lists_are_whole(console: Console, owner: Browser, crowd: Crowd) -> None:
    """Check that the part of each list has everybody, and the page that its link leads to."""
    lists = (
        (f"/tournaments/{crowd.coming}/door", "people", 'data-player="', ENTRANTS),
        (f"/tournaments/{crowd.live}/floor", "floor", 'id="table-', 25),
        (f"/tournaments/{crowd.coming}", "poster", 'class="person-name"', ENTRANTS),
        (f"/tournaments/{crowd.coming}/money", "money", 'role="rowheader"', ENTRANTS),
        (f"/leagues/{crowd.league}/players", "players", 'role="rowheader"', MEMBERS + 1),
    )
    for path, part, mark, size in lists:
        page = (await owner.get(path)).text
        assert 0 < page.count(mark) < size
        assert (await owner.get(f"{path}?part={part}")).text.count(mark) == size
        [rest] = re.findall(r'<p class="later"><a class="more-link" href="([^"]+)">', page)
        whole = (await owner.get(rest)).text
        assert whole.count(mark) == size
        assert 'class="later"' not in whole


async def papers_are_whole(owner: Browser, crowd: Crowd) -> None:
    """Check that the pages of cards and of people have everybody once."""
    for path, mark, all_of_them in (
        (f"/tournaments/{crowd.live}/prints", r"/here/(plr_\w+)/code\.svg", ENTRANTS),
        (f"/leagues/{crowd.league}/people", r'class="line-fold" data-key="(plr_\w+)"', MEMBERS),
    ):
        page, found = (await owner.get(path)).text, []
        while True:
            found += re.findall(mark, page)
            following = re.search(r'rel="next" href="([^"]+)"', page)
            if following is None:
                break
            page = (await owner.get(following[1])).text
        assert set(crowd.players[:all_of_them]) <= set(found)
        assert len(found) == len(set(found))
