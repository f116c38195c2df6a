"""
The two pots of Corellian Spike, their winners, and ties.

Rulebook ``spike.rounds`` and the rules after it.
"""

from engine.table.model import events
from tests.engine.table.spike import (
    NOTHING_MUCH,
    ZERO,
    awards,
    happened,
    opened,
    quiet,
    table,
)
from tests.engine.table.tables import Floor


def test_example_32_a_winner_above_zero_leaves_the_sabacc_pot_to_roll_over() -> None:
    """The rulebook's worked example: four antes of 2 + 1, bets of 12 in all, the winner at +1."""
    floor = table((100, 100, 100, 100))
    hands = {1: ("C+03", "T-02"), 2: ("S+06", "T+07"), 3: ("C+08", "T+09"), 4: ("C+04", "S+05")}
    opened(floor, hands)
    quiet(floor, "bet")
    floor.act(1, "raise_to", 3)
    for seat in (2, 3, 4):
        floor.act(seat, "call")
    assert [pot.chips for pot in floor.view(1).pots] == [20]
    assert floor.view(1).sabacc_pot == 4
    quiet(floor)
    assert floor.stacks() == {1: 114, 2: 94, 3: 94, 4: 94}
    floor.open_hand()
    assert floor.view(1).sabacc_pot == 8


def test_a_winner_at_zero_takes_both_pots_also_what_earlier_hands_left() -> None:
    floor = quiet(opened(table(), NOTHING_MUCH))
    assert floor.table.sabacc_pot == 3
    quiet(opened(floor, ZERO))
    assert floor.table.sabacc_pot == 0
    award = happened(floor, events.SabaccPotAwarded)[0]
    assert (award.seat, award.chips, award.rule) == (1, 6, "spike.sabacc_pot")
    assert floor.view(2).last_hand.sabacc_awards == ((1, 6),)  # type: ignore[union-attr]
    assert floor.stacks() == {1: 97 + 6 - 3 + 6 + 6, 2: 94, 3: 94}


def test_who_wins_because_all_others_fold_never_takes_the_sabacc_pot() -> None:
    floor = quiet(opened(table(), ZERO), "bet")
    floor.act(1, "raise_to", 10)
    floor.act(2, "fold")
    floor.act(3, "fold")
    assert floor.table.idle
    assert floor.stacks() == {1: 103, 2: 97, 3: 97}
    assert floor.table.sabacc_pot == 3
    assert not happened(floor, events.HandsRanked)


def test_the_sabacc_pot_goes_with_the_first_layer_alone() -> None:
    """Seat 1 is all-in at zero. Seat 2 wins the side pot, and no part of the Sabacc pot."""
    floor = quiet(opened(table((13, 100, 100)), ZERO), "bet")
    floor.act(1, "raise_to", 10)
    floor.act(2, "raise_to", 30)
    floor.act(3, "call")
    quiet(floor)
    pots = [(award.pot, award.chips, award.shares[0].seat) for award in awards(floor)]
    assert pots == [(1, 36, 1), (2, 40, 2)]
    assert floor.stacks() == {1: 36 + 3, 2: 107, 3: 67}


def test_an_idiots_array_wins_the_first_layer_and_takes_no_sabacc_pot_for_anyone() -> None:
    """The Idiot's Array totals 5. The zero that wins the side pot does not win the first pot."""
    hands = {1: ("C+02", "T+03"), 2: ("S+06", "T-06"), 3: ("C+08", "T+09")}
    floor = opened(table((13, 100, 100), extra_named_hands=["idiots_array"]), hands, ("S+10", "Z1"))
    floor.turn(1, "gain", source="pile")
    quiet(floor, "bet")
    floor.act(1, "raise_to", 10)
    floor.act(2, "raise_to", 30)
    floor.act(3, "call")
    quiet(floor)
    assert [(a.pot, a.shares[0].seat) for a in awards(floor)] == [(1, 1), (2, 2)]
    assert floor.table.sabacc_pot == 3


def test_who_cannot_pay_both_antes_again_is_out_and_leaves_the_rest_to_the_sabacc_pot() -> None:
    floor = quiet(opened(table((100, 100, 5)), NOTHING_MUCH))
    paid = happened(floor, events.PenaltyPaid)
    assert [(each.seat, each.paid, each.rule) for each in paid] == [(3, 2, "forced.out")]
    bust = happened(floor, events.HandSettled)[-1].busts
    assert [(each.seat, each.stack_at_start) for each in bust] == [(3, 5)]
    assert floor.table.sabacc_pot == 5
    assert floor.table.chips() == 205


