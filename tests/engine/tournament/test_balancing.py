"""Tables kept even with the fewest moves, halts, final tables and redraws."""

from collections.abc import Iterator, Sequence
from itertools import product
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from engine.coordination.policies import summary_of
from engine.kit.rng import openings_digest
from engine.rulesets import preset, resolve, ruleset_hash
from engine.table.model.events import HandOpened
from engine.table.read.view_parts import TableView
from engine.tournament.model.directives import Break, Hold, MoveOut, Redraw
from engine.tournament.model.events import EntrantsMoved, TableBroken
from engine.tournament.model.events.floor import SeatsRedrawn
from engine.tournament.model.state import Finished, Running
from engine.tournament.model.terms import FloorTerms
from engine.tournament.seating.balancing import preferred
from engine.tournament.seating.draw import draw_order
from tests.engine.coordination.evening import Evening, cards_of
from tests.engine.coordination.simulation import Floor
from tests.engine.tournament.floor import MASTERS, table
from tests.engine.tournament.test_rulings import opened, running, sitting


def floor_of(sizes: Sequence[int], *, seats: int = 10, seed: int = 1, **terms: Any) -> Floor:
    """Return a floor with tables shrunk to *sizes*, all of them between two hands."""
    floor = Floor(seats * len(sizes), seed=seed, table_seats=seats, entrants_max=100, **terms)
    opened(floor, *range(1, len(sizes) + 1))
    for number, size in enumerate(sizes, start=1):
        floor.lose(table(number), *sitting(floor, number)[size:])
    return floor


def sizes_of(floor: Floor) -> list[int]:
    return [len(each.seats) for each in running(floor).tables]


def moves_in(floor: Floor) -> int:
    """Return the number of seats that changed."""
    moving = (EntrantsMoved, TableBroken)
    return sum(len(each.moves) for each in floor.events if isinstance(each, moving))


def fewest(sizes: Sequence[int], staying: int, *, seats: int, tolerance: int) -> int:
    """Return the fewest possible moves, by trying all sizes that the *staying* tables can have."""
    kept, broken = sizes[:staying], sum(sizes[staying:])
    ways = (
        broken + sum(max(0, before - after) for before, after in zip(kept, way, strict=True))
        for way in product(range(1, seats + 1), repeat=staying)
        if sum(way) == sum(sizes) and max(way) - min(way) <= tolerance
    )
    return min(ways)


@pytest.mark.parametrize(
    ("sizes", "moves", "after"),
    [
        ((10, 7, 3), 3, [10, 10]),
        ((10, 8, 3), 4, [7, 7, 7]),
        ((10, 10, 2), 5, [8, 7, 7]),
        ((9, 9, 8), 0, [9, 9, 8]),
        ((9, 9, 7), 1, [9, 8, 8]),
    ],
)
def test_tables_come_even_with_the_moves_that_it_takes(
    sizes: tuple[int, ...], moves: int, after: list[int]
) -> None:
    floor = floor_of(sizes)
    floor.rearrange()
    assert (moves_in(floor), sorted(sizes_of(floor), reverse=True)) == (moves, after)


def some_floors() -> Iterator[tuple[tuple[int, ...], int, int, int]]:
    random = Random(20)
    # One move brings the sizes within two of each other. To make them even takes another.
    yield (7, 4, 4), 7, 2, 1
    for _ in range(60):
        seats = random.randint(3, 8)
        sizes = tuple(random.randint(1, seats) for _ in range(random.randint(2, 4)))
        if sum(sizes) > 1:
            yield sizes, seats, random.randint(1, 2), random.randint(1, 99)


