"""Forged logs with correct hashes, as an owner of the database could write them."""

from collections.abc import Iterable
from hashlib import sha256

from service.log.canonical import leaf, microseconds
from service.log.record import Recorded


def hash_after(previous: bytes, row: Recorded) -> bytes:
    """Return the hash of *row*, chained to the hash *previous*."""
    entry = leaf(
        row.league, previous, row.stream, row.stream_version, row.event_id, microseconds(row.at),
        row.type, row.schema_version, row.data, sha256(row.metadata).digest(), row.sealed,
    )  # fmt: skip
    return sha256(entry).digest()


def rebuilt(rows: Iterable[Recorded]) -> list[Recorded]:
    """Return *rows* with positions and versions without gaps, and correct hashes."""
    ends: dict[str, tuple[int, bytes]] = {}
    found = []
    for position, row in enumerate(rows):
        version, before = ends.get(row.stream, (0, bytes(32)))
        bare = row._replace(position=position, stream_version=version + 1)
        hash_ = hash_after(before, bare)
        ends[row.stream] = (version + 1, hash_)
        found.append(bare._replace(hash=hash_))
    return found
