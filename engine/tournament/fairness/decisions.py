"""The entropy of entrants, and the publication of seeds. Source: rulebook ``entropy``."""

from typing import Never

from engine.decider import Cases
from engine.kit.rng import entropy_commitment
from engine.tournament.model.commands.fairness import (
    CommitEntropy,
    OpenEntropy,
    PublishSeeds,
)
from engine.tournament.model.errors import EntrantUnknown
from engine.tournament.model.errors.fairness import (
    EntropyCommittedAlready,
    EntropyMismatch,
    EntropyNotCommitted,
    EntropyOpenedAlready,
    EntropyTooEarly,
    EntropyTooLate,
    NotCheckedIn,
    SeedsStillNeeded,
)
from engine.tournament.model.events import Event
from engine.tournament.model.events.fairness import (
    EntropyCommitted,
    EntropyOpened,
    SeedsPublished,
)
from engine.tournament.model.state import (
    Finished,
    Registering,
    Running,
    State,
    entry_of,
    phase_of,
    registering_of,
    running_of,
)
from engine.values import EntrantId


def commit(state: State, command: CommitEntropy) -> tuple[EntropyCommitted]:
    """
    Return the commitment of an entrant to 32 bytes that nobody else knows.

    Raises:
        EntrantUnknown: If this entry has no place.
        EntropyTooLate: If the seats are drawn.
        NotCheckedIn: If there is check-in, and the entrant has not checked in.
        EntropyCommittedAlready: If the entrant has committed before.
    """
    _demand_entry(state, command.entrant)
    if isinstance(state, Running | Finished):
        raise EntropyTooLate(until="seats_drawn")
    registering = registering_of(state)
    asked = registering.terms.entry.check_in_opens_before_seconds is not None
    if asked and command.entrant not in registering.entering.checked_in:
        raise NotCheckedIn
    if registering.fairness.of(command.entrant) is not None:
        raise EntropyCommittedAlready
    return (
        EntropyCommitted(
            entrant=command.entrant, commitment=command.commitment, rule="entropy.commit"
        ),
    )


def open_entropy(state: State, command: OpenEntropy) -> tuple[EntropyOpened]:
    """
    Return the bytes that an entrant had committed to.

    Raises:
        EntrantUnknown: If this entry has no place.
        EntropyTooEarly: If others may still commit.
        EntropyNotCommitted: If the entrant has not committed to anything.
        EntropyOpenedAlready: If the entrant has opened the bytes before.
        EntropyTooLate: If a hand has been opened at the table.
        EntropyMismatch: If the bytes do not match the commitment.
    """
    _demand_entry(state, command.entrant)
    if isinstance(state, Registering):
        raise EntropyTooEarly
    bound = running_of(state).fairness.of(command.entrant)
    if bound is None:
        raise EntropyNotCommitted
    if bound.value is not None:
        raise EntropyOpenedAlready
    if not command.in_time:
        raise EntropyTooLate(until="first_hand")
    if entropy_commitment(bytes.fromhex(command.value)) != bound.commitment:
        raise EntropyMismatch
    return (EntropyOpened(entrant=command.entrant, value=command.value, rule="entropy.open"),)


def _demand_entry(state: State, entrant: EntrantId) -> None:
    if isinstance(state, Registering | Running | Finished) and entry_of(state, entrant) is None:
        raise EntrantUnknown


def publish(state: State, command: PublishSeeds) -> tuple[SeedsPublished, ...]:
    """
    Return the master ``cards`` to publish. It is published only once.

    Raises:
        SeedsStillNeeded: If the tournament is not finished.
    """
    if not isinstance(state, Finished):
        raise SeedsStillNeeded(phase=phase_of(state))
    if state.fairness.published is not None:
        return ()
    return (
        SeedsPublished(cards_master=state.masters.cards, by=command.by, rule="entropy.publication"),
    )


DECIDED = (
    Cases[State, Never, tuple[Event, ...]]()
    .on(CommitEntropy, commit)
    .on(OpenEntropy, open_entropy)
    .on(PublishSeeds, publish)
)
