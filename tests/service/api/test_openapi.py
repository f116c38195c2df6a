"""The OpenAPI document: names, pages and everything that generators of clients stumble over."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from service.api.openapi import openapi_document
from service.api.routes import ROUTES


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    return yaml.safe_load(openapi_document())


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
