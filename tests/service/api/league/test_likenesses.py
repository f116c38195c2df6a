"""Nobody joins a league under the name of a member of the staff."""

import pytest

from tests.service.api.conftest import ANY
from tests.service.api.league.test_players import bring, claimed

pytestmark = pytest.mark.anyio


async def test_nobody_comes_in_under_a_name_that_reads_like_the_owners(serving) -> None:
    async with serving() as api:
        owner = await api.person("Leia Organa")
        league = (await owner.post("/v1/leagues", {"name": "Cloud City"})).json()["id"]
        players = f"/v1/leagues/{league}/players"
        invited = await owner.post(f"/v1/leagues/{league}/invitations", {"uses": 9})
        accept = f"/v1/invitations/{invited.json()['code']}/accept"
        false = await api.person("Lеiа ORGANA")  # two of its letters are Cyrillic
        han, other = await api.person("Han"), await api.person("HAN")

        taken = [
            await false.post(accept),
            *[
                await owner.post(players, {"name": name})
                for name in ("Leia-Organa", "Leıa Orgɑna", "ʟeia Orgaոa")
            ],
        ]
        assert [(each.status_code, each.json()["code"]) for each in taken] == [
            (409, "name_taken")
        ] * 4
        listed = await bring(owner, league, "name\nChewie\nLéia Organa\n".encode())
        assert [(each["line"], each["outcome"]) for each in listed.json()["rows"]] == [
            (3, "name_taken")
        ]
        code = (await owner.post(players, {"name": "Lando"})).json()["claim"]
        joined = await false.post("/v1/me/claims", {"code": code})
        assert joined.json()["code"] == "name_taken"
        assert (await claimed(api, code, "lando")).status_code == 201  # the code is still valid

        # Players may share a name, because their ids differ.
        for person in (han, other):
            assert (await person.post(accept)).status_code == 201
        # Existing members stay, even if a member of the staff takes their name later.
        member = f"/v1/leagues/{league}/members/{han.player}"
        promoted = await api.http.put(member, json={"role": "referee"}, headers=owner.headers | ANY)
        assert promoted.status_code == 200
        assert (await other.post(accept)).json()["role"] == "player"
