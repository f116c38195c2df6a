"""Scheduled rounds: seats, hands, results, points, and the start of the next round."""

from collections import Counter
from datetime import timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from engine.coordination.aggregates import DECIDERS
from engine.coordination.policies import decide_in_turn
from engine.rulesets import preset
from engine.table.model import events as at_table
from engine.table.model.commands import ImposePenalty, StepAway
from engine.tournament import decider
from engine.tournament.model.commands import CloseEarly, DeclareRebuy, Pause, Resume
from engine.tournament.model.commands.floor import (
    CallLastHands,
    Disqualify,
    OrderMove,
    StartHandForHand,
)
from engine.tournament.model.commands.rounds import EndRoundEarly
from engine.tournament.model.errors import (
    EntrantUnknown,
    RebuyNotAllowed,
    TermsInvalid,
    TournamentFull,
)
from engine.tournament.model.errors.floor import RulingNotPossible
from engine.tournament.model.errors.rounds import NoRoundInPlay
from engine.tournament.model.events import (
    EntrantBusted,
    EntrantEliminated,
    SeatsDrawn,
    TournamentFinished,
)
from engine.tournament.model.events.rounds import RoundEnded, RoundSeated
from engine.tournament.model.state import Finished
from engine.tournament.model.terms import EntryTerms, FeeTerms, Rounds, SingleTable
from engine.values import EntrantId
from tests.engine.coordination.evening import folding
from tests.engine.scenario import Scenario
from tests.engine.tournament.floor import NOON, announce, entrant, opening, register
from tests.engine.tournament.rounds import Heats, bold
from tests.engine.tournament.rulings import RULED

BETTER = preset("better")
EARLY = EndRoundEarly(**RULED)


def heats(entrants: int = 10, **terms: Any) -> Heats:
    """Return two short rounds, with *terms* laid over their plan."""
    own = {name: terms.pop(name) for name in ("starting_stack", "entrants_min") if name in terms}
    return Heats(entrants, BETTER, Rounds(**{"rounds": 2, "hands_per_round": 2, **terms}), **own)


def test_the_first_round_is_dealt_from_the_draw_of_seats() -> None:
    evening = heats()
    (drawn,), (seated,) = evening.of(SeatsDrawn), evening.of(RoundSeated)
    assert (seated.rule, seated.draw.order) == ("rounds.first", drawn.draw.order)
    dealt = {(each.table, each.seat): each.entrant for each in drawn.assignments}
    assert dealt == {
        (table.table, seat.seat): seat.entrant for table in seated.tables for seat in table.seats
    }


@pytest.mark.parametrize("seating", ["heats", "swiss", "round_robin"])
def test_everybody_has_one_seat_in_every_round_and_no_table_number_comes_twice(
    seating: Any,
) -> None:
    evening = heats(13, rounds=4, seating=seating)
    evening.play_rounds()
    rounds = evening.of(RoundSeated)
    assert [each.round for each in rounds] == [1, 2, 3, 4]
    for each in rounds:
        seats = sorted(seat.entrant for table in each.tables for seat in table.seats)
        assert seats == sorted(entrant(number + 1) for number in range(13))
        assert [table.place for table in each.tables] == [1, 2, 3, 4]
        assert sorted(len(table.seats) for table in each.tables) == [3, 3, 3, 4]
    numbers = [table.number for each in rounds for table in each.tables]
    assert numbers == list(range(1, 17))
    assert [each.draw.number for each in rounds] == [1, 2, 3, 4]


def test_a_swiss_round_seats_equals_in_points_together() -> None:
    evening = heats(8, seating="swiss")
    evening.play_round()
    evening.seat_round()
    seated = evening.of(RoundSeated)[-1]
    assert seated.rule == "rounds.swiss"
    ranks = [each.rank for each in seated.candidates]
    assert ranks == sorted(ranks)
    best = {each.entrant for each in seated.candidates if each.rank == 1}
    assert best <= {each.entrant for each in seated.tables[0].seats}


def test_each_table_plays_its_hands_of_the_round_and_the_last_is_called_so() -> None:
    evening = heats()
    evening.play_rounds()
    opened = evening.happened(at_table.HandOpened)
    assert [each.number for each in opened].count(2) == 6
    assert {each.number: each.last for each in opened} == {1: False, 2: True}


def test_without_a_number_a_round_lasts_until_everybody_has_dealt_once() -> None:
    evening = heats(7, rounds=1, hands_per_round=None, starting_stack=10_000)
    evening.play_as = folding
    evening.play_round()
    dealers = Counter(each.button for each in evening.happened(at_table.HandOpened))
    assert dealers == {1: 2, 2: 2, 3: 2, 4: 1}


