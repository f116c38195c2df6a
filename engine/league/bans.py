"""
Bans: what can be asked about them, and what can have happened.

Whom a ban is about is nobody's business but the staff's, so it stands sealed: the
log shows that somebody was banned, and not who.
"""

from datetime import datetime

import msgspec

from engine.values import BanId, HexDigest, PlayerId, Sealed, TextRef


class _Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    pass


class Ban(_Part, frozen=True, kw_only=True):
    """Who may neither come in nor enter a tournament, and until when; null for good."""

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
    """End the ban of a player before its time."""

    player: PlayerId


class PlayerBanned(_Part, frozen=True, kw_only=True, tag="player_banned"):
    """Somebody was banned; an earlier ban of theirs no longer counts."""

    ban: BanId
    banned: Sealed[Ban]
    reason: TextRef


class BanLifted(_Part, frozen=True, kw_only=True, tag="ban_lifted"):
    """A ban ended before its time."""

    ban: BanId


Command = BanPlayer | LiftBan
Event = PlayerBanned | BanLifted


class StandingBan(_Part, frozen=True, kw_only=True):
    """A ban that was not lifted; it may be over."""

    ban: BanId
    player: PlayerId
    until: datetime | None
    reason: TextRef

    def holds(self, now: datetime) -> bool:
        """Return whether it counts at *now*; at the instant of its end it no longer does."""
        return self.until is None or now < self.until


def banned(bans: tuple[StandingBan, ...], event: Event) -> tuple[StandingBan, ...]:
    """Return the bans that stand after *event*."""
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
