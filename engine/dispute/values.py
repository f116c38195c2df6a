"""The parts of a dispute: its subject, its evidence, its outcome and its acts."""

from datetime import datetime
from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta

from engine.dispute.errors import DisputeInvalid
from engine.errors import Wording
from engine.values import (
    DisputeId,
    HandId,
    HexDigest,
    PlayerId,
    SeasonId,
    TableId,
    TournamentId,
)

Kind = Literal["hand", "step", "seating", "payout", "standing"]
Outcome = Literal["for", "against"]
"""A ruling for or against the claimant."""

Slug = Annotated[str, Meta(pattern="^[a-z0-9_]+(\\.[a-z0-9_]+)*$", max_length=80)]
"""The name of a rule in the rulebook."""


class _Part(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    pass


class Subject(_Part, frozen=True, kw_only=True):
    """The thing in dispute, with the tournament and season that it belongs to."""

    kind: Kind
    """The kind of thing in dispute."""

    tournament: TournamentId | None = None
    """Present for every subject except a standing."""
    season: SeasonId | None = None
    """The season of a standing, or the season that the tournament counts for."""
    table: TableId | None = None
    """The table of the hand, or null if the subject is not a hand."""

    hand: HandId | None = None
    """The hand, or null for another subject."""

    step: int | None = None
    """The step of the hand, from 1."""

    def demand_whole(self) -> None:
        """
        Check that the subject names everything its kind needs and nothing else.

        Raises:
            DisputeInvalid: If a needed value is missing, or another one is named.
        """
        of_hand = self.hand is not None
        named = {
            "hand": of_hand and self.step is None,
            "step": of_hand and self.step is not None and self.step > 0,
            "seating": self.tournament is not None and not of_hand and self.step is None,
            "payout": self.tournament is not None and not of_hand and self.step is None,
            "standing": self.season is not None and self.tournament is None and self.step is None,
        }
        if not named[self.kind]:
            raise DisputeInvalid(
                problem=Wording(f"a claim on a {self.kind} must name it, and nothing else")
            )


class Recorded(_Part, frozen=True, kw_only=True):
    """One event of the evidence: its position in the log, and the instant of its request."""

    position: int
    """The event's position in the league's log."""

    version: int
    """The event's number in its stream."""

    type: str
    """The event's type."""

    hash: HexDigest
    """The leaf of the event in the league's tree, in hexadecimal."""

    at: datetime
    """The instant of the event."""

    received_at: datetime | None
    """Null if the house made the event without a request."""


class Refused(_Part, frozen=True, kw_only=True):
    """A command refused at that time. A ruling on a late action needs it."""

    received_at: datetime
    """The instant at which the command arrived."""

    player: PlayerId
    """The player who sent it."""

    code: str
    """The code of the refusal."""


class Evidence(_Part, frozen=True, kw_only=True):
    """The events and refusals that the server found when the claim was made."""

    stream: str
    """The stream of the events."""

    events: tuple[Recorded, ...]
    """In log order. If there are more than may be kept, these are the last ones."""
    left_out: int
    """The number of earlier events that were left out."""
    digest: HexDigest
    """SHA-256 of the hashes of the events, in order."""
    refused: tuple[Refused, ...]
    """Commands that were refused at about that time."""

    epoch: int | None
    """The epoch of the signed head, or null."""

    size: int | None
    """Size of the signed head that holds all the events. Null if there was none yet."""
    root: HexDigest | None
    """The root of the signed head in hexadecimal, or null."""

    earlier: tuple[DisputeId, ...]
    """Earlier disputes with a ruling on one of the rules that the claim names."""
    replay: str | None = None
    """Path of the replay, at the disputed step. Null if the dispute is not about a hand."""


class Act(_Part, frozen=True, kw_only=True):
    """A command that a ruling decided. Its events stand in the same append."""

    command: str
    """The name of the command, such as ``forfeit``."""
    subject: str
    """Identifier of the thing that the command changed."""


LED_TO: Final = {
    "correct_result": "result_corrected",
    "forfeit": "result_corrected",
    "reaward": "result_corrected",
    "warn": "entrant_warned",
    "penalise": "penalty_given",
    "disqualify": "entrant_disqualified",
    "adjust_points": "points_adjusted",
    "revoke_award": "award_revoked",
}
"""
The event that each act leads to exactly once, by the command's name. Its author gave the
ruling.
"""