def test_the_last_table_that_is_done_ends_the_round_and_closes_all_of_them() -> None:
    evening = heats()
    first, *others = [each.table for each in evening.tournament.tables]
    for _ in range(2):
        evening.next_hand(first)
        evening.play_hand(first)
    assert evening.next_hand(first).outcome == "hold"
    for table in others:
        for _ in range(2):
            evening.next_hand(table)
            evening.play_hand(table)
    assert not evening.of(RoundEnded)
    evening.next_hand(others[0])
    assert len(evening.of(RoundEnded)) == 1
    assert all(each.closed and not each.places for each in evening.tables.values())
    assert evening.tournament.tables == ()


def test_with_fresh_stacks_who_lost_all_is_last_at_the_table_and_plays_the_next_round() -> None:
    evening = heats(4, starting_stack=60)
    evening.play_as = bold
    evening.play_round()
    busted = [each.entrant for each in evening.of(EntrantBusted)]
    assert busted
    (result,) = evening.of(RoundEnded)[0].results
    last = [each for each in result.scores if each.entrant in busted]
    assert [each.place for each in result.scores] == sorted(each.place for each in result.scores)
    assert last == list(result.scores[-len(busted) :])
    assert not evening.of(EntrantEliminated)
    evening.seat_round()
    (table,) = evening.of(RoundSeated)[-1].tables
    assert {each.stack for each in table.seats} == {60}
    assert {*busted} < {each.entrant for each in table.seats}


def test_who_is_disqualified_after_the_last_chip_keeps_the_place_at_the_table() -> None:
    evening = heats(8, starting_stack=60)
    evening.play_as = bold
    first, second = (seating.table for seating in evening.tournament.tables)
    evening.next_hand(first)
    evening.play_hand(first)
    (out, *_) = [each.entrant for each in evening.of(EntrantBusted)]
    seated = evening.tables[second].places[0].entrant
    evening.ask(Disqualify(entrant=out, **RULED), Disqualify(entrant=seated, **RULED))
    evening.play_round()
    placed = {
        score.entrant: score.place
        for result in evening.of(RoundEnded)[0].results
        for score in result.scores
    }
    assert out in placed
    assert seated not in placed
    assert not {out, seated} & {each.entrant for each in evening.of(RoundEnded)[0].scores}


def test_with_carried_stacks_who_lost_all_is_out_and_takes_the_place_below_those_still_in() -> None:
    evening = heats(9, starting_stack=60, stacks="carried", cut=2)
    evening.play_as = bold
    evening.play_round()
    busted = {each.entrant for each in evening.of(EntrantBusted)}
    out = evening.of(EntrantEliminated)
    assert {each.entrant for each in out} == busted
    assert {each.rule for each in out} == {"rounds.out"}
    left = 9 - len(busted)
    assert sorted(each.place for each in out)[0] == left + 1
    evening.seat_round()
    stacks = {
        each.entrant: each.stack
        for result in evening.of(RoundEnded)[0].results
        for each in result.scores
    }
    seats = [seat for table in evening.of(RoundSeated)[1].tables for seat in table.seats]
    assert {each.entrant: each.stack for each in seats} == {
        each: stack for each, stack in stacks.items() if each not in busted
    }


def test_equals_at_a_table_share_what_their_places_are_worth() -> None:
    evening = heats(4, rounds=1, place_points=(10, 6, 3))
    evening.play_as = folding
    evening.play_round()
    (result,) = evening.of(RoundEnded)[0].results
    worth = {1: 10, 2: 6, 3: 3, 4: 0}
    for each in result.scores:
        due = sum(worth[each.place + more] for more in range(each.shared)) / each.shared
        assert float(each.points) == round(due, 2)
    assert sum(float(each.points) for each in result.scores) == pytest.approx(19, abs=0.02)


def test_points_by_chips_are_what_was_won_or_lost() -> None:
    evening = heats(8, rounds=1, points="chips")
    began = evening.tournament.terms.starting_stack
    evening.play_round()
    for result in evening.of(RoundEnded)[0].results:
        won = [f"{each.stack - began:.2f}" for each in result.scores]
        assert [each.points for each in result.scores] == won
        assert sum(float(each.points) for each in result.scores) == 0


def test_scores_go_by_points_then_wins_then_chips() -> None:
    evening = heats(12, rounds=3)
    evening.play_rounds()
    scores = evening.of(RoundEnded)[-1].scores
    key = [(float(each.points), each.wins, each.chips) for each in scores]
    assert key == sorted(key, reverse=True)
    for each, mine in zip(scores, key, strict=True):
        assert each.rank == 1 + sum(other > mine for other in key)
        assert each.shared == key.count(mine)


