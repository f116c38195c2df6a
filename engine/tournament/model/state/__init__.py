"""The states of a tournament, one struct for each phase."""

from typing import Literal

import msgspec

from engine.tournament.model.errors import (
    RegistrationNotOpen,
    RegistrationOver,
    TournamentNotAnnounced,
    TournamentNotRunning,
)
from engine.tournament.model.events import TournamentAnnounced
from engine.tournament.model.events.correcting import ResultCorrected
from engine.tournament.model.events.entering import TermsRevised, TournamentDrafted
from engine.tournament.model.state.entering import Entering
from engine.tournament.model.state.floor import FloorState
from engine.tournament.model.state.rounds import RoundsState
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
from engine.tournament.model.values.fairness import Fairness
from engine.tournament.model.values.money import Books
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
    """The occupied seats of one table. The table's own state also has the stacks."""

    table: TableId
    number: int
    seats: tuple[Seated, ...]
    """Ascending by seat."""

    def seat_of(self, entrant: EntrantId) -> Seat | None:
        """Return the seat of *entrant*, or None if the entrant sits elsewhere."""
        return next((each.seat for each in self.seats if each.entrant == entrant), None)


class _Phase(msgspec.Struct, frozen=True, kw_only=True):
    version: int = 0
    """The version of the last event in the stream, which is the number of events."""

    books: Books = Books()
    """The facts that money depends on."""

    fairness: Fairness = Fairness()
    frozen: tuple[str, ...] = ()
    """The disputes that block prizes and points."""


class Unannounced(_Phase, frozen=True, kw_only=True):
    """The state of an empty stream."""


class Drafted(_Phase, frozen=True, kw_only=True):
    """A draft of the terms that only the staff see."""

    terms: TournamentDrafted | TermsRevised
    discarded: bool = False
    """True if the draft was discarded. It can then never be announced."""


class Announced(_Phase, frozen=True, kw_only=True):
    """Announced, before registration opens."""

    terms: TournamentAnnounced
    entering: Entering = Entering()


class Registering(_Phase, frozen=True, kw_only=True):
    terms: TournamentAnnounced
    masters: Masters
    entrants: tuple[Entry, ...] = ()
    """In order of registration, without those who withdrew."""
    registered: int = 0
    """The number of all registrations so far: the last registration number that was given."""
    closed: bool = False
    """True if nobody can enter any more before the start."""
    entering: Entering = Entering()


class Closed(_Phase, frozen=True, kw_only=True):
    """Seats are drawn and play has not begun. This phase lasts within one decision only."""

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
    """Everyone who entered, with the eliminated."""
    tables: tuple[Seating, ...]
    """Open tables, ascending by number."""
    breaking_order: tuple[int, ...]
    draws: int
    """The number of random draws that have been made at table 0."""
    placings: tuple[Placing, ...] = ()
    """The places of the eliminated, in the order of elimination."""
    paused: bool = False
    clock: LevelClock | None = None
    """None if levels do not go by the clock."""
    rebuys: tuple[EntrantId, ...] = ()
    """The entrants who have rebought, once for each rebuy."""
    declared: tuple[EntrantId, ...] = ()
    """The entrants who committed to a rebuy for their next bust."""
    windows: tuple[Window, ...] = ()
    """Busts that can still be followed by a rebuy."""
    items: tuple[Item, ...] = ()
    """All items that were ever staked."""
    promised: tuple[Promised, ...] = ()
    """Chips that come to a casino's table before its next hand."""
    leaving: tuple[EntrantId, ...] = ()
    """The entrants who leave a casino as soon as no hand is in play."""
    left: tuple[Standing, ...] = ()
    """The entrants who have left a casino, with the chips they took."""
    closing: bool = False
    """True if no further hand is opened."""
    rounds: RoundsState | None = None
    """None without scheduled rounds."""
    floor: FloorState = FloorState()
    registered: int = 0
    """The last registration number that was given."""
    entering: Entering = Entering()

    def window(self, entrant: EntrantId) -> Window | None:
        """Return the open rebuy window of *entrant*, or None."""
        return next((each for each in self.windows if each.entrant == entrant), None)

    @property
    def in_round(self) -> bool:
        """True if a scheduled round is being played."""
        return self.rounds is not None and self.rounds.stage == "playing"

    @property
    def no_hand_follows(self) -> bool:
        """True once play is closing, or if the hands in play were called the last."""
        called = self.floor.last_hands
        return self.closing or (called is not None and called.hands == 0)

    def selling_window(self, entrant: EntrantId) -> Window | None:
        """Return the rebuy window of *entrant*, or None if nothing is sold in it any more."""
        return None if self.no_hand_follows else self.window(entrant)

    def next_rebuy(self, entrant: EntrantId) -> int:
        """Return the number that the entrant's next rebuy has, from 1."""
        return self.rebuys.count(entrant) + 1

    def seating(self, table: TableId) -> Seating | None:
        """Return the open table *table*, or None if it is closed or unknown."""
        return next((each for each in self.tables if each.table == table), None)

    def remaining(self) -> tuple[EntrantId, ...]:
        """Return everyone still in: all players of the rounds, or else by table and seat."""
        if self.rounds is not None and self.rounds.stage != "final":
            return self.rounds.playing
        return tuple(each.entrant for table in self.tables for each in table.seats)

    @property
    def still_in(self) -> int:
        """The number of those that ``remaining`` returns."""
        if self.rounds is not None and self.rounds.stage != "final":
            return len(self.rounds.playing)
        return sum([len(table.seats) for table in self.tables])


class Finished(_Phase, frozen=True, kw_only=True):
    terms: TournamentAnnounced
    masters: Masters
    entrants: tuple[Entry, ...]
    placings: tuple[Placing, ...]
    payouts: tuple[Payout, ...]
    corrections: tuple[ResultCorrected, ...] = ()
    """In order. The last one holds the result that stands."""
    disqualified: tuple[EntrantId, ...] = ()
    rounds: RoundsState | None = None
    entering: Entering = Entering()
    recorded: bool = False
    """True if the heads of the tournament's tables are recorded in its log."""


class Cancelled(_Phase, frozen=True, kw_only=True):
    terms: TournamentAnnounced
    entrants: tuple[Entry, ...]
    reason: str
    entering: Entering = Entering()
    recorded: bool = False
    """True if the heads of the tournament's tables are recorded in its log."""


State = Unannounced | Drafted | Announced | Registering | Closed | Running | Finished | Cancelled


def phase_of(state: State) -> Phase:
    """Return the name of a tournament's phase, as clients see it."""
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
    """Return the entry of *entrant*, or None without an entry."""
    return next((each for each in state.entrants if each.entrant == entrant), None)


def registering_of(state: State) -> Registering:
    """
    Return *state* if registration is open.

    Raises:
        TournamentNotAnnounced: If the tournament was not announced.
        RegistrationNotOpen: If registration has not opened.
        RegistrationOver: If registration has ended.
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
    Return *state* if the tournament is running.

    Raises:
        TournamentNotRunning: If play has not begun or is over.
    """
    if not isinstance(state, Running):
        raise TournamentNotRunning(phase=phase_of(state))
    return state
