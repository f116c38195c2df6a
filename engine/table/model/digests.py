"""What a deal is drawn with, by what its players have added."""

from collections.abc import Iterable
from functools import lru_cache

from engine.kit.beacon import mixed_in
from engine.kit.rng import openings_digest
from engine.table.model.commands import Opening
from engine.table.model.events import (
    TableBeaconMixed,
)


def digest_of(openings: Iterable[Opening], beacon: TableBeaconMixed | None = None) -> bytes:
    """Return what a deal is drawn with, by what its players, and a beacon, have added."""
    added = b"" if beacon is None else mixed_in(beacon.chain, beacon.pulse)
    return _digest_of(tuple(openings), added)


@lru_cache(maxsize=256)
def _digest_of(openings: tuple[Opening, ...], added: bytes) -> bytes:
    # One deal asks several times: for the lots, for the pile, and when its opening is applied.
    return openings_digest([(o.seat, bytes.fromhex(o.value)) for o in openings], added)
