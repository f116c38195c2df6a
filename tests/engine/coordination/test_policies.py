"""
Rules across aggregates.

Source: rulebook ``seating``, and TDA rules 10 and 11 on breaking and balancing.
"""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from engine.coordination.deals import seeds_for
from engine.coordination.next_hand import plan_next_hand
from engine.coordination.policies import busts_of, idle_tables, tables_of
from engine.coordination.season_points import points_of
from engine.kit.rng import derive_seed
from engine.rulesets import ruleset_hash
from engine.table.model.commands import CloseTable, OpenHand, RecordWait, SeatArrivals, VacateSeats
from engine.table.model.events import Bust, HandSettled
from engine.table.model.state import Table
from engine.tournament.model.commands import Pause, RecordBreak, RecordBusts, RecordMoves
from engine.tournament.model.state import Finished, Running, Unannounced
from engine.tournament.model.values import Busted
from engine.tournament.seating.draw import tables_needed
from engine.values import stream_of
from tests.engine.coordination.simulation import HAND, Floor
from tests.engine.tournament.floor import MASTERS, NOON, TOURNAMENT, entrant, table

STEPS_MAX = 20_000


def played_out(floor: Floor) -> Floor:
    stuck = 0
    for _ in range(STEPS_MAX):
        if floor.over:
            return floor
        stuck = 0 if floor.step() else stuck + 1
        floor.check()
        assert stuck < 500, "nobody can go on"
    raise AssertionError("the tournament does not end")


@settings(max_examples=150, deadline=None, derandomize=True)
@given(
    entrants=st.integers(2, 40),
    table_seats=st.integers(2, 10),
    seed=st.integers(0, 2**32),
    hands_max=st.none() | st.integers(1, 12),
)
def test_a_tournament_of_any_size_ends_with_everyone_placed_and_the_pool_paid(
    entrants: int, table_seats: int, seed: int, hands_max: int | None
) -> None:
    """However hands end and tables interleave, nobody is lost or doubled and no table starves."""
    floor = Floor(
        entrants,
        seed=seed,
        table_seats=table_seats,
        hands_max=hands_max,
        payouts=(50, 30, 20),
        prize_pool=10_001,
        currency="EUR",
    )

    finished = played_out(floor).tournament

    assert isinstance(finished, Finished)
    assert len({each.entrant for each in finished.placings}) == entrants
    places = [each.place for each in finished.placings]
    assert places == sorted(places)
    assert all(
        each.place + each.shared - 1 <= entrants
        and places.count(each.place) == each.shared
        and sum(place < each.place for place in places) == each.place - 1
        for each in finished.placings
    )
    assert sum(each.amount for each in finished.payouts) == 10_001


@settings(max_examples=40, deadline=None, derandomize=True)
@given(entrants=st.integers(2, 40), table_seats=st.integers(2, 10), seed=st.integers(0, 2**32))
def test_when_all_tables_are_idle_they_are_as_few_as_can_be_and_even(
    entrants: int, table_seats: int, seed: int
) -> None:
    """Between hands the floor settles, and asking again changes nothing."""
    floor = Floor(entrants, seed=seed, table_seats=table_seats)
    for _ in range(8):
        for state in floor.open_tables:
            if len(state.places) >= 2:
                floor.carry_out(floor.plan(state.table))
        for state in floor.open_tables:
            if state.hand is not None:
                floor.settle(state.table)
        if isinstance(floor.tournament, Finished):
            return

        floor.rearrange()
        floor.check()

        sizes = [len(each.seats) for each in floor.tournament.tables]
        assert len(sizes) == tables_needed(sum(sizes), table_seats=table_seats)
        assert max(sizes) - min(sizes) <= 1
        assert {floor.plan(each).outcome for each in idle_tables(floor.tables)} <= {"open", "hold"}


def test_the_first_hand_opens_under_a_guard_on_the_tournament() -> None:
    """A hand must never be opened after a pause, or with old seats."""
    floor = Floor(4, seed=1, table_seats=4, hands_between_seconds=3)

    plan = floor.plan(table(1))

    assert plan.outcome == "open"
    assert plan.guard == stream_of(TOURNAMENT)
    assert plan.wait_seconds == 0
    assert [entry.stream for entry in plan.entries] == [stream_of(table(1))]
    (opening,) = plan.entries[0].commands
    assert isinstance(opening, OpenHand)
    assert (opening.hand, opening.last) == (HAND, False)
    assert opening.seeds == seeds_for(floor.tournament, table_number=1, hand_number=1)


