"""Tournaments of rounds end after any play, and their audit agrees."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.coordination.aggregates import DECIDERS
from engine.rulesets import PRESETS, preset
from engine.table.model.events import SeatsVacated
from engine.tournament.model.events import EntrantEliminated
from engine.tournament.model.events.rounds import FinalSeated, RoundEnded, RoundSeated
from engine.tournament.model.state import Finished
from engine.tournament.model.terms import Rounds
from service.audit.event.tournament import TournamentAudit
from service.audit.report import Findings
from tests.properties.chooser import Choices, Chooser
from tests.properties.rounds import RoundsGame
from tests.properties.test_game import is_casino, stack_of

NAMES = sorted(name for name in PRESETS if not is_casino(preset(name)))
choices = st.builds(Choices, st.lists(st.integers(0, 2**12), max_size=60), st.integers(0, 2**16))
plans = st.builds(
    dict,
    rounds=st.integers(1, 4),
    seating=st.sampled_from(["heats", "swiss", "round_robin"]),
    hands_per_round=st.none() | st.integers(1, 3),
    stacks=st.sampled_from(["fresh", "carried"]),
    points=st.sampled_from(["places", "chips"]),
    cut=st.none() | st.integers(2, 5),
)


def plan_for(name: str, terms: dict[str, Any]) -> Rounds:
    """Return *terms* as the game allows. A game without chips has no stacks to carry or count."""
    if preset(name).moneyless:
        terms = terms | {"stacks": "fresh", "points": "places"}
    return Rounds(**terms)


def audited(game: RoundsGame) -> dict[str, list[str]]:
    """Return the faults that an audit of the tournament's own events finds, by check."""
    findings = Findings()
    audit, state = TournamentAudit("tournament", findings), DECIDERS["tournament"].initial
    for position, event in enumerate(game.events):
        before, state = state, DECIDERS["tournament"].evolve(state, event)
        audit.see(event, position, before)
    assert findings.checks["rounds"].checked > 0
    return {
        name: [fault.what for fault in check.faults]
        for name, check in findings.checks.items()
        if check.failed
    }


@pytest.mark.parametrize("name", NAMES)
@settings(
    derandomize=True,
    max_examples=8,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(st.integers(2, 11), st.integers(3, 5), plans, choices)
def test_rounds_end_with_everybody_placed_and_an_audit_that_agrees(
    name: str, entrants: int, seats: int, terms: dict[str, Any], dice: Any
) -> None:
    """Everybody gets one place. All chips come back from a round's tables, except after busts."""
    ruleset = preset(name)
    game = RoundsGame(
        ruleset,
        entrants,
        Chooser(dice),
        ruleset_name=name,
        table_seats=min(seats, ruleset.max_players),
        starting_stack=stack_of(ruleset),
        hands_max=12,
        format=plan_for(name, terms),
    )
    ended = game.play()
    assert isinstance(ended, Finished)
    assert audited(game) == {}
    everybody = sorted(each.entrant for each in ended.entrants)
    assert sorted(each.entrant for each in ended.placings) == everybody
    places = [each.place for each in ended.placings]
    for each in ended.placings:
        assert each.shared == places.count(each.place)
        assert each.place == 1 + sum(place < each.place for place in places)
    out: set[str] = set()
    for event in game.events:
        if isinstance(event, RoundSeated):
            seated = sorted(seat.entrant for table in event.tables for seat in table.seats)
            assert seated == [each for each in everybody if each not in out]
        elif isinstance(event, FinalSeated):
            assert {each.entrant for each in event.assignments} == {*everybody} - out
        elif isinstance(event, EntrantEliminated):
            out.add(event.entrant)
    _check_chips(game)


def _check_chips(game: RoundsGame) -> None:
    """Assert that the final stacks, carry and Sabacc pot of each table add up to its chips."""
    began = {
        table.table: sum(seat.stack for seat in table.seats)
        for event in game.events
        if isinstance(event, RoundSeated)
        for table in event.tables
    }
    for event in game.events:
        for result in event.results if isinstance(event, RoundEnded) else ():
            held = sum(score.stack for score in result.scores)
            left = [each for each in game.logs[result.table] if isinstance(each, SeatsVacated)]
            lost = sum(each.carry + each.sabacc_pot for each in left)
            assert held + lost == began[result.table]
            assert lost == 0 or not [score for score in result.scores if score.stack]
