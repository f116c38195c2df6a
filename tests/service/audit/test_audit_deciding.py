"""
Events that record no request are compared by bytes with those of the repeated decision.

The owner of the database can write new hashes after a change, so hashes do not show it.
"""

import json
import re
from collections.abc import Callable
from functools import cache
from typing import Any

import msgspec
import pytest

from engine.values import HOUSE
from service.audit.bytes.chain import encode
from service.audit.play.deciding import FOLLOWING
from service.audit.report import Findings
from service.audit.run.streams import StreamAudit
from service.log.canonical import hash_of_name
from service.log.keys import LeagueKeys
from service.log.record import Recorded
from service.log.sealing import SEALED, seal, unseal
from service.sandbox.generating.seasons import Season, made
from tests.support.chains import rebuilt

Forged = Callable[[LeagueKeys, Recorded], Recorded]
JUNK = ("ab" * 32, "+3")


@cache
def season() -> Season:
    return made(2, 3, 1.0)


@cache
def first_of_each() -> dict[str, int]:
    """Return the position of the first table event of each type that records no request."""
    found: dict[str, int] = {}
    for row in season().rows:
        if row.stream.startswith("table-") and row.type in FOLLOWING:
            found.setdefault(row.type, row.position)
    return found


@cache
def first_that_hide() -> dict[str, int]:
    """Return the position of the first event with hidden values, for each other type."""
    found: dict[str, int] = {}
    for row in season().rows:
        if row.sealed is not None and row.type not in first_of_each():
            found.setdefault(row.type, row.position)
    return found


KINDS = sorted(first_of_each())
HIDING = [kind for kind in KINDS if season().rows[first_of_each()[kind]].sealed is not None]


def audited(rows: list[Recorded]) -> Findings:
    """Audit a log up to some event, before anything is overdue."""
    findings = Findings()
    streams = StreamAudit(season().keys, findings, {row.stream for row in rows})
    for row in rebuilt(rows):
        streams.read(row)
    streams.end(rows[-1].at)
    return findings


def first_bad(rows: list[Recorded]) -> int | None:
    fault = audited(rows).kept().first
    return None if fault is None else fault.position


def append_of(position: int) -> tuple[list[Recorded], int]:
    """Return the log up to the end of an append, and the append's first position."""
    rows, metadata = season().rows, season().rows[position].metadata
    own = [row.position for row in rows if row.metadata == metadata]
    return list(rows[: own[-1] + 1]), own[0]


def document(change: Callable[[bytes], bytes]) -> Forged:
    return lambda _, row: row._replace(data=change(row.data))


def column(**values: Any) -> Forged:
    return lambda _, row: row._replace(**values)


def _member_twice(data: bytes) -> bytes:
    name, value = min(json.loads(data).items())
    return b"{" + encode(name) + b":" + encode(value) + b"," + data[1:]


def _backwards(data: bytes) -> bytes:
    return b"{" + b",".join(
        encode(name) + b":" + encode(value)
        for name, value in sorted(json.loads(data).items(), reverse=True)
    ) + b"}"  # fmt: skip


def _other_number(data: bytes) -> bytes:
    at = next(at for at, byte in enumerate(data) if chr(byte).isdecimal())
    return data[:at] + b"%d" % ((data[at] - ord("0")) % 8 + 1) + data[at + 1 :]


def boxes(change: Callable[[dict[str, Any]], dict[str, Any]]) -> Forged:
    """Return a forgery that changes the contents of the boxes and closes them in their order."""

    def forge(keys: LeagueKeys, row: Recorded) -> Recorded:
        stream, version = row.stream, row.stream_version
        opened: dict[str, Any] = {}
        if row.sealed is not None:
            opened |= unseal(keys, stream, version, row.sealed, None)
        sealed = b"\x01"
        for audience, box in change(opened).items():
            sealed += seal(keys, stream, version, {audience: encode(box)})[1:]
        return row._replace(sealed=sealed)

    return forge


def _everywhere(made_of: Callable[[Any], tuple[Any, Any]]) -> Forged:
    """Return a forgery of the first hidden value, in every box that holds it."""

    def change(opened: dict[str, Any]) -> dict[str, Any]:
        place = min(opened[HOUSE])
        return {
            audience: box | ({place: made_of(box[place])} if place in box else {})
            for audience, box in opened.items()
        }

    return boxes(change)