def test_a_pause_is_obeyed_between_hands_and_recorded_once() -> None:
    """Hands in play go on, but no new hand is opened."""
    floor = Floor(4, seed=1, table_seats=4)
    floor.decide(Pause(reason="dinner", now=NOON))

    plan = floor.plan(table(1))

    assert plan.outcome == "hold"
    version = len(floor.events)
    assert plan.entries[0].commands == (RecordWait(reason="paused", tournament_version=version),)
    assert floor.carry_out(plan) is True
    assert floor.carry_out(floor.plan(table(1))) is False


def test_a_table_whose_hand_is_in_play_is_asked_for_nothing() -> None:
    """The table stops when the hand is settled."""
    floor = Floor(4, seed=1, table_seats=4)
    floor.carry_out(floor.plan(table(1)))

    plan = floor.plan(table(1))

    assert (plan.outcome, plan.entries) == ("nothing", ())


def bust(floor: Floor, table_number: int, *, left: int) -> None:
    """Let all but *left* players of a table lose their chips to the first seat, between hands."""
    state = floor.tables[table(table_number)]
    out = state.places[left:]
    rich = replace(state.places[0], stack=state.places[0].stack + sum(place.stack for place in out))
    floor.tables[state.table] = replace(
        state, hand_number=1, button=1, places=(rich, *state.places[1:left])
    )
    busts = tuple(
        Busted(entrant=each.entrant, seat=each.seat, stack_at_start=each.stack) for each in out
    )
    floor.decide(RecordBusts(table=state.table, hand_number=1, busts=busts, now=NOON))


def test_the_last_table_in_the_breaking_order_merges_into_the_final_table() -> None:
    """Two tables with few enough entrants become the final table, which starts again."""
    floor = Floor(8, seed=1, table_seats=4)
    bust(floor, 1, left=2)
    bust(floor, 2, left=2)

    plan = floor.plan(table(2))

    assert plan.outcome == "rearrange"
    assert plan.guard is None
    assert plan.ask_again == (table(1),)
    giving, receiving, recording = plan.entries
    assert [type(each) for each in giving.commands] == [VacateSeats, CloseTable]
    (arriving,) = receiving.commands
    assert isinstance(arriving, SeatArrivals)
    assert arriving.restart is True
    assert arriving.least_amounts == floor.tables[table(1)].least_amounts()
    (record,) = recording.commands
    assert isinstance(record, RecordBreak)
    assert (record.final, record.rule) == (True, "seating.final_table")
    assert record.draw is not None
    assert (record.draw.label, record.draw.number) == ("final", 2)

    floor.carry_out(plan)
    floor.check()

    assert floor.plan(table(1)).outcome == "open"
    assert floor.plan(table(2)).outcome == "nothing"


def test_the_carry_of_a_broken_table_goes_to_the_lowest_numbered_one() -> None:
    """Chips that nobody has won yet stay in play."""
    floor = Floor(8, seed=1, table_seats=4)
    bust(floor, 1, left=2)
    bust(floor, 2, left=2)
    floor.tables[table(2)] = replace(floor.tables[table(2)], carry=7, sabacc_pot=5)

    floor.carry_out(floor.plan(table(2)))

    assert floor.tables[table(1)].carry == 7
    assert floor.tables[table(1)].sabacc_pot == 5
    assert floor.tables[table(2)].closed


def test_a_table_that_has_to_break_waits_for_one_that_can_take() -> None:
    """Nobody sits down during a hand. The end of the receiver's hand ends the wait."""
    floor = Floor(8, seed=1, table_seats=4)
    bust(floor, 1, left=3)
    floor.carry_out(floor.plan(table(1)))
    bust(floor, 2, left=1)

    waiting = floor.plan(table(2))
    floor.carry_out(waiting)
    floor.settle(table(1))
    plan = floor.plan(table(1))

    assert waiting.outcome == "hold"
    assert isinstance(waiting.entries[0].commands[0], RecordWait)
    assert waiting.entries[0].commands[0].reason == "breaking"
    assert plan.outcome == "rearrange"


def test_the_next_big_blind_of_the_fullest_table_moves() -> None:
    """The next to pay the big blind moves, so that nobody escapes a blind by moving."""
    floor = Floor(12, seed=1, table_seats=6)
    bust(floor, 2, left=3)

    plan = floor.plan(table(1))

    (record,) = plan.entries[-1].commands
    assert isinstance(record, RecordMoves)
    assert record.rule == "seating.balance_next_big_blind"
    assert len(record.moves) == 1
    assert record.moves[0].entrant == record.candidates[0].entrant
    floor.carry_out(plan)
    floor.check()
    assert floor.plan(table(1)).outcome == "open"