@pytest.mark.parametrize(("sizes", "seats", "tolerance", "seed"), list(some_floors()))
def test_no_more_moves_than_by_trying_every_way_and_none_the_second_time(
    sizes: tuple[int, ...], seats: int, tolerance: int, seed: int
) -> None:
    floor = floor_of(sizes, seats=seats, seed=seed, floor=FloorTerms(size_tolerance=tolerance))
    needed = -(-sum(sizes) // seats)
    floor.rearrange()
    assert moves_in(floor) <= fewest(sizes, needed, seats=seats, tolerance=tolerance)
    assert len(sizes_of(floor)) == needed
    assert max(sizes_of(floor)) - min(sizes_of(floor)) <= tolerance
    floor.check()
    done = len(floor.events)
    floor.rearrange()
    assert len(floor.events) == done


@pytest.mark.parametrize("seed", range(8))
def test_at_every_stand_of_play_sizes_are_even_as_soon_as_no_table_is_in_a_hand(seed: int) -> None:
    """Nobody moves while the old or the new table is in a hand, and nobody is lost."""
    floor = Floor(30, seed=seed, table_seats=6)
    for _ in range(1500):
        if floor.over:
            break
        before = {key for key, each in floor.tables.items() if each.hand is not None}
        seen = len(floor.events)
        floor.step()
        for event in floor.events[seen:]:
            if isinstance(event, EntrantsMoved | TableBroken):
                touched = {key for move in event.moves for key in (move.from_table, move.to_table)}
                assert not touched & before
        floor.check()
        idle = isinstance(floor.tournament, Running) and all(
            each.hand is None for each in floor.open_tables
        )
        if idle:
            floor.rearrange()
        if idle and isinstance(floor.tournament, Running):
            assert max(sizes_of(floor)) - min(sizes_of(floor)) <= 1
    assert isinstance(floor.tournament, Finished)


def test_who_was_moved_less_often_goes_first_where_nothing_else_tells_them_apart() -> None:
    floor = Floor(8, seed=1, table_seats=5)
    first = sitting(floor, 1)
    state = running(floor)
    floor.tournament = replace(
        state, floor=replace(state.floor, moved=(first[0], first[0], first[1]))
    )
    tables = {key: summary_of(each) for key, each in floor.tables.items()}
    giver, taker = state.tables
    order = [each.entrant for each in preferred(running(floor), tables, giver, [taker])]
    assert order == [*first[2:], first[1], first[0]]


def test_who_has_just_come_is_the_last_to_be_moved_on() -> None:
    floor = floor_of((6, 4), seats=6, seed=2)
    floor.rearrange()
    (moved,) = (each for each in floor.events if isinstance(each, EntrantsMoved))
    newcomer = moved.moves[0].entrant
    opened(floor, 1)
    floor.lose(table(1), *sitting(floor, 1)[2:])
    plan = floor.plan(table(1)).directive
    assert isinstance(plan, MoveOut) and plan.table == table(2)
    assert plan.candidates[-1].entrant == newcomer


def test_a_game_without_blinds_is_balanced_by_the_deal_and_says_so() -> None:
    rules = resolve("halcyon_10", {"end": {"kind": "last_standing"}})
    floor = floor_of((6, 4), seats=6, seed=2, ruleset=rules, ruleset_hash=ruleset_hash(rules))
    dealer = next(p.entrant for p in floor.tables[table(1)].places if p.seat == 1)
    floor.rearrange()
    (moved,) = (each for each in floor.events if isinstance(each, EntrantsMoved))
    first = moved.candidates[0]
    assert (moved.rule, first.hands_to_big_blind) == ("seating.balance_button", None)
    assert (first.entrant, first.hands_to_button, first.positions_lost) == (dealer, 6, 0)
    assert [each.hands_to_button for each in moved.candidates] == [6, 5, 4, 3, 2, 1]


def test_e6_the_final_table_is_made_as_soon_as_its_size_is_left() -> None:
    wsop = FloorTerms(final_table_size=7)
    floor = floor_of((4, 4), seats=6, floor=wsop)
    floor.rearrange()
    assert sizes_of(floor) == [4, 4]
    opened(floor, 1, 2)
    floor.lose(table(1), sitting(floor, 1)[0])
    floor.lose(table(2))
    floor.rearrange()
    assert sizes_of(floor) == [7]
    assert {each.seat for each in running(floor).tables[0].seats} <= set(range(1, 8))


def test_e6_a_smaller_final_table_waits_for_its_size() -> None:
    floor = floor_of((5, 4), seats=10, floor=FloorTerms(final_table_size=8))
    floor.rearrange()
    assert sizes_of(floor) == [5, 4]


def test_no_larger_table_is_made_while_one_without_hands_to_play_is_open() -> None:
    floor = floor_of((3, 2, 2), seats=3, floor=FloorTerms(final_table_size=5), hands_max=2)
    opened(floor, 2)
    floor.lose(table(2))
    for number in (1, 3):
        assert floor.plan(table(number)).outcome == "open"
    assert sizes_of(floor) == [3, 2, 2]


def test_e7_all_seats_are_drawn_anew_at_the_numbers_of_tables_that_were_announced() -> None:
    floor = floor_of((4, 4, 3), seats=6, floor=FloorTerms(redraw_at=(2, 1)))
    plan = floor.plan(table(3))
    assert isinstance(plan.directive, Break)
    floor.carry_out(plan)
    plan = floor.plan(table(1))
    assert isinstance(plan.directive, Redraw)
    everybody = running(floor).remaining()
    number = running(floor).draws + 1
    floor.carry_out(plan)
    redrawn = floor.events[-1]
    assert isinstance(redrawn, SeatsRedrawn)
    order = draw_order(
        everybody, masters=MASTERS, number=number, label="seats", digest=openings_digest(())
    )
    assert redrawn.draw.order == order
    for index, each in enumerate(order):
        seating = running(floor).tables[index % 2]
        assert seating.seat_of(each) == index // 2 + 1
    floor.check()
    assert floor.plan(table(1)).outcome == "open"


def test_e7_nobody_plays_on_before_the_new_draw() -> None:
    floor = floor_of((5, 4, 4), seats=6, floor=FloorTerms(redraw_at=(2,)))
    opened(floor, 1, 2, 3)
    floor.lose(table(3), sitting(floor, 3)[0])
    floor.lose(table(2))
    floor.rearrange()
    opened(floor, 2)
    floor.lose(table(1))
    floor.rearrange()
    assert sizes_of(floor) == [6, 6]
    assert floor.plan(table(1)).directive == Hold(reason="redraw")
    floor.lose(table(2))
    assert isinstance(floor.plan(table(1)).directive, Redraw)


def test_e7_the_final_table_draws_its_seats_too() -> None:
    floor = floor_of((3, 3), seats=6, floor=FloorTerms(redraw_at=(1,)))
    floor.rearrange()
    assert sizes_of(floor) == [6]
    assert isinstance(floor.events[-1], SeatsRedrawn)
    assert [each.seat for each in running(floor).tables[0].seats] == [1, 2, 3, 4, 5, 6]
    floor.check()


def test_e8_a_table_three_short_halts_until_somebody_comes() -> None:
    floor = floor_of((8, 8), seats=8, floor=FloorTerms(halt_when_short=3))
    opened(floor, 1, 2)
    floor.lose(table(1), *sitting(floor, 1)[5:])
    while floor.tables[table(1)].big_blind != 5:
        assert floor.plan(table(1)).outcome == "open"
        opened(floor, 1)
        floor.lose(table(1))
    # The next big blind would pass over the empty seats 6 to 8.
    assert floor.plan(table(1)).directive == Hold(reason="short")
    floor.lose(table(2))
    floor.rearrange()
    assert sorted(sizes_of(floor)) == [6, 7]
    assert floor.plan(table(1)).outcome == "open"


def test_e8_two_short_plays_on() -> None:
    floor = floor_of((8, 8), seats=8, floor=FloorTerms(halt_when_short=3))
    opened(floor, 1, 2)
    floor.lose(table(1), *sitting(floor, 1)[6:])
    assert floor.plan(table(1)).outcome == "open"


def bold(view: TableView) -> tuple[str, Any]:
    """Raise to the most whenever that is legal, so somebody busts in most hands."""
    if (chosen := cards_of(view)) is not None:
        return chosen
    raising = next((each for each in view.legal if each.verb == "raise_to"), None)
    if raising is not None and view.current_bet < 40:
        return "raise_to", raising.max
    verbs = [each.verb for each in view.legal]
    return next(each for each in ("call", "check", "stay", "fold") if each in verbs), None


@pytest.mark.parametrize("seats", [3, 4, 6])
def test_nobody_who_was_moved_is_dealt_in_between_the_button_and_the_small_blind(
    seats: int,
) -> None:
    night = Evening(18, preset("better_simple"), table_seats=seats, starting_stack=40)
    night.play_as = bold
    known: dict[int, set[str]] = {}
    came = 0
    for hand, table_number in hands_of(night):
        before = known.get(table_number)
        known[table_number] = {books.entrant for books in hand.seats}
        if before is None or hand.first_dealer_draws or hand.small_blind is None:
            continue
        new = [books.seat for books in hand.seats if books.entrant not in before and books.dealt]
        came += len(new)
        if len([books for books in hand.seats if books.dealt]) - len(new) < 2:
            continue
        behind = (hand.small_blind - hand.button) % seats
        assert not [seat for seat in new if 0 < (seat - hand.button) % seats < behind]
    assert isinstance(night.tournament, Finished)
    assert came


def hands_of(night: Evening) -> list[tuple[HandOpened, int]]:
    """Play to the end, and return the opening of each hand with the number of its table."""
    hands: list[tuple[HandOpened, int]] = []
    while not isinstance(night.tournament, Finished):
        for key in list(night.tables):
            if night.tables[key].closed:
                continue
            seen = len(night.history)
            night.next_hand(key)
            dealt = [each for each in night.history[seen:] if isinstance(each, HandOpened)]
            hands += [(each, night.tables[key].number) for each in dealt]
            night.play_hand(key)
    return hands
