"""The committed schemas of stored events: complete, unchanged, and nothing hidden in the open."""

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
    Another shape is another version beside it; run ``python -m service.log.catalogue`` for
    new ones.
    """
    committed = catalogue.file_of(event).read_text(encoding="utf-8")

    assert committed == catalogue.text_of(catalogue.schema_of(event))


def test_no_committed_schema_is_without_its_event() -> None:
    """
    A schema outlives its event's newest version, never its event.
    """
    tags = {path.name.partition(".")[0] for path in catalogue.SCHEMAS.glob("*.json")}

    assert tags == catalogue.event_types()


def test_tags_are_unique_across_aggregates() -> None:
    """
    The column ``type`` alone says what an event is.
    """
    assert len(catalogue.event_types()) == len(EVENTS)
    assert set(catalogue.events_by_category()) == set(DECIDERS)


def test_a_changed_schema_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """
    The generator writes what is missing and never over what is committed.
    """
    monkeypatch.setattr(catalogue, "SCHEMAS", tmp_path)
    (tmp_path / "dice_rolled.v1.json").write_text("{}\n", encoding="utf-8")

    with pytest.raises(catalogue.SchemaChanged, match="dice_rolled"):
        catalogue.write()


def test_the_document_is_the_generated_one() -> None:
    """
    The page for people says what the schemas say.
    """
    assert catalogue.DOCUMENT.read_text(encoding="utf-8") == catalogue.document()


def test_an_event_whose_type_cannot_be_stored_is_named() -> None:
    class Odd(msgspec.Struct, tag="odd"):
        ratio: complex

    with pytest.raises(catalogue.SchemaUnknown, match="complex"):
        catalogue.schema_of(Odd)


@pytest.mark.parametrize("hidden", [Sealed, SealedCard])
def test_a_hidden_place_shows_no_value(hidden: type) -> None:
    """
    What stands in the open is a commitment or a place, nothing else.
    """
    schema: dict[str, Any] = catalogue._hidden(hidden)

    assert schema["additionalProperties"] is False
    assert "value" not in json.dumps(schema["properties"])


def test_the_document_says_what_members_count() -> None:
    """
    Whoever has the documents alone reads there what a member is, parts within an event too.
    """
    text = catalogue.document()

    assert "- `winners`: Who got a share of the main pot" in text
    assert "- `awards.failure`: Why the formula had no value here; the award is then 0." in text
    assert text.count("`ruleset.table_min`: ") == text.count("### [`tournament_announced`]") + sum(
        f"### [`{tag}`]" in text for tag in ("tournament_drafted", "terms_revised", "table_opened")
    )
