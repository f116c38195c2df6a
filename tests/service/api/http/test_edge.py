"""Rules for every path: methods, media types, compression, and scripts of other sites."""

import asyncio
from typing import Any

import pytest

from service.api.http.wire.compression import compressible
from service.api.routes import ROUTES
from service.base.settings import SettingsInvalid, read

pytestmark = pytest.mark.anyio

SITE, OTHER = "https://league.example", "https://elsewhere.example"
GZIP, PLAIN = {"Accept-Encoding": "gzip"}, {"Accept-Encoding": "identity"}
PASSING = ("x-request-id", "date", "instance")


def settled(headers: Any) -> dict[str, str]:
    """Return the headers that do not change from request to request."""
    return {name: value for name, value in headers.items() if name not in PASSING}


async def test_every_read_answers_head_with_the_same_headers_and_no_body(serving) -> None:
    async with serving() as api:
        owner, league, tournament, _, table = await api.playing()
        for path in (
            f"/v1/leagues/{league}",
            f"/v1/leagues/{league}/tournaments",
            f"/v1/tournaments/{tournament}",
            f"/v1/tables/{table}",
            "/v1/rulesets/better",
            "/v1/rulesets/unknown",
            "/livez",
            "/nowhere",
        ):
            for encoding in (GZIP, PLAIN):
                headers = {**owner.headers, **encoding}
                shown = await api.http.get(path, headers=headers)
                head = await api.http.head(path, headers=headers)
                assert (head.status_code, head.content) == (shown.status_code, b""), path
                assert settled(head.headers) == settled(shown.headers), path


async def test_a_head_of_a_stream_ends_at_once_and_holds_no_stream(serving) -> None:
    async with serving() as api:
        owner, league, _, _, table = await api.playing()
        for path in (f"/v1/leagues/{league}/events", f"/v1/tables/{table}/events"):
            headers = {**owner.headers, "Accept": "text/event-stream"}
            async with asyncio.timeout(5):
                head = await api.http.head(path, headers=headers)
            assert (head.status_code, head.content) == (200, b"")
            assert head.headers["content-type"].startswith("text/event-stream")
        assert not api.app.limits.streams._open


async def test_options_lists_every_method_of_a_path(serving) -> None:
    async with serving() as api:
        for path, allow in (
            ("/v1/leagues", "GET, HEAD, POST, OPTIONS"),
            ("/v1/leagues/lge_1", "GET, HEAD, OPTIONS"),
            ("/v1/tables/tbl_1/actions", "POST, OPTIONS"),
            ("/v1/me", "GET, HEAD, DELETE, OPTIONS"),
        ):
            answer = await api.http.options(path)
            assert (answer.status_code, answer.content) == (204, b"")
            assert set(answer.headers["allow"].split(", ")) >= set(allow.split(", ")), path
            assert answer.headers["x-request-id"]
        unknown = await api.http.options("/nowhere")
        assert (unknown.status_code, unknown.json()["code"]) == (404, "not_found")


async def test_a_wrong_method_is_told_every_right_one(serving) -> None:
    async with serving() as api:
        for method, path in (
            ("DELETE", "/v1/leagues"),
            ("HEAD", "/v1/tables/tbl_1/actions"),
            ("PUT", "/v1/tables/tbl_1"),
        ):
            answer = await api.http.request(method, path)
            listed = (await api.http.options(path)).headers["allow"]
            assert (answer.status_code, answer.headers["allow"]) == (405, listed)
            if method != "HEAD":
                assert answer.json()["code"] == "method_not_allowed"


async def test_every_route_is_found_by_its_path_with_its_methods(serving) -> None:
    async with serving() as api:
        for handler in ROUTES:
            for path in handler.paths:
                asked = path.replace("{", "").replace(":str}", "_1")
                answer = await api.http.options(asked)
                methods = answer.headers["allow"].split(", ")
                assert {"OPTIONS", *handler.http_methods} <= set(methods), path


@pytest.mark.parametrize(
    ("accept", "status"),
    [
        ("application/json", 200),
        ("application/*;q=0.1", 200),
        ("text/html, */*;q=0.1", 200),
        ("application/xml", 406),
        ("text/event-stream", 406),
        ("application/json;q=0", 406),
        ("*/*, application/json;q=0", 406),
        ("", 200),
    ],
)
async def test_a_media_type_that_there_is_not_is_refused(serving, accept, status) -> None:
    async with serving() as api:
        answer = await api.http.get("/v1/rulesets/better", headers={"Accept": accept})
        assert answer.status_code == status, answer.text
        if status == 406:
            told = answer.json()
            assert (told["code"], told["produces"]) == ("not_acceptable", ["application/json"])
            assert answer.headers["content-type"] == "application/problem+json"
            assert answer.headers["x-request-id"] in told["instance"]


async def test_a_command_whose_answer_nobody_accepts_changes_nothing(serving) -> None:
    async with serving() as api:
        owner = await api.person()
        answer = await owner.post(
            "/v1/leagues", {"name": "Bespin"}, key="k", headers={"Accept": "application/xml"}
        )
        assert answer.status_code == 406
        assert (await owner.get("/v1/leagues")).json()["items"] == []


async def test_long_answers_are_compressed_and_keep_tags_of_their_own(serving) -> None:
    async with serving() as api:
        path = "/v1/rulesets/better"
        plain = await api.http.get(path, headers=PLAIN)
        assert "content-encoding" not in plain.headers
        assert "Accept-Encoding" in plain.headers["vary"]
        packed = await api.http.get(path, headers=GZIP)
        assert packed.headers["content-encoding"] == "gzip"
        assert int(packed.headers["content-length"]) < len(plain.content) * 0.6
        assert packed.content == plain.content
        tag = plain.headers["etag"]
        assert packed.headers["etag"] == tag[:-1] + '-gzip"'
        for known in (tag, packed.headers["etag"]):
            again = await api.http.get(path, headers={**GZIP, "If-None-Match": known})
            assert (again.status_code, again.content) == (304, b"")
            assert again.headers["etag"] == known
        other = await api.http.get(path, headers={**GZIP, "If-None-Match": '"other-gzip"'})
        assert other.status_code == 200


