"""Checks and decisions about bans."""

from datetime import datetime

from engine.errors import Wording
from engine.league import bans
from engine.league.errors import BanInvalid, MergedPlayer, PlayerBanned, StaffNotBannable
from engine.league.state import Created
from engine.values import HOUSE, PlayerId, Sealed


def demand_unbanned(state: Created, player: PlayerId, now: datetime) -> None:
    """
    Check that *player* may join and enter tournaments.

    Raises:
        PlayerBanned: With the end of the ban.
    """
    known = state.ban_of(player)
    if known is not None and known.holds(now):
        raise PlayerBanned(until=known.until)


def ban(state: Created, command: bans.BanPlayer) -> tuple[bans.PlayerBanned, ...]:
    """
    Return the ban, with the player sealed.

    Raises:
        StaffNotBannable: If the player holds an office.
        MergedPlayer: If another player stands for the player.
        BanInvalid: If the ban would end before it begins.
    """
    if state.role_of(command.player) not in (None, "player"):
        raise StaffNotBannable
    if state.one(command.player) != command.player:
        raise MergedPlayer(into=state.one(command.player))
    if command.until is not None and command.until <= command.now:
        raise BanInvalid(problem=Wording("a ban must end in the future, or never"))
    whom = bans.Ban(player=command.player, until=command.until)
    sealed = Sealed(whom, bytes.fromhex(command.salt), (HOUSE,))
    return (bans.PlayerBanned(ban=command.ban, banned=sealed, reason=command.reason),)


def lift(state: Created, command: bans.LiftBan) -> tuple[bans.BanLifted, ...]:
    """Return the end of the player's ban, or no event without a ban."""
    known = state.ban_of(command.player)
    return () if known is None else (bans.BanLifted(ban=known.ban),)
