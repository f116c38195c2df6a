"""Sets of event versions: they never change, and there is a way back to each of them."""

import json

import pytest

from service.log import catalogue
from service.log.catalogue import SCHEMAS, SETS, SchemaChanged, demand_sets_kept, event_types
from service.log.event_sets import DOWNCASTERS, NEWEST, OLDER, downcast, known, version_in
from service.log.upcasters import UPCASTERS, current_version, upcast


def test_the_committed_sets_are_those_of_the_code() -> None:
    demand_sets_kept()
    assert SETS.read_text(encoding="utf-8") == catalogue.sets_text()
    assert {each: version_in(NEWEST, each) for each in event_types()} == {
        each: current_version(each) for each in event_types()
    }


def test_there_is_a_way_back_to_each_version_of_each_older_set() -> None:
    for number, versions in OLDER.items():
        assert known(number)
        for type_, version in versions.items():
            assert 1 <= version < current_version(type_), f"set {number} names a current version"
            for step in range(version, current_version(type_)):
                assert (type_, step + 1) in DOWNCASTERS
                assert (SCHEMAS / f"{type_}.v{step}.json").exists()


@pytest.mark.parametrize(("type_", "version"), sorted(DOWNCASTERS))
def test_a_way_back_leaves_the_members_of_the_older_schema(type_: str, version: int) -> None:
    """The way there and back changes nothing that the older version says."""
    assert (type_, version - 1) in UPCASTERS
    schema = json.loads((SCHEMAS / f"{type_}.v{version - 1}.json").read_text(encoding="utf-8"))
    [named] = [each for each in schema["$defs"].values() if "type" in each["properties"]]
    said = {name: name for name in named["properties"] if name != "type"}
    kinds = named["properties"].get("ruleset", {}).get("discriminator", {}).get("mapping", ())
    for older in [said | {"ruleset": {"variant": each}} for each in kinds] or [said]:
        newer = upcast(type_, version - 1, older)
        assert downcast(type_, newer, version - 1) == older


def test_a_new_version_of_an_event_needs_a_new_set(monkeypatch: pytest.MonkeyPatch) -> None:
    changed = {NEWEST: dict.fromkeys(event_types(), 9)}
    monkeypatch.setattr(catalogue, "sets_of", lambda types: changed)
    with pytest.raises(SchemaChanged, match="begin a new set"):
        demand_sets_kept()
