"""The changes that events make to the state of a dispute."""

from typing import Never

from msgspec.structs import replace

from engine.decider import Cases
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
from engine.errors import cannot_follow


def evolve(state: State, event: Event) -> State:
    """
    Return the state after *event*.

    Raises:
        InvariantViolated: If *event* cannot have happened in *state*.
    """
    if isinstance(state, Claimed):
        return _EVOLVED[type(event)](state, event)
    if isinstance(event, DisputeOpened):
        return Claimed(opened=event)
    raise cannot_follow(state, event)


def _opened_twice(state: Claimed, event: DisputeOpened) -> Claimed:
    raise cannot_follow(state, event)


def _evidence_attached(state: Claimed, event: EvidenceAttached) -> Claimed:
    return replace(state, evidence=(*state.evidence, event.evidence))


def _audit_attached(state: Claimed, event: AuditAttached) -> Claimed:
    return replace(state, audits=(*state.audits, event))


def _head_attached(state: Claimed, event: HeadAttached) -> Claimed:
    if state.head is not None:
        raise cannot_follow(state, event)
    return replace(state, head=event)


def _frozen(state: Claimed, event: DisputeFrozen) -> Claimed:
    if state.frozen:
        raise cannot_follow(state, event)
    return replace(state, frozen=True)


def _unfrozen(state: Claimed, event: DisputeUnfrozen) -> Claimed:
    if not state.frozen:
        raise cannot_follow(state, event)
    return replace(state, frozen=False)


def _ruled(state: Claimed, event: DisputeRuled) -> Claimed:
    if event.instance != len(state.rulings) + 1:
        raise cannot_follow(state, event)
    return replace(state, rulings=(*state.rulings, event))


def _appealed(state: Claimed, event: DisputeAppealed) -> Claimed:
    if len(state.rulings) != 1 or state.appeal is not None:
        raise cannot_follow(state, event)
    return replace(state, appeal=event)


def _disclosure_granted(state: Claimed, event: DisclosureGranted) -> Claimed:
    return replace(state, disclosures=(*state.disclosures, event))


def _disclosure_used(state: Claimed, event: DisclosureUsed) -> Claimed:
    return replace(state, used=(*state.used, event))


_EVOLVED = (
    Cases[Claimed, Never, Claimed]()
    .on(DisputeOpened, _opened_twice)
    .on(EvidenceAttached, _evidence_attached)
    .on(AuditAttached, _audit_attached)
    .on(HeadAttached, _head_attached)
    .on(DisputeFrozen, _frozen)
    .on(DisputeUnfrozen, _unfrozen)
    .on(DisputeRuled, _ruled)
    .on(DisputeAppealed, _appealed)
    .on(DisclosureGranted, _disclosure_granted)
    .on(DisclosureUsed, _disclosure_used)
)
