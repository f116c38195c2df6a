"""The state of a tournament after each event."""

from collections.abc import Iterable
from functools import reduce
from typing import Never, TypeVar

from msgspec.structs import replace

from engine.decider import Cases
from engine.errors import InvariantViolated, cannot_follow
from engine.tournament.evolve import entering
from engine.tournament.evolve import floor as on_the_floor
from engine.tournament.evolve import rounds as in_rounds
from engine.tournament.evolve.books import BOOKED, with_rebuy, with_return
from engine.tournament.evolve.buying import (
    back,
    cashed_out,
    chips_brought,
    chips_promised,
    item_staked,
    leave_declared,
    rebuy_declared,
    rebuy_taken,
    window_opened,
    with_item,
    with_passed,
    without_window,
)
from engine.tournament.evolve.entering import placed
from engine.tournament.evolve.fairness import MIXED
from engine.tournament.evolve.freezing import FROZEN
from engine.tournament.evolve.phases import all_during, all_of_part, carried_over, during
from engine.tournament.evolve.seats import moved, seatings_of, without
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
from engine.tournament.model.events.correcting import ResultCorrected
from engine.tournament.model.events.heads import TablesRecorded
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
from engine.tournament.model.state.floor import FloorState
from engine.tournament.model.values import Entry, LevelClock, Masters, Placing
from engine.tournament.model.values.fairness import Fairness
from engine.tournament.model.values.money import Books

RegisteringOrRunning = TypeVar("RegisteringOrRunning", Registering, Running)


def evolve(state: State, event: Event) -> State:
    """
    Return the state after *event*.

    Raises:
        InvariantViolated: If *event* cannot have happened in *state*.
    """
    then = _EVOLVED[type(event)](state, event)
    if type(then) is not type(state):
        then = carried_over(state, then)
    return replace(then, version=state.version + 1)


def after(state: State, events: Iterable[Event]) -> State:
    """Return the state after *events*, one after the other."""
    return reduce(evolve, events, state)


def _announced(state: State, event: TournamentAnnounced) -> State:
    if not isinstance(state, Unannounced | Drafted):
        raise cannot_follow(state, event)
    return Announced(terms=event)


def _registration_opened(state: Announced, event: RegistrationOpened) -> State:
    masters = Masters(cards=event.cards.value, open=event.open.value)
    return Registering(terms=state.terms, masters=masters, entering=state.entering)


def _entered(state: State, event: EntrantRegistered) -> State:
    if isinstance(state, Running):
        return _registered(state, event)
    if isinstance(state, Registering):
        return _registered(state, event)
    raise cannot_follow(state, event)


def _withdrawn(state: Registering, event: EntrantWithdrawn) -> State:
    kept = tuple(each for each in state.entrants if each.entrant != event.entrant)
    return replace(state, entrants=kept)


def _registration_closed(state: Registering, event: RegistrationClosed) -> State:
    return replace(state, closed=True)


def _seats_drawn(state: Registering, event: SeatsDrawn) -> State:
    if not state.closed:
        raise cannot_follow(state, event)
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


def _cancelled(state: State, event: TournamentCancelled) -> State:
    if not isinstance(state, Announced | Registering | Running):
        raise cannot_follow(state, event)
    return Cancelled(
        terms=state.terms,
        entrants=() if isinstance(state, Announced) else state.entrants,
        reason=event.reason,
        entering=state.entering,
    )


def _tables_recorded(state: State, event: TablesRecorded) -> State:
    if not isinstance(state, Finished | Cancelled):
        raise cannot_follow(state, event)
    return replace(state, recorded=True)


def _with_books(state: State, books: Books) -> State:
    return replace(state, books=books)


def _with_fairness(state: State, fairness: Fairness) -> State:
    return replace(state, fairness=fairness)


def _with_frozen(state: State, frozen: tuple[str, ...]) -> State:
    return replace(state, frozen=frozen)


def _corrected(state: Finished, event: ResultCorrected) -> Finished:
    return replace(
        state,
        placings=event.placings,
        payouts=event.payouts,
        corrections=(*state.corrections, event),
    )


