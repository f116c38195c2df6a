"""Whole hands at a table: the rulebook's own examples, the clock, the button, the floor."""

from datetime import timedelta
from typing import Any

import pytest

from engine.rulesets import PokerNoLimit, preset, resolve
from engine.rulesets.errors import RulesetInvalid, RulesetUnknown
from engine.table import commands, errors, events
from engine.table.commands import LevelFloor, Placed
from engine.table.decider import decider
from engine.table.recall import commands_of
from tests.engine.tables import Floor, add_nothing, digest, entrant, keep_all


def of(happened: Any, kind: type) -> Any:
    return next(event for event in happened if isinstance(event, kind))


def fold_round(floor: Floor) -> None:
    """Play a hand in which everybody folds to the last one."""
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
    """Give *floor* a seed by which *seat* deals first."""
    for seed in range(200):
        candidate = Floor(
            floor.ruleset, list(floor.stacks().values()), seats=list(floor.stacks()), seed=seed
        )
        candidate.open_hand()
        if candidate.table.button == seat:
            floor.seed = seed
            return
    raise AssertionError("no seed gives this dealer")


def test_a_full_hand_of_better_pays_as_the_rulebook_tells_it() -> None:
    """Rulebook, worked example of a whole hand: A, B, C, D in seats 1 to 4, D deals."""
    floor = Floor("better_simple", (100, 100, 100, 100))
    button_at(floor, 4)
    floor.target = (10, "triangle")
    floor.script = {
        (1, "hand"): ("S+09", "C-03", "T+01", "T+06", "T-07"),
        (2, "hand"): ("C+10", "T+04", "T-04", "Z1", "S+02"),
        (3, "hand"): ("S+05", "T+05", "C-01", "C+08", "T-09"),
        (4, "hand"): ("S-10", "C-06", "T-02", "C+01", "S+03"),
        (2, "new"): ("C-08",),
        (3, "new"): ("Z2", "S-03", "T+03"),
    }
    floor.open_hand()
    floor.select(1, "S+09", "T+01")
    floor.select(2, "C+10", "T+04", "T-04", "Z1")
    floor.select(3, "S+05", "T+05")
    closed = floor.select(4, "C+01", "S+03")
    counts = of(closed, events.CardsDiscarded).counts
    assert [(count.seat, count.cards) for count in counts] == [(1, 3), (2, 1), (3, 3), (4, 3)]
    floor.act(3, "raise_to", 6)
    floor.act(4, "fold")
    floor.act(1, "fold")
    floor.act(2, "raise_to", 16)
    assert of(floor.act(3, "call"), events.StreetClosed).chips == 33
    floor.improve(2)
    floor.improve(3, "Z2", "S-03", "T+03")
    floor.act(2, "raise_to", 10)
    happened = floor.act(3, "call")
    revealed = of(happened, events.HandsRevealed).hands
    assert [(r.seat, r.distance, r.suit_count) for r in revealed] == [(2, 0, 3), (3, 0, 3)]
    award = of(happened, events.PotAwarded)
    assert [(share.seat, share.chips) for share in award.shares] == [(2, 26), (3, 26)]
    assert floor.stacks() == {1: 99, 2: 100, 3: 100, 4: 100}
    assert floor.table.carry == 1


def test_bob_and_jane_play_as_the_source_tells_it() -> None:
    """Bob in seat 1 is the small blind, Jane in seat 2 deals and is the big one."""
    floor = Floor("better", (450, 450))
    button_at(floor, 2)
    floor.target = (-5, "circle")
    floor.script = {
        (1, "hand"): ("S-08", "C-04", "C+02", "T+05", "Z1"),
        (2, "hand"): ("C-05", "S+09", "T-10", "S+01", "T+09"),
        (2, "new"): ("C-03", "T-02", "C+05", "Z2"),
    }
    floor.open_hand()
    floor.select(1, "S-08", "C-04", "C+02", "T+05", "Z1")
    floor.select(2, "C-05")
    floor.act(1, "call")
    assert of(floor.act(2, "check"), events.StreetClosed).chips == 20
    floor.improve(1)
    floor.improve(2, "C-03", "T-02", "C+05", "Z2")
    floor.act(1, "raise_to", 15)
    floor.act(2, "raise_to", 20)
    floor.act(1, "call")
    assert floor.stacks() == {1: 420, 2: 480}


