"""Names stand beside ids wherever members read, and an erased player's name nowhere."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from service.api.http.reading.called import names_of
from tests.service.api.conftest import ANY, PASSWORD
from tests.service.api.nights import pages, project
from tests.service.api.table.test_commands import turn
from tests.service.api.tournament.test_corrections import a_night, entrants
from tests.support.databases import TestDatabase

pytestmark = pytest.mark.anyio


GAME = {"name": "Night", "ruleset": "better"}


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
        read = (await owner.get(f"/v1/tables/{table}")).json()
        assert read["names"] == expected
        assert datetime.fromisoformat(read["now"]) <= datetime.now(UTC) + timedelta(seconds=5)
        person, _ = await turn(people, table)
        [told] = (await person.get("/v1/me/turns")).json()["items"][-1:]
        assert (told["type"], told["view"]["names"]) == ("turn", expected)
        items = (await owner.get(f"/v1/tournaments/{tournament}/tables")).json()["items"]
        assert called(items, "entrant") == expected
        await project(database)
        [hand] = (await owner.get(f"/v1/tables/{table}/hands")).json()["items"]
        replay = await owner.get(f"/v1/hands/{hand['hand']}/replay")
        assert replay.json()["names"] == expected
        shown = await owner.get(f"/v1/hands/{hand['hand']}")
        assert shown.json()["names"] == expected


async def test_a_tournaments_hands_are_listed_with_pot_and_winner(
    serving: Any, database: TestDatabase
) -> None:
    async with serving() as api:
        owner, _, _, tournament, people = await a_night(api, database)
        path = f"/v1/tournaments/{tournament}/hands"
        [hand] = await pages(owner, path, limit=1)
        assert (hand["table_number"], hand["number"], hand["state"]) == (1, 1, "settled")
        won = (await owner.get(f"/v1/hands/{hand['hand']}")).json()
        assert hand["pot"] == sum(each["chips"] for each in won["pots"]) > 0
        assert hand["winners"] == [
            each | {"name": won["names"][each["entrant"]]} for each in won["winners"]
        ]
        assert {each["name"] for each in hand["winners"]} <= {each.login for each in people}


async def test_corrections_name_who_corrected_and_who_was_placed(
    serving: Any, database: TestDatabase
) -> None:
    async with serving() as api:
        owner, _, _, tournament, people = await a_night(api, database)
        placed = await entrants(owner, tournament)
        asked = {"entrant": placed[0]["id"], "reason": "The clock was stopped too late."}
        path = f"/v1/tournaments/{tournament}"
        tried = await owner.post(f"{path}/forfeits?dry_run=true", asked, headers=ANY)
        named = {each["id"]: each["name"] for each in placed}
        by_player = {each.player: each.login for each in people}
        assert tried.json()["names"] == named | by_player
        done = await owner.post(f"{path}/forfeits", asked, headers=ANY)
        assert done.is_success, done.text
        [shown] = (await owner.get(f"{path}/corrections")).json()["items"]
        assert (shown["by_name"], shown["names"]) == (owner.login, named)


async def test_an_erased_name_is_gone_at_once(serving: Any, database: TestDatabase) -> None:
    """Names are remembered for seconds, and this process forgets one that it has erased."""
    async with serving() as api:
        owner, league = await api.league()
        gone = await api.join(owner, league)
        path = f"/v1/leagues/{league}/members"
        made = await owner.post(f"/v1/leagues/{league}/tournaments", GAME)
        tournament = made.json()["id"]
        entering = f"/v1/tournaments/{tournament}/registrations"
        await gone.post(entering)
        assert gone.login in (await owner.get(entering)).text
        await names_of(api.app.shell, [gone.player])
        await gone.post(f"/v1/tournaments/{tournament}/withdrawals")
        await project(database)
        body = {"player": gone.player, "password": PASSWORD}
        erased = await api.http.request("DELETE", "/v1/me", json=body, headers=gone.headers)
        assert erased.is_success, erased.text
        assert gone.login not in (await owner.get(path)).text
        assert await names_of(api.app.shell, [gone.player]) == {gone.player: "erased player"}
