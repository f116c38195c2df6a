"""A league: its members, roles and invitations, and its last owner."""

from datetime import timedelta

import pytest

from engine.league import decider
from engine.league.commands import (
    AcceptInvitation,
    AddMember,
    ChangeRole,
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
    LeagueNotCreated,
    MemberUnknown,
)
from engine.league.events import (
    InvitationIssued,
    InvitationRevoked,
    LeagueCreated,
    MemberAdded,
    MemberRemoved,
    MemberRoleChanged,
)
from engine.league.roles import LOST_WHEN_ENTERED, Capability, Role, may
from tests.engine.scenario import Scenario
from tests.engine.tournament.floor import LEAGUE, NOON, player

leia, han, lando = player(1), player(2), player(3)
CODE = "ab" * 32
OFFICE = "cd" * 32

created = LeagueCreated(league=LEAGUE, name="Corellian Circuit", owner=leia, sandbox=False)
issued = InvitationIssued(invitation=CODE, role="player", uses_max=1, expires_at=None)


def test_whoever_creates_a_league_owns_it() -> None:
    """A league without an owner could never get one."""
    create = CreateLeague(league=LEAGUE, name="Corellian Circuit", owner=leia)
    given = Scenario(decider).when(create).then(created)
    assert given.state.role_of(leia) == "owner"
    given.when(create).then_nothing()


def test_a_league_has_a_name() -> None:
    """People tell leagues apart by their names."""
    create = CreateLeague(league=LEAGUE, name="   ", owner=leia)
    Scenario(decider).when(create).then_rejected(LeagueNameInvalid, length=0, length_max=200)


def test_nobody_joins_a_league_that_does_not_exist() -> None:
    """An empty stream accepts only its creation."""
    Scenario(decider).when(AddMember(player=han, now=NOON)).then_rejected(LeagueNotCreated)


def test_a_member_is_added_once() -> None:
    """A repeated request changes nothing. Another role needs a command of its own."""
    (
        Scenario(decider)
        .given(created)
        .when(AddMember(player=han, role="referee", now=NOON))
        .then(MemberAdded(player=han, role="referee", invitation=None))
        .when(AddMember(player=han, role="referee", now=NOON))
        .then_nothing()
        .when(AddMember(player=han, role="auditor", now=NOON))
        .then_rejected(AlreadyMember, role="referee")
    )


def test_a_role_can_be_changed() -> None:
    """Only members have a role to change, and only another role is a change."""
    given = Scenario(decider).given(created).asked(AddMember(player=han, now=NOON))
    given.when(ChangeRole(player=han, role="director")).then(
        MemberRoleChanged(player=han, role="director")
    ).when(ChangeRole(player=han, role="director")).then_nothing().when(
        ChangeRole(player=lando, role="director")
    ).then_rejected(MemberUnknown)


@pytest.mark.parametrize(
    "command", [RemoveMember(player=leia), ChangeRole(player=leia, role="player")]
)
def test_the_last_owner_neither_leaves_nor_steps_down(command: object) -> None:
    """A league has at least one owner at any time."""
    Scenario(decider).given(created).when(command).then_rejected(LastOwner)


def test_an_erased_owner_counts_as_no_owner() -> None:
    owners = (created, MemberAdded(player=han, role="owner", invitation=None))
    for command in (
        RemoveMember(player=leia, erased=(han,)),
        ChangeRole(player=leia, role="player", erased=(han,)),
    ):
        Scenario(decider).given(*owners).when(command).then_rejected(LastOwner)
    gone = RemoveMember(player=han, erased=(han,))
    Scenario(decider).given(*owners).when(gone).then(MemberRemoved(player=han))
    Scenario(decider).given(created).when(RemoveMember(player=leia, erased=(leia,))).then_rejected(
        LastOwner
    )


def test_an_owner_may_leave_when_another_stays() -> None:
    """
    A league can be handed over.
    """
    given = Scenario(decider).given(created).asked(AddMember(player=han, role="owner", now=NOON))
    given.when(RemoveMember(player=leia)).then(MemberRemoved(player=leia))
    given.when(RemoveMember(player=leia)).then_nothing()


