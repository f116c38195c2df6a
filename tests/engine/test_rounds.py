"""Scheduled rounds: seats, results, points, the cut and the final."""

from engine.rulesets import preset
from engine.tournament.rounds.events import CutMade, FinalSeated, RoundEnded, RoundSeated
from engine.tournament.state import Finished
from engine.tournament.terms import Rounds
from tests.engine.rounds import Heats

BETTER = preset("better")


def test_heats_and_a_cut_lead_to_a_final() -> None:
    evening = Heats(10, BETTER, Rounds(rounds=2, hands_per_round=2, cut=4))
    evening.play_rounds()
    assert [each.round for each in evening.of(RoundSeated)] == [1, 2]
    assert evening.of(CutMade)
    assert evening.seat_round()
    evening.play()
    assert isinstance(evening.tournament, Finished)
    print([type(e).__name__ for e in evening.events])
    print([(p.place, p.shared) for p in evening.tournament.placings])
    assert evening.of(RoundEnded) and evening.of(FinalSeated)
