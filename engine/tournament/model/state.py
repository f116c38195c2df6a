"""What a tournament has become, one struct for each phase."""

from typing import Literal

import msgspec

from engine.tournament.model.correcting_events import ResultCorrected
from engine.tournament.model.entering_events import TermsRevised, TournamentDrafted
from engine.tournament.model.entering_values import Entering
from engine.tournament.model.errors import (
    RegistrationNotOpen,
    RegistrationOver,
    TournamentNotAnnounced,
    TournamentNotRunning,
)
from engine.tournament.model.events import TournamentAnnounced
from engine.tournament.model.fairness_values import Fairness
from engine.tournament.model.floor_state import FloorState
from engine.tournament.model.money_values import Books
from engine.tournament.model.rounds_state import RoundsState
from engine.tournament.model.values import (
    Entry,
    Item,
    LevelClock,
    Masters,
    Payout,
    Placing,
    Promised,
    Standing,
    Window,
)
from engine.values import EntrantId, Seat, TableId

Phase = Literal[
    "unannounced",
    "draft",
    "discarded",
    "announced",
    "registering",
    "registration_closed",
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

    books: Books = Books()
    """What money follows from."""

    fairness: Fairness = Fairness()
    frozen: tuple[str, ...] = ()
    """Disputes that prizes and points wait for."""


class Unannounced(_Phase, frozen=True, kw_only=True):
    """The state of an empty stream."""


class Drafted(_Phase, frozen=True, kw_only=True):
    """Written down, seen by the staff only."""

    terms: TournamentDrafted | TermsRevised
    discarded: bool = False
    """Whether it has been given up, and is never announced."""


class Announced(_Phase, frozen=True, kw_only=True):
    """Published, and not yet taking entrants."""

    terms: TournamentAnnounced
    entering: Entering = Entering()


class Registering(_Phase, frozen=True, kw_only=True):
    terms: TournamentAnnounced
    masters: Masters
    entrants: tuple[Entry, ...] = ()
    """In order of registration, without the withdrawn."""
    registered: int = 0
    """How many ever registered: the last number given."""
    closed: bool = False
    """Whether nobody enters any more, and the start has not come."""
    entering: Entering = Entering()


class Closed(_Phase, frozen=True, kw_only=True):
    """Seats are drawn and play has not begun: within one decision only."""

    terms: TournamentAnnounced
    masters: Masters
    entrants: tuple[Entry, ...]
    registered: int = 0
    entering: Entering = Entering()
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
    rounds: RoundsState | None = None
    """None where there are none."""
    floor: FloorState = FloorState()
    registered: int = 0
    """The last number of registration given."""
    entering: Entering = Entering()

    def window(self, entrant: EntrantId) -> Window | None:
        """Return the bust of *entrant* that may still be bought back, or None."""
        return next((each for each in self.windows if each.entrant == entrant), None)

    @property
    def in_round(self) -> bool:
        """Whether a scheduled round is being played."""
        return self.rounds is not None and self.rounds.stage == "playing"

    def seating(self, table: TableId) -> Seating | None:
        """Return the open table *table*, or None if it is not (or no longer) one."""
        return next((each for each in self.tables if each.table == table), None)

    def remaining(self) -> tuple[EntrantId, ...]:
        """Return everyone still in: all who play the rounds, else by table and seat."""
        if self.rounds is not None and self.rounds.stage != "final":
            return self.rounds.playing
        return tuple(each.entrant for table in self.tables for each in table.seats)


class Finished(_Phase, frozen=True, kw_only=True):
    terms: TournamentAnnounced
    masters: Masters
    entrants: tuple[Entry, ...]
    placings: tuple[Placing, ...]
    payouts: tuple[Payout, ...]
    corrections: tuple[ResultCorrected, ...] = ()
    """In order; the last one says what stands."""
    rounds: RoundsState | None = None
    entering: Entering = Entering()
    recorded: bool = False
    """Whether the heads of its tables stand in its log."""


class Cancelled(_Phase, frozen=True, kw_only=True):
    terms: TournamentAnnounced
    entrants: tuple[Entry, ...]
    reason: str
    entering: Entering = Entering()
    recorded: bool = False
    """Whether the heads of its tables stand in its log."""


State = Unannounced | Drafted | Announced | Registering | Closed | Running | Finished | Cancelled


def phase_of(state: State) -> Phase:
    """Return the word for a tournament's phase, as clients see it."""
    match state:
        case Unannounced():
            return "unannounced"
        case Drafted(discarded=discarded):
            return "discarded" if discarded else "draft"
        case Announced():
            return "announced"
        case Registering(closed=closed):
            return "registration_closed" if closed else "registering"
        case Closed():
            return "seating"
        case Running(paused=paused):
            return "paused" if paused else "running"
        case Finished():
            return "finished"
        case Cancelled():
            return "cancelled"


def entries_of(state: State) -> tuple[Entry, ...]:
    """Return the entries of a tournament in any phase, in order of registration."""
    return () if isinstance(state, Unannounced | Drafted | Announced) else state.entrants


def entry_of(state: Registering | Closed | Running | Finished, entrant: EntrantId) -> Entry | None:
    """Return the entry of *entrant*, or None if it never entered."""
    return next((each for each in state.entrants if each.entrant == entrant), None)


def registering_of(state: State) -> Registering:
    """
    Return *state* if registration is on.

    Raises:
        TournamentNotAnnounced: If there are no terms yet.
        RegistrationNotOpen: If it has not begun.
        RegistrationOver: If it has ended.
    """
    match state:
        case Registering():
            return state
        case Unannounced() | Drafted():
            raise TournamentNotAnnounced
        case Announced():
            raise RegistrationNotOpen
        case _:
            raise RegistrationOver(phase=phase_of(state))


def running_of(state: State) -> Running:
    """
    Return *state* if play is on.

    Raises:
        TournamentNotRunning: If it has not begun or is over.
    """
    if not isinstance(state, Running):
        raise TournamentNotRunning(phase=phase_of(state))
    return state
