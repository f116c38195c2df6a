"""Defects above the tables: in entropy, tournaments, the season, and the bundle's contents."""

from itertools import pairwise

from service.sandbox.generating.chance import Dice
from service.sandbox.generating.forging import Forgery
from service.sandbox.generating.planting import Plant, Planted, one_of, points_rule, swapped

# -- entropy


def an_opening_left_out_of_a_deal(forged: Forgery, dice: Dice) -> Planted:
    found = forged.events("hand_opened", lambda data: data["openings"])
    event = one_of(dice, found)
    event["data"]["openings"].pop()
    return Planted(event["position"], "entropy.counts")


def an_opening_that_was_not_committed_to(forged: Forgery, dice: Dice) -> Planted:
    event = one_of(dice, forged.events("entropy_opened"))
    event["data"]["value"] = "0" * 64
    return Planted(event["position"], "entropy.open")


def an_omission_that_is_not_listed(forged: Forgery, dice: Dice) -> Planted:
    found = forged.events("hand_opened", lambda data: data["omissions"])
    event = one_of(dice, found)
    event["data"]["omissions"] = []
    return Planted(event["position"], "entropy.omission")


# -- tournaments


def two_entrants_who_exchanged_their_draw(forged: Forgery, dice: Dice) -> Planted:
    event = one_of(dice, forged.events("seats_drawn"))
    order, seats = event["data"]["draw"]["order"], event["data"]["assignments"]
    order[0], order[-1] = order[-1], order[0]
    one, other = (next(s for s in seats if s["entrant"] == order[at]) for at in (0, -1))
    swapped(one, other, "entrant")
    return Planted(event["position"], "seating.draw")


def two_places_exchanged(forged: Forgery, dice: Dice) -> Planted:
    found = forged.events("entrant_eliminated", lambda data: data["rule"] == "placing.bust_order")
    pairs = [
        (one, other)
        for one, other in pairwise(found)
        if one["stream"] == other["stream"] and one["data"]["place"] != other["data"]["place"]
    ]
    pair = one_of(dice, pairs)
    swapped(pair[0]["data"], pair[1]["data"], "place")
    return Planted(pair[0]["position"], "placing.bust_order")


def a_bust_with_another_stack(forged: Forgery, dice: Dice) -> Planted:
    event = one_of(dice, forged.events("entrant_busted"))
    event["data"]["stack_at_start"] += 5
    return Planted(event["position"], "elimination")


def a_payout_of_a_unit_too_much(forged: Forgery, dice: Dice) -> Planted:
    found = forged.events("tournament_finished", lambda data: len(data["payouts"]) > 1)
    event = one_of(dice, found)
    event["data"]["payouts"][0]["amount"] += 1
    event["data"]["payouts"][1]["amount"] -= 1
    return Planted(event["position"], "payouts")


def a_bounty_of_a_unit_less(forged: Forgery, dice: Dice) -> Planted:
    event = one_of(dice, forged.events("bounty_won"))
    event["data"]["amount"] -= 1
    return Planted(event["position"], "bounty.won")


def a_knockout_by_who_was_knocked_out(forged: Forgery, dice: Dice) -> Planted:
    found = forged.events("entrant_knocked_out")
    event = one_of(dice, found)
    event["data"]["by"] = [event["data"]["entrant"]]
    return Planted(event["position"], "bounty.pot")


# -- seasons


def points_that_nobody_has_earned(forged: Forgery, dice: Dice) -> Planted:
    event = one_of(dice, forged.events("points_awarded"))
    award = event["data"]["awards"][0]
    digits = award["points"].partition(".")[2]
    award["points"] = "977" + ("." + digits if digits else "")
    return Planted(event["position"], points_rule(forged))


# -- completeness


def a_table_recorded_with_a_hand_less(forged: Forgery, dice: Dice) -> Planted:
    found = forged.events("tables_recorded", lambda data: data["tables"][0]["hands"] > 0)
    event = one_of(dice, found)
    event["data"]["tables"][0]["hands"] -= 1
    return Planted(event["position"], "completeness")


def a_table_that_is_left_out(forged: Forgery, dice: Dice) -> Planted:
    event = one_of(dice, forged.events("table_opened"))
    forged.leave_out(event["stream"])
    return Planted(event["position"], "completeness")


def a_tournament_that_is_left_out(forged: Forgery, dice: Dice) -> Planted:
    award = one_of(dice, forged.events("points_awarded"))
    forged.leave_out("tournament-" + award["data"]["tournament"].removeprefix("trn_"))
    return Planted(award["position"], "completeness")


DEFECTS: tuple[Plant, ...] = (
    an_opening_left_out_of_a_deal,
    an_opening_that_was_not_committed_to,
    an_omission_that_is_not_listed,
    two_entrants_who_exchanged_their_draw,
    two_places_exchanged,
    a_bust_with_another_stack,
    a_payout_of_a_unit_too_much,
    a_bounty_of_a_unit_less,
    a_knockout_by_who_was_knocked_out,
    points_that_nobody_has_earned,
    a_table_recorded_with_a_hand_less,
    a_table_that_is_left_out,
    a_tournament_that_is_left_out,
)
