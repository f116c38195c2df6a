"""What happens to a tournament of scheduled rounds."""

from datetime import datetime

import msgspec

from engine.tournament.model.rounds_values import (
    Meetings,
    RoundDraw,
    RoundPenalty,
    RoundResult,
    RoundTable,
    Score,
)
from engine.tournament.model.values import SeatAssignment
from engine.values import EntrantId, PlayerId, TextRef


class _Event(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    pass


class RoundSeated(_Event, frozen=True, kw_only=True, tag="round_seated"):
    """Who meets whom; in the same append the tables are opened."""

    round: int
    rule: str
    candidates: tuple[Score, ...]
    """Who was to be seated, in the order the rule went by."""

    draw: RoundDraw
    tables: tuple[RoundTable, ...]
    meetings: Meetings


class RoundClosing(_Event, frozen=True, kw_only=True, tag="round_closing"):
    """No further hand is opened in this round."""

    round: int
    by: PlayerId
    reason: TextRef
    rule: str


class RoundEnded(_Event, frozen=True, kw_only=True, tag="round_ended"):
    """A round is over at all its tables, which are closed in the same append."""

    round: int
    results: tuple[RoundResult, ...]
    """By the tables' places in the round."""

    scores: tuple[Score, ...]
    """Of everybody still in, all rounds so far, the best first."""

    away: tuple[EntrantId, ...]
    """Who was not there, and is seated absent in the next round."""

    penalties: tuple[RoundPenalty, ...]
    """What is still to be served, and is served in the next round."""

    next_at: datetime | None
    """When the next round, or the final, is seated; none after the last."""

    rule: str


class CutMade(_Event, frozen=True, kw_only=True, tag="cut_made"):
    """Who goes on to the final."""

    going: tuple[EntrantId, ...]
    """The best first."""

    candidates: tuple[Score, ...]
    tied: tuple[EntrantId, ...]
    """Those across whom the line fell, equal in everything: the lot decided among them."""

    draw: RoundDraw | None
    rule: str


class FinalSeated(_Event, frozen=True, kw_only=True, tag="final_seated"):
    """The final begins; from here on it is a freezeout among those who went on."""

    draw: RoundDraw
    assignments: tuple[SeatAssignment, ...]
    breaking_order: tuple[int, ...]
    """Table numbers, the first to break first."""

    rule: str


Event = RoundSeated | RoundClosing | RoundEnded | CutMade | FinalSeated
