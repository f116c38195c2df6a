"""Replays of random hands: they repeat, they only grow, and they show what each viewer saw."""

from collections.abc import Iterator
from datetime import timedelta
from random import Random
from typing import Any

import msgspec
from hypothesis import given, settings

from engine.kit.audiences import AUDITOR, PUBLIC
from engine.kit.cards import deck
from engine.table.model.events import Event, HandOpened, OpenCard
from engine.table.read.replay import Happened, Replay, replayed
from engine.values import Sealed, SealedCard, audience_of
from tests.engine.table.tables import START
from tests.properties.croupier import Croupier
from tests.properties.test_table import choices as chances
from tests.properties.test_table import croupier_of, every_variant, numbers, played, seats, words

few = settings(played, max_examples=2)


def hand_of(croupier: Croupier) -> list[Event]:
    """Return the events of the first hand, up to the opening of the second."""
    opened = [
        index
        for index, event in enumerate(croupier.floor.events)
        if isinstance(event, HandOpened) and event.number <= 2
    ]
    first = [i for i in opened if croupier.floor.events[i].number == 1]  # type: ignore[union-attr]
    later = [i for i in opened if i not in first]
    return croupier.floor.events[first[0] : later[0] if later else None]


def told(croupier: Croupier, events: list[Event], perspective: str) -> Replay:
    happened = [
        Happened(event=event, version=2 + index, at=START + timedelta(seconds=index))
        for index, event in enumerate(events)
    ]
    found = replayed(croupier.floor.events[0], happened, perspective)
    assert found is not None
    return found


def parts(value: object) -> Iterator[object]:
    """Yield every card and every hidden value in *value*."""
    if isinstance(value, Sealed | SealedCard | OpenCard):
        yield value
    elif isinstance(value, msgspec.Struct):
        for name in value.__struct_fields__:
            yield from parts(getattr(value, name))
    elif isinstance(value, tuple | list):
        for each in value:
            yield from parts(each)


def changed(value: Any, faces: dict[str, str], audience: str | None) -> Any:
    """Return *value* with other secrets, except those that *audience* can open."""
    if isinstance(value, Sealed | SealedCard):
        seen = isinstance(value, SealedCard) and value.card not in faces
        if seen or audience in value.audiences:
            return value
        salt = bytes(byte ^ 1 for byte in value.salt)
        if isinstance(value, SealedCard):
            return SealedCard(faces[value.card], salt, value.pile, value.position, value.audiences)
        return Sealed(renamed(value.value, faces), salt, value.audiences)
    if isinstance(value, msgspec.Struct) and not isinstance(value, OpenCard):
        members = {
            name: changed(getattr(value, name), faces, audience) for name in value.__struct_fields__
        }
        return type(value)(**members)
    if isinstance(value, tuple):
        return tuple(changed(each, faces, audience) for each in value)
    return value


def renamed(value: Any, faces: dict[str, str]) -> Any:
    """Return a hidden selection or card renamed by *faces*, or seeds of zeros."""
    if isinstance(value, tuple):
        return tuple(faces.get(each, each) for each in value)
    if isinstance(value, str):
        return faces.get(value, value)
    members = dict.fromkeys(value.__struct_fields__, "0" * 64)
    return type(value)(**members)


def others(croupier: Croupier, events: list[Event], audience: str | None) -> list[Event]:
    """Return the same hand with every card exchanged that *audience* never sees in *events*."""
    deals: list[list[Event]] = []
    for event in events:
        if isinstance(event, HandOpened) or not deals:
            deals.append([])
        deals[-1].append(event)
    found = []
    for deal in deals:
        seen = {
            part.card
            for part in parts(deal)
            if isinstance(part, OpenCard)
            or (isinstance(part, SealedCard) and audience in part.audiences)
        }
        unseen = [face for face in deck(croupier.table.ruleset.deck) if face not in seen]
        faces = dict(zip(unseen, unseen[1:] + unseen[:1], strict=True))
        found += [changed(event, faces, audience) for event in deal]
    return found


def viewers(croupier: Croupier, events: list[Event]) -> list[tuple[str, str | None]]:
    """Return the public and two entrants as viewers, each with its audience."""
    opened = events[0]
    assert isinstance(opened, HandOpened)
    entrants = [books.entrant for books in opened.seats]
    return [(PUBLIC, None), *((each, audience_of(each)) for each in entrants[:2])]


@every_variant
@few
@given(seats, numbers, chances)
def test_two_hands_that_differ_in_what_a_viewer_never_saw_are_replayed_alike(
    name: str, seats: int, seed: int, dice: Random
) -> None:
    croupier = croupier_of(name, min(seats, 5), seed, dice)
    croupier.play(1)
    events = hand_of(croupier)
    for end in (len(events), len(events) // 2 + 1):
        for perspective, audience in viewers(croupier, events):
            other = others(croupier, events[:end], audience)
            assert other != events[:end]
            assert told(croupier, other, perspective) == told(croupier, events[:end], perspective)


@every_variant
@few
@given(seats, numbers, chances)
def test_a_step_shows_no_card_before_its_viewer_could_see_it(
    name: str, seats: int, seed: int, dice: Random
) -> None:
    croupier = croupier_of(name, min(seats, 5), seed, dice)
    croupier.play(1)
    events = hand_of(croupier)
    faces = set(deck(croupier.table.ruleset.deck))
    for perspective, audience in viewers(croupier, events):
        seen: set[str] = set()
        for step in told(croupier, events, perspective).steps:
            event = events[step.version - 2]
            seen |= {
                part.card
                for part in parts(event)
                if isinstance(part, OpenCard)
                or (isinstance(part, SealedCard) and audience in part.audiences)
            }
            draws = set(words(step.data.get("first_dealer_draws", [])))
            shown = msgspec.to_builtins((step.data, step.view, step.hands))
            assert set(words(shown)) & faces <= seen | draws


@every_variant
@few
@given(seats, numbers, chances)
def test_a_replay_only_grows_and_its_steps_are_numbered_alike_for_everybody(
    name: str, seats: int, seed: int, dice: Random
) -> None:
    croupier = croupier_of(name, min(seats, 5), seed, dice)
    croupier.play(1)
    events = hand_of(croupier)
    addresses = set()
    for perspective in (PUBLIC, AUDITOR, viewers(croupier, events)[1][0]):
        whole = told(croupier, events, perspective)
        half = told(croupier, events[: len(events) // 2 + 1], perspective)
        assert half.steps == whole.steps[: len(half.steps)]
        assert [step.number for step in whole.steps] == list(range(1, len(whole.steps) + 1))
        addresses.add(tuple((step.number, step.version, step.event) for step in whole.steps))
        assert whole.over
    assert len(addresses) == 1


@every_variant
@few
@given(seats, numbers, chances)
def test_an_auditor_sees_at_each_step_what_every_seat_saw(
    name: str, seats: int, seed: int, dice: Random
) -> None:
    croupier = croupier_of(name, min(seats, 5), seed, dice)
    croupier.play(1)
    events = hand_of(croupier)
    all_of_it = told(croupier, events, AUDITOR)
    for perspective, _ in viewers(croupier, events)[1:]:
        for step, opened in zip(
            told(croupier, events, perspective).steps, all_of_it.steps, strict=True
        ):
            assert step.view.me is None or step.view.me in opened.hands
            assert "hidden" not in set(words(opened.data))
