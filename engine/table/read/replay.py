"""
A hand played over again: step by step, as one viewer could see it at that moment.

A step is one event of the table.  What it shows is made from the event and from the
state it led to, never from what came later; what its viewer could not open says
:data:`HIDDEN`.  The number of a step is its address: steps are only ever added at the
end, so the same number names the same step for every viewer and for ever.

Source: rulebook ``visibility``.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import Any, Literal

import msgspec
from msgspec.structs import asdict

from engine.kit.audiences import AUDITOR, reader_of
from engine.rulesets import CorellianSpike
from engine.table.evolve.at_table import evolve
from engine.table.model import events
from engine.table.model.events import Event
from engine.table.model.state import INITIAL, Table
from engine.table.read.view import hands_in, seen_by
from engine.table.read.view_parts import OwnView, TableView
from engine.values import (
    Chips,
    EntrantId,
    HandId,
    Sealed,
    SealedCard,
    TableId,
    TournamentId,
)

HIDDEN = "hidden"
"""Stands where the viewer could not look."""

ActorKind = Literal["entrant", "clock", "house"]


class _Part(msgspec.Struct, frozen=True, kw_only=True):
    pass


class Happened(_Part, frozen=True, kw_only=True):
    """An event of a table, as the log dates and numbers it."""

    event: Event
    version: int
    at: datetime


class Actor(_Part, frozen=True, kw_only=True):
    """Who acted: a seat itself, the clock in its place, or the house."""

    kind: ActorKind
    seat: int | None = None
    entrant: EntrantId | None = None


class Moved(_Part, frozen=True, kw_only=True):
    """By how much a stack grew; a negative number of chips left it."""

    seat: int
    entrant: EntrantId
    chips: int


class Step(_Part, frozen=True, kw_only=True):
    """One thing that happened, and what the viewer saw when it had."""

    number: int
    """From 1; the address of the step."""

    version: int
    """Of the table's stream: which event it is."""

    at: datetime
    deal: int
    event: str
    """The event's tag."""

    actor: Actor
    rule: str | None
    """Rulebook's name of what was applied; null where no rule decided anything."""

    data: dict[str, Any]
    """The event's members; what the viewer could not open says :data:`HIDDEN`."""

    moved: tuple[Moved, ...]
    """Stacks that changed."""

    pot: Chips
    """Chips that lie in no stack: wagers, pots not awarded yet, the carry; not the Sabacc pot."""

    view: TableView
    """The table after it, with pots, stacks and dice, as the viewer saw it."""

    hands: tuple[OwnView, ...] = ()
    """For an auditor: what each seat saw of its own cards, and nobody else did."""


class Replay(_Part, frozen=True, kw_only=True):
    """A hand from one perspective, deal after deal."""

    hand: HandId
    number: int
    table: TableId
    tournament: TournamentId
    game: str
    """The ruleset's variant, as ``coruscant_shift``."""

    perspective: str
    """``public``, an ``ent_…``, or ``auditor``."""

    over: bool
    """Whether its last deal is closed; else steps will follow."""

    steps: tuple[Step, ...]


_ANSWER = (
    events.SelectionCommitted,
    events.ImprovementCommitted,
    events.SeatActed,
    events.CardTurnTaken,
)
"""The answer to a decision: the player's, or the clock's for them."""

_OWN_WILL = (
    events.CardsFielded,
    events.HandCalled,
    events.HandQuit,
    events.HandShown,
    events.SeatCameBack,
)
"""Acts of a player that no decision asks for."""

_WITHOUT_RULE = (
    events.TableOpened,
    events.HandOpened,
    events.DecisionExtended,
    events.SelectionsClosed,
    events.ImprovementsClosed,
    events.StreetClosed,
    events.HandSettled,
    events.SeatCameBack,
    events.SeatsVacated,
    events.ArrivalsSeated,
    events.TableHeld,
    events.TableResumed,
    events.TableWaiting,
    events.TableClosed,
)
_RULES: dict[type, str] = {
    events.HandOpened: "generator.seeds",
    events.DecisionExtended: "levels.outage",
    events.SelectionsClosed: "visibility",
    events.ImprovementsClosed: "visibility",
    events.StreetClosed: "betting.street_end",
    events.HandSettled: "phases.settled",
    events.SeatCameBack: "absence.timeouts",
    events.TableHeld: "directing.hold",
    events.TableResumed: "directing.hold",
}
"""Of events that do not name their rule themselves."""

