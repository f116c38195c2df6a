"""A season's evening with house bots proves itself: the audit and the verifier find no fault."""

from typing import Any

import pytest

from engine.kit.audiences import AUDITOR
from engine.kit.house_bots import STRENGTHS
from service.bundles.writing import Wanted, bundle
from service.director import closing_heads, submitting
from service.log.keys import Keys
from tests.service.api.conftest import serving
from tests.service.api.proof.test_evidence import KEY, project, signing
from tests.service.api.table.test_feeds import everything
from tests.service.api.tournament.test_casino import play_until
from tests.service.audit.test_audit import audited, faults
from tests.service.sandbox.test_house import NIGHT, driving, over
from tests.support.databases import SECRET_KEY, TestDatabase
from tests.verifier.loading import verifier

pytestmark = pytest.mark.anyio

__all__ = ["serving", "signing"]

PRESET = {"points": {"type": "points_preset", "name": "stockholm"}}


async def played(
    owner: Any, league: str, people: list[Any], terms: dict[str, Any]
) -> tuple[str, str]:
    """Play a tournament of *people* and a house bot of each strength. Return it and its table."""
    made = await owner.post(f"/v1/leagues/{league}/tournaments", NIGHT | terms)
    assert made.status_code == 201, made.text
    night = f"/v1/tournaments/{made.json()['id']}"
    for person in people:
        assert (await person.post(f"{night}/registrations")).status_code == 201
    for strength in STRENGTHS:
        seated = await owner.post(f"{night}/house-bots", {"count": 1, "strength": strength})
        assert seated.status_code == 201, seated.text
    assert (await owner.post(f"{night}/start")).status_code == 202
    (table,) = (await owner.get(f"{night}/tables")).json()["items"]
    await play_until(people, table["id"], lambda: over(owner, made.json()["id"]))
    return made.json()["id"], table["id"]


async def test_a_season_with_house_bots_is_audited_and_its_bundles_are_verified(
    serving: Any, signing: Any, database: TestDatabase
) -> None:
    async with serving() as api, signing() as sign, driving(database):
        owner, league = await api.league()
        people = [await api.join(owner, league) for _ in range(2)]
        opened = await owner.post(f"/v1/leagues/{league}/seasons", {"name": "Autumn"} | PRESET)
        season = opened.json()["id"]
        terms = {"season": season, "table_seats": 6, "hands_max": 6}
        tournament, table = await played(owner, league, people, terms)
        runtime = api.app.shell.runtime
        await submitting.award_points(runtime, league, tournament)
        closed = await owner.post(f"/v1/seasons/{season}/close")
        assert closed.is_success, closed.text
        await closing_heads.record_tournaments(runtime, league, season)
        await project(database)

        standings = (await owner.get(f"/v1/seasons/{season}/standings")).json()["items"]
        report = await audited(database, league)
        await sign(league)
        feed = await everything(owner, f"/v1/tables/{table}/events", limit=200)
        hand = next(each["data"]["hand"] for each in feed if each["type"] == "hand_opened")
        bundles = [
            (await person.get(f"/v1/{kind}/{name}/bundle")).content
            for person in (owner, people[0])
            for kind, name in (("hands", hand), ("tournaments", tournament), ("seasons", season))
        ]
        engine = api.app.shell.engine
        for kind, subject in (("tournament", tournament), ("season", season)):
            wanted = Wanted(kind=kind, subject=subject, viewer=AUDITOR)
            lines = await bundle(engine, runtime.pool, Keys(SECRET_KEY), wanted)
            bundles.append(b"".join([line async for line in lines]))

    assert {each["player"] for each in standings} == {each.player for each in people}
    assert faults(report) == {}, report.text()
    placings = next(each for each in report.checks if each.name == "points")
    assert placings.checked > 0
    keys = [verifier.read_key(KEY.verifier_key())]
    for content in bundles:
        found = verifier.verify(content, keys)
        assert found.authentic
        assert found.differences == []
    assert verifier.verify(bundles[-1], keys).status() == verifier.PASS
