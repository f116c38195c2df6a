"""The OpenAPI document: names, pages, and everything that has made generators of clients fail."""

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from service.api.http.declaring.words import WORDS
from service.api.openapi import openapi_json
from service.api.openapi.components import Undescribed, components
from service.api.routes import ROUTES
from service.base.limits import LimitSettings


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    return json.loads(openapi_json())


def operations(document: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for methods in document["paths"].values():
        yield from methods.values()


def schemas_within(part: Any) -> Iterator[dict[str, Any]]:
    if isinstance(part, dict):
        yield part
        part = list(part.values())
    if isinstance(part, list):
        for each in part:
            yield from schemas_within(each)


def test_no_two_operations_share_a_name(document) -> None:
    names = Counter(each["operationId"] for each in operations(document))
    assert len(names) == len(ROUTES)
    assert {name for name, times in names.items() if times > 1} == set()


def test_every_page_names_its_items(document) -> None:
    pages = [each for name, each in document["components"]["schemas"].items() if "Page" in name]
    assert len(pages) > 30
    for page in pages:
        assert "$ref" in page["properties"]["items"]["items"]


def test_generators_meet_no_closed_tuple_and_no_default_that_is_an_object(document) -> None:
    for schema in schemas_within(document):
        assert schema.get("items") is not False
        if isinstance(schema.get("type"), str):
            assert not isinstance(schema.get("default"), dict | list)


def test_every_operation_has_a_group_a_summary_and_a_description(document) -> None:
    groups = {each["name"] for each in document["tags"]}
    assert all(each["description"] for each in document["tags"])
    for each in operations(document):
        assert set(each["tags"]) <= groups
        assert each["summary"]
        assert each["description"]
    assert {tag for each in operations(document) for tag in each["tags"]} == groups


def test_every_parameter_and_header_has_a_text(document) -> None:
    components = document["components"]
    shown = [each for op in operations(document) for each in op["parameters"] if "name" in each]
    assert len(shown) > 200
    for each in (*shown, *components["parameters"].values(), *components["headers"].values()):
        assert each["description"], each
        assert each["schema"], each


def test_an_answer_has_all_its_members_and_may_get_more(document) -> None:
    schemas = document["components"]["schemas"]
    for name in ("League", "TournamentListed", "TableListed", "Me", "WouldChange", "LeaguePage"):
        assert set(schemas[name]["required"]) == set(schemas[name]["properties"]), name
        assert "additionalProperties" not in schemas[name], name


def test_a_body_is_closed(document) -> None:
    schemas = document["components"]["schemas"]
    for each in operations(document):
        for body in each.get("requestBody", {}).get("content", {}).values():
            if "$ref" in body["schema"]:
                schema = schemas[body["schema"]["$ref"].rpartition("/")[2]]
                assert schema["additionalProperties"] is False, each["operationId"]


def test_every_property_has_a_text(document) -> None:
    properties = [
        (name, member, shown.get("description"))
        for name, schema in document["components"]["schemas"].items()
        for member, shown in schema.get("properties", {}).items()
    ]
    assert len(properties) > 1500
    assert [each for each in properties if not each[2]] == []


def test_a_member_without_a_text_stops_the_document() -> None:
    class Bare(msgspec.Struct):
        colour: str

    missing = components([], [Bare]).undescribed
    assert [(each.struct, each.member) for each in missing] == [("Bare", "colour")]
    assert "Bare.colour" in str(Undescribed(missing))


def test_every_word_is_used(document) -> None:
    used = {
        name
        for schema in document["components"]["schemas"].values()
        for name, shown in schema.get("properties", {}).items()
        if shown.get("description") == WORDS.get(name)
    }
    assert set(WORDS) <= used


def test_instants_and_identifiers_say_their_form(document) -> None:
    """msgspec's own schemas say only that both are strings."""
    shown = document["components"]["schemas"]["TournamentShown"]["properties"]
    assert shown["starts_at"]["format"] == "date-time"
    assert shown["registration_opens_at"]["anyOf"][0]["format"] == "date-time"
    assert shown["league"]["pattern"] == "^lge_[0-9a-f]{32}$"


def test_overrides_and_templates_are_documented_though_they_are_read_as_json(document) -> None:
    schemas = document["components"]["schemas"]
    overrides = schemas["TournamentAsked"]["properties"]["overrides"]["anyOf"][0]
    assert overrides == {"$ref": "#/components/schemas/RulesetOverrides"}
    assert schemas["RulesetOverrides"]["properties"]["escalation"]["discriminator"]
    template = schemas["TemplateWanted"]["properties"]["body"]["$ref"]
    assert template == "#/components/schemas/TournamentAsked"


def test_requests_have_the_examples_that_the_tests_send(document) -> None:
    asked = {
        each["operationId"]: each["requestBody"]["content"]
        for each in operations(document)
        if "requestBody" in each
    }
    assert asked["create_league"]["application/json"]["example"] == {"name": "Another"}


def test_the_limits_are_published(document) -> None:
    limits = document["x-rate-limits"]
    assert set(limits) == set(LimitSettings.__struct_fields__)
    assert limits["token_requests"]["default"] == LimitSettings().token_requests
    assert limits["token_requests"]["setting"] == "HOLOTABLE_TOKEN_REQUESTS"
    assert all(each["description"] for each in limits.values())


def test_every_link_fills_the_parameters_of_a_route_that_is_there(document) -> None:
    in_path = {
        each["operationId"]: {
            parameter["name"] for parameter in each["parameters"] if parameter.get("in") == "path"
        }
        for each in operations(document)
    }
    links = [
        link
        for each in operations(document)
        for answer in each["responses"].values()
        for link in answer.get("links", {}).values()
    ]
    assert len(links) == 12
    for link in links:
        assert set(link["parameters"]) == in_path[link["operationId"]], link


def test_the_address_of_a_webhook_is_called_with_the_messages_of_its_kinds(document) -> None:
    [making] = [each for each in operations(document) if each["operationId"] == "make_webhook"]
    sent = making["callbacks"]["message"]["{$request.body#/url}"]["post"]
    schema = sent["requestBody"]["content"]["application/json"]["schema"]
    assert set(schema["properties"]["type"]["enum"]) == set(document["webhooks"])
    for described in document["webhooks"].values():
        assert described["post"]["parameters"] == sent["parameters"]
        assert described["post"]["responses"] == sent["responses"]
    assert "url" in document["components"]["schemas"]["WebhookWanted"]["properties"]
