"""Two worlds that differ only in hidden values give equal answers to those who may not see them."""

import asyncio
import re
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

import httpx
import pytest

from service.console.screens.evening import ends
from service.process.app import build
from tests.noninterference.asking import Asker, page_name
from tests.noninterference.comparing import Difference, World, differences
from tests.noninterference.entitled import Hidden, Secrets
from tests.noninterference.paging import screens
from tests.noninterference.scene import Builder
from tests.noninterference.walking import UNREACHED, walk
from tests.service.api.matrix import MAILING, routes
from tests.support.databases import TestDatabase, TestServer

ONE = Hidden(
    cards="a1" * 32, chosen=1, spare="spare one", refusal="Not this time.",
    claim="They fold to each other.", ban="Marked cards.",
    draft={"name": "Kessel", "prize_pool": 1_357_924_680_135},
)  # fmt: skip
TWO = Hidden(
    cards="c3" * 32, chosen=3, spare="spare two", refusal="You owe the house for last month.",
    claim="One of them has looked at the deck before it was dealt.", ban="Shouting.",
    draft={"name": "A night among friends", "prize_pool": 24_680_135_792},
)  # fmt: skip

pytestmark = pytest.mark.slow

REFUSED = {400, 401, 403, 404, 405, 415, 422, 428}
"""The status codes of requests that were refused before their operation ran."""


async def lived(database: TestDatabase, hidden: Hidden, directory: Path) -> World:
    """Return all answers of a service in a world with the values *hidden*."""
    limits = {"account_mails": 1000, "own_writes_milliseconds": 0}
    app = build(database.settings("holotable_api", **limits, **MAILING))
    async with app.lifespan():
        transport = httpx.ASGITransport(app=app, raise_app_exceptions=False)
        # The length of compressed bytes follows from hashes and times, which differ in any worlds.
        plain = {"Accept-Encoding": "identity"}
        async with httpx.AsyncClient(
            transport=transport, base_url="http://test", headers=plain
        ) as http:
            scene = await Builder(Asker(app, http), database, hidden).build(directory)
            await walk(scene)
    return World(scene.asker.exchanges, scene.secrets)


@pytest.fixture(scope="module")
def worlds(
    cluster: TestServer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[World, World]]:
    """Both worlds, each on its own database."""
    found = []
    for hidden in (ONE, TWO):
        with cluster.fresh() as made, pytest.MonkeyPatch.context() as patient:
            # On a busy machine one world's page would have its simulation, and the other's not.
            patient.setattr(ends, "PATIENCE_SECONDS", 300.0)
            found.append(asyncio.run(lived(made, hidden, tmp_path_factory.mktemp("signer"))))
    yield found[0], found[1]


def summed_up(found: list[Difference]) -> str:
    """Return *found* as text, with a line and an example for each place of an operation."""

    def place(each: Difference) -> tuple[str, str]:
        return each.operation, re.sub(r"/\d+", "/*", each.place)

    lines = []
    for (operation, where), group in groupby(sorted(found, key=place), key=place):
        same = list(group)
        who = ", ".join(sorted({each.audience for each in same}))
        lines.append(f"{operation}, {where}, {len(same)} times, to {who}; {same[0]}")
    return "\n".join(lines)


def test_no_answer_tells_what_its_audience_may_not_know(worlds: tuple[World, World]) -> None:
    found = list(differences(*worlds))
    assert not found, f"{len(found)} places differ\n{summed_up(found)}"


def test_every_route_of_the_application_is_walked(worlds: tuple[World, World]) -> None:
    reached = {each.operation for each in worlds[0].exchanges if each.status not in REFUSED}
    assert set(routes()) - reached == set(UNREACHED)
    assert {page_name(each) for each in screens()} - reached == set()


def test_a_difference_between_the_worlds_is_found(worlds: tuple[World, World]) -> None:
    """If no values are removed as entitled, the comparison finds many differences."""
    one, two = worlds
    assert len(one.exchanges) == len(two.exchanges) > 4_000
    for part in ("cards", "words"):
        for world in worlds:
            assert all(getattr(world.secrets, part).values())
    part = slice(2_000)
    blind = [World(each.exchanges[part], Secrets()) for each in worlds]
    assert len(list(differences(*blind))) > 100
