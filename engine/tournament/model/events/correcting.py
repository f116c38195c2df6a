"""The events that correct a result."""

from typing import Literal

import msgspec

from engine.tournament.model.values import Payout, Placing
from engine.values import EntrantId, PlayerId, TextRef


class ResultCorrected(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="result_corrected"
):
    """
    The result was corrected. The event holds the complete new result; the old one stays in the
    log.
    """

    number: int
    """The number of this correction in the tournament, from 1."""
    kind: Literal["correction", "forfeit", "reaward"]
    placings: tuple[Placing, ...]
    payouts: tuple[Payout, ...]
    forfeited: tuple[EntrantId, ...]
    """Every entrant that has lost its result so far."""
    by: PlayerId
    reason: TextRef
    rule: str


Event = ResultCorrected
