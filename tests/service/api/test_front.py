"""The fast path answers like the framework, and its caches are bounded."""

import asyncio

import asyncpg
import pytest

from engine.league import decider as league_decider
from engine.league.commands import RemoveMember
from engine.values import stream_of
from service.api.http.access.rights import MEMBERS_BELIEVED_FOR
from service.api.http.declaring.declaration import BODY_MAX
from service.base.addresses import asyncpg_dsn
from service.log.writer import States, StreamEvents
from service.people.tokens import token_text
from tests.service.api.table.test_commands import answer_to, turn

pytestmark = pytest.mark.anyio

ORDINARY = "/"
"""A suffix of the path. The fast path does not know it, but the framework does."""

JSON = {"content-type": "application/json", "idempotency-key": "k"}
REQUESTS = {
    "no token": ({"authorization": ""}, b"{}", 401),
    "an unknown token": ({"authorization": f"Bearer {token_text(b'x' * 32)}"}, b"{}", 401),
    "another media type": ({"content-type": "text/plain"}, b"{}", 415),
    "not JSON": ({}, b"{", 400),
    "not UTF-8": ({}, b'{"type":"\xff"}', 400),
    "an unknown field": ({}, b'{"type":"check","decision":"d","more":1}', 400),
    "no key": ({"idempotency-key": ""}, b'{"type":"check","decision":"d"}', 400),
    "an empty body": ({}, b"", 400),
    "a body that is too large": ({}, b" " * (BODY_MAX + 1), 413),
    "a decision that is not open": ({}, b'{"type":"check","decision":"d"}', 409),
}


@pytest.mark.parametrize("case", REQUESTS)
async def test_an_action_is_refused_as_on_the_ordinary_way(serving, case) -> None:
    changes, body, status = REQUESTS[case]
    async with serving() as api:
        _, _, _, people, table = await api.playing()
        await turn(people, table)
        headers = {**people[0].headers, **JSON}
        headers = {name.lower(): value for name, value in headers.items()} | changes
        headers = {name: value for name, value in headers.items() if value}
        path = f"/v1/tables/{table}/actions"
        front = await api.http.post(path, content=body, headers=headers)
        ordinary = await api.http.post(path + ORDINARY, content=body, headers=headers)
        assert front.status_code == status == ordinary.status_code, front.text
        told, expected = front.json(), ordinary.json()
        assert told.pop("instance") != expected.pop("instance")
        assert told == expected
        passing = {"x-request-id", "content-length"}
        assert {k: v for k, v in front.headers.items() if k not in passing} == {
            k: v for k, v in ordinary.headers.items() if k not in passing
        }


async def test_a_body_without_a_length_is_bounded_too(serving) -> None:
    async def endless():
        for _ in range(BODY_MAX // 1024 + 2):
            yield b" " * 1024

    async with serving() as api:
        _, _, _, people, table = await api.playing()
        headers = {**people[0].headers, **JSON}
        path = f"/v1/tables/{table}/actions"
        answer = await api.http.post(path, content=endless(), headers=headers)
        assert (answer.status_code, answer.json()["code"]) == (413, "body_too_large")


@pytest.mark.parametrize("way", ["", ORDINARY])
async def test_a_client_that_goes_away_is_no_defect(serving, caplog, way) -> None:
    parts = [
        {"type": "http.request", "body": b"{", "more_body": True},
        {"type": "http.disconnect"},
    ]
    sent = []

    async def receive():
        return parts.pop(0)

    async def send(message):
        sent.append(message)

    async with serving() as api:
        _, _, _, people, table = await api.playing()
        headers = {**people[0].headers, **JSON}
        scope = {
            "type": "http",
            "http_version": "1.1",
            "method": "POST",
            "scheme": "http",
            "path": f"/v1/tables/{table}/actions{way}",
            "raw_path": b"",
            "query_string": b"",
            "headers": [(k.lower().encode(), v.encode()) for k, v in headers.items()],
            "client": None,
            "server": None,
        }
        await api.app(scope, receive, send)
    assert sent[0]["status"] == 400
    assert [each for each in caplog.records if each.levelname == "ERROR"] == []


async def test_a_table_is_shown_as_on_the_ordinary_way(serving) -> None:
    async with serving() as api:
        _, _, _, people, table = await api.playing()
        await turn(people, table)
        path = f"/v1/tables/{table}"
        front, ordinary = await people[0].get(path), await people[0].get(path + ORDINARY)
        assert front.json() | {"now": None} == ordinary.json() | {"now": None}
        unchanged = {"If-None-Match": front.headers["etag"]}
        again = await people[0].get(path, headers=unchanged)
        assert (again.status_code, again.content) == (304, b"")
        assert again.headers["etag"] == front.headers["etag"]
        other = await api.http.request("PUT", path, headers=people[0].headers)
        assert (other.status_code, other.json()["code"]) == (405, "method_not_allowed")


async def test_a_path_that_names_no_table_is_not_found(serving) -> None:
    async with serving() as api:
        person = await api.person()
        for table in ("x", "tbl_x", f"tbl_{'0' * 32}", "%00", "tbl_" + "A" * 32):
            answer = await person.get(f"/v1/tables/{table}")
            assert (table, answer.status_code) == (table, 404)


async def test_many_refusals_at_once_are_all_kept(serving, database) -> None:
    async with serving() as api:
        _, _, _, people, table = await api.playing()
        await turn(people, table)
        path, wrong = f"/v1/tables/{table}/actions", {"type": "check", "decision": "stale"}
        answers = await asyncio.gather(
            *(people[n % 2].post(path, wrong, key=f"many{n}") for n in range(40))
        )
        assert {each.status_code for each in answers} == {409}
    connection = await asyncpg.connect(asyncpg_dsn(database.url("postgres")))
    try:
        kept = await connection.fetch("SELECT command, code FROM refused_command")
    finally:
        await connection.close()
    assert {row["code"] for row in kept} == {"stale_decision"}
    assert len({row["command"] for row in kept}) == len(kept) == 40


async def test_a_revoked_token_is_nobody_at_a_table_at_once(serving) -> None:
    async with serving() as api:
        _, _, _, people, table = await api.playing()
        person, view = await turn(people, table)
        mine, _ = (await person.get("/v1/tokens")).json()["items"]
        asked = [person.get(f"/v1/tables/{table}") for _ in range(10)]
        assert {each.status_code for each in await asyncio.gather(*asked)} == {200}
        await api.http.delete(f"/v1/tokens/{mine['id']}", headers=person.headers)
        path = f"/v1/tables/{table}/actions"
        assert (await person.post(path, answer_to(view), key="late")).status_code == 401


async def test_who_was_removed_elsewhere_is_a_stranger_after_a_few_seconds(serving) -> None:
    async with serving() as here, serving() as there:
        _, league, _, people, table = await here.playing()
        gone = people[0]
        assert (await gone.get(f"/v1/tables/{table}")).status_code == 200

        async def remove(states: States) -> list[StreamEvents]:
            stream = stream_of(league)
            command = RemoveMember(player=gone.player)
            before = (await states.load(stream)).state
            return [StreamEvents(stream, league_decider.decide(before, command))]

        runtime = there.app.shell.runtime
        await runtime.writer.submit(league, runtime.order("remove"), remove)
        shell = here.app.shell
        shell.members_asked[league] -= MEMBERS_BELIEVED_FOR
        assert (await gone.get(f"/v1/tables/{table}")).status_code == 404
        assert (await people[1].get(f"/v1/tables/{table}")).status_code == 200