def test_a_round_begins_so_long_after_the_last_and_at_its_hour_at_the_earliest() -> None:
    late = NOON + timedelta(hours=3)
    evening = heats(rounds=3, between_seconds=600, starts_at=(NOON + timedelta(minutes=1), late))
    evening.play_round()
    (ended,) = evening.of(RoundEnded)
    assert ended.next_at > NOON + timedelta(minutes=10)
    assert evening.seat_round() == ()
    evening.now = ended.next_at
    assert evening.seat_round()
    evening.play_round()
    assert evening.of(RoundEnded)[-1].next_at == late


def test_in_a_pause_the_next_round_waits() -> None:
    evening = heats()
    evening.play_round()
    evening.ask(Pause(reason="director", now=evening.now))
    assert evening.seat_round() == ()
    evening.ask(Resume(now=evening.now))
    assert evening.seat_round()
    assert evening.seat_round() == ()


def test_a_director_ends_a_round_with_the_hands_in_play() -> None:
    evening = heats(hands_per_round=50, starting_stack=100_000)
    for table in [each.table for each in evening.tournament.tables]:
        evening.next_hand(table)
    evening.ask(EARLY)
    assert evening.ask(EARLY) == ()
    evening.play_round()
    (ended,) = evening.of(RoundEnded)
    assert ended.rule == "rounds.ended_early"
    assert len(evening.happened(at_table.HandOpened)) == 3
    with pytest.raises(NoRoundInPlay):
        evening.ask(EARLY)
    evening.seat_round()
    assert not evening.rounds.closing


def test_who_is_away_when_a_round_ends_is_away_in_the_next() -> None:
    evening = heats()
    table = evening.tournament.tables[0]
    gone = table.seats[0].entrant
    evening.at_table(table.table, evening.tables[table.table], StepAway(entrant=gone))
    evening.play_round()
    assert evening.of(RoundEnded)[0].away == (gone,)
    evening.seat_round()
    away = [p.entrant for t in evening.tables.values() for p in t.places if p.away]
    assert away == [gone]


def test_hands_that_were_not_missed_in_a_round_are_missed_in_the_next() -> None:
    evening = heats(hands_per_round=1)
    table = evening.tournament.tables[0]
    late = table.seats[0].entrant
    evening.at_table(
        table.table,
        evening.tables[table.table],
        ImposePenalty(entrant=late, hands=3, rule="penalty.hands", now=NOON),
    )
    evening.play_round()
    (owed,) = evening.of(RoundEnded)[0].penalties
    assert (owed.entrant, owed.hands) == (late, 2)
    evening.seat_round()
    places = [place for each in evening.tables.values() for place in each.places]
    assert {each.entrant: each.penalty for each in places if each.penalty} == {late: 2}


def test_in_a_round_nobody_is_moved_and_tables_do_not_wait_for_each_others_hands() -> None:
    evening = heats()
    one, other, *_ = evening.tournament.tables
    move = OrderMove(entrant=one.seats[0].entrant, to_table=other.table, **RULED)
    for asked in (move, StartHandForHand(**RULED)):
        with pytest.raises(RulingNotPossible, match="scheduled_round"):
            evening.ask(asked)


def test_nobody_buys_back_in_a_round() -> None:
    ruleset = replace(BETTER, rebuy=replace(BETTER.rebuy, max=None))
    plan = Rounds(rounds=2, hands_per_round=2)
    evening = Heats(4, ruleset, plan, starting_stack=60)
    with pytest.raises(RebuyNotAllowed):
        evening.ask(DeclareRebuy(entrant=entrant(1), now=NOON))
    evening.play_as = bold
    evening.play_round()
    assert evening.of(EntrantBusted)
    assert not evening.tournament.windows


def test_without_a_cut_points_are_the_result() -> None:
    evening = heats(8)
    evening.play_rounds()
    finished = evening.events[-1]
    assert isinstance(finished, TournamentFinished)
    assert finished.rule == "rounds.result"
    scores = evening.of(RoundEnded)[-1].scores
    assert {each.entrant: (each.place, each.shared) for each in finished.placings} == {
        each.entrant: (each.rank, each.shared) for each in scores
    }


def test_a_tournament_that_is_closed_early_ends_with_the_round_by_points() -> None:
    evening = heats(8, rounds=3, cut=4)
    evening.play_round()
    evening.seat_round()
    evening.ask(CloseEarly(now=evening.now))
    evening.play_round()
    assert isinstance(evening.tournament, Finished)
    assert evening.events[-1].rule == "finish.closed"
    assert len(evening.of(RoundEnded)) == 2