def _of_a_seat(change: Callable[[dict[str, Any]], dict[str, Any] | None]) -> Forged:
    def changed(opened: dict[str, Any]) -> dict[str, Any]:
        seat = min(set(opened) - {HOUSE})
        instead = opened | {seat: change(opened[seat])}
        return {audience: box for audience, box in instead.items() if box is not None}

    return boxes(changed)


def _escaped(card: msgspec.Raw) -> msgspec.Raw:
    """Return the same card with the first letter written as a JSON escape."""
    text = bytes(card)
    return msgspec.Raw(b'"\\u%04x' % text[1] + text[2:])


OTHER_VALUE = document(_other_number)
ANY: dict[str, Forged] = {
    "space": document(lambda data: data + b" "),
    "space_inside": document(lambda data: data.replace(b":", b": ", 1)),
    "other_order": document(_backwards),
    "member_twice": document(_member_twice),
    "letter_escaped": document(lambda data: data.replace(b'"type"', b'"\\u0074ype"')),
    "member_more": document(lambda data: encode(json.loads(data) | {"zz": 1})),
    "nothing": document(lambda _: b"{}"),
    "no_document": document(lambda _: b"{"),
    "relabelled": column(type="pots_formed_"),
    "relabelled_asking": column(type="seat_acted"),
    "other_version": column(schema_version=99),
    "sealed_garbage": column(sealed=b"\x01junk"),
    "no_boxes": column(sealed=b"\x01"),
    "sealed_empty": column(sealed=b""),
    "box_of_junk": boxes(lambda opened: opened | {HOUSE: {"/zz": JUNK}}),
}
OF_CARDS: dict[str, Forged] = {
    "sealed_gone": column(sealed=None),
    "boxes_backwards": boxes(lambda opened: dict(reversed(opened.items()))),
    "house_left_out": boxes(lambda opened: {a: b for a, b in opened.items() if a != HOUSE}),
    "house_empty": boxes(lambda opened: opened | {HOUSE: {}}),
    "other_salt": _everywhere(lambda opening: ("ab" * 32, opening[1])),
    "other_card": _everywhere(lambda opening: (opening[0], "no card")),
    "salt_in_capitals": _everywhere(lambda opening: (opening[0].upper(), opening[1])),
    "salt_with_a_space": _everywhere(lambda opening: (opening[0] + " ", opening[1])),
    "card_escaped": _everywhere(lambda opening: (opening[0], _escaped(opening[1]))),
    "number_for_card": _everywhere(lambda opening: (opening[0], 1)),
    "seat_left_out": _of_a_seat(lambda box: None),
    "seat_empty": _of_a_seat(lambda box: {}),
    "seat_other_salt": _of_a_seat(lambda box: box | {min(box): ("ab" * 32, box[min(box)][1])}),
    "seat_other_card": _of_a_seat(lambda box: box | {min(box): (box[min(box)][0], "no card")}),
    "seat_added": boxes(lambda opened: opened | {"junk": {min(opened[HOUSE]): JUNK}}),
}


def _sealed_for(name: bytes, text: bytes) -> Forged:
    """Return a forgery that adds a box called *name* after all others."""

    def forge(keys: LeagueKeys, row: Recorded) -> Recorded:
        stream, version = row.stream, row.stream_version
        context = SEALED + keys.league.bytes + hash_of_name(stream) + version.to_bytes(8, "big")
        closed = keys.cipher(stream).encrypt(bytes(12), text.ljust(512), context + name)
        box = bytes((len(name),)) + name + keys.key_id.bytes + bytes(12)
        sealed = (row.sealed or b"\x01") + box + len(closed).to_bytes(4, "big") + closed
        return row._replace(sealed=sealed)

    return forge