def test_nobody_is_put_out_if_nobody_could_stay() -> None:
    """Antes of 1 + 5 feed the Sabacc pot. After two hands neither seat has 6 chips left."""
    floor = table((8, 8), ante={"hand": 1, "sabacc": 5})
    quiet(opened(floor, {1: ("C+05", "T+04"), 2: ("S+06", "T+07")}))
    assert floor.stacks() == {1: 4, 2: 2}


def test_the_starting_player_rotates_and_everything_begins_there() -> None:
    floor = table()
    for starter in (1, 2, 3, 1):
        floor.open_hand()
        assert floor.table.decision is not None
        assert (floor.table.starter, floor.table.decision.seats) == (starter, (starter,))
        quiet(floor)


# Ties.


def tied(**overrides: object) -> Floor:
    """Return three seats, of which the first two hold equal hands before the showdown."""
    hands = {1: ("C+05", "T-05"), 2: ("T+05", "S-05"), 3: ("C+08", "T+09")}
    return opened(table(**overrides), hands, ("S+10", *DRAWS))


DRAWS = ("C+03", "T+03", "S-02", "C+02")


def test_equal_hands_draw_blind_until_one_card_is_nearer_to_zero_or_positive() -> None:
    """+3 and +3 draw again. Of −2 and +2, the positive card wins both pots."""
    floor = quiet(tied())
    draws = happened(floor, events.DrawOffDealt)
    assert [[part.card.card for part in draw.cards] for draw in draws] == [
        ["C+03", "T+03"],
        ["S-02", "C+02"],
    ]
    (award,) = awards(floor)
    assert [(share.seat, share.chips) for share in award.shares] == [(2, 6)]
    assert award.rule == "ties.blind_draw"
    assert floor.stacks() == {1: 97, 2: 106, 3: 97}


def test_a_blind_draw_ranks_the_same_seats_once_for_all_layers() -> None:
    hands = {1: ("C+05", "T-05"), 2: ("T+05", "S-05"), 3: ("C+08", "T+09")}
    floor = opened(table((100, 100, 13)), hands, ("S+10", "C+01", "C+02"))
    quiet(floor, "bet")
    floor.act(1, "raise_to", 30)
    floor.act(2, "call")
    floor.act(3, "call")
    quiet(floor)
    assert len(happened(floor, events.DrawOffDealt)) == 1
    assert [(a.pot, a.shares[0].seat) for a in awards(floor)] == [(1, 1), (2, 1)]


def test_by_option_tied_hands_share_both_pots_the_odd_chips_by_seat_order() -> None:
    floor = quiet(tied(tie={"kind": "split"}))
    assert not happened(floor, events.DrawOffDealt)
    assert [(s.seat, s.chips) for s in awards(floor)[0].shares] == [(1, 3), (2, 3)]
    sabacc = happened(floor, events.SabaccPotAwarded)
    assert [(award.seat, award.chips) for award in sabacc] == [(1, 2), (2, 1)]
    assert floor.stacks() == {1: 102, 2: 101, 3: 97}


def test_where_cards_are_lacking_the_cube_decides() -> None:
    """One card is left for two tied seats. The open card stays in its place."""
    hands = {1: ("C+05", "T-05"), 2: ("T+05", "S-05")}
    floor = opened(table((100, 100)), hands, ("S+10", "C+03"), whole=False)
    quiet(floor)
    (cube,) = happened(floor, events.CubeRolled)
    assert (cube.seats, cube.rule) == ((1, 2), "ties.cube")
    (award,) = awards(floor)
    assert [share.seat for share in award.shares] == [cube.winner]
    assert award.rule == "ties.cube"
    assert not happened(floor, events.DrawOffDealt)


def test_a_whole_game_ends_with_one_seat_that_can_ante() -> None:
    """There is no bet. The antes alone eliminate one seat after another."""
    floor = table((9, 9, 9))
    least = floor.ruleset.least_stack(floor.table.least_amounts())
    for _ in range(40):
        if sum(place.stack >= least for place in floor.table.places) < 2:
            break
        floor.open_hand()
        quiet(floor)
    assert len(floor.table.places) == 1
    assert floor.table.chips() == 27
