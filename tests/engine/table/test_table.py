"""Whole hands at a table: the clock, the button and the floor."""

from datetime import timedelta
from typing import Any

import pytest

from engine.hand.coruscant_ranking import phases
from engine.kit.cards import VALUES
from engine.rulesets import CoruscantShift, preset
from engine.table.decider import decider
from engine.table.model import commands, errors, events
from engine.table.model.commands import Arrival, LevelFloor
from engine.table.read.recall import commands_of
from tests.engine.table.hands import bare
from tests.engine.table.tables import Floor, add_nothing, digest, entrant, keep_all


def of(happened: Any, kind: type) -> Any:
    return next(event for event in happened if isinstance(event, kind))


def fold_round(floor: Floor) -> None:
    """Play a hand in which everybody folds to the last player."""
    floor.open_hand()
    floor.everyone_selects(keep_all)
    while not floor.table.idle:
        assert floor.table.decision is not None
        floor.act(floor.table.decision.seats[0], "fold")


def time_out(floor: Floor) -> tuple[events.Event, ...]:
    decision = floor.table.decision
    assert decision is not None
    floor.now = decision.deadline + timedelta(seconds=2)
    salts = tuple(digest("clock", seat, floor.now) for seat in decision.seats)
    return floor.do(commands.TimeOut(decision=decision.token, salts=salts, now=floor.now))


def run_out(floor: Floor) -> None:
    """Leave the hand in play to the clock."""
    while not floor.table.idle:
        time_out(floor)


def button_at(floor: Floor, seat: int) -> None:
    """Give *floor* a seed that makes *seat* the first dealer."""
    for seed in range(200):
        candidate = Floor(
            floor.ruleset, list(floor.stacks().values()), seats=list(floor.stacks()), seed=seed
        )
        candidate.open_hand()
        if candidate.table.button == seat:
            floor.seed = seed
            return
    raise AssertionError("no seed gives this dealer")


def test_the_clock_selects_for_everyone_and_ties_go_to_the_player() -> None:
    floor = Floor("better_simple")
    floor.open_hand()
    decision = floor.table.decision
    assert decision is not None
    early = decision.deadline + timedelta(seconds=1)
    with pytest.raises(errors.DeadlineNotReached):
        floor.do(commands.TimeOut(decision=decision.token, now=early))
    happened = time_out(floor)
    assert sum(isinstance(event, events.SelectionCommitted) for event in happened) == 3
    assert all(place.timeouts == 1 for place in floor.table.places)


def test_the_clock_selects_as_many_as_the_ruleset_asks_for() -> None:
    floor = Floor(bare(first_selection_min=3), (100, 100))
    floor.target = (5, "circle")
    floor.script = {
        (1, "hand"): ("C+05", "S+09", "S-09", "T+02", "T+08"),
        (2, "hand"): ("C+01", "C+02", "C+03", "C+04", "T+01"),
    }
    floor.open_hand()
    chosen = {
        event.seat: event.cards.value
        for event in time_out(floor)
        if isinstance(event, events.SelectionCommitted)
    }
    assert chosen[1] == ("C+05", "S+09", "S-09")
    assert len(chosen[2]) == 3


def test_three_timeouts_in_a_row_make_a_seat_away_until_it_comes_back() -> None:
    floor = Floor("better_simple", (100, 100, 100))
    button_at(floor, 1)
    for _ in range(2):
        floor.open_hand()
        run_out(floor)
    gone = [place.seat for place in floor.table.places if place.away]
    assert gone
    happened = floor.open_hand()
    killed = [event.seat for event in happened if isinstance(event, events.HandKilled)]
    assert set(killed) <= set(gone)
    assert killed
    back = floor.do(commands.ComeBack(entrant=entrant(gone[0])))
    assert isinstance(back[0], events.SeatCameBack)
    assert floor.do(commands.ComeBack(entrant=entrant(gone[0]))) == ()


def test_an_away_seat_pays_its_blind_and_loses_its_cards() -> None:
    floor = Floor("better_simple", (100, 100, 100))
    button_at(floor, 1)
    floor.do(commands.StepAway(entrant=entrant(2)))
    happened = floor.open_hand()
    assert of(happened, events.HandKilled).seat == 2
    assert floor.stacks()[2] == 99
    assert floor.table.decision is not None
    assert floor.table.decision.seats == (1, 3)


def test_a_newcomer_between_button_and_small_blind_waits_until_the_button_has_passed() -> None:
    floor = Floor("better_simple", (100, 100, 100), seats=(1, 3, 5), seat_count=6)
    button_at(floor, 1)
    fold_round(floor)
    arrival = Arrival(seat=4, entrant=entrant(4), stack=100)
    floor.do(commands.SeatArrivals(arrivals=(arrival,), now=floor.now))
    opened = of(floor.open_hand(), events.HandOpened)
    assert (opened.button, opened.small_blind) == (3, 5)
    assert [books.seat for books in opened.seats if books.waiting] == [4]