def test_a_cantina_tie_gives_the_odd_chip_to_the_first_from_the_starter() -> None:
    ruleset = resolve("cantina", {"forced": {"kind": "ante", "amount": 11}})
    floor = Floor(ruleset, (100, 100, 100))
    floor.target = (0, "circle")
    floor.script = {
        (seat, zone): tuple(f"{suit}{sign}{value:02}" for suit, sign, value in cards)
        for seat, zone, cards in (
            (
                1,
                "hand",
                [("C", "+", 1), ("C", "-", 1), ("S", "+", 1), ("S", "+", 2), ("S", "+", 3)],
            ),
            (
                2,
                "hand",
                [("C", "+", 2), ("C", "-", 2), ("S", "-", 1), ("S", "-", 2), ("S", "-", 3)],
            ),
            (
                3,
                "hand",
                [("C", "+", 3), ("C", "-", 3), ("T", "+", 1), ("T", "+", 2), ("T", "+", 3)],
            ),
            (1, "new", [("T", "-", 1), ("T", "-", 2), ("T", "-", 3)]),
            (2, "new", [("T", "-", 4), ("T", "-", 5), ("T", "-", 6)]),
            (3, "new", [("T", "+", 4), ("T", "+", 5), ("T", "+", 6)]),
        )
    }
    floor.open_hand()
    first, second, third = clockwise_from(floor.table.starter)
    for seat in (1, 2, 3):
        floor.select(seat, f"C+{seat:02}", f"C-{seat:02}")
    floor.act(first, "raise_to", 6)
    floor.act(second, "call")
    floor.act(third, "call")
    floor.everyone_improves(add_nothing)
    floor.act(first, "raise_to", 20)
    floor.act(second, "call")
    happened = floor.act(third, "fold")
    award = of(happened, events.PotAwarded)
    assert award.chips == 91
    assert [(s.seat, s.chips) for s in award.shares] == [(first, 46), (second, 45)]


def clockwise_from(starter: int) -> tuple[int, int, int]:
    seats = [(starter + step - 1) % 3 + 1 for step in range(3)]
    return seats[0], seats[1], seats[2]


def test_a_steal_wins_the_blinds_and_shows_nothing() -> None:
    floor = Floor("better_simple", (100, 100, 100, 100))
    button_at(floor, 4)
    floor.open_hand()
    floor.everyone_selects(keep_all)
    floor.act(3, "raise_to", 6)
    floor.act(4, "fold")
    floor.act(1, "fold")
    happened = floor.act(2, "fold")
    assert of(happened, events.UnmatchedReturned).chips == 4
    assert not any(isinstance(event, events.HandsRevealed) for event in happened)
    assert floor.stacks() == {1: 99, 2: 98, 3: 103, 4: 100}


@pytest.mark.parametrize(
    ("players", "antes"),
    [
        (2, [2, 7, 12, 17, 22, 27]),
        (3, [2, 5, 8, 11, 14, 17]),
        (4, [2, 4, 6, 8, 10, 12]),
        (5, [2, 3, 4, 5, 6, 7]),
        (6, [2, 3, 4, 5, 6, 7]),
    ],
)
def test_the_cantina_ante_grows_by_the_number_of_players(players: int, antes: list[int]) -> None:
    floor = Floor("cantina", [1000] * players)
    seen = []
    for _ in antes:
        fold_round(floor)
        assert floor.table.level is not None
        seen.append(floor.table.level.amounts.ante)
    assert seen == antes


def test_blinds_double_when_the_button_is_back_at_the_first_dealer() -> None:
    floor = Floor("better_simple", [1000] * 4, seat_count=4)
    bigs = []
    for _ in range(9):
        fold_round(floor)
        assert floor.table.level is not None
        bigs.append(floor.table.level.amounts.big)
    assert bigs == [2, 2, 2, 2, 4, 4, 4, 4, 8]


