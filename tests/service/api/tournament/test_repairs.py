"""The API's answers about a table with a damaged log, and about a repaired one."""

from hashlib import sha256

import pytest

from engine.values import stream_of
from service.cli import repair
from service.director.runtime import open_runtime
from tests.service.cli.test_repair import last_of, plant

pytestmark = pytest.mark.anyio


async def test_readers_of_a_damaged_table_are_told_so_and_of_a_repaired_one_see_a_place(
    serving, database
) -> None:
    settings = database.settings("holotable_api")
    async with serving() as api:
        owner, league, _, people, table = await api.playing()
        path = f"/v1/tables/{table}"
        async with open_runtime(settings) as runtime:
            row = await last_of(runtime, league, stream_of(table))
        await plant(database, row, (100, "nonsense", 9, sha256(b"wrong").digest()))
        damaged = await owner.get(path)
        assert (damaged.status_code, damaged.json()["code"]) == (409, "event_unreadable")
        assert await repair.void_failing(settings, league, "Bib", "to see", dry_run=False) == 0
        repaired = await people[0].get(path)
        assert repaired.status_code == 200, repaired.text
        feed = await owner.get(f"{path}/events", params={"limit": 200})
        assert feed.status_code == 200, feed.text
        last = feed.json()["items"][-1]
        assert (last["version"], last["type"], last["data"]) == (
            row.stream_version + 100,
            "nonsense",
            {},
        )
