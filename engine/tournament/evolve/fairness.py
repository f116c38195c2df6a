"""The state of a tournament's entropy after an event."""

from typing import Any

from msgspec.structs import replace

from engine.tournament.model.events import fairness as fairness_events
from engine.tournament.model.values.fairness import Contribution, Fairness


def mixed(before: Fairness, event: Any) -> Fairness:
    """Return the entropy and seeds after *event*, which may be of any kind."""
    match event:
        case fairness_events.EntropyCommitted():
            made = Contribution(entrant=event.entrant, commitment=event.commitment)
            return replace(before, contributions=(*before.contributions, made))
        case fairness_events.EntropyOpened():
            opened = tuple(
                replace(each, value=event.value) if each.entrant == event.entrant else each
                for each in before.contributions
            )
            return replace(before, contributions=opened)
        case fairness_events.SeedsPublished():
            return replace(before, published=event.cards_master)
        case fairness_events.BeaconNamed():
            return replace(before, chain=event.chain)
        case fairness_events.BeaconAwaited():
            return replace(before, awaited=event.round)
        case fairness_events.BeaconRecorded():
            return replace(before, pulse=event.pulse)
        case _:
            return before
