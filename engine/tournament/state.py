"""What a tournament has become, one struct for each phase, and how it gets there."""

from collections.abc import Iterable
from typing import Any, Literal

import msgspec
from msgspec.structs import replace

from engine.errors import InvariantViolated
from engine.tournament.events import (
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
from engine.tournament.values import (
    Entry,
    Item,
    LevelClock,
    Masters,
    Move,
    Payout,
    Placing,
    Promised,
    SeatAssignment,
    Standing,
    Window,
)
from engine.values import EntrantId, Seat, TableId

Phase = Literal[
    "unannounced",
    "announced",
    "registering",
    "seating",
    "running",
    "paused",
    "finished",
    "cancelled",
]


class Seated(msgspec.Struct, frozen=True, kw_only=True):
    entrant: EntrantId
    seat: Seat


class Seating(msgspec.Struct, frozen=True, kw_only=True):
    """Who sits at one table; the table itself has the same, and the stacks."""

    table: TableId
    number: int
    seats: tuple[Seated, ...]
    """Ascending by seat."""

    def seat_of(self, entrant: EntrantId) -> Seat | None:
        """Return where *entrant* sits, or None if it is not here."""
        return next((each.seat for each in self.seats if each.entrant == entrant), None)


class _Phase(msgspec.Struct, frozen=True, kw_only=True):
    version: int = 0
    """How many events have led here: the version of the last one in the stream."""


class Unannounced(_Phase, frozen=True, kw_only=True):
    """The state of an empty stream."""


class Announced(_Phase, frozen=True, kw_only=True):
    """Published, and not yet taking entrants."""

    terms: TournamentAnnounced


class Registering(_Phase, frozen=True, kw_only=True):
    terms: TournamentAnnounced
    masters: Masters
    entrants: tuple[Entry, ...] = ()
    """In order of registration, without the withdrawn."""
    registered: int = 0
    """How many ever registered: the last number given."""


class Closed(_Phase, frozen=True, kw_only=True):
    """Registration is over and play has not begun: within one decision only."""

    terms: TournamentAnnounced
    masters: Masters
    entrants: tuple[Entry, ...]
    tables: tuple[Seating, ...] = ()
    breaking_order: tuple[int, ...] = ()
    draws: int = 0


class Running(_Phase, frozen=True, kw_only=True):
    terms: TournamentAnnounced
    masters: Masters
    entrants: tuple[Entry, ...]
    """Everyone who entered, the eliminated too."""
    tables: tuple[Seating, ...]
    """Open tables, ascending by number."""
    breaking_order: tuple[int, ...]
    draws: int
    """How many random draws have been made at table 0."""
    placings: tuple[Placing, ...] = ()
    """Of the eliminated, in the order they went."""
    paused: bool = False
    clock: LevelClock | None = None
    """None where levels do not go by the clock."""
    rebuys: tuple[EntrantId, ...] = ()
    """Who has bought a stack, once for each."""
    declared: tuple[EntrantId, ...] = ()
    """Who owes a rebuy when the last chip goes."""
    windows: tuple[Window, ...] = ()
    """Busts that may still be bought back."""
    items: tuple[Item, ...] = ()
    """Things that were ever staked."""
    promised: tuple[Promised, ...] = ()
    """Chips that come to a casino's table before its next hand."""
    leaving: tuple[EntrantId, ...] = ()
    """Who leaves a casino when no hand is in play."""
    left: tuple[Standing, ...] = ()
    """Who has left a casino, and with how much."""
    closing: bool = False
    """Whether no further hand is opened."""

    def window(self, entrant: EntrantId) -> Window | None:
        """Return the bust of *entrant* that may still be bought back, or None."""
        return next((each for each in self.windows if each.entrant == entrant), None)

    def seating(self, table: TableId) -> Seating | None:
        """Return the open table *table*, or None if it is not (or no longer) one."""
        return next((each for each in self.tables if each.table == table), None)

    def remaining(self) -> tuple[EntrantId, ...]:
        """Return everyone still in, by table and seat."""
        return tuple(each.entrant for table in self.tables for each in table.seats)


class Finished(_Phase, frozen=True, kw_only=True):
    terms: TournamentAnnounced
    masters: Masters
    entrants: tuple[Entry, ...]
    placings: tuple[Placing, ...]
    payouts: tuple[Payout, ...]


class Cancelled(_Phase, frozen=True, kw_only=True):
    terms: TournamentAnnounced
    entrants: tuple[Entry, ...]
    reason: str


State = Unannounced | Announced | Registering | Closed | Running | Finished | Cancelled


def phase_of(state: State) -> Phase:
    """Return the word for a tournament's phase, as clients see it."""
    match state:
        case Unannounced():
            return "unannounced"
        case Announced():
            return "announced"
        case Registering():
            return "registering"
        case Closed():
            return "seating"
        case Running(paused=paused):
            return "paused" if paused else "running"
        case Finished():
            return "finished"
        case Cancelled():
            return "cancelled"


def entry_of(state: Registering | Closed | Running | Finished, entrant: EntrantId) -> Entry | None:
    """Return the entry of *entrant*, or None if it never entered."""
    return next((each for each in state.entrants if each.entrant == entrant), None)


def evolve(state: State, event: Event) -> State:
    """
    Return the state after *event*.

    Raises:
        InvariantViolated: If *event* cannot have happened in *state*.
    """
    return replace(_evolve(state, event), version=state.version + 1)


def _evolve(state: State, event: Event) -> State:
    match state, event:
        case Unannounced(), TournamentAnnounced():
            return Announced(terms=event)
        case Announced(terms=terms), RegistrationOpened():
            masters = Masters(cards=event.cards.value, open=event.open.value)
            return Registering(terms=terms, masters=masters)
        case Registering(), EntrantRegistered():
            entry = Entry(
                entrant=event.entrant, player=event.player, bot=event.bot, number=event.number
            )
            return replace(state, entrants=(*state.entrants, entry), registered=event.number)
        case Registering(), EntrantWithdrawn():
            kept = tuple(each for each in state.entrants if each.entrant != event.entrant)
            return replace(state, entrants=kept)
        case Registering(), RegistrationClosed():
            return Closed(terms=state.terms, masters=state.masters, entrants=state.entrants)
        case Closed(), SeatsDrawn():
            return replace(
                state,
                tables=_seatings(event.assignments),
                breaking_order=event.breaking_order,
                draws=event.draw.number,
            )
        case Closed(), PlayStarted():
            return Running(
                terms=state.terms,
                masters=state.masters,
                entrants=state.entrants,
                tables=state.tables,
                breaking_order=state.breaking_order,
                draws=state.draws,
            )
        case Announced() | Registering() | Running(), TournamentCancelled():
            entrants = () if isinstance(state, Announced) else state.entrants
            return Cancelled(terms=state.terms, entrants=entrants, reason=event.reason)
        case Running(), _:
            return _evolve_running(state, event)
        case _:
            raise InvariantViolated(f"{type(event).__name__} cannot follow {type(state).__name__}")


def with_passed(state: Running, event: ItemPassed) -> Running:
    """Return the state after a thing has passed, while more of the same decision is to come."""
    return _with_item(state, event.item, owner=event.taker, staked=False)


def _evolve_running(state: Running, event: Event) -> State:
    match event:
        case TournamentPaused():
            return replace(state, paused=True)
        case TournamentResumed():
            return replace(state, paused=False)
        case ClockStarted() | ClockStopped() | LevelRaised():
            return replace(state, clock=_clock(state, event))
        case EntrantBusted():
            return replace(state, tables=_without(state.tables, {event.entrant}))
        case RebuyDeclared() | RebuyWindowOpened() | RebuyTaken():
            return _rebuying(state, event)
        case EntrantRegistered():
            entry = Entry(
                entrant=event.entrant, player=event.player, bot=event.bot, number=event.number
            )
            return replace(state, entrants=(*state.entrants, entry))
        case ChipsPromised() | ChipsBrought() | LeaveDeclared() | EntrantCashedOut():
            return _in_casino(state, event)
        case PlayClosing():
            return replace(state, closing=True)
        case ItemStaked():
            return _item_staked(_back(state, event), event)
        case ItemPassed():
            return _with_item(state, event.item, owner=event.taker, staked=False)
        case ItemReturned():
            return _with_item(state, event.item, staked=False)
        case EntrantEliminated():
            state = _without_window(state, event.entrant)
            placing = Placing(
                entrant=event.entrant, player=event.player, place=event.place, shared=event.shared
            )
            return replace(state, placings=(*state.placings, placing))
        case EntrantsMoved():
            draws = event.draw.number if event.draw else state.draws
            return replace(state, tables=_moved(state.tables, event.moves), draws=draws)
        case TableBroken():
            draws = event.draw.number if event.draw else state.draws
            left = _moved(state.tables, event.moves)
            kept = tuple(each for each in left if each.table != event.table)
            return replace(state, tables=kept, draws=draws)
        case TournamentFinished():
            return Finished(
                terms=state.terms,
                masters=state.masters,
                entrants=state.entrants,
                placings=event.placings,
                payouts=event.payouts,
            )
        case _:
            raise InvariantViolated(f"{type(event).__name__} cannot follow the start of play")


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


def _rebuying(state: Running, event: RebuyDeclared | RebuyWindowOpened | RebuyTaken) -> Running:
    match event:
        case RebuyDeclared(entrant=entrant):
            return replace(state, declared=(*state.declared, entrant))
        case RebuyWindowOpened():
            window = Window(
                entrant=event.entrant,
                table=event.table,
                seat=event.seat,
                stack_at_start=event.stack_at_start,
                buys=event.buys,
            )
            return replace(state, windows=(*state.windows, window))
        case RebuyTaken(entrant=entrant):
            left = tuple(each for each in state.declared if each != entrant)
            return replace(_back(state, event), rebuys=(*state.rebuys, entrant), declared=left)


def _without_window(state: Running, entrant: EntrantId) -> Running:
    return replace(state, windows=tuple(each for each in state.windows if each.entrant != entrant))


def _in_casino(
    state: Running, event: ChipsPromised | ChipsBrought | LeaveDeclared | EntrantCashedOut
) -> Running:
    match event:
        case ChipsPromised():
            promised = Promised(
                entrant=event.entrant,
                seat=event.seat,
                chips=event.chips,
                newcomer=event.newcomer,
            )
            return replace(state, promised=(*state.promised, promised))
        case ChipsBrought(entrant=entrant):
            waiting = tuple(each for each in state.promised if each.entrant != entrant)
            seated = state if entrant in state.remaining() else _back(state, event)
            return replace(seated, promised=waiting)
        case LeaveDeclared(entrant=entrant):
            return replace(state, leaving=(*state.leaving, entrant))
        case EntrantCashedOut(entrant=entrant):
            gone = _without_window(state, entrant)
            return replace(
                gone,
                tables=_without(gone.tables, {entrant}),
                # Chips that were promised and have not come stay with their owner.
                promised=tuple(each for each in gone.promised if each.entrant != entrant),
                leaving=tuple(each for each in gone.leaving if each != entrant),
                left=(*gone.left, Standing(entrant=entrant, stack=event.stack)),
            )


def _back(state: Running, event: RebuyTaken | ItemStaked | ChipsBrought) -> Running:
    """Return the state in which somebody who was broke, or new, sits there."""
    seated = Seated(entrant=event.entrant, seat=event.seat)
    tables = tuple(
        replace(table, seats=_by_seat([*table.seats, seated]))
        if table.table == event.table
        else table
        for table in state.tables
    )
    return replace(_without_window(state, event.entrant), tables=tables)


def _item_staked(state: Running, event: ItemStaked) -> Running:
    if any(item.name == event.item for item in state.items):
        return _with_item(state, event.item, staked=True)
    brought = Item(
        name=event.item,
        value=event.value,
        owner=event.entrant,
        brought_by=event.entrant,
        staked=True,
    )
    return replace(state, items=(*state.items, brought))


def _with_item(state: Running, name: str, **changes: Any) -> Running:
    return replace(
        state,
        items=tuple(
            replace(item, **changes) if item.name == name else item for item in state.items
        ),
    )


def _seatings(assignments: tuple[SeatAssignment, ...]) -> tuple[Seating, ...]:
    tables = sorted({(each.table_number, each.table) for each in assignments})
    return tuple(
        Seating(
            table=table,
            number=number,
            seats=_by_seat(
                Seated(entrant=each.entrant, seat=each.seat)
                for each in assignments
                if each.table == table
            ),
        )
        for number, table in tables
    )


def _without(tables: tuple[Seating, ...], gone: set[EntrantId]) -> tuple[Seating, ...]:
    return tuple(
        replace(table, seats=tuple(each for each in table.seats if each.entrant not in gone))
        for table in tables
    )


def _moved(tables: tuple[Seating, ...], moves: tuple[Move, ...]) -> tuple[Seating, ...]:
    left = _without(tables, {each.entrant for each in moves})
    return tuple(
        replace(
            table,
            seats=_by_seat(
                [
                    *table.seats,
                    *(
                        Seated(entrant=move.entrant, seat=move.to_seat)
                        for move in moves
                        if move.to_table == table.table
                    ),
                ]
            ),
        )
        for table in left
    )


def _by_seat(seats: Iterable[Seated]) -> tuple[Seated, ...]:
    return tuple(sorted(seats, key=lambda each: each.seat))