def _play_started(state: Closed, event: PlayStarted) -> Running:
    return Running(
        terms=state.terms,
        masters=state.masters,
        entrants=state.entrants,
        tables=state.tables,
        breaking_order=state.breaking_order,
        draws=state.draws,
        registered=state.registered,
        entering=state.entering,
        # The seats were drawn just now, so this number of tables needs no redraw.
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


def _paused(state: Running, event: TournamentPaused) -> Running:
    return replace(state, paused=True)


def _resumed(state: Running, event: TournamentResumed) -> Running:
    return replace(state, paused=False)


def _clock_set(state: Running, event: ClockStarted | ClockStopped | LevelRaised) -> Running:
    return replace(state, clock=_clock(state, event))


def _busted(state: Running, event: EntrantBusted) -> Running:
    gone = replace(state, tables=without(state.tables, {event.entrant}))
    bust = on_the_floor.with_bust(gone, event.entrant, event.table, event.stack_at_start)
    return in_rounds.with_bust(bust, event)


def _eliminated(state: Running, event: EntrantEliminated) -> Running:
    state = on_the_floor.without_bust(without_window(state, event.entrant), event.entrant)
    placing = Placing(
        entrant=event.entrant, player=event.player, place=event.place, shared=event.shared
    )
    placed_now = replace(state, placings=(*state.placings, placing))
    return in_rounds.without_player(placed_now, event.entrant)


def _window_opened(state: Running, event: RebuyWindowOpened) -> Running:
    return window_opened(on_the_floor.without_bust(state, event.entrant), event)


def _rebuy_taken(state: Running, event: RebuyTaken) -> Running:
    state = replace(state, books=with_rebuy(state.books, event.entrant))
    return rebuy_taken(on_the_floor.without_bust(state, event.entrant), event)


def _closing(state: Running, event: PlayClosing) -> Running:
    return replace(state, closing=True)


def _item_staked(state: Running, event: ItemStaked) -> Running:
    state = replace(state, books=with_return(state.books, event.entrant))
    return item_staked(back(state, event), event)


def _item_returned(state: Running, event: ItemReturned) -> Running:
    return with_item(state, event.item, staked=False)


def _finished(state: Running, event: TournamentFinished) -> State:
    return Finished(
        terms=state.terms,
        masters=state.masters,
        entrants=state.entrants,
        placings=event.placings,
        payouts=event.payouts,
        disqualified=state.floor.disqualified,
        rounds=state.rounds,
        entering=state.entering,
    )


def _moved(state: Running, event: EntrantsMoved | TableBroken) -> Running:
    tables = moved(state.tables, event.moves)
    if isinstance(event, TableBroken):
        tables = tuple(each for each in tables if each.table != event.table)
    state = on_the_floor.with_moved(state, (move.entrant for move in event.moves))
    draws = event.draw.number if event.draw else state.draws
    return replace(state, tables=tables, draws=draws)


def _clock(state: Running, event: ClockStarted | ClockStopped | LevelRaised) -> LevelClock:
    """Return the clock after *event*, which will have the next version."""
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


_WHILE_PLAYING = (
    Cases[Running, Never, State]()
    .on(TournamentPaused, _paused)
    .on(TournamentResumed, _resumed)
    .on(ClockStarted, _clock_set)
    .on(ClockStopped, _clock_set)
    .on(LevelRaised, _clock_set)
    .on(EntrantBusted, _busted)
    .on(EntrantEliminated, _eliminated)
    .on(RebuyDeclared, rebuy_declared)
    .on(RebuyWindowOpened, _window_opened)
    .on(RebuyTaken, _rebuy_taken)
    .on(ItemStaked, _item_staked)
    .on(ItemPassed, with_passed)
    .on(ItemReturned, _item_returned)
    .on(ChipsPromised, chips_promised)
    .on(ChipsBrought, chips_brought)
    .on(LeaveDeclared, leave_declared)
    .on(EntrantCashedOut, cashed_out)
    .on(PlayClosing, _closing)
    .on(EntrantsMoved, _moved)
    .on(TableBroken, _moved)
    .on(TournamentFinished, _finished)
    .and_all(on_the_floor.EVOLVED)
    .and_all(in_rounds.EVOLVED)
)
_EVOLVED = (
    all_during(Running, _WHILE_PLAYING)
    .on(TournamentAnnounced, _announced)
    .on(RegistrationOpened, during(Announced, _registration_opened))
    .on(EntrantRegistered, _entered)
    .on(EntrantWithdrawn, during(Registering, _withdrawn))
    .on(RegistrationClosed, during(Registering, _registration_closed))
    .on(SeatsDrawn, during(Registering, _seats_drawn))
    .on(PlayStarted, during(Closed, _play_started))
    .on(TournamentCancelled, _cancelled)
    .on(ResultCorrected, during(Finished, _corrected))
    .on(TablesRecorded, _tables_recorded)
    .and_all(all_of_part(BOOKED, lambda state: state.books, _with_books))
    .and_all(all_of_part(MIXED, lambda state: state.fairness, _with_fairness))
    .and_all(all_of_part(FROZEN, lambda state: state.frozen, _with_frozen))
    .and_all(entering.EVOLVED)
)
