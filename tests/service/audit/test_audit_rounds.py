"""The audit of rounds finds a seat, a score, a cut or a draw that does not follow."""

from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from engine.coordination.aggregates import DECIDERS
from engine.rulesets import preset
from engine.tournament.model.commands.floor import Disqualify
from engine.tournament.model.events.rounds import CutMade, FinalSeated, RoundEnded, RoundSeated
from engine.tournament.model.terms import Rounds
from service.audit.event.tournament import TournamentAudit
from service.audit.report import Findings
from tests.engine.tournament.rounds import Heats
from tests.engine.tournament.rulings import RULED

PLAN = Rounds(rounds=2, hands_per_round=1, seating="swiss", cut=4)


def played() -> list[Any]:
    """Return the events of eight players in two rounds, up to the final's seats."""
    evening = Heats(8, preset("better"), PLAN)
    evening.play_rounds()
    evening.seat_round()
    return list(evening.events)


def failed(events: list[Any]) -> set[str]:
    """Return the checks that fail."""
    findings = Findings()
    audit, state = TournamentAudit("tournament", findings), DECIDERS["tournament"].initial
    for position, event in enumerate(events):
        before, state = state, DECIDERS["tournament"].evolve(state, event)
        audit.see(event, position, before)
    return {name for name, check in findings.checks.items() if check.failed}


def test_rounds_as_they_were_played_pass() -> None:
    assert failed(played()) == set()


def test_rounds_pass_in_which_somebody_is_disqualified_at_a_table_and_between_two() -> None:
    evening = Heats(9, preset("better"), replace(PLAN, stacks="carried"))
    first, second, *_ = (table.seats[0].entrant for table in evening.tournament.tables)
    evening.ask(Disqualify(entrant=first, **RULED))
    evening.play_round()
    evening.ask(Disqualify(entrant=second, **RULED))
    evening.play_rounds()
    evening.seat_round()
    assert failed(list(evening.events)) == set()


def seats_exchanged(event: RoundSeated) -> RoundSeated:
    """Exchange the players of two seats at different tables."""
    one, other, *rest = event.tables
    (mine, *ours), (theirs, *those) = one.seats, other.seats
    swapped = (
        replace(one, seats=(replace(mine, entrant=theirs.entrant), *ours)),
        replace(other, seats=(replace(theirs, entrant=mine.entrant), *those)),
    )
    return replace(event, tables=(*swapped, *rest))


def points_given(event: RoundEnded) -> RoundEnded:
    first, *rest = event.results
    best, *others = first.scores
    richer = replace(first, scores=(replace(best, points="99.00"), *others))
    return replace(event, results=(richer, *rest))


def score_raised(event: RoundEnded) -> RoundEnded:
    *better, last = event.scores
    return replace(event, scores=(*better, replace(last, points="99.00")))


def somebody_else_goes_on(event: CutMade) -> CutMade:
    behind = next(each.entrant for each in event.candidates if each.entrant not in event.going)
    return replace(event, going=(*event.going[:-1], behind))


def draw_reversed(event: Any) -> Any:
    return replace(event, draw=replace(event.draw, order=event.draw.order[::-1]))


def met_less(event: RoundSeated) -> RoundSeated:
    return replace(event, meetings=replace(event.meetings, again=event.meetings.again + 1))


def stack_raised(event: FinalSeated) -> FinalSeated:
    first, *rest = event.assignments
    return replace(event, assignments=(replace(first, stack=first.stack + 5), *rest))


@pytest.mark.parametrize(
    ("kind", "forge", "check"),
    [
        (RoundSeated, seats_exchanged, "rounds"),
        (RoundSeated, met_less, "rounds"),
        (RoundSeated, draw_reversed, "seat_draws"),
        (RoundEnded, points_given, "rounds"),
        (RoundEnded, score_raised, "rounds"),
        (CutMade, somebody_else_goes_on, "rounds"),
        (FinalSeated, draw_reversed, "seat_draws"),
        (FinalSeated, stack_raised, "rounds"),
    ],
)
def test_what_was_forged_is_found(kind: type, forge: Callable[[Any], Any], check: str) -> None:
    events = played()
    at = max(index for index, event in enumerate(events) if isinstance(event, kind))
    events[at] = forge(events[at])
    assert check in failed(events)
