"""Disputes and confidential claims by hostile people, or by people who act too soon."""

import asyncio
from datetime import timedelta

import pytest

from tests.service.api.proof.test_confidential import seen, told
from tests.service.api.proof.test_disputes import RULES, WHY, ask, claim, with_office
from tests.service.api.proof.test_evidence import project
from tests.service.api.table.test_commands import turn
from tests.service.api.tournament.test_corrections import a_night, entrants
from tests.service.audit.test_audit import audited, faults
from tests.support.databases import TestDatabase

pytestmark = pytest.mark.anyio


async def test_a_ruling_whose_dry_run_is_out_of_date_changes_nothing(
    serving, database: TestDatabase
) -> None:
    async with serving() as api:
        owner, league, _, tournament, people = await a_night(api, database)
        referee = await with_office(api, owner, league)
        first, second, third = [each["id"] for each in await entrants(owner, tournament)]
        dispute = await claim(people[0], tournament=tournament)
        path = f"/v1/disputes/{dispute}/rulings"
        acts = [{"act": "forfeit", "entrant": first}]
        ruling = {"outcome": "for", "rules": RULES, "acts": acts, **WHY}

        async def shown() -> dict[str, str]:
            tried = await ask(referee, f"{path}?dry_run=true", ruling)
            assert tried.status_code == 200, tried.text
            return {"dry_run": tried.json()["digest"]}

        before = await shown()
        assert await shown() == before  # without a change, the dry run shows the same
        order = {"order": [[second], [first], [third]], **WHY}
        moved = await ask(owner, f"/v1/tournaments/{tournament}/corrections", order)
        assert moved.status_code == 201, moved.text
        for _ in range(2):
            late = await ask(referee, path, ruling | before, key="rule")
            assert (late.status_code, late.json()["code"]) == (409, "dry_run_outdated"), late.text
        other = {"act": "forfeit", "entrant": second}
        swapped = await ask(referee, path, ruling | await shown() | {"acts": [other]})
        assert swapped.json()["code"] == "dry_run_outdated", swapped.text
        now = await shown()
        both = await asyncio.gather(
            *(ask(referee, path, ruling | now, key=f"race-{number}") for number in range(2))
        )
        assert sorted(each.status_code for each in both) == [201, 409]
        assert {each.json().get("code") for each in both} == {None, "dispute_phase"}
        again = await ask(referee, path, ruling | now | {"outcome": "against"}, key="race-0")
        assert again.status_code in (409, 422), again.text
        pool = api.app.shell.pool
        stored = await pool.fetchval(
            "SELECT data->>'dry_run' FROM events WHERE type = 'dispute_ruled'"
        )
        assert stored == now["dry_run"]
    report = await audited(database, league)
    assert faults(report) == {}, report.text()


async def test_claims_in_confidence_are_safe_from_races_and_forged_names(
    serving, database: TestDatabase
) -> None:
    async with serving() as api:
        owner, league, _, tournament, people = await a_night(api, database)
        referees = [await with_office(api, owner, league) for _ in range(3)]
        stranger, _ = await api.league()
        body = {"kind": "payout", "tournament": tournament, "claim": "They play together."}
        twice = [
            await ask(people[0], "/v1/confidential-claims", body | more, key="one")
            for more in ({}, {}, {"claim": "Something else."})
        ]
        assert [each.status_code for each in twice] == [201, 201, 422]
        assert twice[0].json() == twice[1].json()
        (mine,) = await seen(people[0], league)
        path = f"/v1/confidential-claims/{mine['id']}"
        assert (await ask(stranger, "/v1/confidential-claims", body)).status_code == 404
        assert (await ask(stranger, f"{path}/dismiss", WHY)).status_code == 404
        for name in ("cnf_0", "dsp_" + mine["id"][4:], "cnf_" + "0" * 32, "cnf_" + "G" * 32, "%00"):
            gone = await ask(owner, f"/v1/confidential-claims/{name}/dismiss", WHY)
            assert (gone.status_code, gone.json()["code"]) == (404, "not_found"), name
        for bad in (
            {"about": "plr_"}, {"claim": ""}, {"claim": "x" * 2001}, {"kind": "flag"},
            {"rules": ["A.b"]}, {"step": 0}, {"hidden": True}, {"claim": "\u0000"},
        ):  # fmt: skip
            refused = await ask(people[0], "/v1/confidential-claims", body | bad)
            assert refused.status_code == 400, (bad, refused.text)
        words = {"claim": "Two entrants may have played together."}
        opened = await asyncio.gather(*(ask(each, f"{path}/open", words) for each in referees))
        assert {each.status_code for each in opened} == {201}
        assert len({each.json()["id"] for each in opened}) == 1
        count = "SELECT count(*) FROM events WHERE type = $1"
        pool = api.app.shell.pool
        assert await pool.fetchval(count, "dispute_opened") == 1
        (after,) = await seen(people[0], league)
        assert (after["state"], after["dispute"]) == ("opened", opened[0].json()["id"])
        dismissed = await ask(referees[0], f"{path}/dismiss", WHY)
        assert (dismissed.status_code, dismissed.json()["code"]) == (409, "claim_handled")
        other = await told(people[1], tournament)
        raced = await asyncio.gather(
            *(
                ask(each, f"/v1/confidential-claims/{other.json()['id']}/dismiss", WHY)
                for each in referees
            )
        )
        assert sorted(each.status_code for each in raced) == [200, 409, 409]
    report = await audited(database, league)
    assert faults(report) == {}, report.text()


async def test_masters_stay_shut_while_it_is_played_and_who_may_open_them_does_not_come_to_play(
    serving, database: TestDatabase
) -> None:
    async with serving() as api:
        late = {"late_registration_seconds": 3600}
        owner, league, tournament, people, table = await api.playing(2, entry=late)
        await turn(people, table)
        auditor = await with_office(api, owner, league, "auditor")
        await project(database)
        dispute = await claim(people[0], tournament=tournament)
        about = f"/v1/disputes/{dispute}"
        until = api.app.shell.now() + timedelta(hours=1)
        grant = {"auditor": auditor.player, "what": "masters", "until": until.isoformat(), **WHY}
        far = {"until": (until + timedelta(days=15)).isoformat()}
        past = {"until": "2020-01-01T00:00:00Z"}
        for bad in (grant | far, grant | past, grant | {"what": "hand"}):
            refused = await ask(owner, f"{about}/disclosures", bad)
            assert (refused.status_code, refused.json()["code"]) == (409, "dispute_invalid")
        assert (await ask(owner, f"{about}/disclosures", grant)).status_code == 201
        early = await ask(auditor, f"{about}/openings", {"what": "masters"})
        assert (early.status_code, early.json()["code"]) == (409, "not_over"), early.text
        came = await auditor.post(f"/v1/tournaments/{tournament}/registrations")
        assert (came.status_code, came.json()["code"]) == (409, "office_held"), came.text
        await project(database)
        listed = (await people[1].get(f"/v1/leagues/{league}/openings")).json()["items"]
        assert listed == []
