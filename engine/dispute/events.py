"""
The events of a dispute.

The words of claims and reasons stand beside the log. Evidence is sealed: only the staff and the
people concerned may see receive times and refusals.
"""

from datetime import datetime
from typing import Literal

import msgspec

from engine.dispute.values import Act, Evidence, Outcome, Subject
from engine.values import DisputeId, HexDigest, LeagueId, PlayerId, Sealed, TextRef


class _Event(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    pass


class DisputeOpened(_Event, frozen=True, kw_only=True, tag="dispute_opened"):
    dispute: DisputeId
    league: LeagueId
    subject: Subject
    claimant: PlayerId
    claim: TextRef
    rules: tuple[str, ...]
    """The rules that the claim names. A ruling may rest on others."""
    rule: str


class EvidenceAttached(_Event, frozen=True, kw_only=True, tag="evidence_attached"):
    """The server attached the events and refusals that concern the claim."""

    evidence: Sealed[Evidence]
    rule: str


class AuditAttached(_Event, frozen=True, kw_only=True, tag="audit_attached"):
    """A worker decided every event in question again."""

    report: str
    passed: bool
    events: int
    hands: int
    last_position: int
    rule: str


class HeadAttached(_Event, frozen=True, kw_only=True, tag="head_attached"):
    """
    The server attached a signed head of the league's tree. It proves the events of the
    evidence.
    """

    epoch: int
    size: int
    root: HexDigest
    note: tuple[str, ...]
    """The signed note, line by line, in the C2SP format."""
    rule: str


class DisputeFrozen(_Event, frozen=True, kw_only=True, tag="dispute_frozen"):
    """Everything that depends on the outcome waits. Its own streams record this too."""

    by: PlayerId
    reason: TextRef
    rule: str


class DisputeUnfrozen(_Event, frozen=True, kw_only=True, tag="dispute_unfrozen"):
    """The frozen consequences go on, by order or because of a ruling."""

    by: PlayerId
    reason: TextRef
    rule: str


class DisputeRuled(_Event, frozen=True, kw_only=True, tag="dispute_ruled"):
    instance: Literal[1, 2]
    """1 for the first ruling, 2 for the final one on appeal."""
    outcome: Outcome
    rules: tuple[str, ...]
    by: PlayerId
    reason: TextRef
    acts: tuple[Act, ...]
    """The commands decided in the same append, or empty if nothing has to be corrected."""
    dry_run: HexDigest | None
    """Digest of the dry run that preceded the acts, or null if there are no acts."""
    rule: str


class DisputeAppealed(_Event, frozen=True, kw_only=True, tag="dispute_appealed"):
    by: PlayerId
    reason: TextRef
    rule: str


class DisclosureGranted(_Event, frozen=True, kw_only=True, tag="disclosure_granted"):
    """A referee let one auditor open sealed values until ``until``."""

    auditor: PlayerId
    what: Literal["hand", "masters"]
    subject: str
    by: PlayerId
    reason: TextRef
    until: datetime
    rule: str


class DisclosureUsed(_Event, frozen=True, kw_only=True, tag="disclosure_used"):
    """The auditor opened the sealed values."""

    what: Literal["hand", "masters"]
    subject: str
    by: PlayerId
    at: datetime
    expires_at: datetime
    rule: str


Event = (
    DisputeOpened
    | EvidenceAttached
    | AuditAttached
    | HeadAttached
    | DisputeFrozen
    | DisputeUnfrozen
    | DisputeRuled
    | DisputeAppealed
    | DisclosureGranted
    | DisclosureUsed
)
