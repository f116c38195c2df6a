"""Faults in the rules of play, each with the test that catches it."""

from tests.faults import merging, seasons, staff
from tests.faults.planting import Fault

BEACON = "tests/engine/tournament/test_beacon.py::"
BETTING = "tests/engine/hand/test_betting.py::"
CONTESTED = "tests/engine/table/test_contested.py::"
EXAMPLES = "tests/engine/table/test_worked_examples.py::"
FAIRNESS = "tests/engine/tournament/test_fairness.py::"
POKER_ACTIONS = "tests/engine/table/test_poker_actions.py::"
POKER = "tests/engine/table/test_poker_rules.py::"
PLAYER_ANTES = "tests/engine/table/test_player_antes.py::"
POTS = "tests/engine/hand/test_pots.py::"
RANDOMNESS = "tests/engine/kit/test_randomness.py::"
ROUNDS = "tests/engine/tournament/test_hand_for_hand.py::"
SPIKE = "tests/engine/table/test_spike_pots.py::"
SPIKE_TURNS = "tests/engine/table/test_spike_turns.py::"
SPIKE_HANDS = "tests/engine/hand/test_spike_hands.py::"
TABLE = "tests/engine/table/test_table.py::"
SHOWDOWN = "tests/engine/table/test_traditional_showdown.py::"
TRADITIONAL = "tests/engine/table/test_traditional.py::"

