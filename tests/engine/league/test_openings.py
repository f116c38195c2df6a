"""Openings of sealed values: the viewer, the subject, the reason and the end."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from engine.league import decider
from engine.league.errors import LeagueNotCreated, OpeningInvalid
from engine.league.events import LeagueCreated
from engine.league.openings import OPEN_MAX, OpenValues, ValuesOpened
from engine.league.state import Created
from engine.values import TextId, TextRef
from tests.engine.scenario import Scenario
from tests.engine.tournament.floor import LEAGUE, NOON, player

leia, han = player(1), player(2)
HAND = "hnd_" + "7" * 32
REASON = TextRef(text=TextId("txt_" + "3" * 32), digest="cd" * 32)
HOUR = timedelta(hours=1)

created = LeagueCreated(league=LEAGUE, name="Corellian Circuit", owner=leia, sandbox=False)


def looking(**changed: Any) -> OpenValues:
    about: dict[str, Any] = {"what": "hand", "subject": HAND, "by": leia, "reason": REASON}
    return OpenValues(**{**about, "now": NOON, "expires_at": NOON + HOUR, **changed})


def league(*commands: OpenValues) -> Created:
    state = decider.replay([created])
    for command in commands:
        _, state = decider.carry_out(state, command)
    assert isinstance(state, Created)
    return state


def test_that_somebody_looks_is_an_event_with_name_reason_and_end() -> None:
    Scenario(decider).given(created).when(looking()).then(
        ValuesOpened(
            what="hand", subject=HAND, by=leia, reason=REASON, at=NOON, expires_at=NOON + HOUR
        )
    )


@pytest.mark.parametrize("end", [NOON, NOON + OPEN_MAX + timedelta(microseconds=1)])
def test_an_opening_ends_in_the_future_and_within_a_day(end: datetime) -> None:
    refused = Scenario(decider).given(created).when(looking(expires_at=end))
    refused.then_rejected(OpeningInvalid, hours_max=24)


def test_nothing_is_opened_in_a_league_that_does_not_exist() -> None:
    Scenario(decider).given().when(looking()).then_rejected(LeagueNotCreated)


def test_an_opening_is_for_one_person_and_one_thing_and_over_at_its_end() -> None:
    state = league(looking())
    assert state.may_see(HAND, leia, NOON)
    assert state.may_see(HAND, leia, NOON + HOUR - timedelta(microseconds=1))
    assert not state.may_see(HAND, leia, NOON + HOUR)
    assert not state.may_see(HAND, han, NOON)
    assert not state.may_see("hnd_" + "8" * 32, leia, NOON)


def test_openings_that_are_over_are_not_kept_for_ever() -> None:
    later = NOON + 2 * HOUR
    state = league(looking(), looking(by=han, now=later, expires_at=later + HOUR))
    assert [each.by for each in state.openings] == [han]