def test_who_is_away_is_away_at_the_new_table_too() -> None:
    """
    A move is no sign of life, and does not reset the three timeouts.

    Hands and pots won also move with the player, because they break ties at the end.
    """
    floor = Floor(12, seed=1, table_seats=6)
    bust(floor, 2, left=3)
    mover = next(iter(floor.plan(table(1)).directive.moves)).entrant  # type: ignore[union-attr]
    here = floor.tables[table(1)]
    absent = tuple(
        replace(place, away=True, timeouts=3, hands_won=2, pots_won=4)
        if place.entrant == mover
        else place
        for place in here.places
    )
    floor.tables[table(1)] = replace(here, places=absent)

    floor.carry_out(floor.plan(table(1)))

    place = floor.tables[table(2)].place_of(mover)
    assert place is not None
    assert (place.away, place.timeouts) == (True, 3)
    assert (place.hands_won, place.pots_won) == (2, 4)


def test_seeds_go_by_table_hand_and_deal() -> None:
    """The seeds use no counter: the order in which tables open must not choose the deck."""
    floor = Floor(2, seed=1, table_seats=4)

    seeds = seeds_for(floor.tournament, table_number=3, hand_number=9, deal=2)

    assert seeds.cards == derive_seed(bytes.fromhex(MASTERS.cards), "cards", 3, 9, 2).hex()
    assert seeds.dice == derive_seed(bytes.fromhex(MASTERS.open), "dice", 3, 9, 2).hex()
    assert seeds.draws == derive_seed(bytes.fromhex(MASTERS.open), "draws", 3, 9, 2).hex()


def settled(*busts: Bust) -> HandSettled:
    return HandSettled(
        hand=HAND,
        number=4,
        ending="showdown",
        stacks=(),
        winners=(1,),
        busts=busts,
        carry=0,
        chips_moved=0,
        hands=4,
        at=NOON,
    )


def seated_table() -> Table:
    return Floor(2, seed=1, table_seats=4).tables[table(1)]


def test_a_bust_at_a_table_is_told_to_the_tournament() -> None:
    """The tournament records it in the same append, so no log holds one without the other."""
    lost = Bust(seat=2, entrant=entrant(1), stack_at_start=50, hand_number=4)

    told = busts_of(seated_table(), (settled(lost),))

    assert told is not None
    assert (told.hand_number, told.busts) == (
        4,
        (Busted(entrant=entrant(1), seat=2, stack_at_start=50),),
    )


@pytest.mark.parametrize("events", [(), (settled(),)])
def test_a_hand_without_a_bust_concerns_its_table_only(events: tuple[Any, ...]) -> None:
    """Most hands end without a bust, and the tournament's stream stays short."""
    assert busts_of(seated_table(), events) is None


def test_a_finished_tournament_tells_its_season_every_placing() -> None:
    """The season counts by entrants, so nobody may be missing."""
    finished = played_out(Floor(9, seed=4, table_seats=4)).tournament

    award = points_of(finished, now=NOON)

    assert len(award.placings) == 9
    assert award.tournament == TOURNAMENT


def test_tables_are_opened_as_the_seats_were_drawn() -> None:
    """Everyone starts with the announced stack, at tables of sizes as even as possible."""
    floor = Floor(9, seed=1, table_seats=4)

    openings = tables_of(floor.tournament, now=NOON)

    assert [len(each.seats) for each in openings] == [3, 3, 3]
    assert {placed.stack for each in openings for placed in each.seats} == {1_000}
    assert [each.number for each in openings] == [1, 2, 3]


def test_a_table_opens_with_the_hash_of_the_ruleset_as_it_is_written_there() -> None:
    """An old announcement was hashed without parameters that the table's event has."""
    running = Floor(4, seed=1, table_seats=4).tournament
    assert isinstance(running, Running)
    older = replace(running, terms=replace(running.terms, ruleset_hash="0" * 64))

    (opened,) = tables_of(older, now=NOON)

    assert opened.ruleset_hash == ruleset_hash(opened.ruleset)


def test_a_table_of_an_unannounced_tournament_is_asked_for_nothing() -> None:
    """There is nothing to direct before play has started."""
    floor = Floor(4, seed=1, table_seats=4)

    plan = plan_next_hand(
        Unannounced(),
        floor.tables,
        table(1),
        now=NOON,
        hand=HAND,
        tournament_version=0,
        tournament_head="",
    )

    assert (plan.outcome, plan.entries) == ("nothing", ())
