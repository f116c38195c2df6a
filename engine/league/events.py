"""
The events of a league.

The tag of an event is its name in storage. It is written out, never derived from the class
name, and never changes after an event with it has been stored.
"""

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
from engine.values import HexDigest, LeagueId, PlayerId


class _Event(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    pass


class LeagueCreated(_Event, frozen=True, kw_only=True, tag="league_created"):
    league: LeagueId
    name: str
    owner: PlayerId
    sandbox: bool


class MemberAdded(_Event, frozen=True, kw_only=True, tag="member_added"):
    player: PlayerId
    role: Role
    invitation: HexDigest | None
    """The invitation that the player accepted, or null if the staff added the player."""


class MemberRoleChanged(_Event, frozen=True, kw_only=True, tag="member_role_changed"):
    player: PlayerId
    role: Role


class MemberRemoved(_Event, frozen=True, kw_only=True, tag="member_removed"):
    player: PlayerId


class InvitationIssued(_Event, frozen=True, kw_only=True, tag="invitation_issued"):
    invitation: HexDigest
    role: Role
    uses_max: int
    expires_at: datetime | None


class InvitationRevoked(_Event, frozen=True, kw_only=True, tag="invitation_revoked"):
    invitation: HexDigest


Event = (
    LeagueCreated
    | MemberAdded
    | MemberRoleChanged
    | MemberRemoved
    | InvitationIssued
    | InvitationRevoked
    | auditing.Event
    | bans.Event
    | describing.Event
    | merging.PlayersMerged
    | templates.Event
    | openings.Event
    | windowing.DisputeWindowsSet
    | repairing.PositionsVoided
)
