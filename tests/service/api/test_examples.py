"""The examples of the document: each is a body or an answer of its operation."""

import msgspec
import pytest

from service.api.examples import REQUESTS, answers
from service.api.http.declaring.declaration import JSON
from service.api.http.declaring.nothing import Nothing
from service.api.openapi.answers import TEXTS, types_of
from service.api.table.streaming import EVENT_STREAM
from tests.service.api.matrix import routes
from tests.service.api.truth import fault_of


@pytest.mark.parametrize("name", sorted(REQUESTS))
def test_each_example_of_a_request_is_a_body_of_its_operation(name: str) -> None:
    _, _, described = routes()[name]
    assert described.body is not None
    msgspec.convert(REQUESTS[name], described.body, strict=True)


@pytest.mark.parametrize("name", sorted(answers()))
def test_each_example_of_an_answer_is_an_answer_of_its_operation(name: str) -> None:
    _, _, described = routes()[name]
    content = msgspec.json.encode(answers()[name])
    assert None in [fault_of(content, each) for each in types_of(described.answer)]


def test_operations_with_an_answer_have_an_example() -> None:
    """Archives and pages for people are shown nowhere."""
    lacking = {
        name
        for name, (_, _, described) in routes().items()
        if described.answer is not None
        and described.media in (JSON, EVENT_STREAM, *TEXTS)
        and name not in answers()
    }
    assert lacking == set()


def test_operations_with_a_body_have_an_example() -> None:
    lacking = {
        name
        for name, (_, _, described) in routes().items()
        if described.body not in (None, Nothing, str) and name not in REQUESTS
    }
    assert lacking == set()
