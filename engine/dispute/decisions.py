"""
The decisions of a dispute: the events that each command causes.

The service checks roles. This module ensures that nobody rules on a matter of their own.

Source: rulebook ``disputes``.
"""

from datetime import timedelta
from typing import Never

from engine.decider import Cases
from engine.dispute.commands import (
    Appeal,
    AttachAudit,
    AttachEvidence,
    AttachHead,
    Claim,
    Command,
    Freeze,
    GrantDisclosure,
    Rule,
    Unfreeze,
    UseDisclosure,
)
from engine.dispute.errors import (
    AnotherPersonNeeded,
    ClaimTooLate,
    DisputeInvalid,
    DisputeNotOpened,
    DisputePhase,
    NotDisclosed,
)
from engine.dispute.events import (
    AuditAttached,
    DisclosureGranted,
    DisclosureUsed,
    DisputeAppealed,
    DisputeFrozen,
    DisputeOpened,
    DisputeRuled,
    DisputeUnfrozen,
    Event,
    EvidenceAttached,
    HeadAttached,
)
from engine.dispute.state import Claimed, State
from engine.errors import Wording
from engine.values import HOUSE, Sealed

DISCLOSED_MAX = timedelta(days=14)
"""The longest time for which a disclosure is valid."""


def decide(state: State, command: Command) -> tuple[Event, ...]:
    """
    Return the events that *command* causes in *state*, or no events if nothing would change.

    Raises:
        CommandRejected: If the rules forbid the command.
    """
    if isinstance(command, Claim):
        return _claim(state, command)
    return _DECIDED[type(command)](_claimed(state), command)


def _claimed(state: State) -> Claimed:
    if not isinstance(state, Claimed):
        raise DisputeNotOpened
    return state


def _claim(state: State, command: Claim) -> tuple[Event, ...]:
    if isinstance(state, Claimed):
        return ()
    command.subject.demand_whole()
    rule, until = "disputes.claim", command.closes_at
    if until is not None and command.now >= until:
        if not command.ruling:
            raise ClaimTooLate(until=until)
        rule = "disputes.window"
    return (
        DisputeOpened(
            dispute=command.dispute,
            league=command.league,
            subject=command.subject,
            claimant=command.by,
            claim=command.claim,
            rules=command.rules,
            rule=rule,
        ),
    )


def _attach(state: Claimed, command: AttachEvidence) -> tuple[Event, ...]:
    sealed = Sealed(command.evidence, bytes.fromhex(command.salt), (HOUSE,))
    return (EvidenceAttached(evidence=sealed, rule="disputes.evidence"),)


def _audited(state: Claimed, command: AttachAudit) -> tuple[Event, ...]:
    if any(each.report == command.report for each in state.audits):
        return ()
    return (
        AuditAttached(
            report=command.report,
            passed=command.passed,
            events=command.events,
            hands=command.hands,
            last_position=command.last_position,
            rule="disputes.evidence",
        ),
    )


def _headed(state: Claimed, command: AttachHead) -> tuple[Event, ...]:
    """Attach the first signed head only. Later heads prove nothing more."""
    if state.head is not None:
        return ()
    return (
        HeadAttached(
            epoch=command.epoch,
            size=command.size,
            root=command.root,
            note=command.note,
            rule="disputes.evidence",
        ),
    )


def _freeze(state: Claimed, command: Freeze) -> tuple[Event, ...]:
    """Freeze everything that depends on the dispute. Source: rulebook ``disputes.freeze``."""
    if state.phase not in ("open", "appealed"):
        raise DisputePhase(phase=state.phase)
    if state.frozen:
        return ()
    return (DisputeFrozen(by=command.by, reason=command.reason, rule="disputes.freeze"),)


def _unfreeze(state: Claimed, command: Unfreeze) -> tuple[Event, ...]:
    if not state.frozen:
        return ()
    return (DisputeUnfrozen(by=command.by, reason=command.reason, rule="disputes.freeze"),)


def _rule(state: Claimed, command: Rule) -> tuple[Event, ...]:
    """
    Return the ruling, then the end of a freeze.

    Source: rulebook ``disputes.ruling``, ``disputes.another_person`` and ``disputes.appeal``.
    """
    if state.phase not in ("open", "appealed"):
        raise DisputePhase(phase=state.phase)
    before = {state.opened.claimant, *(each.by for each in state.rulings)}
    before |= set() if state.appeal is None else {state.appeal.by}
    if command.by in before:
        raise AnotherPersonNeeded
    if not command.rules:
        raise DisputeInvalid(problem=Wording("a ruling must name its rules"))
    released = _unfreeze(state, Unfreeze(by=command.by, reason=command.reason, now=command.now))
    second = state.appeal is not None
    return (
        DisputeRuled(
            instance=2 if second else 1,
            outcome=command.outcome,
            rules=command.rules,
            by=command.by,
            reason=command.reason,
            acts=command.acts,
            dry_run=command.dry_run,
            rule="disputes.appeal" if second else "disputes.ruling",
        ),
        *released,
    )


def _appeal(state: Claimed, command: Appeal) -> tuple[Event, ...]:
    if state.phase != "ruled":
        raise DisputePhase(phase=state.phase)
    return (DisputeAppealed(by=command.by, reason=command.reason, rule="disputes.appeal"),)


def _grant(state: Claimed, command: GrantDisclosure) -> tuple[Event, ...]:
    """
    Return the disclosure of the dispute's subject to one auditor.

    Source: rulebook ``disputes.disclosure``.
    """
    about = state.opened.subject
    if command.subject != (about.hand if command.what == "hand" else about.tournament):
        raise DisputeInvalid(problem=Wording("only the subject of the dispute can be disclosed"))
    if command.auditor == state.opened.claimant:
        raise DisputeInvalid(problem=Wording("claimants may not open the hands of their own claim"))
    if not command.now < command.until <= command.now + DISCLOSED_MAX:
        raise DisputeInvalid(
            problem=Wording(f"a disclosure may last {DISCLOSED_MAX.days} days at most")
        )
    return (
        DisclosureGranted(
            auditor=command.auditor,
            what=command.what,
            subject=command.subject,
            by=command.by,
            reason=command.reason,
            until=command.until,
            rule="disputes.disclosure",
        ),
    )


def _use(state: Claimed, command: UseDisclosure) -> tuple[Event, ...]:
    granted = state.disclosed(command.by, command.what, command.subject, command.now)
    if granted is None:
        raise NotDisclosed
    return (
        DisclosureUsed(
            what=command.what,
            subject=command.subject,
            by=command.by,
            at=command.now,
            expires_at=granted.until,
            rule="disputes.disclosure",
        ),
    )


_DECIDED = (
    Cases[Claimed, Never, tuple[Event, ...]]()
    .on(AttachEvidence, _attach)
    .on(AttachAudit, _audited)
    .on(AttachHead, _headed)
    .on(Freeze, _freeze)
    .on(Unfreeze, _unfreeze)
    .on(Rule, _rule)
    .on(Appeal, _appeal)
    .on(GrantDisclosure, _grant)
    .on(UseDisclosure, _use)
)
