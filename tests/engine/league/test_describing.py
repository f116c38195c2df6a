"""The face of a league: its name, its description, and who may see it."""

import pytest

from engine.league import decider
from engine.league.describing import (
    DescribeLeague,
    Face,
    LeagueDescribed,
    Publicity,
    SetVisibility,
    VisibilitySet,
)
from engine.league.errors import LeagueDescriptionInvalid, LeagueNameInvalid
from engine.league.events import LeagueCreated
from engine.league.state import Created
from tests.engine.scenario import Scenario
from tests.engine.tournament.floor import LEAGUE, player

leia = player(1)
OLD, NEW = "ab" * 32, "cd" * 32
created = LeagueCreated(league=LEAGUE, name="Corellian Circuit", owner=leia, sandbox=False)
FACE = Face(
    description="Thursdays.", place="Deck 9", length_seconds=14_400, url="https://a.example"
)
described = LeagueDescribed(
    name="Cloud City", description="Thursdays.", place="Deck 9", length_seconds=14_400,
    url="https://a.example", by=leia,
)  # fmt: skip


def describe(name: str = "Cloud City", face: Face = FACE) -> DescribeLeague:
    return DescribeLeague(name=name, face=face, by=leia)


def show(visibility: str, link: str | None = None, *, new: bool = False) -> SetVisibility:
    return SetVisibility(visibility=visibility, link=link, new_link=new, by=leia)  # type: ignore[arg-type]


def shown(visibility: str, link: str | None = None) -> VisibilitySet:
    return VisibilitySet(visibility=visibility, link=link, by=leia)  # type: ignore[arg-type]


def test_a_league_gets_a_name_and_a_description_once() -> None:
    known = Scenario(decider).given(created)
    assert known.when(describe()).events() == (described,)
    again = Scenario(decider).given(created, described)
    assert again.when(describe()).events() == ()
    state = decider.replay([created, described])
    assert isinstance(state, Created)
    assert (state.name, state.face) == ("Cloud City", FACE)


@pytest.mark.parametrize(
    ("name", "face", "refusal"),
    [
        (" ", FACE, LeagueNameInvalid),
        ("x" * 201, FACE, LeagueNameInvalid),
        ("x", Face(description=" "), LeagueDescriptionInvalid),
        ("x", Face(description="x" * 4001), LeagueDescriptionInvalid),
        ("x", Face(place="x" * 201), LeagueDescriptionInvalid),
        ("x", Face(length_seconds=59), LeagueDescriptionInvalid),
        ("x", Face(url=""), LeagueDescriptionInvalid),
    ],
)
def test_a_description_is_bounded(name: str, face: Face, refusal: type[Exception]) -> None:
    with pytest.raises(refusal):
        Scenario(decider).given(created).when(describe(name, face)).events()


def test_a_league_is_for_its_members_until_it_says_otherwise() -> None:
    state = decider.replay([created])
    assert isinstance(state, Created)
    assert state.publicity == Publicity()
    assert Scenario(decider).given(created).when(show("members")).events() == ()


@pytest.mark.parametrize(
    ("before", "command", "events"),
    [
        (shown("members"), show("public"), (shown("public"),)),
        (shown("members"), show("link", OLD), (shown("link", OLD),)),
        (shown("link", OLD), show("link"), ()),
        (shown("link", OLD), show("link", NEW), ()),
        (shown("link", OLD), show("link", NEW, new=True), (shown("link", NEW),)),
        (shown("public", OLD), show("link", NEW), (shown("link", OLD),)),
        (shown("link", OLD), show("public"), (shown("public", OLD),)),
        (shown("link", OLD), show("members"), (shown("members"),)),
        (shown("public"), show("members", NEW), (shown("members"),)),
    ],
)
def test_a_link_key_lasts_until_another_or_until_the_league_is_closed(
    before: VisibilitySet, command: SetVisibility, events: tuple[VisibilitySet, ...]
) -> None:
    assert Scenario(decider).given(created, before).when(command).events() == events
