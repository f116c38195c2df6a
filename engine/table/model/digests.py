"""The digest of the entropy that players and the beacon add to a deal."""

from collections.abc import Iterable
from functools import lru_cache

from engine.kit.beacon import mixed_in
from engine.kit.rng import openings_digest
from engine.table.model.commands import Opening
from engine.table.model.events import (
    TableBeaconMixed,
)


def digest_of(openings: Iterable[Opening], beacon: TableBeaconMixed | None = None) -> bytes:
    """Return the digest of the players' openings and of *beacon*, from which a deal is drawn."""
    added = b"" if beacon is None else mixed_in(beacon.chain, beacon.pulse)
    return _digest_of(tuple(openings), added)


@lru_cache(maxsize=256)
def _digest_of(openings: tuple[Opening, ...], added: bytes) -> bytes:
    # One deal needs the digest several times: for the lots, the pile, and the folded event.
    return openings_digest([(o.seat, bytes.fromhex(o.value)) for o in openings], added)
