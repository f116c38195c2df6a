"""Reading changes nothing: no page of the console writes to the log, or to the staff log."""

from collections.abc import Callable
from typing import Any

import psycopg
import pytest

from service.console.app import routes
from service.console.declaring import Screen
from tests.service.api.conftest import Person
from tests.service.api.proof.test_evidence import project
from tests.support.databases import TestDatabase

pytestmark = pytest.mark.anyio
Serving = Callable[..., Any]

TERMS = {"table_seats": 2, "hands_between_seconds": 3600, "decision_seconds": 3600}
WRITTEN = "SELECT (SELECT count(*) FROM events), (SELECT count(*) FROM operator_deed)"
NEVER_OVER = {"live"}
"""Pages that are streams."""


def pages() -> list[Screen]:
    found: list[Screen] = [each.opt["screen"] for each in routes()]
    return [each for each in found if each.method == "GET" and each.name not in NEVER_OVER]


async def named(owner: Person, league: str, evening: str, player: str) -> dict[str, str]:
    """Return a value for each name in a path, of things that exist."""
    path = f"/v1/leagues/{league}"
    table = (await owner.get(f"/v1/tournaments/{evening}")).json()["tables"][0]["id"]
    hand = (await owner.get(f"/v1/tables/{table}")).json()["hand"]
    season = (await owner.post(f"{path}/seasons", {"name": "Winter"})).json()["id"]
    invited = (await owner.post(f"{path}/invitations", {"uses": 5})).json()["code"]
    audit = (await owner.post(f"{path}/audits", {})).json()["operation"]
    about = {"kind": "payout", "tournament": evening, "claim": "He folded."}
    dispute = (await owner.post("/v1/disputes", about)).json()["id"]
    return {
        "league": league, "tournament": evening, "table": table, "hand": hand, "season": season,
        "player": player, "code": invited, "operation": audit, "dispute": dispute,
        "preset": "better",
    }  # fmt: skip


async def test_no_page_writes_when_it_is_read(serving: Serving, database: TestDatabase) -> None:
    async with serving() as console:
        owner, league, evening, people, _ = await console.api.playing(4, **TERMS)
        names = await named(owner, league, evening, people[0].player)
        await project(database)
        browser = await console.signed_in(owner.login)
        shown = 0
        with psycopg.connect(database.url("postgres"), autocommit=True) as connection:
            before = connection.execute(WRITTEN).fetchone()
            for each in pages():
                path = each.path
                for name in each.parameters:
                    path = path.replace(f"{{{name}:str}}", names.get(name, "some-name"))
                answer = await browser.get(path)
                shown += answer.status_code == 200
                assert connection.execute(WRITTEN).fetchone() == before, path
                assert answer.status_code < 500, path
        assert before is not None and all(before[:1])
        assert shown > 40, "most pages are there to be read"