def test_blinds_double_when_the_button_passes_a_first_dealer_who_is_out() -> None:
    floor = Floor("better_simple", [1000] * 4, seat_count=4)
    button_at(floor, 1)
    numbers, dealers = [], []
    for hand in range(8):
        fold_round(floor)
        numbers.append(floor.table.level_number - 1)
        dealers.append(floor.table.button)
        if hand == 3:
            floor.do(commands.VacateSeats(departures=(entrant(1),), now=floor.now))
    assert dealers == [1, 2, 3, 4, 2, 3, 4, 2]
    assert numbers == [0, 0, 0, 0, 1, 1, 1, 2]


@pytest.mark.parametrize(
    ("seats", "button", "small", "big", "first"),
    [(2, 1, 2, 1, 2), (3, 1, 2, 3, 1), (5, 3, 4, 5, 1)],
)
def test_blinds_and_first_actor_sit_where_the_rulebook_puts_them(
    seats: int, button: int, small: int, big: int, first: int
) -> None:
    floor = Floor("better_simple", [100] * seats)
    button_at(floor, button)
    happened = floor.open_hand()
    opened = of(happened, events.HandOpened)
    assert (opened.button, opened.small_blind, opened.big_blind) == (button, small, big)
    floor.everyone_selects(keep_all)
    assert floor.table.decision is not None
    assert floor.table.decision.seats == (first,)


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
    arrival = Placed(seat=4, entrant=entrant(4), stack=100)
    floor.do(commands.SeatArrivals(arrivals=(arrival,), now=floor.now))
    opened = of(floor.open_hand(), events.HandOpened)
    assert (opened.button, opened.small_blind) == (3, 5)
    assert [books.seat for books in opened.seats if books.waiting] == [4]


def test_a_newcomer_elsewhere_is_dealt_in_at_once() -> None:
    floor = Floor("better_simple", (100, 100, 100), seats=(1, 3, 5), seat_count=6)
    button_at(floor, 1)
    fold_round(floor)
    arrival = Placed(seat=6, entrant=entrant(6), stack=100)
    floor.do(commands.SeatArrivals(arrivals=(arrival,), now=floor.now))
    opened = of(floor.open_hand(), events.HandOpened)
    assert [books.seat for books in opened.seats if books.dealt] == [1, 3, 5, 6]


def test_a_merged_table_starts_at_the_highest_amounts_and_draws_its_dealer_anew() -> None:
    floor = Floor("better_simple", (500, 500))
    fold_round(floor)
    floor.do(
        commands.SeatArrivals(
            arrivals=(Placed(seat=7, entrant=entrant(7), stack=500),),
            carry=3,
            floor=LevelFloor(small=4, big=8),
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
    arrival = Placed(seat=9, entrant=entrant(9), stack=100)
    asked = [floor.do(commands.SeatArrivals(arrivals=(arrival,), now=floor.now))]
    asked.append(floor.open_hand())
    again: list[events.Event] = []
    for command in commands_of([event for part in asked for event in part]):
        happened = decider.decide(before, command)
        again += happened
        for event in happened:
            before = decider.evolve(before, event)
    assert tuple(again) == (*asked[0], *asked[1])


def test_rulesets_say_what_is_wrong_with_them() -> None:
    with pytest.raises(RulesetUnknown):
        preset("sabacc")
    for overrides in (
        {"chip_unit": 3},
        {"max_players": 13},
        {"forced": {"kind": "none"}},
        {"nonsense": 1},
        {"forced": {"kind": "blinds", "small": 10, "big": 5}},
    ):
        with pytest.raises(RulesetInvalid):
            resolve("better", overrides)


def test_an_override_without_kind_is_merged_key_by_key() -> None:
    ruleset = resolve("better", {"betting": {"min_raise": "last_raise"}})
    assert ruleset.betting == PokerNoLimit(min_raise="last_raise", min_open="big_blind")
