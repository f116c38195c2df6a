"""Voided events keep their places in their appends, also at the beginning of one."""

from uuid import UUID, uuid5

import msgspec
import pytest

from service.audit.bytes.chain import Placed, Places
from service.audit.report import Findings

FIRST, SECOND = UUID(int=1), UUID(int=2)
A, B = "season-" + "0" * 32, "season-" + "1" * 32


def append(command: UUID, position: int, streams: tuple[str, ...], version: int) -> list[Placed]:
    """Return the events of one append to *streams*, which guards them all at *version* - 1."""
    guards = [
        {"stream": each, "version": version - 1, "hash": bytes([version - 1] * 32).hex()}
        for each in sorted(set(streams))
    ]
    metadata = msgspec.json.encode({"command_id": str(command), "guards": guards}, order="sorted")
    return [
        Placed(position + index, stream, version, uuid5(command, str(index)), "points_awarded",
               None, metadata, bytes([version] * 32))
        for index, stream in enumerate(streams)
    ]  # fmt: skip


def faults(rows: list[Placed], *voided: int) -> list[str]:
    findings = Findings()
    places = Places(findings)
    for row in rows:
        if row.position in voided:
            places.pass_over(row)
        else:
            places.follow(row)
    return [name for name, check in findings.checks.items() for _ in check.faults]


@pytest.mark.parametrize("metadata", [None, b"{}"], ids=["sound", "damaged"])
@pytest.mark.parametrize("voided", [(0,), (1,), (2,), (3,), (1, 2), (2, 3), (1, 2, 3), (0, 1, 2)])
def test_a_repaired_append_keeps_its_identifiers_and_its_guards(
    voided: tuple[int, ...], metadata: bytes | None
) -> None:
    rows = append(FIRST, 0, (A, B), 1) + append(SECOND, 2, (A, B, "season-" + "2" * 32), 2)
    rows[-1] = rows[-1]._replace(stream=B, stream_version=3)
    rows[2:] = [row._replace(metadata=append(SECOND, 2, (A, B), 2)[0].metadata) for row in rows[2:]]
    assert faults(rows) == []
    damaged = [
        row._replace(event_id=UUID(int=9), metadata=metadata or row.metadata)
        if row.position in voided
        else row
        for row in rows
    ]
    assert faults(damaged, *voided) == []


def test_an_event_taken_from_the_front_of_an_append_is_still_missed() -> None:
    rows = append(FIRST, 0, (A, B), 1)
    closed_up = [rows[1]._replace(position=0)]
    assert faults(closed_up) == ["event_ids"]
    later = append(SECOND, 1, (A, B), 2)
    assert faults([rows[0], later[1]._replace(position=1)]) == ["event_ids", "guards"]
    # One voided event does not stand for two.
    gone = [rows[0], rows[1], later[1]._replace(position=2, event_id=uuid5(SECOND, "2"))]
    assert "event_ids" in faults(gone, 1)
