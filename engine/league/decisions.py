"""The decisions of a league: the events that each command causes."""

from typing import Never

from engine.decider import Cases
from engine.errors import Wording
from engine.league import (
    auditing,
    banning,
    bans,
    describing,
    merging,
    openings,
    repairing,
    templates,
    templating,
    uniting,
    windowing,
)
from engine.league.commands import (
    AcceptInvitation,
    AddMember,
    ChangeRole,
    Command,
    CreateLeague,
    Invite,
    RemoveMember,
    RevokeInvitation,
)
from engine.league.errors import (
    AlreadyMember,
    InvitationExpired,
    InvitationInvalid,
    InvitationUnknown,
    LastOwner,
    LeagueNameInvalid,
    MemberPlaying,
    MemberUnknown,
)
from engine.league.events import (
    Event,
    InvitationIssued,
    InvitationRevoked,
    LeagueCreated,
    MemberAdded,
    MemberRemoved,
    MemberRoleChanged,
)
from engine.league.roles import STAFF, Role
from engine.league.state import Created, State, created_of


def decide(state: State, command: Command) -> tuple[Event, ...]:
    """
    Return the events that *command* causes in *state*, or no events if nothing would change.

    The service checks the rights of the caller (``roles.may``).

    Raises:
        CommandRejected: If the rules forbid the command.
    """
    if isinstance(command, CreateLeague):
        return _create(state, command)
    return _DECIDED[type(command)](created_of(state), command)


def _create(state: State, command: CreateLeague) -> tuple[Event, ...]:
    if isinstance(state, Created):
        return ()
    most = describing.NAME_LENGTH_MAX
    if not 0 < len(command.name.strip()) <= most:
        raise LeagueNameInvalid(length=len(command.name.strip()), length_max=most)
    return (
        LeagueCreated(
            league=command.league, name=command.name, owner=command.owner, sandbox=command.sandbox
        ),
    )


def _add(state: Created, command: AddMember) -> tuple[Event, ...]:
    held = state.role_of(command.player)
    if held == command.role:
        return ()
    if held is not None:
        raise AlreadyMember(role=held)
    uniting.demand_unmerged(state, command.player)
    banning.demand_unbanned(state, command.player, command.now)
    return (MemberAdded(player=command.player, role=command.role, invitation=None),)


def _change_role(state: Created, command: ChangeRole) -> tuple[Event, ...]:
    held = state.role_of(command.player)
    if held is None:
        raise MemberUnknown
    if held == command.role:
        return ()
    _keep_an_owner(state, command)
    changed = MemberRoleChanged(player=command.player, role=command.role)
    return (changed, *_ended_with(state, held))


def _remove(state: Created, command: RemoveMember) -> tuple[Event, ...]:
    held = state.role_of(command.player)
    if held is None:
        return ()
    _keep_an_owner(state, command)
    if command.playing:
        raise MemberPlaying(tournaments=command.playing)
    return (MemberRemoved(player=command.player), *_ended_with(state, held))


def _ended_with(state: Created, held: Role) -> tuple[InvitationRevoked, ...]:
    """
    Return the end of all invitations to offices when an owner loses that role.

    A former owner may know their codes, and must not return through one of them.
    """
    if held != "owner":
        return ()
    return tuple(
        InvitationRevoked(invitation=each.invitation)
        for each in state.invitations
        if each.role in STAFF
    )


def _keep_an_owner(state: Created, command: ChangeRole | RemoveMember) -> None:
    owners = {each.player for each in state.members if each.role == "owner"}
    if owners == {command.player} or owners.difference(command.erased) == {command.player}:
        raise LastOwner


def _invite(state: Created, command: Invite) -> tuple[Event, ...]:
    if state.invitation(command.invitation) is not None:
        return ()
    if command.uses_max < 1:
        raise InvitationInvalid(problem=Wording("an invitation must have at least one use"))
    if command.role == "owner":
        raise InvitationInvalid(
            problem=Wording("nobody becomes an owner by a code; an owner has to name them")
        )
    return (
        InvitationIssued(
            invitation=command.invitation,
            role=command.role,
            uses_max=command.uses_max,
            expires_at=command.expires_at,
        ),
    )


def _accept(state: Created, command: AcceptInvitation) -> tuple[Event, ...]:
    # Members keep their role: an old code neither promotes nor demotes.
    if state.role_of(command.player) is not None:
        return ()
    invitation = state.invitation(command.invitation)
    if invitation is None:
        raise InvitationUnknown
    if invitation.expires_at is not None and command.now >= invitation.expires_at:
        raise InvitationExpired
    uniting.demand_unmerged(state, command.player)
    banning.demand_unbanned(state, command.player, command.now)
    return (
        MemberAdded(player=command.player, role=invitation.role, invitation=invitation.invitation),
    )


def _revoke(state: Created, command: RevokeInvitation) -> tuple[Event, ...]:
    known = state.invitation(command.invitation)
    return (InvitationRevoked(invitation=command.invitation),) if known else ()


_DECIDED = (
    Cases[Created, Never, tuple[Event, ...]]()
    .on(AddMember, _add)
    .on(ChangeRole, _change_role)
    .on(RemoveMember, _remove)
    .on(Invite, _invite)
    .on(AcceptInvitation, _accept)
    .on(RevokeInvitation, _revoke)
    .on(auditing.RecordAudit, lambda _, command: auditing.decide(command))
    .on(repairing.VoidPositions, lambda _, command: repairing.decide(command))
    .on(openings.OpenValues, lambda _, command: openings.decide(command))
    .on(
        windowing.SetDisputeWindows,
        lambda state, command: windowing.decide(state.dispute_windows, command),
    )
    .on(
        describing.DescribeLeague,
        lambda state, command: describing.describe(state.name, state.face, command),
    )
    .on(
        describing.SetVisibility,
        lambda state, command: describing.set_visibility(state.publicity, command),
    )
    .on(merging.MergePlayers, uniting.merge)
    .on(bans.BanPlayer, banning.ban)
    .on(bans.LiftBan, banning.lift)
    .on(templates.SetHouseRules, templating.set_house_rules)
    .on(templates.SaveTemplate, templating.save)
    .on(templates.RemoveTemplate, templating.remove)
)