@pytest.mark.parametrize("rounds", [1, 3])
def test_closed_between_two_rounds_or_before_the_final_it_ends_at_once_by_points(
    rounds: int,
) -> None:
    evening = heats(8, rounds=rounds, cut=4)
    evening.play_round()
    scores = evening.of(RoundEnded)[-1].scores
    evening.ask(CloseEarly(now=evening.now))
    assert isinstance(evening.tournament, Finished)
    assert evening.events[-1].rule == "finish.closed"
    assert evening.tournament.placings[0].entrant in {e.entrant for e in scores if e.rank == 1}
    assert len(evening.tournament.placings) == 8


def test_last_hands_called_between_two_rounds_end_it_when_the_next_would_begin() -> None:
    evening = heats(8, rounds=3)
    evening.play_round()
    evening.ask(CallLastHands(**RULED))
    evening.seat_round()
    assert isinstance(evening.tournament, Finished)
    assert evening.events[-1].rule == "finish.last_hands"


def test_who_is_disqualified_in_a_round_takes_the_last_place_and_plays_no_other() -> None:
    evening = heats(9)
    out = evening.tournament.tables[1].seats[0].entrant
    evening.ask(Disqualify(entrant=out, **RULED))
    (eliminated,) = evening.of(EntrantEliminated)
    assert (eliminated.entrant, eliminated.place) == (out, 9)
    evening.play_rounds()
    seats = [seat.entrant for table in evening.of(RoundSeated)[1].tables for seat in table.seats]
    assert out not in seats
    assert len(seats) == 8
    placings = evening.events[-1].placings
    assert [each.place for each in placings if each.entrant == out] == [9]


def test_who_has_no_seat_between_two_rounds_can_be_disqualified() -> None:
    evening = heats(9, cut=4)
    evening.play_round()
    out = evening.rounds.playing[2]
    evening.ask(Disqualify(entrant=out, **RULED))
    assert [each.place for each in evening.of(EntrantEliminated)] == [9]
    assert out not in evening.rounds.playing
    evening.seat_round()
    seats = [seat.entrant for table in evening.of(RoundSeated)[1].tables for seat in table.seats]
    assert len(seats) == 8
    assert out not in seats
    with pytest.raises(EntrantUnknown):
        evening.ask(Disqualify(entrant=EntrantId("ent_" + "9" * 32), **RULED))


def test_what_is_read_back_leads_to_the_same_state() -> None:
    evening = heats(9, cut=4, stacks="carried", starting_stack=60)
    evening.play_rounds()
    assert decider.replay(evening.events) == evening.tournament


@pytest.mark.parametrize(
    ("field", "plan", "terms"),
    [
        ("format.rounds", Rounds(rounds=0), {}),
        ("format.hands_per_round", Rounds(rounds=1, hands_per_round=0), {}),
        ("format.between_seconds", Rounds(rounds=1, between_seconds=-1), {}),
        ("format.cut", Rounds(rounds=1, cut=1), {}),
        ("format.final_stack", Rounds(rounds=1, final_stack=50), {}),
        ("format.final_stack", Rounds(rounds=1, cut=4, final_stack=0), {}),
        ("format.place_points", Rounds(rounds=1, place_points=(1, 2)), {}),
        ("format.place_points", Rounds(rounds=1, place_points=(5, 4, 3, 2, 1)), {}),
        ("format.place_points", Rounds(rounds=1, points="chips", place_points=(1,)), {}),
        ("format.starts_at", Rounds(rounds=1, starts_at=(NOON,)), {}),
        ("format.starts_at", Rounds(rounds=2, starts_at=(NOON - timedelta(hours=1),)), {}),
        ("table_seats", Rounds(rounds=1), {"table_seats": 2}),
        ("entrants_max", Rounds(rounds=1), {"entrants_max": 3_000}),
        ("entry", Rounds(rounds=1), {"entry": EntryTerms(late_registration_seconds=60)}),
        ("fees", Rounds(rounds=1), {"fees": FeeTerms(bounty=5), "currency": "CRD"}),
        ("entrants_min", SingleTable(), {"entrants_min": 5}),
    ],
)
def test_a_format_that_cannot_be_played_is_refused(field: str, plan: Any, terms: Any) -> None:
    asked = announce(format=plan, **terms)
    Scenario(DECIDERS["tournament"]).when(asked).then_rejected(TermsInvalid, field=field)


def test_a_single_table_takes_no_more_than_it_has_seats() -> None:
    terms = announce(format=SingleTable(), entrants_max=4)
    asked = (terms, opening, *(register(n + 1) for n in range(4)))
    _, state = decide_in_turn(decider, decider.initial, asked)
    with pytest.raises(TournamentFull):
        decider.decide(state, register(5))
