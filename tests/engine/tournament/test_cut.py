"""The cut after the last round, and the final."""

from typing import Any

from engine.kit.rng import derive_seed, openings_digest, shuffle
from engine.rulesets import preset
from engine.table.model import events as at_table
from engine.tournament.model.events import EntrantEliminated
from engine.tournament.model.events.rounds import CutMade, FinalSeated, RoundEnded
from engine.tournament.model.state import Finished
from engine.tournament.model.terms import FloorTerms, Rounds
from tests.engine.tournament.floor import MASTERS
from tests.engine.tournament.rounds import Heats, bold

BETTER = preset("better")


def rounds(entrants: int = 10, **terms: Any) -> Heats:
    own = {name: terms.pop(name) for name in ("starting_stack", "floor") if name in terms}
    plan = {"rounds": 2, "hands_per_round": 2, "cut": 4}
    return Heats(entrants, BETTER, Rounds(**{**plan, **terms}), **own)


def test_the_best_by_points_play_a_freezeout_and_the_others_are_placed_by_points() -> None:
    evening = rounds()
    evening.play_rounds()
    (cut,), scores = evening.of(CutMade), evening.of(RoundEnded)[-1].scores
    assert len(cut.going) == 4
    line = scores[3].rank
    assert {each.entrant for each in scores if each.rank < line} < {*cut.going}
    behind = [each for each in scores if each.entrant not in cut.going]
    ranks = [each.rank for each in behind]
    out = {each.entrant: each for each in evening.of(EntrantEliminated)}
    assert {each.rule for each in out.values()} == {"rounds.placing"}
    assert {e.entrant: (e.place, e.shared) for e in out.values()} == {
        e.entrant: (5 + ranks.index(e.rank), ranks.count(e.rank)) for e in behind
    }
    assert evening.seat_round()
    (final,) = evening.of(FinalSeated)
    assert {each.entrant for each in final.assignments} == {*cut.going}
    evening.play()
    assert isinstance(evening.tournament, Finished)
    best = [each.entrant for each in evening.tournament.placings[:4]]
    assert {*best} == {*cut.going}
    assert evening.events[-1].rule == "finish.last_entrant"


def test_the_lot_decides_between_equals_on_the_line_and_can_be_drawn_again() -> None:
    # Each table plays one hand. The winners lead, and all who lost the same are equal.
    evening = rounds(8, rounds=1, hands_per_round=1, cut=4)
    evening.play_as = lambda view: (
        ("select", view.me.cards[:1])
        if view.me and view.legal[0].verb == "select"
        else ("improve", view.me.new_cards[:1])
        if view.me and view.legal[0].verb == "improve"
        else (view.legal[1].verb, None)
    )
    evening.play_round()
    (cut,) = evening.of(CutMade)
    assert cut.draw is not None
    assert set(cut.draw.order) == {*cut.tied}
    seed = derive_seed(bytes.fromhex(MASTERS.open), "draws", 0, cut.draw.number, 1)
    drawn = shuffle(cut.tied, seed=seed, label="lot", digest=openings_digest(()))
    assert cut.draw.order == drawn
    safe = [each for each in cut.going if each not in cut.tied]
    assert cut.going == (*safe, *drawn[: 4 - len(safe)])
    assert evening.tournament.draws == cut.draw.number == 2


def test_all_go_on_where_no_more_are_left_than_the_cut_takes() -> None:
    evening = rounds(6, cut=8)
    evening.play_rounds()
    (cut,) = evening.of(CutMade)
    assert len(cut.going) == 6
    assert cut.tied == ()
    assert not evening.of(EntrantEliminated)


def test_a_larger_final_has_several_tables_that_break_like_any() -> None:
    evening = rounds(14, cut=6, rounds=1)
    evening.play_rounds()
    evening.seat_round()
    assert [each.number for each in evening.tournament.tables] == [5, 6]
    assert evening.tournament.breaking_order == (6, 5)
    evening.play()
    assert isinstance(evening.tournament, Finished)


def test_a_final_table_may_have_more_seats_than_those_of_the_rounds() -> None:
    evening = rounds(14, cut=6, rounds=1, floor=FloorTerms(final_table_size=6))
    evening.play_rounds()
    evening.seat_round()
    (table,) = evening.tournament.tables
    assert len(table.seats) == 6


def test_finalists_begin_with_the_starting_stack_the_stack_named_or_their_own_chips() -> None:
    for plan, due in (({}, {1_000}), ({"final_stack": 2_500}, {2_500})):
        evening = rounds(starting_stack=1_000, **plan)
        evening.play_rounds()
        evening.seat_round()
        assert {each.stack for each in evening.of(FinalSeated)[0].assignments} == due
    carried = rounds(stacks="carried", starting_stack=1_000)
    carried.play_rounds()
    carried.seat_round()
    own = {
        each.entrant: each.stack
        for result in carried.of(RoundEnded)[-1].results
        for each in result.scores
    }
    final = carried.of(FinalSeated)[0].assignments
    assert {each.entrant: each.stack for each in final} == {
        e.entrant: own[e.entrant] for e in final
    }
    placed = {each.stack for table in carried.tables.values() for each in table.places}
    assert placed == {each.stack for each in final}


def test_with_carried_stacks_a_round_that_leaves_one_ends_the_tournament() -> None:
    evening = rounds(3, rounds=9, hands_per_round=40, stacks="carried", starting_stack=60, cut=2)
    evening.play_as = bold
    evening.play_round()
    while not isinstance(evening.tournament, Finished):
        evening.now = max(evening.now, evening.rounds.next_at or evening.now)
        evening.seat_round()
        evening.play_round()
    assert evening.events[-1].rule == "finish.last_entrant"
    assert evening.tournament.placings[0].shared == 1
    assert not evening.of(CutMade)


def test_in_the_final_hands_are_no_longer_counted_by_round() -> None:
    evening = rounds(8)
    evening.play_rounds()
    evening.seat_round()
    evening.play()
    last = evening.happened(at_table.HandOpened)[-1]
    assert last.number > 2
