"""
The commands and events of bans.

Only the staff may know the banned players, so the player is sealed. The log shows that somebody
was banned, and hides the player.
"""

from datetime import datetime

import msgspec

from engine.values import BanId, HexDigest, PlayerId, Sealed, TextRef


class _Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    pass


class Ban(_Part, frozen=True, kw_only=True):
    """Keep a player out of the league and its tournaments until an instant. Null is for good."""

    player: PlayerId
    until: datetime | None


class BanPlayer(_Part, frozen=True, kw_only=True, tag="ban_player"):
    ban: BanId
    player: PlayerId
    until: datetime | None
    reason: TextRef
    salt: HexDigest
    now: datetime


class LiftBan(_Part, frozen=True, kw_only=True, tag="lift_ban"):
    """Lift a player's ban before it ends."""

    player: PlayerId


class PlayerBanned(_Part, frozen=True, kw_only=True, tag="player_banned"):
    """A player was banned. An earlier ban of the same player no longer counts."""

    ban: BanId
    banned: Sealed[Ban]
    reason: TextRef


class BanLifted(_Part, frozen=True, kw_only=True, tag="ban_lifted"):
    """A ban was lifted before its end."""

    ban: BanId


Command = BanPlayer | LiftBan
Event = PlayerBanned | BanLifted


class StandingBan(_Part, frozen=True, kw_only=True):
    """A ban that was not lifted. Its time may be over."""

    ban: BanId
    player: PlayerId
    until: datetime | None
    reason: TextRef

    def holds(self, now: datetime) -> bool:
        """Return whether the ban counts at *now*. At the instant of its end it no longer counts."""
        return self.until is None or now < self.until


def banned(bans: tuple[StandingBan, ...], event: Event) -> tuple[StandingBan, ...]:
    """Return the bans in force after *event*."""
    match event:
        case PlayerBanned():
            ban = event.banned.value
            others = tuple(each for each in bans if each.player != ban.player)
            made = StandingBan(
                ban=event.ban, player=ban.player, until=ban.until, reason=event.reason
            )
            return (*others, made)
        case BanLifted():
            return tuple(each for each in bans if each.ban != event.ban)
