"""Repairs: damaged events are no longer folded. Nothing in the log is rewritten."""

from datetime import datetime
from typing import Literal

import msgspec

from engine.values import HexDigest

Failing = Literal["version", "hash", "schema"]
"""
The check that the event fails.

``version``: its number does not follow the one before. ``hash``: its hash is not that of its
bytes. ``schema``: it cannot be decoded.
"""


class VoidedPosition(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An event that is no longer folded, with the cause."""

    position: int
    stream: str
    version: int
    hash: HexDigest
    """The hash in the log. The stream's next event chains to it."""
    fails: Failing


class VoidPositions(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="void_positions"
):
    """Stop folding the given events. The caller has checked that each is damaged."""

    positions: tuple[VoidedPosition, ...]
    now: datetime


class PositionsVoided(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="positions_voided"
):
    """An operator voided damaged events. They are no longer folded, but stay in the log."""

    positions: tuple[VoidedPosition, ...]
    """In ascending order of position. Every reader of the log checks that each event is damaged."""
    at: datetime


def decide(command: VoidPositions) -> tuple[PositionsVoided, ...]:
    """Return the record of a repair, or no event if there is nothing to repair."""
    if not command.positions:
        return ()
    positions = tuple(sorted(command.positions, key=lambda each: each.position))
    return (PositionsVoided(positions=positions, at=command.now),)
