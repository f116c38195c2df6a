"""Faults in the commands of staff, each with the test that catches it."""

from tests.faults.planting import Fault

CLOCK = "tests/engine/tournament/test_clock_set.py::"
ENTRY_TIMES = "tests/engine/tournament/test_entry_times.py::"
MONEY = "tests/engine/tournament/test_handing_over.py::"
TERMS = "tests/engine/tournament/test_terms_changes.py::"
HOUSE_BOTS = "tests/engine/tournament/test_house_bots.py::"
BY_STAFF = "tests/engine/tournament/test_by_staff.py::"
REBUYS = "tests/engine/tournament/test_rebuys.py::"
LAST = "tests/engine/tournament/test_last_purchases.py::"

FAULTS = (
    Fault(
        name="a rebuy is sold after the last hand",
        file="tournament/results/ranking.py",
        sound="if command.last or state.no_hand_follows:",
        faulty="if state.no_hand_follows:",
        caught_by=LAST + "test_nobody_buys_a_place_after_the_last_hand",
    ),
    Fault(
        name="a rebuy is sold although nobody can deal any more",
        file="tournament/results/ranking.py",
        sound="if until_all_dealt(state) and out.issuperset(command.to_deal):",
        faulty="if until_all_dealt(state) and not command.to_deal:",
        caught_by=LAST + "test_nobody_buys_a_place_once_nobody_who_has_yet_to_deal_can",
    ),
    Fault(
        name="a window that sells nothing is waited for",
        file="tournament/chips/rebuying.py",
        sound="return 0 if state.no_hand_follows else state.terms.ruleset.rebuy.seconds",
        faulty="return state.terms.ruleset.rebuy.seconds",
        caught_by=LAST + "test_an_open_window_sells_nothing_once_no_further_hand_opens",
    ),
    Fault(
        name="an add-on is sold after the last hand",
        file="coordination/purchases.py",
        sound="return table.played_last or all_dealt",
        faulty="return all_dealt",
        caught_by=LAST + "test_nobody_takes_an_add_on_after_the_last_hand",
    ),
    Fault(
        name="an add-on is sold although nobody can deal any more",
        file="coordination/purchases.py",
        sound="return table.played_last or all_dealt",
        faulty="return table.played_last",
        caught_by=LAST + "test_nobody_takes_an_add_on_once_nobody_who_has_yet_to_deal_has_chips",
    ),
    Fault(
        name="a rebuy for which a player and staff ask is bought twice",
        file="tournament/chips/rebuying.py",
        sound="if command.number not in (None, running.next_rebuy(command.entrant)):",
        faulty="if (command.number or 0) > running.next_rebuy(command.entrant):",
        caught_by=REBUYS + "test_a_rebuy_that_two_people_ask_for_is_bought_once",
    ),
    Fault(
        name="house bots play for money",
        file="tournament/entering/house_bots.py",
        sound="if terms.currency is not None or",
        faulty="if",
        caught_by=HOUSE_BOTS + "test_house_bots_enter_no_tournament_with_money_and_no_casino",
    ),
    Fault(
        name="staff enter themselves past approval",
        file="tournament/model/acting.py",
        sound="return None if by == player else by",
        faulty="return by",
        caught_by=BY_STAFF + "test_nobody_enters_themselves_past_approval",
    ),
    Fault(
        name="a late player whom staff enter waits for approval",
        file="tournament/entering/late.py",
        sound="if state.terms.entry.approval and not mine and by is None:",
        faulty="if state.terms.entry.approval and not mine:",
        caught_by=BY_STAFF + "test_staff_let_a_late_player_in_without_approval",
    ),
    Fault(
        name="an undone check-in still counts",
        file="tournament/evolve/entering.py",
        sound="return replace(entering, checked_in=entering.checked_in - {event.entrant})",
        faulty="return entering",
        caught_by=BY_STAFF + "test_a_check_in_is_undone_before_play_only",
    ),
    Fault(
        name="a walk-in is not checked in",
        file="tournament/entering/checking_in.py",
        sound="return entry, here",
        faulty="return (entry,)",
        caught_by=BY_STAFF + "test_a_walk_in_is_checked_in_while_check_in_is_open",
    ),
    Fault(
        name="a level that staff go to has the time of the one before",
        file="tournament/floor/clock.py",
        sound="if command.level is not None and command.level != clock.level:",
        faulty="if command.level is not None and command.level == clock.level:",
        caught_by=CLOCK + "test_staff_go_to_another_level_which_begins_whole",
    ),
    Fault(
        name="a clock that stands runs after it is set",
        file="tournament/floor/clock.py",
        sound="stands = state.paused or rest is not None",
        faulty="stands = rest is not None",
        caught_by=CLOCK + "test_a_clock_that_stands_is_set_and_goes_on_standing",
    ),
    Fault(
        name="a part of a prize that two people take back is taken back twice",
        file="tournament/money/handing_over.py",
        sound="stale = command.recorded not in (None, given)",
        faulty="stale = False",
        caught_by=MONEY + "test_a_part_that_two_people_take_back_is_taken_back_once",
    ),
    Fault(
        name="a prize is handed over twice",
        file="tournament/money/handing_over.py",
        sound="due = _payout(state, command.entrant) - handed_over_to(",
        faulty="due = _payout(state, command.entrant) - 0 * handed_over_to(",
        caught_by=MONEY + "test_a_prize_is_handed_over_once_and_a_correction_adds_the_rest",
    ),
    Fault(
        name="the hours of the terms stay when the start moves",
        file="tournament/entering/changing.py",
        sound="floor = replace(floor, last_hands_at=floor.last_hands_at + later)",
        faulty="floor = replace(floor, last_hands_at=floor.last_hands_at)",
        caught_by=TERMS + "test_the_start_moves_until_play_begins_and_the_hours_move_with_it",
    ),
    Fault(
        name="who has checked in counts at a start that is a day later",
        file="tournament/evolve/entering.py",
        sound="entering = replace(entering, check_in_opened=False, checked_in=frozenset())",
        faulty="entering = replace(entering, check_in_opened=False)",
        caught_by=TERMS + "test_everybody_checks_in_again_if_check_in_opens_later",
    ),
    Fault(
        name="nobody on the waitlist hears of more places",
        file="tournament/entering/changing.py",
        sound="return with_offers(state, (_event(known, new, command),), command.now)",
        faulty="return (_event(known, new, command),)",
        caught_by=TERMS + "test_more_places_are_offered_to_the_waitlist",
    ),
    Fault(
        name="a second table raises its own forced bets",
        file="tournament/entering/changing.py",
        sound="if counts_per_table(new.ruleset) and _tables(old) == 1 < _tables(new):",
        faulty="if False:",
        caught_by=TERMS + "test_a_second_table_never_comes_with_forced_bets_of_its_own",
    ),
    Fault(
        name="the fees change once the first entry is withdrawn",
        file="tournament/entering/changing.py",
        sound="not isinstance(state, Announced) and state.registered > 0",
        faulty="not isinstance(state, Announced) and len(state.entrants) > 0",
        caught_by=TERMS + "test_the_fees_stay_after_the_first_entry",
    ),
    Fault(
        name="money comes to a tournament for which a house bot waits",
        file="tournament/entering/changing.py",
        sound="(*entries_of(state), *entering.waiting, *entering.applicants)",
        faulty="(*entries_of(state),)",
        caught_by=HOUSE_BOTS + "test_no_currency_comes_to_a_tournament_with_house_bots",
    ),
    Fault(
        name="late registration that is over goes on",
        file="tournament/entering/changing.py",
        sound="if is_over(state, now):",
        faulty="if False:",
        caught_by=TERMS + "test_late_registration_by_levels_goes_on_to_another_level",
    ),
    Fault(
        name="late registration that goes on longer ends when it should have",
        file="tournament/evolve/entering.py",
        sound="replace(state.entering, late_until=event.late_registration_until)",
        faulty="state.entering",
        caught_by=TERMS + "test_late_registration_lasts_longer_or_ends_sooner_while_it_is_open",
    ),
    Fault(
        name="an outage makes an offer outlast registration",
        file="tournament/entering/extending.py",
        sound="min(outages.lengthened(since, until, away), closes_at(state.terms))",
        faulty="outages.lengthened(since, until, away)",
        caught_by=ENTRY_TIMES
        + "test_an_offer_is_longer_by_an_outage_but_never_outlasts_registration",
    ),
    Fault(
        name="an outage that late registration has counted is counted again",
        file="tournament/evolve/entering.py",
        sound="return replace(entering, late_since=event.at, late_until=event.until)",
        faulty="return replace(entering, late_until=event.until)",
        caught_by=ENTRY_TIMES + "test_late_registration_that_ends_by_time_is_longer_by_an_outage",
    ),
    Fault(
        name="the house takes back what it added to the pool",
        file="tournament/entering/changing.py",
        sound="if new.prize_pool < old.prize_pool:",
        faulty="if False:",
        caught_by=TERMS + "test_prizes_never_lower_once_registration_has_closed",
    ),
    Fault(
        name="prizes lower once registration is due to close",
        file="tournament/entering/changing.py",
        sound="return isinstance(state, Running) or state.closed or now >= closes_at(state.terms)",
        faulty="return isinstance(state, Running) or state.closed",
        caught_by=TERMS + "test_prizes_never_lower_once_registration_has_closed",
    ),
    Fault(
        name="a place loses to rounding",
        file="tournament/entering/changing.py",
        sound="if now_worth < was:",
        faulty="if False:",
        caught_by=TERMS + "test_a_place_that_rounding_would_lower_refuses_the_change",
    ),
    Fault(
        name="prizes change under a deal",
        file="tournament/entering/changing.py",
        sound='raise PrizesFixed(field=names[0], problem=Wording("a payout deal divides them"))',
        faulty="pass",
        caught_by=TERMS + "test_no_prize_changes_while_a_deal_divides_them",
    ),
    Fault(
        name="play begins at the old start",
        file="tournament/starting.py",
        sound="if isinstance(state, Announced) and command.scheduled and",
        faulty="if isinstance(state, Cancelled) and command.scheduled and",
        caught_by=TERMS
        + "test_a_start_that_is_moved_before_registration_opens_moves_its_opening_too",
    ),
    Fault(
        name="a start by staff cancels",
        file="tournament/starting.py",
        sound="if not command.scheduled:",
        faulty="if False:",
        caught_by="tests/engine/tournament/test_entering.py::"
        "test_only_the_clock_puts_the_start_off_or_cancels",
    ),
    Fault(
        name="a host who plays ends the rebuys of others",
        file="tournament/floor/clock.py",
        sound="if (command.level is not None or command.seconds < 0) and plays(",
        faulty="if (command.level is None and command.seconds < 0) and plays(",
        caught_by=CLOCK + "test_staff_who_play_only_add_time",
    ),
    Fault(
        name="more is taken back than was recorded",
        file="tournament/money/paying.py",
        sound="if not 0 < command.amount <= recorded:",
        faulty="if not 0 < command.amount:",
        caught_by="tests/engine/tournament/test_money.py::"
        "test_a_payment_recorded_by_mistake_is_taken_back_with_a_reason",
    ),
    Fault(
        name="a prize is given back whole after a correction",
        file="tournament/money/handing_over.py",
        sound="beyond = given - _payout(state, command.entrant)",
        faulty="beyond = given",
        caught_by=MONEY + "test_what_a_correction_took_from_a_prize_is_given_back_once",
    ),
)
