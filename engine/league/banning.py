"""Whom a league bans, and who may come in."""

from datetime import datetime
from typing import assert_never

from engine.league import bans
from engine.league.errors import BanInvalid, PlayerBanned, StaffNotBannable
from engine.league.state import Created
from engine.values import HOUSE, PlayerId, Sealed


def decide(state: Created, command: bans.Command) -> tuple[bans.Event, ...]:
    """
    Return the events that *command* causes in *state*; none if it is already so.

    Raises:
        CommandRejected: If the rules forbid the command.
    """
    match command:
        case bans.BanPlayer():
            return _ban(state, command)
        case bans.LiftBan():
            ban = state.ban_of(command.player)
            return () if ban is None else (bans.BanLifted(ban=ban.ban),)
        case _:
            assert_never(command)


def demand_unbanned(state: Created, player: PlayerId, now: datetime) -> None:
    """
    Check that *player* may come in and enter tournaments.

    Raises:
        PlayerBanned: With the ban's end.
    """
    ban = state.ban_of(player)
    if ban is not None and ban.holds(now):
        raise PlayerBanned(until=ban.until)


def _ban(state: Created, command: bans.BanPlayer) -> tuple[bans.Event, ...]:
    if state.role_of(command.player) not in (None, "player"):
        raise StaffNotBannable
    if command.until is not None and command.until <= command.now:
        raise BanInvalid(problem="a ban ends in the future, or never")
    ban = bans.Ban(player=command.player, until=command.until)
    sealed = Sealed(ban, bytes.fromhex(command.salt), (HOUSE,))
    return (bans.PlayerBanned(ban=command.ban, banned=sealed, reason=command.reason),)
