"""Names stand beside ids wherever members read, and an erased player's name nowhere."""

from typing import Any

import pytest

from tests.service.api.conftest import PASSWORD
from tests.service.api.nights import project
from tests.service.api.tournament.test_corrections import a_night
from tests.support.databases import TestDatabase

pytestmark = pytest.mark.anyio


def called(content: Any, *ids: str) -> dict[str, Any]:
    """Return the names that stand beside the ids of players, anywhere in *content*."""
    found: dict[str, Any] = {}
    if isinstance(content, dict):
        for name in ids:
            if name in content:
                beside = f"{name}_name" if f"{name}_name" in content else "name"
                found[content[name]] = content[beside]
        for value in content.values():
            found |= called(value, *ids)
    elif isinstance(content, list):
        for value in content:
            found |= called(value, *ids)
    return found


async def test_names_stand_beside_ids_until_they_are_erased(
    serving: Any, database: TestDatabase
) -> None:
    async with serving() as api:
        owner, league, season, tournament, people = await a_night(api, database)
        claim = {"kind": "payout", "tournament": tournament, "claim": "Too little."}
        dispute = (await people[0].post("/v1/disputes", claim)).json()["id"]
        await project(database)
        names = {each.player: each.login for each in people}
        everybody = (
            (f"/v1/seasons/{season}/standings", ("player",)),
            (f"/v1/seasons/{season}/ledger", ("player",)),
            (f"/v1/tournaments/{tournament}/ledger", ("player",)),
            (f"/v1/leagues/{league}/ratings", ("player",)),
        )
        for path, ids in everybody:
            found = called((await owner.get(path)).json(), *ids)
            assert found == names, path
        for path in (f"/v1/leagues/{league}/disputes", f"/v1/disputes/{dispute}"):
            found = called((await owner.get(path)).json(), "claimant")
            assert found == {people[0].player: people[0].login}, path
        body = {"player": people[0].player, "password": PASSWORD}
        headers = people[0].headers
        gone = await api.http.request("DELETE", "/v1/me", json=body, headers=headers)
        assert gone.is_success, gone.text
        names[people[0].player] = "erased player"
        for path, ids in everybody:
            answer = await owner.get(path)
            assert people[0].login not in answer.text
            assert called(answer.json(), *ids) == names, path
        shown = (await owner.get(f"/v1/disputes/{dispute}")).json()
        assert shown["claimant_name"] == "erased player"


async def test_tables_and_replays_name_their_players(serving: Any, database: TestDatabase) -> None:
    async with serving() as api:
        owner, _, tournament, people, table = await api.playing()
        names = {each.player: each.login for each in people}
        entries = (await owner.get(f"/v1/tournaments/{tournament}/registrations")).json()["items"]
        expected = {each["entrant"]: names[each["player"]] for each in entries}
        read = await owner.get(f"/v1/tables/{table}")
        assert read.json()["names"] == expected
        items = (await owner.get(f"/v1/tournaments/{tournament}/tables")).json()["items"]
        assert called(items, "entrant") == expected
        await project(database)
        [hand] = (await owner.get(f"/v1/tables/{table}/hands")).json()["items"]
        replay = await owner.get(f"/v1/hands/{hand['hand']}/replay")
        assert replay.json()["names"] == expected
