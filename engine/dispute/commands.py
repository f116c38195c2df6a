"""What can be asked of a dispute."""

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
    """Say that something was not as the rules have it."""

    dispute: DisputeId
    league: LeagueId
    subject: Subject
    claim: TextRef
    rules: tuple[str, ...] = ()
    closes_at: datetime | None = None
    """From when on it is too late; none while what is claimed on still goes on."""
    ruling: bool = False
    """Whether who claims may rule on disputes there: they may open one at any time."""


class AttachEvidence(_Command, frozen=True, kw_only=True, tag="attach_evidence"):
    evidence: Evidence
    salt: HexDigest
    now: datetime


class AttachAudit(_Command, frozen=True, kw_only=True, tag="attach_audit"):
    """What a worker found that decided everything in question again."""

    report: str
    passed: bool
    events: int
    hands: int
    last_position: int
    now: datetime


class AttachHead(_Command, frozen=True, kw_only=True, tag="attach_head"):
    """A head was signed that holds the claim and all that it is about."""

    epoch: int
    size: int
    root: HexDigest
    note: tuple[str, ...]
    now: datetime


class Freeze(_ByReferee, frozen=True, kw_only=True, tag="freeze"):
    """Let what depends on the outcome wait for it."""


class Unfreeze(_ByReferee, frozen=True, kw_only=True, tag="unfreeze"):
    """Let it go on before there is a ruling."""


class Rule(_ByReferee, frozen=True, kw_only=True, tag="rule"):
    """Decide a dispute, in whichever instance it is."""

    outcome: Outcome
    rules: tuple[str, ...]
    acts: tuple[Act, ...] = ()
    dry_run: HexDigest | None = None
    """Which dry run showed what the acts would change."""


class Appeal(_ByReferee, frozen=True, kw_only=True, tag="appeal"):
    """Ask for a second ruling, by somebody else."""


class GrantDisclosure(_ByReferee, frozen=True, kw_only=True, tag="grant_disclosure"):
    """Let one auditor open sealed values for a while."""

    auditor: PlayerId
    what: Literal["hand", "masters"]
    subject: str
    until: datetime


class UseDisclosure(_ByPerson, frozen=True, kw_only=True, tag="use_disclosure"):
    """Open what was disclosed."""

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
