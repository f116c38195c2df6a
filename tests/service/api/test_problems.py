"""Every refusal is a problem document, and every rule has its status."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from engine.errors import CommandRejected
from service.api.http.problems.answers import STATUSES, catalogue, catalogue_text
from service.api.openapi import openapi_document, openapi_json
from service.api.routes import ROUTES
from service.base.errors import ServiceError
from service.people.texts import TEXT_MAX

pytestmark = pytest.mark.anyio

ROOT = Path(__file__).resolve().parents[3]


def subclasses(root: type) -> set[type]:
    found = set(root.__subclasses__())
    return found.union(*(subclasses(each) for each in found)) if found else found


def test_every_refusal_of_the_rules_has_a_status() -> None:
    missing = {
        each.__name__
        for each in subclasses(CommandRejected)
        if each.__module__.startswith("engine.") and each not in STATUSES
    }
    assert missing == set()


def test_every_refusal_of_the_shell_has_a_status() -> None:
    missing = {
        each.__name__
        for each in subclasses(ServiceError)
        if each.__module__.startswith("service.") and each not in STATUSES
    }
    assert missing == set()


def test_codes_are_unique() -> None:
    codes = [each.code for each in subclasses(CommandRejected) if each.__module__[:6] == "engine"]
    assert len(codes) == len(set(codes))
    assert set(codes) <= set(catalogue())


def test_the_catalogue_of_problems_is_what_is_committed() -> None:
    assert (ROOT / "api-spec/problems.md").read_text(encoding="utf-8") == catalogue_text()


def test_the_openapi_document_is_what_is_committed() -> None:
    assert (ROOT / "api-spec/openapi.yaml").read_text(encoding="utf-8") == openapi_document()


def _asks_for_words(schema: Any, schemas: dict[str, Any]) -> bool:
    if isinstance(schema, dict):
        if schema.get("maxLength") == TEXT_MAX:
            return True
        if "$ref" in schema:
            return _asks_for_words(schemas[schema["$ref"].rpartition("/")[2]], schemas)
        schema = list(schema.values())
    return isinstance(schema, list) and any(_asks_for_words(each, schemas) for each in schema)


def test_every_route_that_keeps_or_shows_words_says_that_they_may_be_forged() -> None:
    document = json.loads(openapi_json())
    schemas = document["components"]["schemas"]
    sealed = {"file_confidential_claim", "dismiss_confidential_claim"}  # stored with the claim
    shown = {
        "read_text", "list_bans", "read_dispute", "list_announcements", "list_corrections",
        "list_terms_changes",
        "take_league_away",
    }  # fmt: skip
    for path in document["paths"].values():
        for each in path.values():
            name = each["operationId"]
            keeps = _asks_for_words(each.get("requestBody"), schemas) and name not in sealed
            refusal = each["responses"].get("409", {})
            if "$ref" in refusal:
                refusal = document["components"]["responses"][refusal["$ref"].rpartition("/")[2]]
            said = "text_forged" in refusal.get("description", "")
            assert said == (keeps or name in shown), name


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        (b'{"name": "a", "colour": 1}', 400, "validation_failed"),
        (b'{"name": 7}', 400, "validation_failed"),
        (b"{}", 400, "validation_failed"),
        (b"[]", 400, "validation_failed"),
        (b'{"name": ', 400, "invalid_json"),
        (b'{"name": 1e999}', 400, "invalid_json"),
        (b"[" * 5000, 400, "invalid_json"),
        (b'{"name": "a\\u0000"}', 400, "invalid_unicode"),
        (b'{"name": "\\ud800"}', 400, "invalid_unicode"),
        (b'{"name": "\xff"}', 400, "invalid_unicode"),
        (b'{"name": "' + b"a" * 70_000 + b'"}', 413, "body_too_large"),
    ],
)
async def test_a_malformed_body_is_refused_by_name(serving, body, status, code) -> None:
    async with serving() as api:
        person = await api.person()
        answer = await api.http.post(
            "/v1/leagues",
            content=body,
            headers={**person.headers, "Content-Type": "application/json"},
        )
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["instance"] == f"urn:uuid:{answer.headers['x-request-id']}"


async def test_a_doubled_member_is_told_from_what_is_no_json(serving) -> None:
    async with serving() as api:
        person = await api.person()
        headers = {**person.headers, "Content-Type": "application/json"}
        body = b'{"name": "a", "name": "b"}'
        answer = (await api.http.post("/v1/leagues", content=body, headers=headers)).json()
    assert answer["title"] == "The body is not JSON, or an object in it has the same member twice"
    assert answer["detail"] == 'an object has the member "name" twice'


async def test_unknown_paths_and_methods_are_problem_documents_too(serving) -> None:
    async with serving() as api:
        lost = await api.http.get("/v1/nothing")
        wrong = await api.http.put("/v1/me")
        media = await api.http.post(
            "/v1/accounts", content=b"a=b", headers={"Content-Type": "text/plain"}
        )
    assert (lost.status_code, lost.json()["code"]) == (404, "not_found")
    assert (wrong.status_code, wrong.json()["code"]) == (405, "method_not_allowed")
    assert (media.status_code, media.json()["code"]) == (415, "unsupported_media_type")
    assert {each.headers["content-type"] for each in (lost, wrong, media)} == {
        "application/problem+json"
    }


def test_every_route_that_the_docs_name_is_there() -> None:
    known = {
        (method, re.sub(r"\{[^}]*\}", "{}", path))
        for handler in ROUTES
        for path in handler.paths
        for method in handler.http_methods
    }
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    named = {
        (method, re.sub(r"\{[^}]*\}", "{}", path), page.name)
        for page in pages
        for method, path in re.findall(
            r"`(GET|POST|DELETE) (/v1/[\w/{}.-]+)", page.read_text(encoding="utf-8")
        )
    }
    assert len(named) > 10
    assert {each for each in named if each[:2] not in known} == set()


async def test_unknown_query_parameters_are_refused_by_name(serving) -> None:
    async with serving() as api:
        person = await api.person()
        read = await person.get("/v1/leagues", params={"limt": 1, "sort": "name", "limit": 1})
        written = await person.post("/v1/leagues?force=true", {"name": "Sabacc"})
        tried = await person.post("/v1/leagues?dry_run=true", {"name": "Sabacc"})
        leagues = (await person.get("/v1/leagues")).json()["items"]
    assert (read.status_code, read.json()["code"]) == (400, "unknown_parameter")
    assert [each["pointer"] for each in read.json()["errors"]] == ["/limt", "/sort"]
    assert "cursor, limit" in read.json()["detail"]
    assert (written.status_code, written.json()["code"]) == (400, "unknown_parameter")
    assert (tried.status_code, tried.json()["code"]) == (400, "dry_run_unsupported")
    assert leagues == []
