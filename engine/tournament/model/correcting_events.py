"""What can have happened to a result that stood."""

from typing import Literal

import msgspec

from engine.tournament.model.values import Payout, Placing
from engine.values import EntrantId, PlayerId, TextRef


class ResultCorrected(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="result_corrected"
):
    """Another result holds from now on, whole; the one before stays in the log."""

    number: int
    """Of this tournament's corrections, from 1."""
    kind: Literal["correction", "forfeit", "reaward"]
    placings: tuple[Placing, ...]
    payouts: tuple[Payout, ...]
    forfeited: tuple[EntrantId, ...]
    """Everyone whose result has been taken away so far."""
    by: PlayerId
    reason: TextRef
    rule: str


Event = ResultCorrected
