"""The commands of a dispute."""

from datetime import datetime
from typing import Literal

import msgspec

from engine.dispute.values import Act, Evidence, Outcome, Subject
from engine.values import DisputeId, HexDigest, LeagueId, PlayerId, TextRef


class _Command(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    pass


class _ByPerson(_Command, frozen=True, kw_only=True):
    by: PlayerId
    now: datetime


class _ByReferee(_ByPerson, frozen=True, kw_only=True):
    reason: TextRef


class Claim(_ByPerson, frozen=True, kw_only=True, tag="claim"):
    """Claim that something was against the rules."""

    dispute: DisputeId
    league: LeagueId
    subject: Subject
    claim: TextRef
    rules: tuple[str, ...] = ()
    closes_at: datetime | None = None
    """The instant from which a claim is too late. None while the subject is not settled."""
    ruling: bool = False
    """True if the claimant may rule on disputes there, and so may open one at any time."""


class AttachEvidence(_Command, frozen=True, kw_only=True, tag="attach_evidence"):
    evidence: Evidence
    salt: HexDigest
    now: datetime


class AttachAudit(_Command, frozen=True, kw_only=True, tag="attach_audit"):
    """Attach the result of a worker's audit of the events in question."""

    report: str
    passed: bool
    events: int
    hands: int
    last_position: int
    now: datetime


class AttachHead(_Command, frozen=True, kw_only=True, tag="attach_head"):
    """Attach a signed head that holds the claim and all its evidence."""

    epoch: int
    size: int
    root: HexDigest
    note: tuple[str, ...]
    now: datetime


class Freeze(_ByReferee, frozen=True, kw_only=True, tag="freeze"):
    """Freeze everything that depends on the outcome."""


class Unfreeze(_ByReferee, frozen=True, kw_only=True, tag="unfreeze"):
    """Lift the freeze before the ruling."""


class Rule(_ByReferee, frozen=True, kw_only=True, tag="rule"):
    """Rule on a dispute, in its first or second instance."""

    outcome: Outcome
    rules: tuple[str, ...]
    acts: tuple[Act, ...] = ()
    dry_run: HexDigest | None = None
    """The digest of the dry run that showed the consequences of the acts."""


class Appeal(_ByReferee, frozen=True, kw_only=True, tag="appeal"):
    """Ask for a second ruling by another person."""


class GrantDisclosure(_ByReferee, frozen=True, kw_only=True, tag="grant_disclosure"):
    """Let one auditor open sealed values for a limited time."""

    auditor: PlayerId
    what: Literal["hand", "masters"]
    subject: str
    until: datetime


class UseDisclosure(_ByPerson, frozen=True, kw_only=True, tag="use_disclosure"):
    """Open the disclosed values."""

    what: Literal["hand", "masters"]
    subject: str


Command = (
    Claim
    | AttachEvidence
    | AttachAudit
    | AttachHead
    | Freeze
    | Unfreeze
    | Rule
    | Appeal
    | GrantDisclosure
    | UseDisclosure
)
