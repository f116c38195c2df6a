"""A person's archive holds everything that the server keeps about them, and nothing of others."""

import io
import json
import zipfile
from typing import Any

import pytest

from service.base import pools
from service.base.pools import Pool
from tests.service.api.nights import project
from tests.service.api.tournament.test_corrections import a_night
from tests.support.databases import TestDatabase

pytestmark = pytest.mark.anyio


async def test_the_archive_holds_what_is_kept_about_the_caller_alone(
    serving: Any, database: TestDatabase
) -> None:
    async with serving() as api:
        owner, league, _, tournament, people = await a_night(api, database)
        me, other = people[:2]
        for person, words in ((me, "Mine was better."), (other, "No, mine.")):
            claim = {"kind": "payout", "tournament": tournament, "claim": words}
            assert (await person.post("/v1/disputes", claim)).is_success
            secret = claim | {"claim": f"In confidence: {words}"}
            filed = await person.post("/v1/confidential-claims", secret)
            assert filed.is_success, filed.text
        token = (await me.post("/v1/tokens", {"name": "laptop"})).json()
        await me.post("/v1/me/calendar-keys")
        await project(database)
        answer = await me.get("/v1/me/archive")
        assert answer.status_code == 200, answer.text
        assert answer.headers["content-type"] == "application/zip"
        with zipfile.ZipFile(io.BytesIO(answer.content)) as packed:
            files = {name: packed.read(name).decode() for name in packed.namelist()}
        whole = "\n".join(files.values())
        found = {name: json.loads(text) for name, text in files.items() if name != "README.txt"}
        assert found["account.json"]["login"] == me.login
        assert found["leagues.json"] == {league: "player"}
        [entry] = found["entries.json"]
        assert (entry["tournament"], entry["player"]) == (tournament, me.player)
        assert found["records.json"][league]["tournaments"] == 1
        assert [each["body"] for each in found["texts.json"]] == ["Mine was better."]
        assert [each["claim"] for each in found["confidential-claims.json"]["claims"]] == [
            "In confidence: Mine was better."
        ]
        assert "laptop" in {each["name"] for each in found["tokens.json"]}
        assert len(found["calendar-keys.json"]) == 1
        assert {each["kind"] for each in found["sign-ins.json"]} == {"signed_up", "password"}
        for foreign in (other.login, other.player, owner.login, "No, mine.", token["token"]):
            assert foreign not in whole
        assert '"hash"' not in whole
        narrow = await me.post("/v1/tokens", {"scopes": ["leagues:read"]})
        bearer = {"Authorization": f"Bearer {narrow.json()['token']}"}
        refused = await api.http.get("/v1/me/archive", headers=bearer)
        assert (refused.status_code, refused.json()["required_scopes"]) == (403, ["tokens:manage"])
        for name in found:
            assert name in files["README.txt"]


async def test_the_archive_is_packed_in_a_thread_of_its_own(
    serving: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with serving() as api:
        me = await api.person()
        full = Pool("full in this test", threads=1, waiting=-1)
        monkeypatch.setattr(pools, "PACKING", full)
        refused = await me.get("/v1/me/archive")
        assert (refused.status_code, refused.json()["busy"]) == (503, "full in this test")
