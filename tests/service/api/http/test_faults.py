"""All faults of a body are named at once, each at its own place."""

from typing import Annotated, Any, Literal

import msgspec
import pytest
from msgspec import Meta

from service.api.http.problems.faults import FAULTS_MAX, Fault, faults_of

pytestmark = pytest.mark.anyio


class Near(msgspec.Struct, tag="near", forbid_unknown_fields=True):
    """A choice."""

    metres: int


class Far(msgspec.Struct, tag="far", forbid_unknown_fields=True):
    """Another choice."""

    miles: Annotated[int, Meta(ge=1)]


class Wanted(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """A body with members of every kind."""

    name: str
    size: Annotated[int, Meta(ge=1, le=9)] | None = None
    kind: Literal["a", "b"] = "a"
    place: Near | Far | None = None
    pair: tuple[int, str] | None = None
    rows: tuple[Annotated[int, Meta(ge=0)], ...] = ()
    weights: dict[str, float] = {}
    inner: "Wanted | None" = None


def places(content: Any) -> dict[str, str]:
    """Return the codes of the faults by place."""
    return {each.pointer: each.code for each in faults_of(content, Wanted)}


def test_each_fault_is_named_where_it_is() -> None:
    content = {
        "nam": "x",
        "a/b~c": 1,
        "size": 10,
        "kind": "c",
        "place": {"type": "far", "miles": 0, "feet": 1},
        "pair": ["1", 2],
        "rows": [1, -1, "2", 3],
        "weights": {"one": 1.5, "two": "heavy"},
        "inner": {"name": "in\u200bner", "inner": {"size": "3"}},
    }
    bad = "invalid_value"
    assert places(content) == {
        "/nam": "unknown_field",
        "/a~1b~0c": "unknown_field",
        "/name": bad,
        "/size": bad,
        "/kind": bad,
        "/place/miles": bad,
        "/place/feet": "unknown_field",
        "/pair/0": bad,
        "/pair/1": bad,
        "/rows/1": bad,
        "/rows/2": bad,
        "/weights/two": bad,
        "/inner/name": bad,
        "/inner/inner/name": bad,
        "/inner/inner/size": bad,
    }


def test_what_has_no_parts_to_blame_is_blamed_itself() -> None:
    assert places([]) == {"": "invalid_value"}
    assert places({"name": "x", "place": {"type": "beyond"}}) == {"/place/type": "invalid_value"}
    assert places({"name": "x", "pair": [1]}) == {"/pair": "invalid_value"}
    assert places({"name": "x", "rows": {}}) == {"/rows": "invalid_value"}
    assert places({"name": "x"}) == {}


def test_no_refusal_names_more_than_fifty_faults() -> None:
    found = faults_of({"name": "x", "rows": [-1] * 1000}, Wanted)
    assert len(found) == FAULTS_MAX
    assert found[-1] == Fault("/rows/49", "Expected `int` >= 0", "invalid_value")


async def test_a_request_hears_of_all_its_faults(serving: Any) -> None:
    async with serving() as api:
        owner, league = await api.league()
        asked = {
            "name": "Ni\u202eght",
            "rulset": "better",
            "entrants_max": "many",
            "floor": {"redraw_at": "never", "clok": 1},
            "payouts": [50, "30"],
        }
        answer = await owner.post(f"/v1/leagues/{league}/tournaments", asked)
        assert (answer.status_code, answer.json()["code"]) == (400, "validation_failed")
        named = {each["pointer"]: each["code"] for each in answer.json()["errors"]}
        assert named == {
            "/name": "invalid_value",
            "/rulset": "unknown_field",
            "/entrants_max": "invalid_value",
            "/floor/redraw_at": "invalid_value",
            "/floor/clok": "unknown_field",
            "/payouts/1": "invalid_value",
        }
        assert all(each["detail"] for each in answer.json()["errors"])
        body = {"body": {"rulset": "better", "entrants_max": "many"}}
        path = f"/v1/leagues/{league}/house-rules"
        answer = await owner.http.put(path, json=body, headers=owner.headers | {"If-Match": "*"})
        named = {each["pointer"]: each["code"] for each in answer.json()["errors"]}
        assert named == {"/body/rulset": "unknown_field", "/body/entrants_max": "invalid_value"}
