"""
What can have happened to a dispute.

The words of claims and reasons stand beside the log.  Evidence is sealed: receive times
and refusals are the business of the staff and of whom they are about.
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
    """Which the claim names; a ruling may go by others."""
    rule: str


class EvidenceAttached(_Event, frozen=True, kw_only=True, tag="evidence_attached"):
    """The server attached what the log and the refusals say of it."""

    evidence: Sealed[Evidence]
    rule: str


class AuditAttached(_Event, frozen=True, kw_only=True, tag="audit_attached"):
    """A worker decided everything in question again."""

    report: str
    passed: bool
    events: int
    hands: int
    last_position: int
    rule: str


class HeadAttached(_Event, frozen=True, kw_only=True, tag="head_attached"):
    """A head of the league's tree, signed for this dispute: its evidence is proven by it."""

    epoch: int
    size: int
    root: HexDigest
    note: tuple[str, ...]
    """Line by line, with the signature, as C2SP has it."""
    rule: str


class DisputeFrozen(_Event, frozen=True, kw_only=True, tag="dispute_frozen"):
    """What depends on the outcome waits; its own streams say so too."""

    by: PlayerId
    reason: TextRef
    rule: str


class DisputeUnfrozen(_Event, frozen=True, kw_only=True, tag="dispute_unfrozen"):
    """What waited goes on: somebody said so, or there is a ruling."""

    by: PlayerId
    reason: TextRef
    rule: str


class DisputeRuled(_Event, frozen=True, kw_only=True, tag="dispute_ruled"):
    instance: Literal[1, 2]
    """The second one is final."""
    outcome: Outcome
    rules: tuple[str, ...]
    by: PlayerId
    reason: TextRef
    acts: tuple[Act, ...]
    """What was done in the same append; none if nothing is to be set right."""
    dry_run: HexDigest | None
    """Digest of the dry run that showed it before; null where there are no acts."""
    rule: str


class DisputeAppealed(_Event, frozen=True, kw_only=True, tag="dispute_appealed"):
    by: PlayerId
    reason: TextRef
    rule: str


class DisclosureGranted(_Event, frozen=True, kw_only=True, tag="disclosure_granted"):
    """One auditor may open sealed values until an instant."""

    auditor: PlayerId
    what: Literal["hand", "masters"]
    subject: str
    by: PlayerId
    reason: TextRef
    until: datetime
    rule: str


class DisclosureUsed(_Event, frozen=True, kw_only=True, tag="disclosure_used"):
    """The auditor looked."""

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
