"""A row of a season's ledger."""

from datetime import datetime
from typing import Literal

import msgspec

from engine.season.expression.evaluation import Cause

EntryKind = Literal[
    "award",
    "revision",
    "revocation",
    "knockouts",
    "attendance",
    "high_hand",
    "manual",
    "penalty",
    "void",
    "merge",
    "import",
]
"""The kind of an entry in a season's ledger."""


class LedgerRow(msgspec.Struct, frozen=True, kw_only=True):
    """One entry of a season's ledger. ``points`` is added to the player's entries before it."""

    position: int
    """The position of the event in the league's log."""

    part: int
    """The number of the entry among the entries of its event."""

    at: datetime
    """The time of the event."""

    kind: EntryKind
    """The kind of the entry. `revision` and `revocation` hold differences from earlier awards."""

    player: str
    points: str
    """Decimal, at the season's scale, and negative if points are taken."""

    tournament: str | None
    """The tournament of the award, or the one that an adjustment names, or null."""

    place: int | None
    """The place of the award, or null for other entries."""

    shared: int | None
    """The number of entries that share the places from `place` on, or null."""

    adjustment: str | None
    """The adjustment, or null for awards."""

    rule: str
    """The rule of the rulebook that was applied."""

    failure: Cause | None
    """The reason why the formula had no value, so that the award is 0."""

    reason: str | None
    """The text of the reason, at ``GET /v1/texts/{id}``."""

    author: str | None
    """The player who made the entry, or null if the house did."""

    title: str | None
    """The name of an imported tournament, or null for other entries."""

    counts_for: str | None
    """In an entry of kind `merge`, the player for whom the results of `player` count. Or null."""
