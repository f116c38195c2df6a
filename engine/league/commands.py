"""The commands of a league."""

from datetime import datetime

import msgspec

from engine.league import (
    auditing,
    bans,
    describing,
    merging,
    openings,
    repairing,
    templates,
    windowing,
)
from engine.league.roles import Role
from engine.values import HexDigest, LeagueId, PlayerId, TournamentId


class _Command(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    pass


class CreateLeague(_Command, frozen=True, kw_only=True, tag="create_league"):
    league: LeagueId
    name: str
    owner: PlayerId
    sandbox: bool = False
    """True if masters may be fixed and durations scaled. It never changes. Every audit shows it."""


class AddMember(_Command, frozen=True, kw_only=True, tag="add_member"):
    player: PlayerId
    role: Role = "player"
    now: datetime


class ChangeRole(_Command, frozen=True, kw_only=True, tag="change_role"):
    player: PlayerId
    role: Role
    erased: tuple[PlayerId, ...] = ()
    """Owners who were erased. They count as no owners, because nobody can act for them."""


class RemoveMember(_Command, frozen=True, kw_only=True, tag="remove_member"):
    player: PlayerId
    playing: tuple[TournamentId, ...] = ()
    """Tournaments in which the player is still in play."""

    erased: tuple[PlayerId, ...] = ()
    """Owners who were erased. They count as no owners, because nobody can act for them."""


class Invite(_Command, frozen=True, kw_only=True, tag="invite"):
    """Issue an invitation. Anybody with its code becomes a member."""

    invitation: HexDigest
    """Digest of the code. The log never holds the code itself."""
    role: Role = "player"
    uses_max: int = 1
    expires_at: datetime | None = None


class AcceptInvitation(_Command, frozen=True, kw_only=True, tag="accept_invitation"):
    invitation: HexDigest
    player: PlayerId
    now: datetime


class RevokeInvitation(_Command, frozen=True, kw_only=True, tag="revoke_invitation"):
    invitation: HexDigest


Command = (
    CreateLeague
    | AddMember
    | ChangeRole
    | RemoveMember
    | Invite
    | AcceptInvitation
    | RevokeInvitation
    | auditing.Command
    | bans.Command
    | describing.Command
    | merging.MergePlayers
    | templates.Command
    | openings.Command
    | windowing.SetDisputeWindows
    | repairing.VoidPositions
)