def test_a_newcomer_elsewhere_is_dealt_in_at_once() -> None:
    floor = Floor("better_simple", (100, 100, 100), seats=(1, 3, 5), seat_count=6)
    button_at(floor, 1)
    fold_round(floor)
    arrival = Arrival(seat=6, entrant=entrant(6), stack=100)
    floor.do(commands.SeatArrivals(arrivals=(arrival,), now=floor.now))
    opened = of(floor.open_hand(), events.HandOpened)
    assert [books.seat for books in opened.seats if books.dealt] == [1, 3, 5, 6]


def test_a_merged_table_starts_at_the_highest_amounts_and_draws_its_dealer_anew() -> None:
    floor = Floor("better_simple", (500, 500))
    fold_round(floor)
    floor.do(
        commands.SeatArrivals(
            arrivals=(Arrival(seat=7, entrant=entrant(7), stack=500),),
            carry=3,
            least_amounts=LevelFloor(small=4, big=8),
            restart=True,
            now=floor.now,
        )
    )
    opened = of(floor.open_hand(), events.HandOpened)
    assert (opened.level.amounts.small, opened.level.amounts.big) == (4, 8)
    assert opened.orbits == 0
    assert opened.first_dealer_draws
    assert opened.carry == 3


def test_who_loses_the_last_chip_is_listed_and_leaves_the_seat() -> None:
    floor = Floor("better_simple", (50, 100))
    floor.target = (0, "circle")
    floor.script = {
        (1, "hand"): ("S+10", "S+09", "S+08", "S+07", "S+06"),
        (2, "hand"): ("C+01", "C-01", "Z1", "C+02", "C-02"),
    }
    floor.open_hand()
    floor.everyone_selects(keep_all)
    assert floor.table.decision is not None
    first = floor.table.decision.seats[0]
    floor.act(first, "raise_to", 50)
    floor.act(3 - first, "call")
    floor.everyone_improves(add_nothing)
    settled = floor.events[-1]
    assert isinstance(settled, events.HandSettled)
    assert [(bust.seat, bust.stack_at_start) for bust in settled.busts] == [(1, 50)]
    assert floor.stacks() == {2: 150}
    with pytest.raises(errors.TooFewStacks):
        floor.open_hand()


def test_ten_seats_recycle_their_discards_into_a_committed_pile() -> None:
    floor = Floor("cantina", [100] * 10)
    floor.open_hand()
    floor.everyone_selects(add_nothing)
    happened: tuple[events.Event, ...] = ()
    while floor.table.decision is not None and floor.table.decision.phase == "bet":
        happened = floor.act(floor.table.decision.seats[0], "check")
    pile = of(happened, events.PileCommitted)
    assert (pile.pile, pile.size) == (2, 50)
    late = [
        card
        for event in happened
        if isinstance(event, events.ReplacementsDealt)
        for part in event.dealt
        for card in part.cards
    ]
    assert len(late) == 50
    assert sum(card.pile == 2 for card in late) == 38


@pytest.mark.parametrize(
    ("cards", "error"),
    [
        (("Z9",), errors.CardNotHeld),
        (("first", "first"), errors.CardsDuplicated),
    ],
)
def test_a_wrong_selection_is_refused(cards: tuple[str, ...], error: type[Exception]) -> None:
    floor = Floor("better_simple")
    floor.open_hand()
    me = floor.view(1).me
    assert me is not None
    with pytest.raises(error):
        floor.select(1, *(me.cards[0] if card == "first" else card for card in cards))


def test_a_selection_is_final_and_an_old_decision_is_stale() -> None:
    floor = Floor("better_simple")
    floor.open_hand()
    token = floor.view(1).decision
    assert token is not None
    floor.select(1)
    with pytest.raises(errors.SelectionFinal):
        floor.select(1)
    floor.select(2)
    floor.select(3)
    with pytest.raises(errors.StaleDecision):
        floor.do(
            commands.Select(
                entrant=entrant(1), decision=token.token, cards=(), salt="0" * 64, now=floor.now
            )
        )


def test_a_held_table_refuses_answers_and_gives_the_full_time_anew() -> None:
    floor = Floor("better_simple")
    floor.open_hand()
    floor.do(commands.HoldTable(reason="a dispute"))
    with pytest.raises(errors.TableOnHold):
        floor.select(1)
    floor.now += timedelta(hours=1)
    resumed = of(floor.do(commands.ResumeTable(now=floor.now)), events.TableResumed)
    assert resumed.deadline is not None
    assert floor.table.decision is not None
    assert floor.table.decision.deadline == resumed.deadline


