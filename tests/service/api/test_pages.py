"""The pages about the API: its document, its reference, and a page for each problem."""

import re
from pathlib import Path

import pytest
import yaml

from service.api.http.problems.answers import catalogue
from service.api.http.wire import compression
from service.api.http.wire.compression import tagged
from service.base.pools import Pool

pytestmark = pytest.mark.anyio

DOCUMENT = Path(__file__).resolve().parents[3] / "api-spec" / "openapi.yaml"
"""The committed document. ``test_problems.py`` compares it with the code."""


async def test_the_document_is_served_in_both_forms_without_a_token(serving) -> None:
    async with serving() as api:
        as_json, as_yaml = [await api.http.get(f"/openapi.{each}") for each in ("json", "yaml")]
        known = {"If-None-Match": as_json.headers["etag"]}
        again = await api.http.get("/openapi.json", headers=known)
    assert as_yaml.text == DOCUMENT.read_text("utf-8")
    assert as_json.json() == yaml.load(as_yaml.text, yaml.CSafeLoader)
    assert as_json.headers["content-type"] == "application/json"
    assert as_json.headers["cache-control"] == "public, max-age=300"
    assert (again.status_code, again.content) == (304, b"")


async def test_the_reference_loads_nothing_from_elsewhere(serving) -> None:
    async with serving() as api:
        page = await api.http.get("/docs", headers={"Accept": "text/html,*/*;q=0.8"})
        loaded = re.findall(r'(?:src|href)="([^":]+)"', page.text)
        files = [await api.http.get(f"/{each}") for each in loaded]
        lost = await api.http.get("/docs/assets/swagger-ui-bundle.js.map")
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    policy = page.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; script-src 'self';")
    assert "http" not in policy
    assert [each.status_code for each in files] == [200] * 5
    assert len(files[3].content) > 1_000_000
    assert '<meta name="viewport"' in page.text
    assert lost.status_code == 404


async def test_the_type_of_a_problem_leads_to_its_page(serving) -> None:
    async with serving() as api:
        refused = (await api.http.get("/v1/me")).json()
        told = await api.http.get(refused["type"])
        html = await api.http.get(refused["type"], headers={"Accept": "text/html"})
        unknown = await api.http.get("/problems/nothing")
    assert refused["type"] == "/problems/unauthenticated"
    assert told.json()["code"] == "unauthenticated"
    assert (told.json()["status"], told.json()["title"]) == catalogue()["unauthenticated"]
    assert "read_league" in told.json()["operations"]
    assert html.headers["content-type"] == "text/html; charset=utf-8"
    assert "<h1><code>unauthenticated</code></h1>" in html.text
    assert '<meta name="viewport"' in html.text
    assert unknown.status_code == 404


async def test_every_code_has_a_page(serving) -> None:
    async with serving() as api:
        for code, (status, _) in catalogue().items():
            page = await api.http.get(f"/problems/{code}")
            assert (page.status_code, page.json()["status"]) == (200, status), code


async def test_long_pages_are_compressed_once_and_fit_every_origin(serving) -> None:
    async with serving() as api:
        gzip = {"Accept-Encoding": "gzip"}
        paths = ("/openapi.json", "/docs/assets/swagger-ui-bundle.js")
        first = [await api.http.get(path, headers=gzip) for path in paths]
        assert {each.headers["content-encoding"] for each in first} == {"gzip"}
        assert {each.headers["etag"].encode() for each in first} <= {
            tagged(tag) for tag in compression._kept
        }
        pool = Pool("closed to this test", threads=1, waiting=-1)  # it refuses all work
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(compression, "COMPRESSION", pool)
            again = [await api.http.get(path, headers=gzip) for path in paths]
        for one, other in zip(first, again, strict=True):
            assert other.headers["content-encoding"] == "gzip"
            assert other.content == one.content
        for path in (*paths, "/docs", "/problems/forbidden"):
            vary = (await api.http.get(path)).headers["vary"]
            assert vary == "Accept, Accept-Encoding, Origin"
