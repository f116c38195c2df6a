"""Parts of a tournament that exist only in some phases. In other phases they are empty."""

from engine.tournament.model.state import (
    Announced,
    Cancelled,
    Closed,
    Drafted,
    Finished,
    Registering,
    Running,
    Seating,
    State,
)
from engine.tournament.model.state.entering import Entering
from engine.tournament.model.values import Entry, Payout, Placing
from engine.values import EntrantId

Tournament = Drafted | Announced | Registering | Closed | Running | Finished | Cancelled
"""The states of a tournament that has been drafted or announced."""


def entering_of(state: State) -> Entering:
    """Return the places, the waitlist and the notices to players."""
    match state:
        case Announced() | Registering() | Closed() | Running() | Finished() | Cancelled():
            return state.entering
        case _:
            return Entering()


def entries_of(state: State) -> tuple[Entry, ...]:
    """Return all entries, in order of registration."""
    match state:
        case Registering() | Closed() | Running() | Finished() | Cancelled():
            return state.entrants
        case _:
            return ()


def tables_of(state: State) -> tuple[Seating, ...]:
    """Return the open tables, ascending by number."""
    match state:
        case Closed() | Running():
            return state.tables
        case _:
            return ()


def placings_of(state: State) -> tuple[Placing, ...]:
    """Return the places that are already known."""
    match state:
        case Running() | Finished():
            return state.placings
        case _:
            return ()


def payouts_of(state: State) -> tuple[Payout, ...]:
    """Return the payouts of a finished tournament."""
    return state.payouts if isinstance(state, Finished) else ()


def disqualified_in(state: State) -> tuple[EntrantId, ...]:
    """Return the entrants who were disqualified."""
    if isinstance(state, Finished):
        return state.disqualified
    return state.floor.disqualified if isinstance(state, Running) else ()