FAULTS = (
    *seasons.FAULTS,
    *staff.FAULTS,
    *merging.FAULTS,
    Fault(
        name="fewer cards of the target suit win a tie",
        file="table/games/coruscant_showdown.py",
        sound="(hand.distance, -hand.suit_count)",
        faulty="(hand.distance, hand.suit_count)",
        caught_by=EXAMPLES + "test_example_02_jane_beats_bob_by_the_suit_and_wins_sixty",
    ),
    Fault(
        name="the big blind pays for the table what every player pays",
        file="table/model/wagers.py",
        sound="if amounts.ante and not forced.player_ante:",
        faulty="if amounts.ante:",
        caught_by=PLAYER_ANTES
        + "test_every_player_pays_the_ante_before_the_blinds_and_it_is_no_bet",
    ),
    Fault(
        name="a sylop counts for no suit",
        file="kit/cards.py",
        sound="if card[0] == letter or card in SYLOPS)",
        faulty="if card[0] == letter)",
        caught_by=EXAMPLES
        + "test_example_26_a_full_hand_of_better_ends_in_a_tie_and_a_carried_chip",
    ),
    Fault(
        name="any raise opens the betting again for everyone",
        file="hand/betting.py",
        sound="street.current_bet - bettor.acted_at < increment",
        faulty="street.current_bet - bettor.acted_at < 0",
        caught_by=BETTING + "test_one_short_all_in_leaves_only_call_or_fold",
    ),
    Fault(
        name="a short all-in becomes the full raise",
        file="hand/betting.py",
        sound="full_raise=increment if full else street.full_raise",
        faulty="full_raise=increment",
        caught_by=BETTING + "test_c08_short_all_ins_never_become_the_increment",
    ),
    Fault(
        name="a call asks for chips that nobody can contest",
        file="hand/street.py",
        sound="if most < asked:",
        faulty="if most > asked:",
        caught_by=CONTESTED
        + "test_a_small_blind_is_asked_only_for_what_a_short_big_blind_can_contest",
    ),
    Fault(
        name="the next raise may be smaller than the last",
        file="hand/street.py",
        sound="return max(self.full_raise, self.min_open)",
        faulty="return self.min_open",
        caught_by=BETTING + "test_c01_the_next_raise_is_as_large_as_the_last",
    ),
    Fault(
        name="a seat that nobody can answer may raise",
        file="hand/street.py",
        sound="return self.contestable(seat, self.current_bet + 1) > self.current_bet",
        faulty="return self.contestable(seat, self.current_bet + 1) >= self.current_bet",
        caught_by=BETTING + "test_a_lone_seat_that_faces_an_all_in_may_call_or_fold_but_not_raise",
    ),
    Fault(
        name="the big blind has no option",
        file="hand/betting.py",
        sound="if hand.acted_at is None or (",
        faulty="if (",
        caught_by=BETTING + "test_the_big_blind_keeps_its_option",
    ),
    Fault(
        name="the odd chip goes to the last winner",
        file="hand/pots.py",
        sound="unit * (index < odd_units)",
        faulty="unit * (index >= len(winners) - odd_units)",
        caught_by=POTS + "test_odd_chips_in_seat_order_go_to_the_first_from_the_button",
    ),
    Fault(
        name="folded chips above the highest live wager are lost",
        file="hand/pots.py",
        sound="sum(wagers.values()) if last else sum([min(w, level) for w in wagers.values()])",
        faulty="sum([min(w, level) for w in wagers.values()])",
        caught_by=POTS + "test_folded_chips_above_every_live_wager_join_the_last_pot",
    ),
    Fault(
        name="what was carried is forgotten at the next hand",
        file="table/decide/opening.py",
        sound="        carry=table.carry,\n",
        faulty="        carry=0,\n",
        caught_by=TABLE
        + "test_a_merged_table_starts_at_the_highest_amounts_and_draws_its_dealer_anew",
    ),
    Fault(
        name="blinds double one hand too early",
        file="table/decide/positions.py",
        sound="return steps(first_dealer) <= steps(after)",
        faulty="return steps(first_dealer) <= steps(after) + 1",
        caught_by=EXAMPLES + "test_example_14_blinds_double_by_the_orbit",
    ),
    Fault(
        name="an ante counts as a bet of the first street",
        file="table/evolve/in_hand.py",
        sound='street_chips = 0 if post.kind == "ante" else post.chips',
        faulty="street_chips = post.chips",
        caught_by=EXAMPLES
        + "test_example_27_a_cantina_tie_gives_the_odd_chip_to_the_first_from_the_starter",
    ),
    Fault(
        name="the ante grows alike for any number of players",
        file="table/decide/opening.py",
        sound='inc.get(str(players), inc["*"])',
        faulty='inc["*"]',
        caught_by=EXAMPLES + "test_example_13_the_cantina_ante_grows_by_the_number_of_players",
    ),
    Fault(
        name="a newcomer is dealt in between the button and the small blind",
        file="hand/positions.py",
        sound="dealt = order[order.index(clockwise(regular, marker)[0]) :]",
        faulty="dealt = order",
        caught_by=TABLE
        + "test_a_newcomer_between_button_and_small_blind_waits_until_the_button_has_passed",
    ),
    Fault(
        name="the second street begins left of the big blind",
        file="table/model/wagers.py",
        sound="table.ruleset.first_actor[hand.street - 1]",
        faulty="table.ruleset.first_actor[0]",
        caught_by=EXAMPLES
        + "test_example_26_a_full_hand_of_better_ends_in_a_tie_and_a_carried_chip",
    ),
    Fault(
        name="timeouts are not counted",
        file="table/evolve/in_hand.py",
        sound="timeouts=place.timeouts + 1",
        faulty="timeouts=place.timeouts",
        caught_by=TABLE + "test_three_timeouts_in_a_row_make_a_seat_away_until_it_comes_back",
    ),
    Fault(
        name="the clock does not wait for the grace",
        file="table/decide/answers.py",
        sound="if command.now < until:",
        faulty="if command.now < decision.deadline:",
        caught_by=TABLE + "test_the_clock_selects_for_everyone_and_ties_go_to_the_player",
    ),
    Fault(
        name="below the target is better than above it",
        file="hand/showdown.py",
        sound="return abs(total(cards) - target), -suit_count(cards, suit)",
        faulty="return total(cards) - target, -suit_count(cards, suit)",
        caught_by=EXAMPLES + "test_example_03_opposite_signs_tie",
    ),
    Fault(
        name="what nobody matched goes back to a folded seat",
        file="hand/pots.py",
        sound="return (seat, most - second) if seat in live else None",
        faulty="return seat, most - second",
        caught_by=POTS + "test_what_a_folded_seat_has_wagered_is_never_returned",
    ),
    Fault(
        name="a short big blind lowers the price",
        file="table/model/wagers.py",
        sound="post.owed if full else post.chips",
        faulty="post.chips",
        caught_by=EXAMPLES + "test_example_24_a_short_big_blind_does_not_lower_the_price",
    ),
    Fault(
        name="a draw-off goes by the size of the card without its sign",
        file="table/games/coruscant_showdown.py",
        sound="""        highest = max(VALUES[card] for card in drawn.values())
        tied = tuple(seat for seat in tied if VALUES[drawn[seat]] == highest)
""",
        faulty="""        highest = max(abs(VALUES[card]) for card in drawn.values())
        tied = tuple(seat for seat in tied if abs(VALUES[drawn[seat]]) == highest)
""",
        caught_by=EXAMPLES + "test_example_21_the_official_draw_off_goes_to_the_higher_card",
    ),
    Fault(
        name="the clock folds where checking is free",
        file="table/decide/answers.py",
        sound="street_of(table).due(place.seat, held.put_in) > 0",
        faulty="street_of(table).due(place.seat, held.put_in) >= 0",
        caught_by=POKER_ACTIONS
        + "test_b06_when_time_is_out_the_clock_checks_or_folds_and_ties_go_to_the_player",
    ),
    Fault(
        name="the dead button does not stay on an empty seat",
        file="hand/positions.py",
        sound="    button = small\n",
        faulty="    button = clockwise(eligible, small - 1)[0]\n",
        caught_by=POKER + "test_a02_after_the_small_blind_busts_the_button_is_on_the_empty_seat",
    ),
    Fault(
        name="the button may go to a seat that has no chips to be dealt in",
        file="table/decide/opening.py",
        sound="max(rules.least_stack(table.least_amounts()), 0 if rules.moneyless else 1)",
        faulty="0 if rules.moneyless else 1",
        caught_by=TRADITIONAL + "test_who_cannot_pay_both_antes_sits_out",
    ),
    Fault(
        name="a total of nothing does not bomb out",
        file="hand/traditional_ranking.py",
        sound="if value == 0 or abs(value) > PURE:",
        faulty="if abs(value) > PURE:",
        caught_by=SHOWDOWN + "test_example_28_who_bombs_out_pays_the_main_pot_or_all_he_has",
    ),
    Fault(
        name="minus twenty-three is worth less than plus twenty-three",
        file="hand/traditional_ranking.py",
        sound="return HandRank(PURE_SABACC, value, (1, 0))",
        faulty="return HandRank(PURE_SABACC, value, (1, -value))",
        caught_by=SHOWDOWN + "test_example_29_plus_and_minus_twenty_three_are_equal",
    ),
    Fault(
        name="any winner of the first layer takes the Sabacc pot",
        file="table/games/traditional_showdown.py",
        sound="if name not in SPECIAL or course.table.sabacc_pot == 0:",
        faulty="if course.table.sabacc_pot == 0:",
        caught_by=SHOWDOWN
        + "test_example_30_sudden_demise_gives_each_tied_seat_a_card_and_leaves_the_sabacc_pot",
    ),
    Fault(
        name="the hand may be called one round too early",
        file="table/games/traditional.py",
        sound="return rules_of(table, Traditional).pot_building_rounds + 1",
        faulty="return rules_of(table, Traditional).pot_building_rounds",
        caught_by=TRADITIONAL + "test_nobody_may_call_while_the_pot_is_built",
    ),
    Fault(
        name="near zero the negative hand beats the positive one",
        file="hand/spike_hands.py",
        sound="below = int(held.total < 0)",
        faulty="below = int(held.total > 0)",
        caught_by=SPIKE_HANDS + "test_example_31_the_ladder_stands_in_its_order",
    ),
    Fault(
        name="of two pairs the higher one is better",
        file="hand/spike_hands.py",
        sound="return None if pair is None else (pair,)",
        faulty="return None if pair is None else (-pair,)",
        caught_by=SPIKE_HANDS + "test_example_31_the_ladder_stands_in_its_order",
    ),
    Fault(
        name="two sylops make a pair",
        file="hand/spike_hands.py",
        sound="Counter(abs(value) for value in self.values if value)",
        faulty="Counter(abs(value) for value in self.values)",
        caught_by=SPIKE_HANDS + "test_a_sylop_belongs_to_no_pair_and_only_two_alone_are_pure",
    ),
    Fault(
        name="a blind draw goes to the highest card",
        file="hand/spike_hands.py",
        sound="return abs(VALUES[card]), VALUES[card] < 0",
        faulty="return -VALUES[card], False",
        caught_by=SPIKE_HANDS
        + "test_the_blind_draw_goes_to_the_card_nearest_to_zero_and_of_two_to_the_positive",
    ),
    Fault(
        name="a winner who is not at zero takes the Sabacc pot of Spike",
        file="table/games/spike_showdown.py",
        sound="if total != 0 or table.sabacc_pot == 0:",
        faulty="if table.sabacc_pot == 0:",
        caught_by=SPIKE + "test_example_32_a_winner_above_zero_leaves_the_sabacc_pot_to_roll_over",
    ),
    Fault(
        name="a sixth card can be gained",
        file="table/games/spike_turns.py",
        sound="room = len(own) < HAND_MAX",
        faulty="room = len(own) <= HAND_MAX",
        caught_by=SPIKE_TURNS + "test_a_hand_of_five_cards_can_swap_and_not_gain",
    ),
    Fault(
        name="a round of a penalty leaves the offender out",
        file="tournament/floor/rulings.py",
        sound="given = (command.rounds or 0) * players if",
        faulty="given = (command.rounds or 0) * (players - 1) if",
        caught_by="tests/engine/tournament/test_penalties.py::"
        "test_e15_rounds_are_hands_for_every_player_at_the_table_when_it_is_given",
    ),
    Fault(
        name="who goes out at several tables in one round is placed by the clock",
        file="tournament/floor/hand_for_hand.py",
        sound='.ties == "shared" and len(tables) > 1',
        faulty='.ties == "shared" and len(tables) > 9',
        caught_by=ROUNDS + "test_e2_two_out_at_different_tables_in_one_round_share_the_place",
    ),
    Fault(
        name="a table opens two hands of one round",
        file="tournament/floor/at_tables.py",
        sound="tables[each.table].round < number and",
        faulty="tables[each.table].round <= number and",
        caught_by=ROUNDS + "test_a_table_that_has_played_its_hand_waits_for_all_the_others",
    ),
    Fault(
        name="a table is evened out further than it has to be",
        file="tournament/seating/draw.py",
        sound="return max(sizes) - min(sizes) > tolerance",
        faulty="return max(sizes) - min(sizes) > 1",
        caught_by="tests/engine/tournament/test_balancing.py::"
        "test_no_more_moves_than_by_trying_every_way_and_none_the_second_time",
    ),
    Fault(
        name="a penalty stays behind when its player is moved",
        file="coordination/rearrangements.py",
        sound="if move.to_table == table and places[move.entrant].penalty",
        faulty="if move.to_table == table and places[move.entrant].penalty < 0",
        caught_by="tests/engine/tournament/test_penalties.py::"
        "test_what_is_left_of_a_penalty_goes_along_to_another_table",
    ),
    Fault(
        name="no card may stay where it was",
        file="kit/rng.py",
        sound="word, size = next(words), index + 1",
        faulty="word, size = next(words), index",
        caught_by=RANDOMNESS + "test_every_order_of_a_small_deck_comes_equally_often[4]",
    ),
    Fault(
        name="whoever has committed may commit to something else",
        file="tournament/fairness/decisions.py",
        sound="if registering.fairness.of(command.entrant) is not None:",
        faulty="if registering.fairness.of(command.entrant) is None and False:",
        caught_by=FAIRNESS + "test_an_entrant_commits_once_and_before_the_seats_are_drawn",
    ),
    Fault(
        name="entropy is opened between any two hands",
        file="coordination/deals.py",
        sound="return seated and here.hand_number == 0 and here.awaited is None",
        faulty="return seated and here.awaited is None",
        caught_by=FAIRNESS + "test_only_a_tables_first_hand_takes_openings",
    ),
    Fault(
        name="who has not come adds to the draw of seats",
        file="tournament/fairness/digests.py",
        sound="if not asked or each.entrant in state.entering.checked_in",
        faulty="if asked or not asked",
        caught_by=FAIRNESS + "test_who_has_not_checked_in_again_adds_nothing_to_a_draw",
    ),
    Fault(
        name="the beacon's round may have come before it was asked for",
        file="kit/beacon.py",
        sound="earliest = at + MARGIN - _BEGINNING",
        faulty="earliest = at - MARGIN - _BEGINNING",
        caught_by=BEACON + "test_the_round_that_counts_follows_from_the_instant_alone",
    ),
    Fault(
        name="any round of the beacon is as good as the one that was named",
        file="kit/beacon.py",
        sound="if pulse.round != number or pulse.randomness != due:",
        faulty="if pulse.randomness != due:",
        caught_by=BEACON + "test_only_the_named_round_as_it_was_signed_is_taken",
    ),
    Fault(
        name="entropy is opened while the deal waits for its round",
        file="coordination/deals.py",
        sound="return seated and here.hand_number == 0 and here.awaited is None",
        faulty="return seated and here.hand_number == 0",
        caught_by=BEACON + "test_each_deal_waits_for_a_round_named_after_its_openings",
    ),
    Fault(
        name="a deal goes on without the beacon",
        file="table/decide/opening.py",
        sound="        return ()\n    if (awaited.openings",
        faulty=(
            "        return ()\n    if command.pulse is None:\n        return ()\n"
            "    if (awaited.openings"
        ),
        caught_by=BEACON + "test_without_the_round_nothing_is_opened_however_late_it_is",
    ),
    Fault(
        name="somebody withdraws while the seats wait for the beacon",
        file="tournament/decisions.py",
        sound="    | Withdraw\n    | of_fairness",
        faulty="    | of_fairness",
        caught_by=BEACON + "test_nobody_comes_or_goes_while_the_seats_wait_for_the_beacon",
    ),
)
