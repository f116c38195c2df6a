"""Bans: banned players, and the end of a ban."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from engine.league import decider
from engine.league.bans import Ban, BanLifted, BanPlayer, LiftBan, PlayerBanned
from engine.league.commands import AcceptInvitation, AddMember, Invite, RemoveMember
from engine.league.errors import BanInvalid, InvitationUnknown, StaffNotBannable
from engine.league.errors import PlayerBanned as Refused
from engine.league.events import LeagueCreated, MemberAdded
from engine.values import HOUSE, BanId, Sealed, TextId, TextRef
from tests.engine.scenario import Scenario
from tests.engine.tournament.floor import LEAGUE, NOON, player

leia, han = player(1), player(2)
CODE, SALT = "ab" * 32, "5a" * 32
FIRST, SECOND = BanId("ban_" + "1" * 32), BanId("ban_" + "2" * 32)
REASON = TextRef(text=TextId("txt_" + "3" * 32), digest="cd" * 32)
TOMORROW = NOON + timedelta(days=1)

created = LeagueCreated(league=LEAGUE, name="Corellian Circuit", owner=leia, sandbox=False)
joined = MemberAdded(player=han, role="player", invitation=None)


def ban(until: datetime | None = None, key: BanId = FIRST, **more: Any) -> BanPlayer:
    """Return the command that bans Han."""
    about = {"player": han, "reason": REASON, "salt": SALT, "now": NOON}
    return BanPlayer(**{**about, "ban": key, "until": until, **more})


def test_a_ban_says_in_public_that_it_is_and_why_it_can_be_proven_but_not_of_whom() -> None:
    """The log can be public, but only staff may know the banned players."""
    happened = Scenario(decider).given(created).when(ban()).events()
    sealed = Sealed(Ban(player=han, until=None), bytes.fromhex(SALT), (HOUSE,))
    assert happened == (PlayerBanned(ban=FIRST, banned=sealed, reason=REASON),)


def test_who_is_banned_is_neither_added_nor_let_in_by_a_code() -> None:
    """A banned player can join in neither way."""
    given = Scenario(decider).given(created).asked(Invite(invitation=CODE), ban())
    given.when(AddMember(player=han, now=NOON)).then_rejected(Refused, until=None)
    accept = AcceptInvitation(invitation=CODE, player=han, now=NOON)
    given.when(accept).then_rejected(Refused, until=None)


def test_a_wrong_code_does_not_say_who_is_banned() -> None:
    """The check of the code comes first."""
    given = Scenario(decider).given(created).asked(ban())
    accept = AcceptInvitation(invitation=CODE, player=han, now=NOON)
    given.when(accept).then_rejected(InvitationUnknown)


def test_a_ban_is_over_at_its_end_and_not_before() -> None:
    """At the exact instant of its end, the ban no longer counts."""
    given = Scenario(decider).given(created).asked(ban(TOMORROW))
    early = AddMember(player=han, now=TOMORROW - timedelta(microseconds=1))
    given.when(early).then_rejected(Refused, until=TOMORROW.isoformat())
    given.when(AddMember(player=han, now=TOMORROW)).then(joined)


def test_a_lifted_ban_counts_no_longer() -> None:
    """Lifting a missing ban changes nothing."""
    given = Scenario(decider).given(created).asked(ban())
    given.when(LiftBan(player=han)).then(BanLifted(ban=FIRST)).when(
        LiftBan(player=han)
    ).then_nothing().when(AddMember(player=han, now=NOON)).then(joined)


def test_a_later_ban_replaces_an_earlier_one() -> None:
    """A player has at most one ban. The latest counts, longer or shorter."""
    given = Scenario(decider).given(created).asked(ban(), ban(TOMORROW, SECOND))
    assert [each.ban for each in given.state.bans] == [SECOND]
    given.when(AddMember(player=han, now=TOMORROW)).then(joined)


def test_a_ban_outlives_membership() -> None:
    """Otherwise a banned member could leave and come back."""
    given = Scenario(decider).given(created, joined).asked(ban(), RemoveMember(player=han))
    given.when(AddMember(player=han, now=NOON)).then_rejected(Refused, until=None)


@pytest.mark.parametrize("role", ["owner", "director", "referee", "scorer", "auditor"])
def test_who_holds_an_office_is_not_banned(role: Any) -> None:
    """
    A director must not lock an owner out.
    """
    office = MemberAdded(player=han, role=role, invitation=None)
    Scenario(decider).given(created, office).when(ban()).then_rejected(StaffNotBannable)


def test_a_ban_does_not_end_before_it_begins() -> None:
    """Otherwise a wrong year would look like a ban."""
    Scenario(decider).given(created).when(ban(NOON)).then_rejected(BanInvalid)
