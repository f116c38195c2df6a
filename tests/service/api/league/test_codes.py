"""A code shows its league and player, and nobody without a code learns anything."""

import base64
from datetime import timedelta

import pytest

pytestmark = pytest.mark.anyio


async def test_who_holds_a_code_reads_which_league_it_opens(serving) -> None:
    async with serving() as api:
        owner, league = await api.league()
        code = (await owner.post(f"/v1/leagues/{league}/invitations", {})).json()["code"]
        made = (await owner.post(f"/v1/leagues/{league}/players", {"name": "Han Solo"})).json()

        asked = await api.http.get(f"/v1/codes/{code}")
        assert asked.status_code == 200, asked.text
        assert asked.headers["cache-control"] == "no-store"
        name = (await owner.get(f"/v1/leagues/{league}")).json()["name"]
        told = {"kind": "invitation", "league": league, "league_name": name, "name": None}
        assert asked.json() == told
        claim = await api.http.get(f"/v1/codes/{made['claim']}")
        assert claim.json() == told | {"kind": "claim", "name": "Han Solo"}

        guest = await api.person()
        assert (await guest.get(f"/v1/codes/{code}")).json() == told
        assert (await guest.post(f"/v1/invitations/{code}/accept")).status_code == 201
        assert (await guest.post("/v1/me/claims", {"code": made["claim"]})).status_code == 201
        for used in (code, made["claim"]):
            assert (await api.http.get(f"/v1/codes/{used}")).status_code == 404


async def test_a_guesser_learns_nothing_and_is_stopped(serving) -> None:
    async with serving(open_requests=2) as api:
        owner, league = await api.league()
        path = f"/v1/leagues/{league}"
        invited = (await owner.post(f"{path}/invitations", {})).json()
        claim = (await owner.post(f"{path}/players", {"name": "Han Solo"})).json()["claim"]
        gone = await api.http.delete(f"{path}/invitations/{invited['id']}", headers=owner.headers)
        assert gone.status_code == 200
        guesses = [
            base64.urlsafe_b64encode(base64.urlsafe_b64decode(each)[:16] + bytes(20)).decode()
            for each in (invited["code"], claim)
        ]
        wrong = (*guesses, invited["code"], base64.urlsafe_b64encode(bytes(36)).decode(), "x")
        answers = [await api.http.get(f"/v1/codes/{each}") for each in wrong]
        assert {each.status_code for each in answers} == {404}
        assert len({each.json()["detail"] for each in answers}) == 1
        while answers[-1].status_code != 429:
            assert len(answers) < 40
            answers.append(await api.http.get(f"/v1/codes/{guesses[0]}"))
        assert answers[-1].json()["limit"] == "open"


async def test_an_invitation_whose_time_is_over_says_so(serving, monkeypatch) -> None:
    async with serving() as api:
        owner, league = await api.league()
        asked = {"expires_in_hours": 1}
        code = (await owner.post(f"/v1/leagues/{league}/invitations", asked)).json()["code"]
        clock = api.app.shell.runtime.clock
        then = clock.now() + timedelta(hours=1)
        monkeypatch.setattr(type(clock), "now", lambda _: then)
        answer = await api.http.get(f"/v1/codes/{code}")
        assert answer.json()["code"] == "invitation_expired"
