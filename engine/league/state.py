"""What a league has become: its members and the invitations that still hold."""

from datetime import datetime

import msgspec
from msgspec.structs import replace

from engine.errors import InvariantViolated
from engine.kit.windows import WindowsInForce
from engine.league.auditing import AuditReported
from engine.league.bans import BanLifted, PlayerBanned, StandingBan, banned
from engine.league.events import (
    Event,
    InvitationIssued,
    InvitationRevoked,
    LeagueCreated,
    MemberAdded,
    MemberRemoved,
    MemberRoleChanged,
)
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
    """In order of joining; always with one owner at least."""
    invitations: tuple[Invitation, ...] = ()
    """Those neither revoked nor used up; some may have expired."""
    bans: tuple[StandingBan, ...] = ()
    """Those not lifted, one a player at most; some may be over."""
    house_rules: str | None = None
    templates: tuple[Template, ...] = ()
    """In order of their making."""
    openings: tuple[ValuesOpened, ...] = ()
    """Of sealed values, oldest first; those over before the newest are forgotten."""

    dispute_windows: tuple[WindowsInForce, ...] = ()
    """Oldest first; before them, and without any, the rulebook's hold."""

    voided: tuple[int, ...] = ()
    """Positions of the league's events that are out of folding."""

    def role_of(self, player: PlayerId) -> Role | None:
        """Return the role of *player*, or None for a stranger."""
        return next((each.role for each in self.members if each.player == player), None)

    def invitation(self, invitation: str) -> Invitation | None:
        """Return the invitation with this digest, or None if it no longer holds."""
        return next((each for each in self.invitations if each.invitation == invitation), None)

    def ban_of(self, player: PlayerId) -> StandingBan | None:
        """Return the ban of *player* that was not lifted, over or not."""
        return next((each for each in self.bans if each.player == player), None)

    def may_see(self, subject: str, player: PlayerId, now: datetime) -> bool:
        """Return whether an opening of *player*'s of the values of *subject* holds at *now*."""
        return any(
            (each.subject, each.by) == (subject, player) and each.at <= now < each.expires_at
            for each in self.openings
        )

    def template(self, template: TemplateId) -> Template | None:
        """Return the template of this name, or None if there is none (any longer)."""
        return next((each for each in self.templates if each.template == template), None)


State = Uncreated | Created


def evolve(state: State, event: Event) -> State:
    """
    Return the state after *event*.

    Raises:
        InvariantViolated: If *event* cannot have happened in *state*.
    """
    match state, event:
        case Uncreated(), LeagueCreated():
            owner = Member(player=event.owner, role="owner")
            return Created(
                league=event.league, name=event.name, sandbox=event.sandbox, members=(owner,)
            )
        case Created(), MemberAdded():
            member = Member(player=event.player, role=event.role)
            left = _used(state.invitations, event.invitation)
            return replace(state, members=(*state.members, member), invitations=left)
        case Created(), MemberRoleChanged(player=player, role=role):
            return replace(
                state,
                members=tuple(
                    replace(each, role=role) if each.player == player else each
                    for each in state.members
                ),
            )
        case Created(), MemberRemoved(player=player):
            return replace(state, members=tuple(m for m in state.members if m.player != player))
        case Created(), InvitationIssued():
            return replace(state, invitations=(*state.invitations, _issued(event)))
        case Created(), InvitationRevoked(invitation=revoked):
            held = tuple(each for each in state.invitations if each.invitation != revoked)
            return replace(state, invitations=held)
        case Created(), PlayerBanned() | BanLifted():
            return replace(state, bans=banned(state.bans, event))
        case Created(), ValuesOpened():
            return replace(state, openings=standing(state.openings, event))
        case Created(), HouseRulesSet(body=body):
            return replace(state, house_rules=body)
        case Created(), DisputeWindowsSet():
            return replace(state, dispute_windows=applied(state.dispute_windows, event))
        case Created(), PositionsVoided(positions=voided):
            return replace(state, voided=(*state.voided, *(each.position for each in voided)))
        case Created(), AuditReported():
            return state
        case Created(), TemplateSaved() | TemplateRemoved():
            return replace(state, templates=kept(state.templates, event))
        case _:
            raise InvariantViolated(f"{type(event).__name__} cannot follow {type(state).__name__}")


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
