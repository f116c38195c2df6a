"""House bots count for no points of a season."""

from typing import Any

import pytest
from msgspec.structs import replace

from engine.coordination.policies import outlook_of, season_told
from engine.coordination.season_points import points_of, without_house_bots
from engine.kit.house_bots import house_bot
from engine.season import decider as seasons
from engine.season.closing import pending
from engine.season.commands import AddTournament
from engine.season.state import Opened
from engine.season.values import PlacesFromEnd
from engine.tournament.model.state import Finished
from engine.tournament.model.values import Placing
from tests.engine.coordination.test_season_policies import a_night
from tests.engine.scenario import Scenario
from tests.engine.season.seasons import opening
from tests.engine.tournament.floor import LEAGUE, NOON, entrant, player


def with_bots(*numbers: int) -> Finished:
    """Return the night that entrant 1 won over 2, 3 and 4, with these as house bots."""
    night = a_night().state
    assert isinstance(night, Finished)

    def instead(each: Any) -> Any:
        number = next(n for n in range(1, 5) if each.entrant == entrant(n))
        bot = number in numbers
        return replace(each, player=house_bot(LEAGUE, "calm", number)) if bot else each

    return replace(
        night,
        entrants=tuple(instead(each) for each in night.entrants),
        placings=tuple(instead(each) for each in night.placings),
    )


def test_house_bots_get_no_points_and_the_others_move_up() -> None:
    award = points_of(with_bots(1, 3), now=NOON)

    assert [(each.player, each.place) for each in award.placings] == [
        (player(2), 1),
        (player(4), 2),
    ]
    assert award.entries == 2
    told = season_told(
        Scenario(seasons).asked(opening(PlacesFromEnd())).state, with_bots(1, 3), now=NOON
    )
    assert told == award


def test_those_who_share_places_share_the_best_that_are_left() -> None:
    """A bot and two people share the second place. A bot has won."""
    bots = [house_bot(LEAGUE, "calm", number) for number in (1, 2)]
    placings = (
        Placing(entrant=entrant(1), player=bots[0], place=1),
        *(
            Placing(entrant=entrant(number), player=who, place=2, shared=3)
            for number, who in ((2, bots[1]), (3, player(3)), (4, player(4)))
        ),
        Placing(entrant=entrant(5), player=player(5), place=5),
    )

    moved = [(each.player, each.place, each.shared) for each in without_house_bots(placings)]

    assert moved == [(player(3), 1, 2), (player(4), 1, 2), (player(5), 3, 1)]


def test_a_house_bot_is_nobodys_knock_out() -> None:
    """Entrant 1 knocked out everybody. Only those of people count."""
    award = points_of(with_bots(2, 4), now=NOON)

    assert [(each.player, each.knockouts) for each in award.placings] == [
        (player(1), 1),
        (player(3), 0),
    ]


def test_a_night_of_house_bots_alone_gives_no_points() -> None:
    season = Scenario(seasons).asked(opening(PlacesFromEnd()))

    assert season_told(season.state, with_bots(1, 2, 3, 4), now=NOON) is None


@pytest.mark.parametrize(("bots", "reason"), [((1, 2, 3, 4), None), ((1, 2, 4), "finished")])
def test_a_night_of_house_bots_alone_keeps_no_season_open(
    bots: tuple[int, ...], reason: str | None
) -> None:
    night = with_bots(*bots)
    season = Scenario(seasons).asked(opening(PlacesFromEnd()))
    number = night.terms.tournament
    season.asked(AddTournament(tournament=number, now=NOON))
    assert isinstance(season.state, Opened)
    outlook = outlook_of(season.state, night, now=NOON)

    assert pending(season.state, outlook) == reason