ADDED: dict[str, Forged] = {
    "name_no_text": _sealed_for(b"\xff", b"{}"),
    "name_twice": _sealed_for(HOUSE.encode(), b"{}"),
    "empty": _sealed_for(b"zz", b"{}"),
    "junk": _sealed_for(b"zz", encode({"/zz": JUNK})),
    "copy_of_the_house_s": boxes(lambda opened: opened | {"zz": opened.get(HOUSE, {})}),
    "boxes_backwards": lambda keys, row: boxes(lambda it: dict(reversed(it.items())))(
        keys, boxes(lambda it: {"aa": it[HOUSE], **it})(keys, row)
    ),
}
"""Boxes that only the holder of the league's key can close."""


def forged_alone(kind: str, forge: Forged) -> tuple[int | None, int, int]:
    """Return the first bad position, the first position of the append, and the forged one."""
    position = (first_of_each() | first_that_hide())[kind]
    rows, begins = append_of(position)
    forged = forge(season().keys, rows[position])
    assert forged != rows[position]
    rows[position] = forged
    return first_bad(rows), begins, position


@pytest.mark.parametrize("kind", KINDS)
def test_another_value_is_found_in_its_append(kind: str) -> None:
    """A wrong amount may be noticed only where the chips were wagered."""
    found, begins, position = forged_alone(kind, OTHER_VALUE)
    assert found in range(begins, position + 1)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("forgery", ANY)
def test_a_forged_row_is_the_first_bad_one(kind: str, forgery: str) -> None:
    found, _, position = forged_alone(kind, ANY[forgery])
    assert found == position


@pytest.mark.parametrize("kind", HIDING)
@pytest.mark.parametrize("forgery", OF_CARDS)
def test_cards_sealed_otherwise_are_the_first_bad_ones(kind: str, forgery: str) -> None:
    found, _, position = forged_alone(kind, OF_CARDS[forgery])
    assert found == position


@pytest.mark.parametrize("kind", first_that_hide())
@pytest.mark.parametrize("forgery", ["salt_in_capitals", "salt_with_a_space"])
def test_a_salt_in_another_form_is_the_first_bad_one(kind: str, forgery: str) -> None:
    found, _, position = forged_alone(kind, OF_CARDS[forgery])
    assert found == position


@pytest.mark.parametrize("kind", [*HIDING, *first_that_hide()])
@pytest.mark.parametrize("forgery", ADDED)
def test_a_box_too_many_is_found_where_it_stands(kind: str, forgery: str) -> None:
    found, _, position = forged_alone(kind, ADDED[forgery])
    assert found == position


def _audience_twice(data: bytes) -> bytes:
    audience = re.search(rb'"audience":\[("[^"]+")', data)
    assert audience is not None
    return data.replace(audience[0], audience[0] + b"," + audience[1], 1)


@pytest.mark.parametrize("kind", ["hand_opened", "selection_committed", "improvement_committed"])
def test_somebody_named_twice_is_found_where_it_stands(kind: str) -> None:
    found, _, position = forged_alone(kind, document(_audience_twice))
    assert found == position


@pytest.mark.parametrize("kind", KINDS)
def test_a_row_that_is_missing_or_there_twice_is_found_in_its_append(kind: str) -> None:
    position = first_of_each()[kind]
    rows, begins = append_of(position)
    for forged in (rows[:position] + rows[position + 1 :], rows[: position + 1] + rows[position:]):
        found = first_bad(forged)
        assert found is not None
        assert begins <= found <= len(rows)


@pytest.mark.parametrize("kind", KINDS)
def test_what_breaks_a_stream_later_does_not_hide_what_could_not_be_read_before(kind: str) -> None:
    """Unread rows before the break are read, although the stream is broken by then."""
    position = first_of_each()[kind]
    rows, _ = append_of(position)
    rows[position] = rows[position]._replace(data=b"{}")
    asked = rows[position]._replace(type="seat_acted")
    assert first_bad([*rows, asked]) == position


def test_the_whole_log_holds_and_every_event_and_card_is_counted() -> None:
    rows = season().rows
    findings = audited(list(rows))
    assert findings.kept().first is None
    checked = {name: check.checked for name, check in findings.checks.items()}
    assert checked["readable"] == checked["folds"] == checked["canonical"] == len(rows)
    hidden = sum(
        len(unseal(season().keys, row.stream, row.stream_version, row.sealed, None)[HOUSE])
        for row in rows
        if row.sealed is not None
    )
    assert checked["commitments"] == hidden > 0