_PHASES = {
    "select": "selection.first",
    "improve": "selection.improve",
    "bet": "betting.turn",
    "card": "betting.turn",
}


def replayed(opened: Event, played: Iterable[Happened], perspective: str) -> Replay | None:
    """
    Return the hand that *played* begins with, None if it begins with none.

    Args:
        opened: What opened the table.
        played: The table's events from the hand's first ``hand_opened`` on, hidden
            places open; what belongs to later hands is left out.
        perspective: ``public``, ``auditor`` or an ``ent_…``.
    """
    state, settled, deal = evolve(INITIAL, opened), False, 0
    steps: list[Step] = []
    first: events.HandOpened | None = None
    for each in played:
        event = each.event
        if isinstance(event, events.HandOpened):
            first = first or event
            if event.hand != first.hand:
                break
            deal = event.deal
        before, state = state, evolve(state, event)
        if first is None or not isinstance(before, Table) or not isinstance(state, Table):
            return None
        if settled and not isinstance(event, events.HandShown):
            continue
        settled = settled or isinstance(event, events.HandSettled)
        steps.append(_step((len(steps) + 1, deal), each, (before, state), perspective))
    if first is None or not isinstance(state, Table):
        return None
    return Replay(
        hand=first.hand,
        number=first.number,
        table=state.table,
        tournament=state.tournament,
        game=state.ruleset.variant,
        perspective=perspective,
        over=settled or state.closed,
        steps=tuple(steps),
    )


def _step(
    numbers: tuple[int, int], happened: Happened, tables: tuple[Table, Table], perspective: str
) -> Step:
    """Return a step by its own number and its deal's, and the table before and after it."""
    event, (before, after) = happened.event, tables
    viewer = reader_of(perspective).entrant
    opening = isinstance(event, events.HandOpened)
    return Step(
        number=numbers[0],
        version=happened.version,
        at=happened.at,
        deal=numbers[1],
        event=str(event.__struct_config__.tag),
        actor=_actor(event),
        rule=_rule(event, after),
        data=_data(event, perspective),
        moved=() if opening else _moved(before, after),
        pot=after.chips() - sum(place.stack for place in after.places) - after.sabacc_pot,
        view=seen_by(after, viewer),
        hands=hands_in(after) if perspective == AUDITOR else (),
    )


def _actor(event: Event) -> Actor:
    if isinstance(event, events.SeatWentAway):
        kind: ActorKind = "clock" if event.cause == "timeouts" else "entrant"
        return Actor(kind=kind, seat=event.seat, entrant=event.entrant)
    if isinstance(event, _ANSWER):
        kind = "clock" if event.timed_out else "entrant"
        return Actor(kind=kind, seat=event.seat, entrant=event.entrant)
    if isinstance(event, _OWN_WILL) and event.seat is not None:
        return Actor(kind="entrant", seat=event.seat, entrant=event.entrant)
    return Actor(kind="house")


def _rule(event: Event, table: Table) -> str | None:
    if isinstance(event, events.DecisionOpened):
        return _PHASES[event.phase]
    if isinstance(event, events.CardRoundClosed):
        return "spike.rounds" if isinstance(table.ruleset, CorellianSpike) else "traditional"
    if isinstance(event, _WITHOUT_RULE):
        return _RULES.get(type(event))
    return event.rule


def _moved(before: Table, after: Table) -> tuple[Moved, ...]:
    stacks = {place.entrant: place.stack for place in before.places}
    return tuple(
        Moved(seat=place.seat, entrant=place.entrant, chips=place.stack - had)
        for place in after.places
        if (had := stacks.get(place.entrant)) is not None and had != place.stack
    )


def _data(event: Event, perspective: str) -> dict[str, Any]:
    """Return what an event says to the viewer: a card is its face, wherever it stands."""
    audiences = frozenset(reader_of(perspective).audiences)

    # Every member of every event is shown, so members are read by the names the structs list.
    def plain(value: object) -> object:
        if isinstance(value, Sealed | SealedCard):
            if audiences.isdisjoint(value.audiences):
                return HIDDEN
            return value.card if isinstance(value, SealedCard) else plain(value.value)
        if isinstance(value, events.OpenCard):
            return value.card
        if isinstance(value, msgspec.Struct):
            return {name: plain(member) for name, member in asdict(value).items()}
        if isinstance(value, tuple):
            return [plain(each) for each in value]
        return value

    return {name: plain(member) for name, member in asdict(event).items()}
