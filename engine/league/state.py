"""The state of a league: its members, invitations, bans, templates and openings."""

from datetime import datetime
from typing import Never

import msgspec
from msgspec.structs import replace

from engine.decider import Cases
from engine.errors import cannot_follow
from engine.kit.merges import Merged, merged, one_of
from engine.kit.windows import WindowsInForce
from engine.league.auditing import AuditReported
from engine.league.bans import BanLifted, PlayerBanned, StandingBan, banned
from engine.league.describing import Face, LeagueDescribed, Publicity, VisibilitySet, described
from engine.league.errors import LeagueNotCreated
from engine.league.events import (
    Event,
    InvitationIssued,
    InvitationRevoked,
    LeagueCreated,
    MemberAdded,
    MemberRemoved,
    MemberRoleChanged,
)
from engine.league.merging import PlayersMerged
from engine.league.openings import ValuesOpened, standing
from engine.league.repairing import PositionsVoided
from engine.league.roles import Role
from engine.league.templates import (
    HouseRulesSet,
    Template,
    TemplateRemoved,
    TemplateSaved,
    kept,
)
from engine.league.windowing import DisputeWindowsSet, applied
from engine.values import LeagueId, PlayerId, TemplateId


class Member(msgspec.Struct, frozen=True, kw_only=True):
    player: PlayerId
    role: Role


class Invitation(msgspec.Struct, frozen=True, kw_only=True):
    invitation: str
    role: Role
    uses_left: int
    expires_at: datetime | None


class Uncreated(msgspec.Struct, frozen=True, kw_only=True):
    """The state of an empty stream."""


class Created(msgspec.Struct, frozen=True, kw_only=True):
    league: LeagueId
    name: str
    sandbox: bool
    members: tuple[Member, ...]
    """In order of joining. At least one member is an owner."""
    invitations: tuple[Invitation, ...] = ()
    """Invitations that are neither revoked nor used up. Some may have expired."""
    bans: tuple[StandingBan, ...] = ()
    """Bans that were not lifted, at most one for each player. Some may be over."""
    house_rules: str | None = None
    templates: tuple[Template, ...] = ()
    """Templates, in order of creation."""
    openings: tuple[ValuesOpened, ...] = ()
    """
    Openings of sealed values, oldest first.

    Openings that ended before the newest are dropped.
    """

    dispute_windows: tuple[WindowsInForce, ...] = ()
    """Claim windows, oldest first. Before the first, the rulebook's windows apply."""

    face: Face = Face()
    """The description that the league's owners have written."""

    publicity: Publicity = Publicity()
    """The people who may see the league, apart from its members."""

    merged: tuple[Merged, ...] = ()
    """Players who count as others, in the order in which they were merged."""

    voided: tuple[int, ...] = ()
    """Positions of the league's events that are not folded."""

    def role_of(self, player: PlayerId) -> Role | None:
        """Return the role of *player*, or None for a stranger."""
        return next((each.role for each in self.members if each.player == player), None)

    def invitation(self, invitation: str) -> Invitation | None:
        """Return the invitation with this digest, or None if it is no longer valid."""
        return next((each for each in self.invitations if each.invitation == invitation), None)

    def ban_of(self, player: PlayerId) -> StandingBan | None:
        """Return the ban of *player* that was not lifted. It may be over."""
        return next((each for each in self.bans if each.player == player), None)

    def may_see(self, subject: str, player: PlayerId, now: datetime) -> bool:
        """Return whether *player* may see the sealed values of *subject* at *now*."""
        return any(
            (each.subject, each.by) == (subject, player) and each.at <= now < each.expires_at
            for each in self.openings
        )

    def one(self, player: PlayerId) -> PlayerId:
        """Return the player who stands for *player* after all merges."""
        return one_of(self.merged, player)

    def template(self, template: TemplateId) -> Template | None:
        """Return the template with this identifier, or None."""
        return next((each for each in self.templates if each.template == template), None)


State = Uncreated | Created


def created_of(state: State) -> Created:
    """
    Return *state* if the league has been created.

    Raises:
        LeagueNotCreated: If its stream is empty.
    """
    if not isinstance(state, Created):
        raise LeagueNotCreated
    return state


