"""How a tournament becomes what it is, event by event."""

from collections.abc import Iterable
from functools import reduce
from typing import TypeVar

from msgspec.structs import replace

from engine.errors import InvariantViolated
from engine.tournament.evolve import floor as on_the_floor
from engine.tournament.evolve import rounds as in_rounds
from engine.tournament.evolve.books import booked
from engine.tournament.evolve.buying import (
    back,
    in_casino,
    item_staked,
    rebuying,
    with_item,
    without_window,
)
from engine.tournament.evolve.entering import evolve as evolve_entering
from engine.tournament.evolve.entering import placed
from engine.tournament.evolve.fairness import mixed
from engine.tournament.evolve.freezing import frozen_by
from engine.tournament.evolve.seats import moved, seatings_of, without
from engine.tournament.model import entering_events as entering
from engine.tournament.model import freezing_events as of_freezing
from engine.tournament.model import money_events as of_money
from engine.tournament.model import rounds_events as of_rounds
from engine.tournament.model.correcting_events import ResultCorrected
from engine.tournament.model.events import (
    ChipsBrought,
    ChipsPromised,
    ClockStarted,
    ClockStopped,
    EntrantBusted,
    EntrantCashedOut,
    EntrantEliminated,
    EntrantRegistered,
    EntrantsMoved,
    EntrantWithdrawn,
    Event,
    ItemPassed,
    ItemReturned,
    ItemStaked,
    LeaveDeclared,
    LevelRaised,
    PlayClosing,
    PlayStarted,
    RebuyDeclared,
    RebuyTaken,
    RebuyWindowOpened,
    RegistrationClosed,
    RegistrationOpened,
    SeatsDrawn,
    TableBroken,
    TournamentAnnounced,
    TournamentCancelled,
    TournamentFinished,
    TournamentPaused,
    TournamentResumed,
)
from engine.tournament.model.fairness_events import Event as FairnessEvent
from engine.tournament.model.floor_events import Event as FloorEvent
from engine.tournament.model.floor_state import FloorState
from engine.tournament.model.heads_events import TablesRecorded
from engine.tournament.model.state import (
    Announced,
    Cancelled,
    Closed,
    Drafted,
    Finished,
    Registering,
    Running,
    State,
    Unannounced,
)
from engine.tournament.model.values import Entry, LevelClock, Masters, Placing

RegisteringOrRunning = TypeVar("RegisteringOrRunning", Registering, Running)


def evolve(state: State, event: Event) -> State:
    """
    Return the state after *event*.

    Raises:
        InvariantViolated: If *event* cannot have happened in *state*.
    """
    books = booked(state.books, event)
    fairness = mixed(state.fairness, event)
    frozen = frozen_by(state.frozen, event)
    aside = isinstance(event, of_money.Event | FairnessEvent | of_freezing.Event)
    after = state if aside and not isinstance(state, Unannounced) else _evolve(state, event)
    return replace(after, version=state.version + 1, books=books, fairness=fairness, frozen=frozen)


def after(state: State, events: Iterable[Event]) -> State:
    """Return the state that *events* lead to, in turn."""
    return reduce(evolve, events, state)


def _evolve(state: State, event: Event) -> State:
    if isinstance(event, entering.Event):
        return evolve_entering(state, event)
    match state, event:
        case ((Unannounced() | Drafted()), TournamentAnnounced()):
            return Announced(terms=event)
        case Announced(terms=terms), RegistrationOpened():
            masters = Masters(cards=event.cards.value, open=event.open.value)
            return Registering(terms=terms, masters=masters, entering=state.entering)
        case Registering(), EntrantRegistered():
            return _registered(state, event)
        case Registering(), EntrantWithdrawn():
            kept = tuple(each for each in state.entrants if each.entrant != event.entrant)
            return replace(state, entrants=kept)
        case Registering(), RegistrationClosed():
            return replace(state, closed=True)
        case Registering(closed=True), SeatsDrawn():
            return Closed(
                terms=state.terms,
                masters=state.masters,
                entrants=state.entrants,
                registered=state.registered,
                entering=state.entering,
                tables=seatings_of(event.assignments),
                breaking_order=event.breaking_order,
                draws=event.draw.number,
            )
        case Closed(), PlayStarted():
            return _running(state)
        case Announced() | Registering() | Running(), TournamentCancelled():
            entrants = () if isinstance(state, Announced) else state.entrants
            return Cancelled(
                terms=state.terms,
                entrants=entrants,
                reason=event.reason,
                entering=state.entering,
            )
        case Finished(), ResultCorrected():
            return _corrected(state, event)
        case ((Finished() | Cancelled()), TablesRecorded()):
            return replace(state, recorded=True)
        case Running(), _ if isinstance(event, of_rounds.Event):
            return in_rounds.evolve(state, event)
        case Running(), _:
            return in_rounds.followed(state.rounds, _evolve_running(state, event), event)
        case _:
            raise InvariantViolated(f"{type(event).__name__} cannot follow {type(state).__name__}")