async def test_a_refusal_of_gzip_is_honoured(serving) -> None:
    async with serving() as api:
        for given in ("gzip;q=0", "br", "*;q=0"):
            headers = {"Accept-Encoding": given}
            answer = await api.http.get("/v1/rulesets/better", headers=headers)
            assert "content-encoding" not in answer.headers


async def test_nothing_that_holds_a_secret_is_compressed(serving) -> None:
    async with serving() as api:
        owner, league, _, people, table = await api.playing()
        answers = [
            await people[0].get(f"/v1/tables/{table}", headers=GZIP),
            await people[0].get(f"/v1/tables/{table}/events?limit=200", headers=GZIP),
            await owner.get(f"/v1/leagues/{league}/events?limit=200", headers=GZIP),
            await owner.get("/v1/me", headers=GZIP),
            await owner.post(f"/v1/leagues/{league}/invitations", headers=GZIP),
        ]
        assert [len(each.content) > 1024 for each in answers[:3]] == [True] * 3
        for each in answers:
            assert "content-encoding" not in each.headers
        for path in ("/v1/hands/hnd_1/replay", "/v1/me/tokens", "/v1/disputes/dsp_1", "/v1/tokens"):
            assert not compressible(path)


async def test_a_script_of_an_allowed_site_may_call_and_read(serving) -> None:
    async with serving(cors_origins=f"{SITE}, http://localhost:5173") as api:
        owner, _, _, _, table = await api.playing()
        path = f"/v1/tables/{table}/actions"
        asking = {"Origin": SITE, "Access-Control-Request-Method": "POST"}
        before = await api.http.options(path, headers=asking)
        assert before.status_code == 204
        assert before.headers["access-control-allow-origin"] == SITE
        assert before.headers["access-control-allow-methods"] == "POST, OPTIONS"
        allowed = before.headers["access-control-allow-headers"].lower()
        assert {"authorization", "idempotency-key", "if-match"} <= set(allowed.split(", "))
        refused = await api.http.post(path, headers={"Origin": SITE})
        assert refused.status_code == 401
        shown = await owner.get(f"/v1/tables/{table}", headers={"Origin": SITE})
        missing = await owner.get("/nowhere", headers={"Origin": SITE})
        wrong = await owner.get("/v1/me", headers={"Origin": SITE, "Accept": "text/csv"})
        assert [each.status_code for each in (shown, missing, wrong)] == [200, 404, 406]
        for each in (refused, shown, missing, wrong):
            assert each.headers["access-control-allow-origin"] == SITE
            assert "etag" in each.headers["access-control-expose-headers"].lower()
            assert "Origin" in each.headers["vary"]
            assert "access-control-allow-credentials" not in each.headers


async def test_scripts_of_other_sites_get_no_leave(serving) -> None:
    for allowed in (None, SITE):
        async with serving(cors_origins=allowed) as api:
            asking = {"Origin": OTHER, "Access-Control-Request-Method": "GET"}
            before = await api.http.options("/v1/rulesets", headers=asking)
            shown = await api.http.get("/v1/rulesets", headers={"Origin": OTHER})
            null = await api.http.get("/v1/rulesets", headers={"Origin": "null"})
            for each in (before, shown, null):
                assert not [name for name in each.headers if name.startswith("access-control")]


async def test_a_star_lets_every_site_read_but_never_with_a_browsers_own_rights(serving) -> None:
    async with serving(cors_origins="*") as api:
        shown = await api.http.get("/v1/rulesets", headers={"Origin": OTHER})
        assert shown.headers["access-control-allow-origin"] == "*"
        assert "access-control-allow-credentials" not in shown.headers


async def test_requests_before_the_routes_count_towards_the_limits(serving) -> None:
    async with serving(open_requests=1) as api:
        answers = [await api.http.options("/v1/rulesets") for _ in range(12)]
        assert {each.status_code for each in answers} == {204, 429}


def test_origins_are_origins() -> None:
    given = {
        "HOLOTABLE_DATABASE_URL": "postgresql://x",
        "HOLOTABLE_SECRET_KEY": "x" * 32,
    }
    found = read(given | {"HOLOTABLE_CORS_ORIGINS": "https://a.example,http://[::1]:80"})
    assert found.origins() == ("https://a.example", "http://[::1]:80")
    for wrong in ("https://a.example/", "a.example", "*,https://a.example", "https://A.example"):
        with pytest.raises(SettingsInvalid):
            read(given | {"HOLOTABLE_CORS_ORIGINS": wrong})


async def test_a_header_that_is_too_long_is_not_read(serving) -> None:
    """Nothing limits such requests yet when the edge reads their headers."""
    async with serving() as api:
        long = ",".join(["gzip", *(f"a/{number}" for number in range(3000))])
        plain = await api.http.get("/v1/rulesets", headers={"Accept": "a/1"})
        assert plain.status_code == 406
        answer = await api.http.get("/v1/rulesets", headers={"Accept": long} | GZIP)
        assert (answer.status_code, answer.headers["content-encoding"]) == (200, "gzip")
        answer = await api.http.get("/v1/rulesets", headers={"Accept-Encoding": long})
        assert (answer.status_code, "content-encoding" in answer.headers) == (200, False)
