"""What a dispute is about, what speaks for and against it, and what a ruling did."""

from datetime import datetime
from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta

from engine.dispute.errors import DisputeInvalid
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
"""For whoever claimed, or against."""

Slug = Annotated[str, Meta(pattern="^[a-z0-9_]+(\\.[a-z0-9_]+)*$", max_length=80)]
"""A rule's name in the rulebook."""


class _Part(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    pass


class Subject(_Part, frozen=True, kw_only=True):
    """What is disputed; whatever it stands in is named as well."""

    kind: Kind
    tournament: TournamentId | None = None
    """Of everything but a standing."""
    season: SeasonId | None = None
    """Of a standing; of the rest, where the tournament counts for one."""
    table: TableId | None = None
    hand: HandId | None = None
    step: int | None = None
    """Of the hand, from 1."""

    def demand_whole(self) -> None:
        """
        Check that what is named is what this kind of claim is about, and nothing else.

        Raises:
            DisputeInvalid: If not.
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
            raise DisputeInvalid(problem=f"a claim on a {self.kind} names it, and nothing else")


class Recorded(_Part, frozen=True, kw_only=True):
    """One event that the dispute is about: where it stands, and when its request came."""

    position: int
    version: int
    type: str
    hash: HexDigest
    at: datetime
    received_at: datetime | None
    """Null where nobody sent it: the house did it."""


class Refused(_Part, frozen=True, kw_only=True):
    """A command that was refused at that time; rulings on "I acted in time" need it."""

    received_at: datetime
    player: PlayerId
    code: str


class Evidence(_Part, frozen=True, kw_only=True):
    """What the server found when the claim came; nobody chose it."""

    stream: str
    events: tuple[Recorded, ...]
    """In order; the last ones, if there are more than may be kept."""
    left_out: int
    """How many there were before them."""
    digest: HexDigest
    """SHA-256 of the hashes of the events, in order."""
    refused: tuple[Refused, ...]
    epoch: int | None
    size: int | None
    """Of the signed head that holds all of them; null if none did yet."""
    root: HexDigest | None
    earlier: tuple[DisputeId, ...]
    """Ruled already, on one of the rules that the claim names."""
    replay: str | None = None
    """Where the hand is played over, at the step that is disputed; of a hand only."""


class Act(_Part, frozen=True, kw_only=True):
    """A command that a ruling took; what it led to stands in the same append."""

    command: str
    """Its name, such as ``forfeit``."""
    subject: str
    """Identifier of what it changed."""


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
"""By the command of an act, the event it leads to once, signed by who ruled."""