def _corrected(state: Finished, event: ResultCorrected) -> Finished:
    return replace(
        state,
        placings=event.placings,
        payouts=event.payouts,
        corrections=(*state.corrections, event),
    )


def _running(state: Closed) -> Running:
    return Running(
        terms=state.terms,
        masters=state.masters,
        entrants=state.entrants,
        tables=state.tables,
        breaking_order=state.breaking_order,
        draws=state.draws,
        registered=state.registered,
        entering=state.entering,
        # Seats that were drawn just now are not drawn anew.
        floor=FloorState(redrawn=(len(state.tables),)),
    )


def _registered(state: RegisteringOrRunning, event: EntrantRegistered) -> RegisteringOrRunning:
    entry = Entry(entrant=event.entrant, player=event.player, bot=event.bot, number=event.number)
    return replace(
        state,
        entrants=(*state.entrants, entry),
        registered=event.number,
        entering=placed(state.entering, event.entrant),
    )


def _evolve_running(state: Running, event: Event) -> State:
    match event:
        case TournamentPaused():
            return replace(state, paused=True)
        case TournamentResumed():
            return replace(state, paused=False)
        case ClockStarted() | ClockStopped() | LevelRaised():
            return replace(state, clock=_clock(state, event))
        case EntrantBusted(entrant=entrant, table=table, stack_at_start=stack):
            gone = replace(state, tables=without(state.tables, {entrant}))
            return on_the_floor.with_bust(gone, entrant, table, stack)
        case RebuyDeclared():
            return rebuying(state, event)
        case RebuyWindowOpened() | RebuyTaken():
            return rebuying(on_the_floor.without_bust(state, event.entrant), event)
        case EntrantRegistered():
            return _registered(state, event)
        case ChipsPromised() | ChipsBrought() | LeaveDeclared() | EntrantCashedOut():
            return in_casino(state, event)
        case PlayClosing():
            return replace(state, closing=True)
        case ItemStaked():
            return item_staked(back(state, event), event)
        case ItemPassed():
            return with_item(state, event.item, owner=event.taker, staked=False)
        case ItemReturned():
            return with_item(state, event.item, staked=False)
        case EntrantEliminated():
            state = on_the_floor.without_bust(without_window(state, event.entrant), event.entrant)
            placing = Placing(
                entrant=event.entrant, player=event.player, place=event.place, shared=event.shared
            )
            return replace(state, placings=(*state.placings, placing))
        case EntrantsMoved() | TableBroken():
            return _moved(state, event)
        case TournamentFinished():
            return Finished(
                terms=state.terms,
                masters=state.masters,
                entrants=state.entrants,
                placings=event.placings,
                payouts=event.payouts,
                entering=state.entering,
            )
        case _ if isinstance(event, FloorEvent):
            return on_the_floor.evolve(state, event)
        case _:
            raise InvariantViolated(f"{type(event).__name__} cannot follow the start of play")


def _moved(state: Running, event: EntrantsMoved | TableBroken) -> Running:
    tables = moved(state.tables, event.moves)
    if isinstance(event, TableBroken):
        tables = tuple(each for each in tables if each.table != event.table)
    state = on_the_floor.with_moved(state, (move.entrant for move in event.moves))
    draws = event.draw.number if event.draw else state.draws
    return replace(state, tables=tables, draws=draws)


def _clock(state: Running, event: ClockStarted | ClockStopped | LevelRaised) -> LevelClock:
    """Return the clock after *event*, whose version will be the next."""
    version, before = state.version + 1, state.clock
    match event:
        case ClockStopped():
            if before is None or event.level != before.level:
                raise InvariantViolated("a clock was stopped that does not run")
            return replace(
                before,
                run_by=version,
                since=event.at,
                due=None,
                left_microseconds=event.left_microseconds,
            )
        case ClockStarted() if before is not None and before.level == event.level:
            set_by = before.set_by
        case ClockStarted() | LevelRaised():
            if event.level != (0 if before is None else before.level) + 1:
                raise InvariantViolated("a level was left out")
            set_by = version
    return LevelClock(
        level=event.level,
        amounts=event.amounts,
        set_by=set_by,
        run_by=version,
        since=event.at,
        due=event.due,
    )
