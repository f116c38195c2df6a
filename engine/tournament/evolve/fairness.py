"""A tournament's entropy and seeds after an event."""

from typing import Never

from msgspec.structs import replace

from engine.decider import Cases
from engine.tournament.model.events import fairness as fairness_events
from engine.tournament.model.values.fairness import Contribution, Fairness


def _committed(before: Fairness, event: fairness_events.EntropyCommitted) -> Fairness:
    made = Contribution(entrant=event.entrant, commitment=event.commitment)
    return replace(before, contributions=(*before.contributions, made))


def _opened(before: Fairness, event: fairness_events.EntropyOpened) -> Fairness:
    opened = tuple(
        replace(each, value=event.value) if each.entrant == event.entrant else each
        for each in before.contributions
    )
    return replace(before, contributions=opened)


def _published(before: Fairness, event: fairness_events.SeedsPublished) -> Fairness:
    return replace(before, published=event.cards_master)


def _named(before: Fairness, event: fairness_events.BeaconNamed) -> Fairness:
    return replace(before, chain=event.chain)


def _awaited(before: Fairness, event: fairness_events.BeaconAwaited) -> Fairness:
    return replace(before, awaited=event.round)


def _recorded(before: Fairness, event: fairness_events.BeaconRecorded) -> Fairness:
    return replace(before, pulse=event.pulse)


MIXED = (
    Cases[Fairness, Never, Fairness]()
    .on(fairness_events.EntropyCommitted, _committed)
    .on(fairness_events.EntropyOpened, _opened)
    .on(fairness_events.SeedsPublished, _published)
    .on(fairness_events.BeaconNamed, _named)
    .on(fairness_events.BeaconAwaited, _awaited)
    .on(fairness_events.BeaconRecorded, _recorded)
)