def evolve(state: State, event: Event) -> State:
    """
    Return the state after *event*.

    Raises:
        InvariantViolated: If *event* cannot have happened in *state*.
    """
    if isinstance(state, Created):
        return _EVOLVED[type(event)](state, event)
    if isinstance(event, LeagueCreated):
        owner = Member(player=event.owner, role="owner")
        return Created(
            league=event.league, name=event.name, sandbox=event.sandbox, members=(owner,)
        )
    raise cannot_follow(state, event)


def _created_twice(state: Created, event: LeagueCreated) -> Created:
    raise cannot_follow(state, event)


def _member_added(state: Created, event: MemberAdded) -> Created:
    member = Member(player=event.player, role=event.role)
    left = _used(state.invitations, event.invitation)
    return replace(state, members=(*state.members, member), invitations=left)


def _role_changed(state: Created, event: MemberRoleChanged) -> Created:
    members = tuple(
        replace(each, role=event.role) if each.player == event.player else each
        for each in state.members
    )
    return replace(state, members=members)


def _member_removed(state: Created, event: MemberRemoved) -> Created:
    return replace(state, members=tuple(m for m in state.members if m.player != event.player))


def _invitation_issued(state: Created, event: InvitationIssued) -> Created:
    return replace(state, invitations=(*state.invitations, _issued(event)))


def _invitation_revoked(state: Created, event: InvitationRevoked) -> Created:
    held = tuple(each for each in state.invitations if each.invitation != event.invitation)
    return replace(state, invitations=held)


def _bans_changed(state: Created, event: PlayerBanned | BanLifted) -> Created:
    return replace(state, bans=banned(state.bans, event))


def _values_opened(state: Created, event: ValuesOpened) -> Created:
    return replace(state, openings=standing(state.openings, event))


def _house_rules_set(state: Created, event: HouseRulesSet) -> Created:
    return replace(state, house_rules=event.body)


def _dispute_windows_set(state: Created, event: DisputeWindowsSet) -> Created:
    return replace(state, dispute_windows=applied(state.dispute_windows, event))


def _league_described(state: Created, event: LeagueDescribed) -> Created:
    return replace(state, name=event.name, face=described(event))


def _visibility_set(state: Created, event: VisibilitySet) -> Created:
    return replace(state, publicity=Publicity(visibility=event.visibility, link=event.link))


def _players_merged(state: Created, event: PlayersMerged) -> Created:
    return replace(state, merged=merged(state.merged, event.player, event.into))


def _positions_voided(state: Created, event: PositionsVoided) -> Created:
    return replace(state, voided=(*state.voided, *(each.position for each in event.positions)))


def _audit_reported(state: Created, event: AuditReported) -> Created:
    """Change nothing. A report is only for readers of the log."""
    return state


def _templates_changed(state: Created, event: TemplateSaved | TemplateRemoved) -> Created:
    return replace(state, templates=kept(state.templates, event))


def _issued(event: InvitationIssued) -> Invitation:
    return Invitation(
        invitation=event.invitation,
        role=event.role,
        uses_left=event.uses_max,
        expires_at=event.expires_at,
    )


def _used(invitations: tuple[Invitation, ...], used: str | None) -> tuple[Invitation, ...]:
    counted = (
        replace(each, uses_left=each.uses_left - 1) if each.invitation == used else each
        for each in invitations
    )
    return tuple(each for each in counted if each.uses_left)


_EVOLVED = (
    Cases[Created, Never, Created]()
    .on(LeagueCreated, _created_twice)
    .on(MemberAdded, _member_added)
    .on(MemberRoleChanged, _role_changed)
    .on(MemberRemoved, _member_removed)
    .on(InvitationIssued, _invitation_issued)
    .on(InvitationRevoked, _invitation_revoked)
    .on(PlayerBanned, _bans_changed)
    .on(BanLifted, _bans_changed)
    .on(ValuesOpened, _values_opened)
    .on(HouseRulesSet, _house_rules_set)
    .on(DisputeWindowsSet, _dispute_windows_set)
    .on(LeagueDescribed, _league_described)
    .on(VisibilitySet, _visibility_set)
    .on(PlayersMerged, _players_merged)
    .on(PositionsVoided, _positions_voided)
    .on(AuditReported, _audit_reported)
    .on(TemplateSaved, _templates_changed)
    .on(TemplateRemoved, _templates_changed)
)
