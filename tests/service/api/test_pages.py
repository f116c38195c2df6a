"""The pages about the API: its document, its reference, and a page for each problem."""

import json
import re

import pytest
import yaml

from service.api.http.problems import catalogue
from service.api.openapi import openapi_document

pytestmark = pytest.mark.anyio


async def test_the_document_is_served_in_both_forms_without_a_token(serving) -> None:
    async with serving() as api:
        as_json, as_yaml = [await api.http.get(f"/openapi.{each}") for each in ("json", "yaml")]
        known = {"If-None-Match": as_json.headers["etag"]}
        again = await api.http.get("/openapi.json", headers=known)
    assert as_yaml.text == openapi_document()
    assert as_json.json() == json.loads(json.dumps(yaml.safe_load(as_yaml.text)))
    assert as_json.headers["content-type"] == "application/json"
    assert as_json.headers["cache-control"] == "public, max-age=300"
    assert (again.status_code, again.content) == (304, b"")


async def test_the_reference_loads_nothing_from_elsewhere(serving) -> None:
    async with serving() as api:
        page = await api.http.get("/docs", headers={"Accept": "text/html,*/*;q=0.8"})
        loaded = re.findall(r'(?:src|href)="([^"]+)"', page.text)
        files = [await api.http.get(f"/{each}") for each in loaded]
        lost = await api.http.get("/docs/assets/swagger-ui-bundle.js.map")
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    policy = page.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; script-src 'self';")
    assert "http" not in policy
    assert [each.status_code for each in files] == [200] * 4
    assert len(files[2].content) > 1_000_000
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
    assert unknown.status_code == 404


async def test_every_code_has_a_page(serving) -> None:
    async with serving() as api:
        for code, (status, _) in catalogue().items():
            page = await api.http.get(f"/problems/{code}")
            assert (page.status_code, page.json()["status"]) == (200, status), code
