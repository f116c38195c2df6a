"""Boxes with values that nobody committed to are faults of the log, not errors of the audit."""

import pytest

from engine.values import HOUSE
from service.audit.bytes.chain import check_commitments, opened, parsed
from service.audit.report import Findings
from service.base.errors import EventUnreadable
from service.log.codec import Codec
from service.log.record import Recorded
from service.log.sealing import seal, unseal
from tests.service.log.test_sealing import KEYS, row_of
from tests.support.counters import DECIDERS, SALT, hidden

CODEC = Codec(DECIDERS)


def forged(found: bytes, instead: bytes) -> Recorded:
    """
    Return a row with boxes that hold *instead* in place of *found*, closed by the league's key.
    """
    row = row_of(hidden())
    assert row.sealed is not None
    boxes = unseal(KEYS, row.stream, 3, row.sealed, None)
    texts = {}
    for audience, box in boxes.items():
        places = ",".join(
            f'"{pointer}":["{salt}",{bytes(value).decode()}]'
            for pointer, (salt, value) in sorted(box.items())
        )
        text = ("{" + places + "}").encode()
        if audience == HOUSE:
            assert found in text
            text = text.replace(found, instead)
        texts[audience] = text
    return row._replace(sealed=seal(KEYS, row.stream, 3, texts))


def failed(row: Recorded) -> int:
    findings = Findings()
    check_commitments(row, parsed(row.data), opened(row, KEYS, findings), findings)
    return findings.checks["commitments"].failed


def test_boxes_made_anew_as_they_were_hold_what_was_committed_to() -> None:
    row = forged(b"4711", b"4711")
    assert failed(row) == 0
    assert CODEC.decode(row, KEYS) == CODEC.decode(row_of(hidden()), KEYS)


def test_another_value_in_a_box_is_a_fault() -> None:
    assert failed(forged(b"4711", b"4712")) == 1


@pytest.mark.parametrize("salt", ["no salt", "f", "", "\u00e9" * 32])
def test_a_salt_that_is_none_is_a_fault_and_the_audit_goes_on(salt: str) -> None:
    row = forged(SALT.hex().encode(), salt.encode())
    assert failed(row) > 0


def test_a_salt_that_is_none_leaves_the_event_unreadable() -> None:
    with pytest.raises(EventUnreadable):
        CODEC.decode(forged(SALT.hex().encode(), b"no salt"), KEYS)


@pytest.mark.parametrize("instead", [b"{}x", b"[1]", b'{"/secret":1}'])
def test_a_box_that_holds_no_openings_is_a_fault_and_the_audit_goes_on(instead: bytes) -> None:
    row = row_of(hidden())
    row = row._replace(sealed=seal(KEYS, row.stream, 3, {HOUSE: instead}))
    assert failed(row) == 1
    with pytest.raises(EventUnreadable):
        CODEC.decode(row, KEYS)