def test_a_wait_is_recorded_once_and_a_closed_table_stays_closed() -> None:
    floor = Floor("better_simple")
    wait = commands.RecordWait(reason="paused", tournament_version=4)
    assert len(floor.do(wait)) == 1
    assert floor.do(wait) == ()
    floor.do(commands.CloseTable(reason="finished", now=floor.now))
    assert floor.do(commands.CloseTable(reason="finished", now=floor.now)) == ()
    with pytest.raises(errors.TableIsClosed):
        floor.open_hand()


def test_several_commands_of_one_append_are_told_apart() -> None:
    floor = Floor("better_simple")
    fold_round(floor)
    before = floor.state
    arrival = Arrival(seat=9, entrant=entrant(9), stack=100)
    asked = [floor.do(commands.SeatArrivals(arrivals=(arrival,), now=floor.now))]
    asked.append(floor.open_hand())
    again: list[events.Event] = []
    for command in commands_of([event for part in asked for event in part]):
        happened = decider.decide(before, command)
        again += happened
        for event in happened:
            before = decider.evolve(before, event)
    assert tuple(again) == (*asked[0], *asked[1])


def test_commands_that_hold_cards_or_salts_do_not_show_them() -> None:
    """A log or a traceback never shows a player's cards."""
    about = {"entrant": entrant(1), "decision": "d1", "cards": ("C+07",), "salt": "5a" * 32}
    now = Floor("better_simple").now
    secret = (
        commands.Select(**about, now=now),
        commands.Improve(**about, now=now),
        commands.TimeOut(decision="d1", salts=("5a" * 32,), now=now),
        commands.TakeCardTurn(
            entrant=entrant(1), decision="d1", verb="trade", card="C+07", salt="5a" * 32, now=now
        ),
    )
    for command in secret:
        assert "d1" in repr(command)
        assert "C+07" not in repr(command)
        assert "5a5a" not in repr(command)


def test_the_clock_adds_nothing_but_a_single_card_to_an_empty_selection() -> None:
    floor = Floor(bare(), (100, 100))
    floor.target = (5, "circle")
    floor.script = {
        (1, "new"): ("S+09", "C+05", "T+05", "S-01", "S-02"),
        (2, "hand"): ("C+01", "C+02", "C+03", "T+01", "T+02"),
        (2, "new"): ("T+03", "T+04", "T+06", "T+07"),
    }
    floor.open_hand()
    floor.select(1)
    floor.select(2, "C+01")
    for _ in range(2):
        assert floor.table.decision is not None
        floor.act(floor.table.decision.seats[0], "check")
    happened = time_out(floor)
    added = {
        event.seat: event.cards.value
        for event in happened
        if isinstance(event, events.ImprovementCommitted)
    }
    assert added == {1: ("C+05",), 2: ()}


@pytest.mark.parametrize(("preset_name", "verb"), [("official", "stay"), ("halcyon_10", "fold")])
def test_the_clock_stays_only_where_it_costs_nothing(preset_name: str, verb: str) -> None:
    floor = Floor(preset_name, (0, 0) if preset_name == "official" else (10, 10))
    floor.open_hand()
    floor.everyone_selects(keep_all)
    acted = of(time_out(floor), events.SeatActed)
    assert (acted.verb, acted.rule) == (verb, "clock.bet")


def test_the_first_dealer_has_the_highest_card_and_equal_ones_draw_again() -> None:
    again = 0
    for seed in range(60):
        floor = Floor("better_simple", [100] * 6, seed=seed)
        opened = of(floor.open_hand(), events.HandOpened)
        tied = list(range(1, 7))
        draws = list(opened.first_dealer_draws)
        while len(tied) > 1:
            drawn, draws = draws[: len(tied)], draws[len(tied) :]
            assert [draw.seat for draw in drawn] == tied
            highest = max(VALUES[draw.card] for draw in drawn)
            tied = [draw.seat for draw in drawn if VALUES[draw.card] == highest]
            again += len(tied) > 1
        assert (opened.button, draws) == (tied[0], [])
    assert again


PHASES = {
    "official": "deal roll select bet1 discard_unselected replace bet2 improve",
    "halcyon_10": "forced deal roll select discard_unselected bet1 replace improve",
    "halcyon_100": "forced deal roll select discard_unselected bet1 replace improve",
    "holo": "forced deal roll select bet1 discard_unselected replace improve",
    "better": "forced roll deal select discard_unselected bet1 replace improve",
    "casino": "roll deal select discard_unselected bet1 replace improve",
    "cantina": "forced deal roll select bet1 discard_unselected replace improve",
}


@pytest.mark.parametrize("name", PHASES)
def test_the_phases_of_every_preset_come_in_its_order(name: str) -> None:
    ruleset = preset(name)
    assert isinstance(ruleset, CoruscantShift)
    bet2 = "discard_unused" if name == "official" else "discard_unused bet2"
    expected = f"{PHASES[name]} {bet2} reveal award".split()
    assert [phase for phase in phases(ruleset) if phase != "kill"] == expected
