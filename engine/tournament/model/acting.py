"""
Staff who act for a player: the name that an event holds.

Source: rulebook ``entry.by_staff`` and ``entry.walk_in``.
"""

from engine.tournament.model.commands import DeclareRebuy
from engine.tournament.model.commands.money import TakeAddOn
from engine.tournament.model.state import Running, entry_of
from engine.values import PlayerId


def acting(by: PlayerId | None, player: PlayerId) -> PlayerId | None:
    """Return the member of staff who acts for *player*, or None if it is the same person."""
    return None if by == player else by


def acting_for(state: Running, command: DeclareRebuy | TakeAddOn) -> PlayerId | None:
    """Return the member of staff who buys chips for an entrant, or None for the entrant."""
    entry = entry_of(state, command.entrant)
    return None if entry is None else acting(command.by, entry.player)
