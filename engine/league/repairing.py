"""Taking events out of folding that fail by their bytes; nothing is rewritten."""

from datetime import datetime
from typing import Literal

import msgspec

from engine.values import HexDigest

Failing = Literal["version", "hash", "schema"]
"""Its version does not follow, its hash is not that of its bytes, or it cannot be read."""


class VoidedPosition(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An event that is not folded, and why."""

    position: int
    stream: str
    version: int
    hash: HexDigest
    """As it stands in the log: the stream's next event chains to it."""
    fails: Failing


class VoidPositions(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="void_positions"
):
    """Take events out of folding; whoever asks has checked that each fails."""

    positions: tuple[VoidedPosition, ...]
    now: datetime


class PositionsVoided(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="positions_voided"
):
    """An operator took events out of folding that fail by their bytes; the log keeps them."""

    positions: tuple[VoidedPosition, ...]
    """Ascending by position.  Whoever reads the log checks that each fails."""
    at: datetime


def decide(command: VoidPositions) -> tuple[PositionsVoided, ...]:
    """Return the record of a repair; none if there is nothing to repair."""
    if not command.positions:
        return ()
    positions = tuple(sorted(command.positions, key=lambda each: each.position))
    return (PositionsVoided(positions=positions, at=command.now),)
