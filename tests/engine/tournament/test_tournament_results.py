"""Busts, placings and payouts: WSOP rule 126-b, and money to the last unit."""

import pytest
from msgspec.structs import replace

from engine.tournament import decider
from engine.tournament.model.commands import Cancel, Finish, RecordBreak, RecordBusts, RecordMoves
from engine.tournament.model.errors import DirectiveStale, TournamentNotRunning, TournamentOver
from engine.tournament.model.events import EntrantBusted, EntrantEliminated, TournamentFinished
from engine.tournament.model.state import Seated, phase_of
from engine.tournament.model.values import Busted, Entry, Move, Payout, Placing, Standing
from engine.tournament.money.prizes import payouts, place_amounts
from engine.values import EntrantId, Seat
from tests.engine.scenario import Scenario
from tests.engine.tournament.floor import MASTERS, NOON, announce, entrant, player, table, to_start


def running(entrants: int, **terms: object) -> Scenario:
    return Scenario(decider).asked(*to_start(entrants, **terms))


def seated(given: Scenario, number: int) -> tuple[Seated, ...]:
    return tuple(given.state.seating(table(number)).seats)


def busts(*out: Seated, stacks: tuple[int, ...], hand: int = 3) -> RecordBusts:
    return RecordBusts(
        table=table(1),
        hand_number=hand,
        busts=tuple(
            Busted(entrant=each.entrant, seat=each.seat, stack_at_start=stack)
            for each, stack in zip(out, stacks, strict=True)
        ),
        now=NOON,
    )


def who(given: Scenario, entrant: EntrantId) -> Entry:
    return next(each for each in given.state.entrants if each.entrant == entrant)


def test_a_bust_is_an_elimination_in_the_last_place_left() -> None:
    """There are no rebuys, so a bust is an elimination."""
    given = running(4)
    last = seated(given, 1)[0]

    given.when(busts(last, stacks=(500,))).then(
        EntrantBusted(entrant=last.entrant, table=table(1), hand=3, round=1, stack_at_start=500),
        EntrantEliminated(
            entrant=last.entrant,
            player=who(given, last.entrant).player,
            place=4,
            shared=1,
            rule="placing.bust_order",
        ),
    )

    given.when(busts(last, stacks=(500,))).then_nothing()


def test_of_two_out_in_one_hand_the_larger_stack_at_its_start_finishes_higher() -> None:
    """
    Nobody can arrange the order within a hand.
    """
    given = running(4)
    small, large = seated(given, 1)[:2]

    decided = given.when(busts(small, large, stacks=(400, 900))).events()

    assert [
        (each.entrant, each.place, each.rule)
        for each in decided
        if isinstance(each, EntrantEliminated)
    ] == [
        (small.entrant, 4, "placing.stack_at_start"),
        (large.entrant, 3, "placing.stack_at_start"),
    ]


def test_equal_stacks_share_the_place() -> None:
    """Both hold the third and fourth place together, and their prizes are averaged."""
    given = running(4)

    decided = given.when(busts(*seated(given, 1)[:2], stacks=(700, 700))).events()

    assert {
        (each.place, each.shared, each.rule)
        for each in decided
        if isinstance(each, EntrantEliminated)
    } == {(3, 2, "placing.shared")}


def test_the_bust_that_leaves_one_finishes_the_tournament_in_the_same_decision() -> None:
    """The winner, every placing and every payout belong to the decision of that hand."""
    given = running(3, payouts=(70, 30), prize_pool=1_001, currency="EUR")
    first, second, third = seated(given, 1)

    *_, finished = given.when(busts(second, third, stacks=(800, 200))).events()

    assert isinstance(finished, TournamentFinished)
    assert [each.entrant for each in finished.placings] == [
        first.entrant,
        second.entrant,
        third.entrant,
    ]
    assert [each.place for each in finished.placings] == [1, 2, 3]
    assert [(each.place, each.amount) for each in finished.payouts] == [(1, 701), (2, 300)]
    assert finished.rule == "finish.last_entrant"
    assert finished.open_master == MASTERS.open
    assert phase_of(given.state) == "finished"
    given.when(busts(second, stacks=(800,))).then_nothing()


def test_when_the_last_ones_bust_together_the_larger_stack_wins() -> None:
    """All chips may have gone to the carry. Then nobody is left, yet somebody has won."""
    given = running(2)
    small, large = seated(given, 1)

    *_, finished = given.when(busts(small, large, stacks=(5, 10))).events()

    assert isinstance(finished, TournamentFinished)
    assert [(each.entrant, each.place) for each in finished.placings] == [
        (large.entrant, 1),
        (small.entrant, 2),
    ]
    assert finished.rule == "finish.nobody_left"


def test_somebody_who_does_not_sit_there_cannot_bust_there() -> None:
    """A table may report only its own seats."""
    given = running(2)
    elsewhere = Seated(entrant=entrant(9), seat=Seat(1))
    with pytest.raises(DirectiveStale):
        decider.decide(given.state, busts(elsewhere, stacks=(1,)))


