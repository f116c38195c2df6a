"""Bodies and answers of the routes for disputes."""

import msgspec

from engine.dispute.state import Phase
from engine.dispute.values import Act, Evidence, Outcome, Subject
from service.people.texts import Written


class DisputeReason(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """The reason for a step in a dispute. Members of the league may read it."""

    reason: Written
    """The reason, 1 to 2000 characters."""


class DisputeChanged(msgspec.Struct, kw_only=True):
    """The state of a dispute after a command."""

    id: str
    """The dispute, `dsp_…`."""

    state: Phase
    """The phase of the dispute after the command."""

    frozen: bool
    """True while the dispute blocks prizes, points and the season's end."""

    position: str | None = None


class RulingShown(msgspec.Struct, kw_only=True):
    """A ruling. ``instance`` 2 is the ruling on an appeal, and final."""

    instance: int
    """1 for the first ruling, 2 for the ruling on an appeal."""

    outcome: Outcome
    """`for` or `against` the claimant."""

    rules: tuple[str, ...]
    """Names of the rulebook's rules on which the ruling rests."""

    by: str
    """The referee."""

    name: str | None
    """The referee's name now."""

    reason: str | None
    """Null once the text has been erased."""

    acts: tuple[Act, ...]
    """The commands that the ruling carried out."""


class AuditShown(msgspec.Struct, kw_only=True):
    """The outcome of an audit. Its ``operation`` holds the whole report."""

    operation: str
    """The operation with the report, `opr_…`."""

    passed: bool
    """True if the audit found no fault."""

    hands: int
    """The number of hands that the audit decided again."""

    events: int
    """The number of events that the audit checked."""


class HeadShown(msgspec.Struct, kw_only=True):
    """The signed head that proves the evidence. The note includes the signature."""

    epoch: int
    """The epoch of the league's log."""

    size: int
    """The number of events under the head."""

    root: str
    """The root hash, in hexadecimal."""

    note: str
    """The signed note, a C2SP tlog-checkpoint."""


class ProofShown(msgspec.Struct, kw_only=True):
    """Proof that an event of the evidence is in the dispute's signed head (RFC 6962, 2.1.1)."""

    index: int
    """The event's index in the league's tree, from 0. It equals its position."""
    version: int
    """The number of the event in its stream."""

    type: str
    """The type of the event."""

    leaf: str
    """The leaf of the event, in hexadecimal."""

    path: list[str]
    """The hashes from the leaf to the root, in hexadecimal."""


class DisputeShown(msgspec.Struct, kw_only=True):
    """A dispute. Erased texts are null."""

    id: str
    """The dispute, `dsp_…`."""

    league: str
    state: Phase
    """The phase of the dispute."""

    subject: Subject
    """The thing in dispute."""

    claimant: str
    """The player who opened the dispute."""

    claimant_name: str | None
    """The claimant's name now."""

    claim: str | None
    """The claimant's words, or null once they are erased."""

    rules: tuple[str, ...]
    """Names of rules in the rulebook that the claim gives."""

    frozen: bool
    """True while the dispute blocks prizes, points and the season's end."""

    audits: tuple[AuditShown, ...]
    """Audits of the disputed streams, oldest first."""

    head: HeadShown | None
    """Null until a head has been signed for the dispute."""
    rulings: tuple[RulingShown, ...]
    """The rulings so far, at most two."""

    appealed_by: str | None
    """The player who appealed, or null."""

    appeal: str | None
    """The words of the appeal. Null without an appeal, and once they are erased."""


class EvidenceShown(msgspec.Struct, kw_only=True):
    """The evidence that the server attached, or null if there is none yet."""

    id: str
    """The dispute, `dsp_…`."""

    evidence: Evidence | None
    """Null until the evidence is attached."""
