"""The parts of a tournament that only some of its phases have; a phase without one has none."""

from engine.tournament.model.entering_values import Entering
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
from engine.tournament.model.values import Entry, Payout, Placing

Tournament = Drafted | Announced | Registering | Closed | Running | Finished | Cancelled
"""A tournament that is there."""


def entering_of(state: State) -> Entering:
    """Return the places and the line of a tournament, and the notices to the players."""
    match state:
        case Announced() | Registering() | Closed() | Running() | Finished() | Cancelled():
            return state.entering
        case _:
            return Entering()


def entries_of(state: State) -> tuple[Entry, ...]:
    """Return everyone who has entered, in order of registration."""
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
    """Return the places that are known."""
    match state:
        case Running() | Finished():
            return state.placings
        case _:
            return ()


def payouts_of(state: State) -> tuple[Payout, ...]:
    """Return the payouts of a tournament that is over."""
    return state.payouts if isinstance(state, Finished) else ()