def test_nobody_busts_before_play() -> None:
    """
    There are no chips yet.
    """
    given = Scenario(decider).asked(announce())
    somebody = Seated(entrant=entrant(1), seat=Seat(1))
    given.when(busts(somebody, stacks=(1,))).then_rejected(TournamentNotRunning, phase="announced")


def test_after_the_last_hand_stacks_decide_and_equals_share() -> None:
    """A tournament with a fixed number of hands ends with several entrants left."""
    given = running(3, hands_max=1, payouts=(60, 40), prize_pool=100, currency="EUR")
    one, two, three = seated(given, 1)
    stacks = (
        Standing(entrant=one.entrant, stack=500),
        Standing(entrant=two.entrant, stack=1_250),
        Standing(entrant=three.entrant, stack=1_250),
    )

    (finished,) = given.when(Finish(rule="finish.hands_max", stacks=stacks, now=NOON)).events()

    assert isinstance(finished, TournamentFinished)
    assert {(each.place, each.shared) for each in finished.placings} == {(1, 2), (3, 1)}
    assert [each.amount for each in finished.payouts] == [50, 50]


def test_stacks_of_everyone_still_in_are_needed_to_finish() -> None:
    """
    A forgotten entrant would lose a placing.
    """
    given = running(3, hands_max=1)
    with pytest.raises(DirectiveStale):
        decider.decide(given.state, Finish(rule="finish.hands_max", stacks=(), now=NOON))


def test_a_finished_tournament_cannot_be_cancelled() -> None:
    """
    A result is undone by a ruling, never by a cancellation.
    """
    given = running(2)
    given.when(busts(seated(given, 1)[0], stacks=(1_000,))).events()
    given.when(Cancel(reason="x", now=NOON)).then_rejected(TournamentOver, phase="finished")


def a_move(given: Scenario) -> Move:
    """Return a move from table 2 to the free fourth seat of table 1."""
    mover = seated(given, 2)[0]
    return Move(
        entrant=mover.entrant,
        stack=1_000,
        from_table=table(2),
        from_seat=mover.seat,
        to_table=table(1),
        to_seat=Seat(4),
    )


def recorded(*moves: Move) -> RecordMoves:
    return RecordMoves(
        table=table(2), hand_number=1, moves=moves, rule="test", candidates=(), now=NOON
    )


def test_a_mover_has_one_seat_before_and_after_and_moving_twice_changes_nothing() -> None:
    """
    A retried move is acknowledged, so that a plan may be carried out again.
    """
    given = running(6)
    move = a_move(given)

    given.when(recorded(move)).events()

    assert given.state.seating(table(1)).seat_of(move.entrant) == 4
    assert given.state.seating(table(2)).seat_of(move.entrant) is None
    given.when(recorded(move)).then_nothing()


@pytest.mark.parametrize(
    "change",
    [
        {"to_seat": Seat(1)},
        {"to_seat": Seat(5)},
        {"from_seat": Seat(3)},
        {"to_table": table(7)},
        {"to_table": table(2)},
    ],
)
def test_a_move_that_no_longer_fits_the_seats_is_refused(change: dict[str, object]) -> None:
    """A plan that was made before another append has to be made again."""
    given = running(6)
    move = replace(a_move(given), **change)
    with pytest.raises(DirectiveStale):
        decider.decide(given.state, recorded(move))


def test_a_table_breaks_only_when_everybody_has_a_new_seat() -> None:
    """
    Nobody may be left at a table that no longer exists.
    """
    given = running(6)
    command = RecordBreak(
        table=table(2),
        hand_number=1,
        moves=(a_move(given),),
        carry_to=table(1),
        rule="test",
        candidates=(),
        now=NOON,
    )
    with pytest.raises(DirectiveStale):
        decider.decide(given.state, command)


@pytest.mark.parametrize(
    ("pool", "shares", "entrants", "amounts"),
    [
        (100, (50, 30, 20), 9, (50, 30, 20)),
        (101, (1, 1), 9, (51, 50)),
        (100, (50, 30, 20), 1, (100,)),
        (0, (1,), 5, ()),
    ],
)
def test_shares_divide_the_pool_without_a_rest(
    pool: int, shares: tuple[int, ...], entrants: int, amounts: tuple[int, ...]
) -> None:
    """Units that cannot be divided go to the best places."""
    assert place_amounts(pool, shares=shares, entrants=entrants) == amounts


def test_entrants_who_share_places_share_their_prizes() -> None:
    """
    Odd units go in order of registration.
    """
    entries = {
        entrant(number): Entry(
            entrant=entrant(number), player=player(number), bot=False, number=number
        )
        for number in (1, 2)
    }
    tied = tuple(
        Placing(entrant=entrant(number), player=player(number), place=1, shared=2)
        for number in (1, 2)
    )

    assert payouts(tied, (61, 40), entries=entries) == (
        Payout(entrant=entrant(1), player=player(1), place=1, amount=51),
        Payout(entrant=entrant(2), player=player(2), place=1, amount=50),
    )
