"""How a dispute becomes what it is, event by event."""

from msgspec.structs import replace

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
from engine.dispute.state import Claimed, State, Unclaimed
from engine.errors import InvariantViolated


def evolve(state: State, event: Event) -> State:
    """
    Return the state after *event*.

    Raises:
        InvariantViolated: If *event* cannot have happened in *state*.
    """
    match state, event:
        case Unclaimed(), DisputeOpened():
            return Claimed(opened=event)
        case Claimed(), EvidenceAttached():
            return replace(state, evidence=(*state.evidence, event.evidence))
        case Claimed(), AuditAttached():
            return replace(state, audits=(*state.audits, event))
        case Claimed(head=None), HeadAttached():
            return replace(state, head=event)
        case Claimed(frozen=False), DisputeFrozen():
            return replace(state, frozen=True)
        case Claimed(frozen=True), DisputeUnfrozen():
            return replace(state, frozen=False)
        case Claimed(), DisputeRuled(instance=instance) if len(state.rulings) + 1 == instance:
            return replace(state, rulings=(*state.rulings, event))
        case Claimed(rulings=(_,), appeal=None), DisputeAppealed():
            return replace(state, appeal=event)
        case Claimed(), DisclosureGranted():
            return replace(state, disclosures=(*state.disclosures, event))
        case Claimed(), DisclosureUsed():
            return replace(state, used=(*state.used, event))
        case _:
            raise InvariantViolated(f"{type(event).__name__} cannot follow {type(state).__name__}")
