"""The events of a tournament of scheduled rounds."""

from datetime import datetime

import msgspec

from engine.tournament.model.values import SeatAssignment
from engine.tournament.model.values.rounds import (
    Meetings,
    RoundDraw,
    RoundPenalty,
    RoundResult,
    RoundTable,
    Score,
)
from engine.values import EntrantId, PlayerId, TextRef


class _Event(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    pass


class RoundSeated(_Event, frozen=True, kw_only=True, tag="round_seated"):
    """The players of a round were seated. Its tables open in the same append."""

    round: int
    rule: str
    candidates: tuple[Score, ...]
    """The entrants to be seated, in the order that the rule uses."""

    draw: RoundDraw
    tables: tuple[RoundTable, ...]
    meetings: Meetings


class RoundClosing(_Event, frozen=True, kw_only=True, tag="round_closing"):
    """A round is closing. No further hand opens in it."""

    round: int
    by: PlayerId
    reason: TextRef
    rule: str


class RoundEnded(_Event, frozen=True, kw_only=True, tag="round_ended"):
    """A round ended at all its tables, which close in the same append."""

    round: int
    results: tuple[RoundResult, ...]
    """The results of the tables, in the order of the round."""

    scores: tuple[Score, ...]
    """The score of everyone still in, over all rounds so far, the best first."""

    away: tuple[EntrantId, ...]
    """Entrants who were away. They are seated as away in the next round."""

    penalties: tuple[RoundPenalty, ...]
    """Penalty hands that remain. They are served in the next round."""

    next_at: datetime | None
    """The instant at which the next round or the final is seated, or null after the last."""

    rule: str


class CutMade(_Event, frozen=True, kw_only=True, tag="cut_made"):
    """The cut was made: these entrants go on to the final."""

    going: tuple[EntrantId, ...]
    """The entrants of the final, best first."""

    candidates: tuple[Score, ...]
    tied: tuple[EntrantId, ...]
    """
    The entrants on both sides of the cut who were equal in everything. The lot decided among
    them.
    """

    draw: RoundDraw | None
    rule: str


class FinalSeated(_Event, frozen=True, kw_only=True, tag="final_seated"):
    """The final was seated. From here on it is a freezeout."""

    draw: RoundDraw
    assignments: tuple[SeatAssignment, ...]
    breaking_order: tuple[int, ...]
    """Table numbers, the first to break first."""

    rule: str


Event = RoundSeated | RoundClosing | RoundEnded | CutMade | FinalSeated
