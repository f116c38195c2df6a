"""
A replay of a hand, step by step, as one viewer could see it at each moment.

A step is one event of the table. It shows the event and the state after it, never anything
later. A value that its viewer could not open is shown as :data:`HIDDEN`. The number of a step
is its address. Steps are only added at the end, so a number always names the same step for
every viewer.

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
"""Replaces a value that the viewer could not open."""

ActorKind = Literal["entrant", "clock", "house"]


class _Part(msgspec.Struct, frozen=True, kw_only=True):
    pass


class Happened(_Part, frozen=True, kw_only=True):
    """An event of a table with its time and its version in the log."""

    event: Event
    version: int
    at: datetime


class Actor(_Part, frozen=True, kw_only=True):
    """The actor: a seat, the clock in its place, or the house."""

    kind: ActorKind
    """``entrant``, or ``clock`` or ``house`` if it acted in place of an entrant."""

    seat: int | None = None
    entrant: EntrantId | None = None


class Moved(_Part, frozen=True, kw_only=True):
    """The change of a stack in chips. It is negative if chips left the stack."""

    seat: int
    entrant: EntrantId
    chips: int
    """The chips that moved."""


class Step(_Part, frozen=True, kw_only=True):
    """An event of the hand, and the viewer's view after it."""

    number: int
    """The address of the step, from 1."""

    version: int
    """The version of the event in the table's stream."""

    at: datetime
    """The instant of the step."""

    deal: int
    """The number of the deal that the step belongs to, from 1."""

    event: str
    """The event's tag."""

    actor: Actor
    """The cause of the step."""

    rule: str | None
    """The rulebook's name of the applied rule. Null if no rule applied."""

    data: dict[str, Any]
    """The event's members. Values that the viewer could not open are :data:`HIDDEN`."""

    moved: tuple[Moved, ...]
    """Stacks that changed."""

    pot: Chips
    """
    Chips outside the stacks: wagers, pots not awarded yet and the carry, without the Sabacc pot.
    """

    view: TableView
    """The viewer's view of the table after the event, with pots, stacks and dice."""

    hands: tuple[OwnView, ...] = ()
    """For an auditor: the cards that each seat alone could see."""


class Replay(_Part, frozen=True, kw_only=True):
    """A hand from one perspective, with all its deals in order."""

    hand: HandId
    number: int
    """The number of the hand at its table, from 1."""

    table: TableId
    tournament: TournamentId
    game: str
    """The ruleset's variant, such as ``coruscant_shift``."""

    perspective: str
    """``public``, an ``ent_…``, or ``auditor``."""

    over: bool
    """True if the hand is over. Otherwise steps will follow."""

    steps: tuple[Step, ...]
    """The steps of the hand, in order."""


_ANSWER = (
    events.SelectionCommitted,
    events.ImprovementCommitted,
    events.SeatActed,
    events.CardTurnTaken,
)
"""Answers to decisions, from the player or from the clock."""

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
"""The rules of events that do not name one themselves."""

_PHASES = {
    "select": "selection.first",
    "improve": "selection.improve",
    "bet": "betting.turn",
    "card": "betting.turn",
}


def replayed(opened: Event, played: Iterable[Happened], perspective: str) -> Replay | None:
    """
    Return the hand at the start of *played*. None if *played* does not begin with a hand.

    Args:
        opened: The event that opened the table.
        played: The table's events from the hand's first ``hand_opened`` on, with hidden
            values opened. Events of later hands are left out.
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
    """Return a step from its own number and its deal's number, and the tables before and after."""
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
    """Return the members of an event as the viewer may see them. A card is shown by its face."""
    audiences = frozenset(reader_of(perspective).audiences)

    # A step shows every member of an event, by the names that its struct lists.
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
