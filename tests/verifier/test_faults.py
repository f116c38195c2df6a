"""The verifier names each fault against the rules in a bundle that is consistent and signed."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.verifier.forging import PUBLIC, Forgery
from tests.verifier.loading import bundle, verifier

Fault = Callable[[Forgery], None]
FAULTS: list[Any] = []


def fault(name: str, rule: str) -> Callable[[Fault], Fault]:
    """Plant a fault in bundle *name*. The verifier must name *rule*."""

    def planted(change: Fault) -> Fault:
        FAULTS.append(pytest.param(name, rule, change, id=f"{name}-{change.__name__}"))
        return change

    return planted


def number(n: int) -> Callable[[Any], bool]:
    return lambda data: data.get("number") == n


def verb(name: str) -> Callable[[Any], bool]:
    return lambda data: data["verb"] == name


# -- forced bets, button, levels


@fault("blinds", "forced.blinds")
def a_small_blind_of_a_chip_less(forged: Forgery) -> None:
    forged.data("forced_bets_posted")["posts"][0]["chips"] -= 5


@fault("carry", "forced.ante")
def an_ante_that_one_seat_did_not_pay(forged: Forgery) -> None:
    forged.data("forced_bets_posted")["posts"].pop()


@fault("blinds", "forced.short_blind")
def a_price_below_the_big_blind(forged: Forgery) -> None:
    forged.data("forced_bets_posted")["price"] = 160


@fault("blinds", "forced.blinds")
def blinds_at_the_wrong_seats(forged: Forgery) -> None:
    opened = forged.data("hand_opened")
    opened["small_blind"], opened["big_blind"] = opened["big_blind"], opened["small_blind"]


@fault("better", "button")
def a_button_that_skips_a_seat(forged: Forgery) -> None:
    opened = forged.data("hand_opened", number(3))
    opened["button"], opened["starter"] = 2, 3
    opened["small_blind"], opened["big_blind"] = 3, 4


@fault("better", "button.first")
def a_first_dealer_with_a_lower_card(forged: Forgery) -> None:
    opened = forged.data("hand_opened", number(1))
    opened["first_dealer"] = opened["button"] = 4


@fault("better", "escalation")
def blinds_that_do_not_double_when_the_orbit_is_over(forged: Forgery) -> None:
    forged.data("hand_opened", number(5))["level"]["amounts"] = {"ante": 0, "big": 10, "small": 5}


@fault("better", "escalation")
def an_orbit_counted_too_early(forged: Forgery) -> None:
    forged.data("hand_opened", number(4))["orbits"] = 1


@fault("better", "stacks")
def a_stack_that_grows_between_two_hands(forged: Forgery) -> None:
    forged.data("hand_opened", number(6))["seats"][0]["stack"] += 5


# -- dice, cards


@fault("raises", "dice.target")
def a_die_that_shows_something_else(forged: Forgery) -> None:
    forged.data("dice_rolled")["target"] = 5


@fault("raises", "dice.target")
def dice_in_the_name_of_another_seat(forged: Forgery) -> None:
    forged.data("dice_rolled")["roller"] = 3


@fault("raises", "cards.deal")
def two_seats_dealt_each_others_cards(forged: Forgery) -> None:
    dealt = forged.data("cards_dealt")["dealt"]
    dealt[0]["cards"], dealt[1]["cards"] = dealt[1]["cards"], dealt[0]["cards"]


@fault("raises", "generator.piles")
def another_card_than_the_one_in_the_deck(forged: Forgery) -> None:
    forged.opening(forged.events("cards_dealt")[0], "/dealt/0/cards/0")["value"] = "Z1"


@fault("raises", "generator.piles")
def another_root_than_that_of_the_deck(forged: Forgery) -> None:
    forged.data("hand_opened")["deck_root"] = "0" * 64


@fault("raises", "generator.seeds")
def another_seed_than_the_one_committed_to(forged: Forgery) -> None:
    event = forged.events("hand_opened")[0]
    forged.commit(event, "/seeds", forged.opening(event, "/seeds")["value"] | {"dice": "0" * 64})


@fault("season", "generator.seeds")
def a_seed_for_dice_that_does_not_come_from_the_master(forged: Forgery) -> None:
    event = forged.events("hand_opened")[0]
    seed = bytes(32)
    forged.commit(event, "/seeds", forged.opening(event, "/seeds")["value"] | {"dice": seed.hex()})
    commitment = verifier.sha(b"holotable/seed/1/commitment" + seed).hex()
    event["data"]["commitments"]["dice"] = commitment


@fault("raises", "cards.replacement")
def a_replacement_too_few(forged: Forgery) -> None:
    forged.data("replacements_dealt")["dealt"][0]["cards"].pop()


@fault("killed", "absence.killed")
def a_hand_killed_of_who_is_there(forged: Forgery) -> None:
    for seat in forged.data("hand_opened")["seats"]:
        seat["away"] = False


# -- selections


@fault("raises", "selection.first")
def a_card_kept_that_was_never_held(forged: Forgery) -> None:
    event = forged.events("selection_committed")[1]
    cards = forged.opening(event, "/cards")["value"]
    forged.commit(event, "/cards", ["Z1" if "Z1" not in cards else "Z2", *cards[1:]])


@fault("better", "clock.selection")
def a_worse_selection_by_the_clock(forged: Forgery) -> None:
    event = forged.events("selection_committed", lambda data: data["timed_out"])[0]
    cards = forged.opening(event, "/cards")["value"]
    dealt = [line["value"] for line in forged.lines if "/dealt/" in str(line.get("pointer"))]
    assert cards[0] in dealt
    forged.commit(event, "/cards", cards[:-1])


@fault("raises", "visibility")
def a_count_that_is_not_that_of_the_selection(forged: Forgery) -> None:
    forged.data("selections_closed")["counts"][0]["cards"] += 1


@fault("raises", "cards.discard")
def a_discard_of_too_few_cards(forged: Forgery) -> None:
    forged.data("cards_discarded")["counts"][0]["cards"] -= 1


@fault("better", "clock")
def a_timeout_before_its_time(forged: Forgery) -> None:
    event = forged.events("seat_acted", lambda data: data["timed_out"])[0]
    opened = forged.data(
        "decision_opened", lambda data: data["decision"] == event["data"]["decision"]
    )
    event["data"]["at"] = opened["at"]


# -- betting


@fault("raises", "betting.turn")
def a_seat_that_acts_out_of_turn(forged: Forgery) -> None:
    first, second = forged.events("seat_acted")[:2]
    first["data"]["seat"], second["data"]["seat"] = second["data"]["seat"], first["data"]["seat"]


@fault("raises", "betting.turn")
def a_decision_opened_for_the_wrong_seat(forged: Forgery) -> None:
    forged.data("decision_opened", lambda data: data["phase"] == "bet")["seats"] = [1]


@fault("raises", "betting.chip_unit")
def a_raise_below_the_smallest(forged: Forgery) -> None:
    raised = forged.data("seat_acted", verb("raise_to"))
    raised |= {"amount": 42, "current_bet": 42, "paid": 22, "stack": 128}


@fault("raises", "betting.opening_bet")
def a_first_bet_below_the_smallest(forged: Forgery) -> None:
    bet = forged.data("seat_acted", lambda data: data["rule"] == "betting.opening_bet")
    bet |= {"amount": 35, "current_bet": 35, "paid": 35, "stack": 50, "all_in": False}


@fault("raises", "betting.check")
def a_check_where_a_bet_is_due(forged: Forgery) -> None:
    called = forged.data("seat_acted", verb("call"))
    called |= {"verb": "check", "rule": "betting.check", "paid": 0, "expected": None}


@fault("raises", "betting.call")
def a_call_that_pays_too_little(forged: Forgery) -> None:
    called = forged.data("seat_acted", verb("call"))
    called["paid"] -= 5
    called["stack"] += 5


@fault("better", "clock.bet")
def a_call_by_the_clock(forged: Forgery) -> None:
    acted = forged.data("seat_acted", lambda data: data["timed_out"])
    acted["verb"] = "call"


@fault("season", "betting.fixed_continue")
def a_stay_above_the_price(forged: Forgery) -> None:
    stayed = forged.data("seat_acted", lambda data: data["verb"] == "stay" and data["paid"] > 0)
    stayed["paid"] += 1
    stayed["stack"] -= 1


@fault("raises", "betting.street_end")
def a_street_with_more_chips_than_were_bet(forged: Forgery) -> None:
    forged.data("street_closed")["chips"] += 5


# -- pots and showdown


@fault("side_pots", "pots.unmatched")
def an_uncalled_bet_returned_short(forged: Forgery) -> None:
    forged.data("unmatched_returned")["chips"] -= 1


@fault("side_pots", "pots.layers")
def one_pot_where_there_are_two(forged: Forgery) -> None:
    pots = forged.data("pots_formed")["pots"]
    pots[:] = [{"chips": 304, "eligible": [2, 3, 4]}]


@fault("side_pots", "pots.layers")
def a_pot_open_to_who_did_not_pay_for_it(forged: Forgery) -> None:
    forged.data("pots_formed")["pots"][1]["eligible"] = [2, 3, 4]


@fault("side_pots", "showdown.best")
def a_pot_given_to_the_second_best(forged: Forgery) -> None:
    forged.data("pot_awarded")["shares"][0]["seat"] = 4


@fault("carry", "odd_chips")
def an_odd_chip_given_to_a_winner_who_has_to_leave_it(forged: Forgery) -> None:
    awarded = forged.data("pot_awarded")
    awarded["shares"][0]["chips"] += 1
    awarded["remainder"] = 0


@fault("carry", "odd_chips")
def a_carry_that_is_forgotten(forged: Forgery) -> None:
    forged.data("hand_settled")["carry"] = 0


@fault("carry", "ties.split")
def a_tie_won_by_one_of_the_tied(forged: Forgery) -> None:
    awarded = forged.data("pot_awarded")
    awarded |= {"shares": [{"chips": 33, "seat": 3}], "remainder": 0}


@fault("carry", "showdown.key")
def a_suit_count_of_one_more(forged: Forgery) -> None:
    forged.data("hands_revealed")["hands"][0]["suit_count"] += 1


@fault("carry", "showdown.reveal")
def a_hand_that_is_not_shown(forged: Forgery) -> None:
    forged.data("hands_revealed")["hands"].pop()


@fault("season", "ties.draw_off")
def a_draw_off_won_by_the_lower_card(forged: Forgery) -> None:
    event = forged.events("draw_off_dealt")[-1]
    tied = {entry["seat"] for entry in event["data"]["cards"]}
    awarded = next(
        line["data"]
        for line in forged.events("pot_awarded")
        if line["position"] > event["position"] and line["stream"] == event["stream"]
    )
    loser = (tied - {awarded["shares"][0]["seat"]}).pop()
    awarded["shares"][0]["seat"] = loser


@fault("blinds", "stacks")
def a_stack_of_a_chip_too_many_after_the_hand(forged: Forgery) -> None:
    forged.data("hand_settled")["stacks"][0]["stack"] += 5


@fault("side_pots", "elimination")
def a_bust_that_is_left_out(forged: Forgery) -> None:
    forged.data("hand_settled")["busts"].pop()


# -- tournament and season


@fault("season", "seating.draw")
def two_entrants_who_exchanged_their_draw(forged: Forgery) -> None:
    drawn = forged.data("seats_drawn")
    order, seats = drawn["draw"]["order"], drawn["assignments"]
    order[0], order[2] = order[2], order[0]
    one, other = (next(s for s in seats if s["entrant"] == name) for name in (order[0], order[2]))
    one["entrant"], other["entrant"] = other["entrant"], one["entrant"]


@fault("better", "placing.bust_order")
def a_better_place_for_who_went_out_first(forged: Forgery) -> None:
    first, second = forged.events("entrant_eliminated")[:2]
    first["data"]["place"], second["data"]["place"] = (
        second["data"]["place"],
        first["data"]["place"],
    )


@fault("better", "elimination")
def a_bust_that_never_was(forged: Forgery) -> None:
    forged.data("entrant_busted")["stack_at_start"] += 5


@fault("season", "finish.ties")
def two_places_exchanged_at_the_end(forged: Forgery) -> None:
    placings = forged.data("tournament_finished")["placings"]
    placings[0]["place"], placings[1]["place"] = placings[1]["place"], placings[0]["place"]


@fault("season", "payouts")
def a_payout_of_a_unit_too_much(forged: Forgery) -> None:
    payouts = forged.data("tournament_finished")["payouts"]
    payouts[0]["amount"] += 1
    payouts[1]["amount"] -= 1


@fault("season", "points.places_from_end")
def points_of_another_place(forged: Forgery) -> None:
    forged.data("points_awarded")["awards"][0]["points"] = "9.00"


@fault("season", "generator.seeds")
def another_master_than_the_one_committed_to(forged: Forgery) -> None:
    forged.data("registration_opened")["open_commitment"] = "0" * 64


@fault("formula", "points.formula")
def points_that_the_formula_does_not_give(forged: Forgery) -> None:
    forged.data("points_awarded")["awards"][1]["points"] = "1.401"


@fault("formula", "points.bonus")
def a_bonus_for_a_knockout_that_never_was(forged: Forgery) -> None:
    forged.data("bonuses_awarded")["bonuses"][0]["points"] = "35.000"


@fault("formula", "bounty.pot")
def a_knockout_by_somebody_else(forged: Forgery) -> None:
    out = forged.data("entrant_knocked_out")
    out["by"] = [out["entrant"]]


@fault("recycle", "cards.recycling")
def a_pile_of_more_cards_than_were_thrown_away(forged: Forgery) -> None:
    forged.data("pile_committed")["size"] += 1


@fault("recycle", "generator.piles")
def a_pile_with_another_root(forged: Forgery) -> None:
    forged.data("pile_committed")["root"] = "0" * 64


@fault("cube", "ties.cube")
def a_cube_that_shows_another_of_the_tied(forged: Forgery) -> None:
    rolled = forged.data("cube_rolled")
    rolled["winner"] = next(seat for seat in rolled["seats"] if seat != rolled["winner"])


@fault("dead", "button.dead")
def a_big_blind_that_does_not_move_on(forged: Forgery) -> None:
    before, opened = (forged.data("hand_opened", number(n)) for n in (1, 2))
    opened["big_blind"] = before["big_blind"]


@fault("levels", "escalation.levels")
def a_level_that_comes_a_hand_too_late(forged: Forgery) -> None:
    before, opened = (forged.data("hand_opened", number(n)) for n in (2, 3))
    opened["level"] = before["level"]


@fault("moves", "newcomers")
def a_newcomer_on_a_seat_that_is_taken(forged: Forgery) -> None:
    event = next(line for line in forged.events("arrivals_seated") if not line["data"]["restart"])
    seats = [
        line["data"]["stacks"]
        for line in forged.events("hand_settled")
        if line["stream"] == event["stream"] and line["position"] < event["position"]
    ][-1]
    taken = next(entry["seat"] for entry in seats if entry["stack"])
    event["data"]["arrivals"][0]["seat"] = taken


@fault("raises", "generator.labels")
def seeds_sealed_under_a_salt_that_the_house_chose(forged: Forgery) -> None:
    event = forged.events("hand_opened")[0]
    opening = forged.opening(event, "/seeds")
    opening["salt"] = "0" * 64
    forged.commit(event, "/seeds", opening["value"])


@fault("season", "finish.each_dealt_once")
def a_last_hand_that_is_not_called_so(forged: Forgery) -> None:
    forged.data("hand_opened", lambda data: data["last"])["last"] = False


@fault("hand", "entropy.counts")
def an_opening_left_out_of_a_deal(forged: Forgery) -> None:
    forged.data("hand_opened")["openings"].pop()


@fault("hand", "generator.piles")
def a_deck_that_forgets_an_opening(forged: Forgery) -> None:
    forged.data("hand_opened")["openings"].pop()


@fault("entropy", "entropy.open")
def an_opening_that_was_not_committed_to(forged: Forgery) -> None:
    forged.data("entropy_opened")["value"] = "0" * 64


@fault("entropy", "seating.draw")
def a_draw_of_seats_without_what_was_committed_to(forged: Forgery) -> None:
    forged.data("entropy_committed")["commitment"] = "0" * 64


@fault("entropy", "completeness")
def a_table_recorded_with_a_hand_less(forged: Forgery) -> None:
    forged.data("tables_recorded")["tables"][0]["hands"] -= 1


@fault("entropy", "entropy.omission")
def an_omission_that_is_not_listed(forged: Forgery) -> None:
    forged.data("hand_opened", lambda data: data["omissions"])["omissions"] = []


@fault("bounty", "bounty.won")
def a_bounty_paid_a_unit_short(forged: Forgery) -> None:
    forged.data("bounty_won")["amount"] -= 1


@fault("draw_off", "ties.draw_off")
def a_draw_off_that_deals_the_same_card_twice(forged: Forgery) -> None:
    first, second = forged.events("draw_off_dealt")[-2:]
    second["data"]["cards"][0]["card"] = first["data"]["cards"][0]["card"]


@fault("draw_off", "payouts")
def places_paid_beyond_the_percentage(forged: Forgery) -> None:
    payouts = forged.data("tournament_finished")["payouts"]
    payouts[-1]["amount"] -= 7
    payouts[0]["amount"] += 7


@pytest.mark.parametrize(("name", "rule", "change"), FAULTS)
def test_a_planted_fault_is_found_and_its_rule_is_named(
    name: str, rule: str, change: Fault
) -> None:
    forged = Forgery(bundle(name))
    change(forged)
    report = verifier.verify(forged.write(), [PUBLIC])
    assert report.authentic
    assert rule in {found for _, found, _ in report.differences}
    assert report.status() == verifier.DIFFERENT


@pytest.mark.parametrize(
    "name", ["blinds", "carry", "killed", "raises", "side_pots", "season", "better"]
)
def test_a_bundle_written_anew_without_a_fault_differs_in_nothing(name: str) -> None:
    report = verifier.verify(Forgery(bundle(name)).write(), [PUBLIC])
    assert report.differences == []


def test_a_dropped_hand_is_noticed() -> None:
    forged = Forgery(bundle("season"))
    second = forged.events("hand_opened", number(2))[0]
    last = next(
        line["position"]
        for line in forged.events("hand_settled")
        if line["position"] > second["position"] and line["stream"] == second["stream"]
    )
    for line in forged.lines:
        if (
            line["line"] == "event"
            and line["stream"] == second["stream"]
            and last >= line["position"] >= second["position"]
        ):
            line["stream"] = "table-" + "0" * 32
    report = verifier.verify(forged.write(), [PUBLIC])
    assert {"chain", "completeness"} <= {rule for _, rule, _ in report.differences}


def test_an_event_without_its_members_is_a_difference_and_no_crash() -> None:
    for kind in ("hand_opened", "seat_acted", "pots_formed", "tournament_finished", "seats_drawn"):
        forged = Forgery(bundle("season"))
        event = forged.events(kind)[0]
        event["data"] = {"type": kind}
        report = verifier.verify(forged.write(), [PUBLIC])
        assert report.status() == verifier.DIFFERENT, kind
