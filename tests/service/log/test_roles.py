"""A role is read from typed events, in one place. A malformed event is refused."""

import msgspec
import pytest

from engine.league.events import LeagueCreated, MemberAdded, MemberRemoved, MemberRoleChanged
from engine.league.roles import Role
from engine.values import LeagueId, PlayerId
from service.base.errors import EventUnreadable
from service.log.catalogue import tag_of
from service.log.roles import TELLING, Told, role_after

LEAGUE = LeagueId("lge_" + "0" * 31 + "1")
ANN, BEN = PlayerId("plr_" + "0" * 31 + "1"), PlayerId("plr_" + "0" * 31 + "2")


def told(event: msgspec.Struct) -> Told:
    return Told(LEAGUE, tag_of(type(event)), 1, msgspec.json.encode(event).decode())


def test_the_last_event_about_a_player_gives_the_role() -> None:
    steps: list[tuple[msgspec.Struct, Role | None]] = [
        (LeagueCreated(league=LEAGUE, name="Monday", owner=ANN, sandbox=False), None),
        (MemberAdded(player=BEN, role="player", invitation=None), "player"),
        (MemberRoleChanged(player=BEN, role="referee"), "referee"),
        (MemberRoleChanged(player=ANN, role="player"), "referee"),
        (MemberRemoved(player=ANN), "referee"),
        (MemberRemoved(player=BEN), None),
    ]
    held: Role | None = None
    for event, role in steps:
        assert tag_of(type(event)) in TELLING
        held = role_after(held, told(event), BEN)
        assert held == role
    assert role_after(None, told(steps[0][0]), ANN) == "owner"


@pytest.mark.parametrize("data", ['{"player":"%s"}', '{"player":"%s","role":"king"}', "[]"])
def test_a_malformed_role_is_refused(data: str) -> None:
    stored = data.replace("%s", BEN).replace("}", ',"type":"member_role_changed"}')
    with pytest.raises(EventUnreadable):
        role_after("player", Told(LEAGUE, "member_role_changed", 1, stored), BEN)
