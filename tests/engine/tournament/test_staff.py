"""Staff who play: the test of whether they have entered, and the limit until which they may."""

from typing import Any

import pytest

from engine.tournament import decider
from engine.tournament.entering.staff import counts_as_entered, demand_staff_in_time
from engine.tournament.model.commands.entering import Approve, CloseLateRegistration, Refuse
from engine.tournament.model.errors.entering import OfficeHeld
from engine.tournament.model.terms import EntryTerms
from tests.engine.scenario import Scenario
from tests.engine.tournament.floor import NOON, announce, entrant, player, register, start
from tests.engine.tournament.test_entering import REASON, registering, withdraw
from tests.engine.tournament.test_late_entry import evening, playing, until_out

ME = player(3)
LATE: dict[str, Any] = {"late_registration_seconds": 3600}


def asking(*more: Any, **entry: Any) -> Scenario:
    """Return a tournament with two players and a third who asks for approval. *more* follows."""
    scenario = registering(approval=True, **entry).asked(register(1), register(2), register(3))
    let_in = (Approve(entrant=entrant(each), now=NOON) for each in (1, 2))
    return scenario.asked(*let_in, *more)


def lined_up(*more: Any, **entry: Any) -> Scenario:
    """Return a full tournament with a third player on the waitlist. *more* follows."""
    return registering(2, most=2, waitlist=True, **entry).asked(register(3), *more)


REFUSED = Refuse(entrant=entrant(3), reason=REASON, now=NOON)

STATES = {
    "unannounced": (Scenario(decider), False),
    "announced": (Scenario(decider).asked(announce()), False),
    "never entered": (registering(2), False),
    "registered": (registering(3), True),
    "withdrawn": (registering(3).asked(withdraw(3)), False),
    "requested": (asking(), True),
    "request withdrawn": (asking(withdraw(3)), False),
    "refused": (asking(REFUSED), True),
    "waitlisted": (lined_up(), True),
    "offered": (lined_up(withdraw(1)), True),
    "left the line": (lined_up(withdraw(3)), False),
    "seated": (playing(3), True),
    "requested, late": (asking(start(), **LATE), True),
    "requested, nobody comes late": (asking(start()), False),
    "refused, late": (asking(REFUSED, start(), **LATE), True),
    "refused, late entry over": (
        asking(REFUSED, start(), CloseLateRegistration(now=NOON), **LATE),
        False,
    ),
    "waitlisted, late": (lined_up(start(), **LATE), True),
    "waitlisted, late entry over": (
        lined_up(start(), CloseLateRegistration(now=NOON), **LATE),
        False,
    ),
}


@pytest.mark.parametrize("named", STATES)
def test_whoever_may_still_get_in_counts_as_entered(named: str) -> None:
    scenario, entered = STATES[named]
    assert counts_as_entered(scenario.state, ME) is entered


def test_whoever_is_out_counts_as_entered_and_may_come_back() -> None:
    night = evening(3, EntryTerms(**LATE, re_entries_max=1))
    until_out(night)
    out = night.tournament.placings[0].entrant
    gone = next(each.player for each in night.tournament.entrants if each.entrant == out)
    assert counts_as_entered(night.tournament, gone)
    demand_staff_in_time(night.tournament, gone)


@pytest.mark.parametrize(
    "named", ["never entered", "withdrawn", "registered", "requested, late", "waitlisted, late"]
)
def test_staff_enter_before_play_or_count_as_entered_already(named: str) -> None:
    demand_staff_in_time(STATES[named][0].state, ME)


@pytest.mark.parametrize("scenario", [playing(2), registering(3).asked(withdraw(3), start())])
def test_staff_do_not_enter_once_play_has_begun(scenario: Scenario) -> None:
    """Another player in their place may enter. Only late registration decides about that."""
    with pytest.raises(OfficeHeld) as refused:
        demand_staff_in_time(scenario.state, ME)
    assert (refused.value.code, refused.value.rule) == ("office_held", "entry.staff")
