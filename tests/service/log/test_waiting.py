"""The leagues of a writer."""

import pytest

from service.log import waiting
from service.log.waiting import Leagues


def league(number: int) -> str:
    """Return the identifier of a league."""
    return f"lge_{number:032x}"


def test_a_league_with_commands_is_never_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "LEAGUES_KEPT", 2)
    leagues = Leagues()
    busy, idle = leagues.of(league(1)), leagues.of(league(2))
    busy.queued = True
    for number in range(3, 9):
        leagues.of(league(number))

    assert len([*leagues]) <= 2
    assert leagues.of(league(1)) is busy
    assert leagues.of(league(2)) is not idle
