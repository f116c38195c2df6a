"""``If-Match``: demanded for edits, honoured wherever it is sent, compared in the order's turn."""

import asyncio
from typing import Any
from uuid import uuid4

import httpx
import pytest

from service.base.database import async_engine
from tests.service.api.conftest import Person
from tests.service.api.matrix import MAILING, Asker, routes
from tests.support.databases import TestDatabase

pytestmark = pytest.mark.anyio

EDITS = {
    "revise_terms", "change_breaking_order", "correct_result", "forfeit_result", "award_anew",
    "change_terms", "change_template", "set_house_rules", "set_dispute_windows", "change_role",
}  # fmt: skip
"""The edits of terms, orders and results."""


async def put(
    person: Person, path: str, body: Any, tag: str | None, key: str | None = None
) -> httpx.Response:
    """Replace what *path* names, if it is still at *tag*."""
    headers = person.headers | {"Idempotency-Key": key or uuid4().hex}
    if tag is not None:
        headers |= {"If-Match": tag}
    return await person.http.put(path, json=body, headers=headers)


async def tag_at(person: Person, path: str) -> str:
    """Return the ETag of what *path* shows."""
    return str((await person.get(path)).headers["etag"])


async def test_edits_demand_the_version_and_no_command_ignores_a_wrong_one(
    serving: Any, database: TestDatabase
) -> None:
    assert {name for name, (*_, it) in routes().items() if it.precondition == "demanded"} == EDITS
    async with serving(**MAILING) as api:
        projecting = async_engine(database.url("holotable_project"), 2)
        asker = Asker(api, projecting)
        await asker.meet()
        world = await asker.world()
        demanded, refused = {}, {}
        for name, (method, _, described) in routes().items():
            if method == "GET":
                continue
            persona = "entered owner" if described.needs == "own_entry" else "owner"
            _, path, sent = await asker.request(persona, name, world)
            headers = sent.pop("headers") | {"Idempotency-Key": uuid4().hex}
            if name in EDITS:
                answer = await api.http.request(method, path, headers=headers, **sent)
                demanded[name] = (answer.status_code, answer.json()["code"])
            headers["If-Match"] = '"999999"'
            answer = await api.http.request(method, path, headers=headers, **sent)
            told = answer.json() if answer.content else {}
            refused[name] = (answer.status_code, told.get("code"))
        await projecting.dispose()
    assert demanded == dict.fromkeys(EDITS, (428, "precondition_required"))
    conflict = (412, "stream_version_conflict")
    others = {name: answer for name, answer in refused.items() if answer != conflict}
    # These were refused for another reason before anything was decided. None went through.
    passed = {name for name, (status, _) in others.items() if not 400 <= status < 500}
    assert passed == set()
    assert len(refused) - len(others) > 60, others


async def test_a_cancellation_of_another_version_does_not_go_through(serving: Any) -> None:
    async with serving() as api:
        owner, league = await api.league()
        asked = {"name": "Night", "ruleset": "better"}
        made = await owner.post(f"/v1/leagues/{league}/tournaments", asked)
        path = f"/v1/tournaments/{made.json()['id']}"
        for wrong in ('"1"', '"0", "1"', '"other"', "12", 'W/"1"'):
            answer = await owner.post(f"{path}/cancel", headers={"If-Match": wrong})
            status = 400 if wrong == "12" else 412
            assert answer.status_code == status, (wrong, answer.text)
        read = await owner.get(path)
        assert read.json()["state"] == "registering"
        tried = await owner.post(f"{path}/cancel?dry_run=true", headers={"If-Match": '"1"'})
        assert tried.json()["code"] == "stream_version_conflict"
        right = f'"1", {read.headers["etag"]}'
        answer = await owner.post(f"{path}/cancel", headers={"If-Match": right})
        assert answer.is_success, answer.text


async def test_of_two_edits_of_one_version_only_one_passes(serving: Any) -> None:
    async with serving() as api, serving() as other:
        owner, league = await api.league()
        path = f"/v1/leagues/{league}/house-rules"
        elsewhere = Person(other.http, {"id": "", "login": "", "token": {"token": ""}})
        elsewhere.headers = owner.headers
        for seconds in range(20, 26):
            tag = await tag_at(owner, path)
            answers = await asyncio.gather(
                *(
                    put(each, path, {"body": {"decision_seconds": seconds + more}}, tag)
                    for each, more in ((owner, 0), (owner, 100), (elsewhere, 200), (elsewhere, 300))
                )
            )
            assert sorted(each.status_code for each in answers) == [200, 412, 412, 412]
            (passed,) = [each for each in answers if each.is_success]
            assert passed.headers["etag"] == await tag_at(owner, path)


async def test_a_retry_is_answered_before_its_version_is_compared(serving: Any) -> None:
    async with serving() as api:
        owner, league = await api.league()
        path = f"/v1/leagues/{league}/house-rules"
        tag, body = await tag_at(owner, path), {"body": {"decision_seconds": 20}}
        first = await put(owner, path, body, tag, "once")
        again = await put(owner, path, body, tag, "once")
        assert (first.status_code, again.status_code) == (200, 200)
        assert again.headers["idempotent-replayed"] == "true"
        assert again.headers["etag"] == first.headers["etag"]
        late = await put(owner, path, body, tag)
        assert late.json()["code"] == "stream_version_conflict"
        assert late.json()["version"] == int(first.headers["etag"].strip('"'))


async def test_what_can_be_edited_shows_its_tag(serving: Any) -> None:
    async with serving() as api:
        owner, league = await api.league()
        person, about = await api.join(owner, league), f"/v1/leagues/{league}"
        whole = {"name": "Weekly", "body": {"ruleset": "better"}}
        template = (await owner.post(f"{about}/templates", whole)).json()["id"]
        draft = {"name": "Night", "ruleset": "better", "draft": True}
        made = (await owner.post(f"{about}/tournaments", draft)).json()["id"]
        tournament = f"/v1/tournaments/{made}"
        terms = {"name": "Late night", "ruleset": "better"}
        anew = {"name": "Monthly", "body": {"ruleset": "better"}}
        for read, path, body in (
            (f"{about}/house-rules", f"{about}/house-rules", {"body": {"decision_seconds": 20}}),
            (f"{about}/templates/{template}", f"{about}/templates/{template}", anew),
            (f"{about}/dispute-windows", f"{about}/dispute-windows", {"hand_hours": 24}),
            (f"{about}/members", f"{about}/members/{person.player}", {"role": "scorer"}),
            (tournament, f"{tournament}/terms", terms),
        ):
            tag = await tag_at(owner, read)
            done = await put(owner, path, body, tag)
            assert done.status_code == 200, (path, done.text)
            stale = await put(owner, path, body, tag)
            assert (stale.status_code, stale.json()["code"]) == (412, "stream_version_conflict")
