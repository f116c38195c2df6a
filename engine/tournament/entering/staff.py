"""
Staff who play: a test of whether they have entered, and the limit until which they may enter.

Source: rulebook ``entry.staff``.
"""

from engine.tournament.model.errors.entering import OfficeHeld
from engine.tournament.model.state import (
    Cancelled,
    Finished,
    Registering,
    Running,
    State,
)
from engine.values import PlayerId


def counts_as_entered(state: State, player: str) -> bool:
    """
    Return whether *player* has entered, or may still get a place.

    Applicants, players on the waitlist and players with an offer count. Refused applicants count
    too, because a director may still approve them.
    """
    if not isinstance(state, Registering | Running | Finished | Cancelled):
        return False
    known = tuple(each.player for each in state.entrants)
    if isinstance(state, Registering) or (isinstance(state, Running) and state.entering.late):
        outside = (*state.entering.waiting, *state.entering.applicants)
        known += tuple(each.player for each in outside)
    return player in known


def demand_staff_in_time(state: State, player: PlayerId) -> None:
    """
    Check that *player*, who holds an office that rules on play, may enter now.

    Raises:
        OfficeHeld: If play has begun and *player* does not count as entered.
    """
    if isinstance(state, Running) and not counts_as_entered(state, player):
        raise OfficeHeld
