"""What staff who play do not order: time at their own table, and a seat for themselves."""

from typing import Any

from engine.tournament.floor.commands import HoldOneTable, OrderMove, ReleaseTable
from engine.tournament.floor.errors import OwnSeat
from engine.tournament.state import Running, State


def demand_not_own(state: State, command: Any) -> None:
    """
    Check that whoever gives an order about a table or a seat does not sit there.

    Each release of a table gives its open decision the full time: whoever is asked could hold
    and release for ever.

    Raises:
        OwnSeat: If the author of *command* sits at that table, or is to be moved.

    Source: rulebook ``directing.own_seat``.
    """
    if not isinstance(state, Running):
        return
    if not isinstance(command, HoldOneTable | ReleaseTable | OrderMove):
        return
    own = {each.entrant for each in state.entrants if each.player == command.by}
    if isinstance(command, OrderMove):
        about = {command.entrant}
    else:
        seating = state.seating(command.table)
        about = set() if seating is None else {each.entrant for each in seating.seats}
    if own & about:
        raise OwnSeat