@pytest.mark.parametrize(
    ("command", "event"),
    [
        (RemoveMember(player=leia), MemberRemoved(player=leia)),
        (ChangeRole(player=leia, role="player"), MemberRoleChanged(player=leia, role="player")),
    ],
)
def test_invitations_to_offices_end_when_an_owner_stops_being_one(
    command: object, event: object
) -> None:
    """A former owner may know the codes."""
    given = Scenario(decider).given(created).asked(AddMember(player=han, role="owner", now=NOON))
    given = given.asked(Invite(invitation=CODE)).asked(Invite(invitation=OFFICE, role="referee"))
    given.when(command).then(event, InvitationRevoked(invitation=OFFICE))


def test_an_invitation_makes_a_member_as_often_as_it_says() -> None:
    """A used-up code is worthless."""
    (
        Scenario(decider)
        .given(created)
        .when(Invite(invitation=CODE))
        .then(issued)
        .when(AcceptInvitation(invitation=CODE, player=han, now=NOON))
        .then(MemberAdded(player=han, role="player", invitation=CODE))
        .when(AcceptInvitation(invitation=CODE, player=han, now=NOON))
        .then_nothing()
        .when(AcceptInvitation(invitation=CODE, player=lando, now=NOON))
        .then_rejected(InvitationUnknown)
    )


def test_an_invitation_expires_at_its_instant() -> None:
    """At that exact instant the invitation is no longer valid."""
    expiring = Invite(invitation=CODE, expires_at=NOON)
    given = Scenario(decider).given(created).asked(expiring)
    given.when(AcceptInvitation(invitation=CODE, player=han, now=NOON)).then_rejected(
        InvitationExpired
    )
    early = AcceptInvitation(invitation=CODE, player=han, now=NOON - timedelta(microseconds=1))
    given.when(early).then(MemberAdded(player=han, role="player", invitation=CODE))


def test_a_revoked_invitation_is_as_if_never_issued() -> None:
    """A second revocation changes nothing."""
    revoke = RevokeInvitation(invitation=CODE)
    (
        Scenario(decider)
        .given(created, issued)
        .when(revoke)
        .then(InvitationRevoked(invitation=CODE))
        .when(revoke)
        .then_nothing()
        .when(AcceptInvitation(invitation=CODE, player=han, now=NOON))
        .then_rejected(InvitationUnknown)
    )


@pytest.mark.parametrize(
    "invite",
    [Invite(invitation=CODE, role="owner"), Invite(invitation=CODE, uses_max=0)],
)
def test_a_code_cannot_give_the_league_away(invite: Invite) -> None:
    """Anybody may find a code. No code is issued that nobody could use."""
    Scenario(decider).given(created).when(invite).then_rejected(InvitationInvalid)


@pytest.mark.parametrize(
    ("role", "capability", "permitted"),
    [
        ("owner", "manage_members", True),
        ("director", "manage_tournaments", True),
        ("director", "manage_members", False),
        ("director", "audit_hands", False),
        ("referee", "rule_disputes", True),
        ("referee", "manage_tournaments", False),
        ("scorer", "report_results", True),
        ("auditor", "audit_hands", True),
        ("auditor", "direct_play", False),
        ("player", "enter_tournaments", True),
        ("player", "manage_tournaments", False),
        (None, "read_league", False),
    ],
)
def test_a_role_permits_what_its_work_needs(
    role: Role | None, capability: Capability, permitted: bool
) -> None:
    """A role has no other capability. A stranger may not even read."""
    assert may(role, capability) is permitted


@pytest.mark.parametrize("capability", ["audit_hands", "direct_play", "rule_disputes"])
def test_staff_who_play_lose_directing_and_unsealing(capability: Capability) -> None:
    """Staff who play may not open an opponent's cards or rule on a pot of their own."""
    assert may("owner", capability, entered=True) is False


@pytest.mark.parametrize("capability", sorted(LOST_WHEN_ENTERED))
def test_terms_leave_staff_who_play_the_clock_and_the_seating_and_nothing_else(
    capability: Capability,
) -> None:
    """These capabilities do not include giving an office."""
    kept = may("owner", capability, entered=True, staff_may_play=True)
    assert kept is (capability in {"start_tournaments", "run_floor"})
    assert may("player", capability, entered=True, staff_may_play=True) is False
