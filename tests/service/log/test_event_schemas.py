"""The committed schemas of stored events: complete, unchanged, and without hidden values."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from engine.coordination.aggregates import DECIDERS
from engine.values import Sealed, SealedCard
from service.log import catalogue

EVENTS = [event for events in catalogue.events_by_category().values() for event in events]


@pytest.mark.parametrize("event", EVENTS, ids=catalogue.tag_of)
def test_a_stored_event_has_the_shape_that_is_committed(event: type[msgspec.Struct]) -> None:
    """
    A new shape needs a new version beside the old one. Run ``python -m service.log.catalogue``.
    """
    committed = json.loads(catalogue.file_of(event).read_text(encoding="utf-8"))
    generated = json.loads(catalogue.text_of(catalogue.schema_of(event)))

    assert catalogue.shape_of(committed) == catalogue.shape_of(generated)


def test_committed_descriptions_follow_the_docstrings() -> None:
    """
    After an edit of docstrings, run ``python -m service.log.catalogue`` to write the descriptions.
    """
    stale = [
        catalogue.tag_of(event)
        for event in EVENTS
        if catalogue.file_of(event).read_text(encoding="utf-8")
        != catalogue.text_of(catalogue.schema_of(event))
    ]

    assert stale == []


def test_only_titles_and_descriptions_are_no_part_of_a_shape() -> None:
    """A property or a value named ``title`` or ``description`` is part of the shape."""
    schema: dict[str, Any] = {
        "title": "Odd",
        "description": "Before.",
        "properties": {
            "title": {"type": "string", "description": "Before."},
            "terms": {"default": {"description": "a value"}},
        },
        "$defs": {"description": {"anyOf": [{"title": "Part", "type": "null"}]}},
        "required": ["title"],
    }

    assert catalogue.shape_of(schema) == {
        "properties": {
            "title": {"type": "string"},
            "terms": {"default": {"description": "a value"}},
        },
        "$defs": {"description": {"anyOf": [{"type": "null"}]}},
        "required": ["title"],
    }


def test_no_committed_schema_is_without_its_event() -> None:
    """A schema may outlive its event's newest version, but never its event."""
    tags = {path.name.partition(".")[0] for path in catalogue.SCHEMAS.glob("*.json")}

    assert tags == catalogue.event_types()


def test_tags_are_unique_across_aggregates() -> None:
    """The column ``type`` alone tells an event's type."""
    assert len(catalogue.event_types()) == len(EVENTS)
    assert set(catalogue.events_by_category()) == set(DECIDERS)


def test_a_changed_schema_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If one committed file has a changed shape, the generator writes nothing."""
    monkeypatch.setattr(catalogue, "SCHEMAS", tmp_path)
    (tmp_path / "dice_rolled.v1.json").write_text("{}\n", encoding="utf-8")

    with pytest.raises(catalogue.SchemaChanged, match="dice_rolled"):
        catalogue.write()
    assert [path.name for path in tmp_path.iterdir()] == ["dice_rolled.v1.json"]


def test_another_description_is_written_over_the_committed_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A docstring may be edited without a new version of its event."""
    monkeypatch.setattr(catalogue, "SCHEMAS", tmp_path / "schemas")
    monkeypatch.setattr(catalogue, "DOCUMENT", tmp_path / "events.md")
    monkeypatch.setattr(catalogue, "RULE_NAMES", tmp_path / "rule_names.py")
    path = tmp_path / "schemas" / "dice_rolled.v1.json"
    catalogue.write()
    today = path.read_text(encoding="utf-8")
    path.write_text(
        catalogue.text_of(json.loads(today) | {"description": "Said otherwise."}),
        encoding="utf-8",
    )

    assert catalogue.write() == [path]
    assert path.read_text(encoding="utf-8") == today


def test_the_document_is_the_generated_one() -> None:
    """The document for people matches the schemas."""
    assert catalogue.DOCUMENT.read_text(encoding="utf-8") == catalogue.document()


def test_an_event_whose_type_cannot_be_stored_is_named() -> None:
    class Odd(msgspec.Struct, tag="odd"):
        ratio: complex

    with pytest.raises(catalogue.SchemaUnknown, match="complex"):
        catalogue.schema_of(Odd)


@pytest.mark.parametrize("hidden", [Sealed, SealedCard])
def test_a_hidden_place_shows_no_value(hidden: type) -> None:
    """The readable part is a commitment or a place, and nothing else."""
    schema: dict[str, Any] = catalogue._hidden(hidden)

    assert schema["additionalProperties"] is False
    assert "value" not in json.dumps(schema["properties"])


def test_the_document_says_what_members_count() -> None:
    """The document explains members, including members of parts within an event."""
    text = catalogue.document()

    assert "- `winners`: The seats that got a share of the main pot" in text
    assert "- `awards.failure`: The cause if the formula had no value. The award is then 0." in text
    assert text.count("`ruleset.table_min`: ") == text.count("### [`tournament_announced`]") + sum(
        f"### [`{tag}`]" in text
        for tag in ("tournament_drafted", "terms_revised", "terms_changed", "table_opened")
    )
