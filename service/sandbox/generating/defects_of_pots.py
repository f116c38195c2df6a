"""Defects in pots, in the showdown, and in the settlement of a hand."""

from service.sandbox.generating.chance import Dice
from service.sandbox.generating.forging import Forgery
from service.sandbox.generating.planting import (
    NoPlace,
    Plant,
    Planted,
    at_coruscant,
    before,
    one_of,
    unit_of,
)

# -- pots and showdown


def an_uncalled_bet_returned_short(forged: Forgery, dice: Dice) -> Planted:
    found = [
        line
        for line in at_coruscant(forged, "unmatched_returned")
        if line["data"]["chips"] > unit_of(forged, line)
    ]
    event = one_of(dice, found)
    event["data"]["chips"] -= unit_of(forged, event)
    return Planted(event["position"], "pots.unmatched")


def one_pot_where_there_are_several(forged: Forgery, dice: Dice) -> Planted:
    found = at_coruscant(forged, "pots_formed", lambda data: len(data["pots"]) > 1)
    event = one_of(dice, found)
    pots = event["data"]["pots"]
    chips = sum(each["chips"] for each in pots)
    event["data"]["pots"] = [{"chips": chips, "eligible": pots[0]["eligible"]}]
    return Planted(event["position"], "pots.layers")


def a_pot_given_to_the_second_best(forged: Forgery, dice: Dice) -> Planted:
    for event in dice.shuffled(
        at_coruscant(forged, "pot_awarded", lambda data: data["rule"] == "showdown.best")
    ):
        pots = before(forged, event, "pots_formed")
        shares = event["data"]["shares"]
        eligible = (
            () if pots is None else pots["data"]["pots"][event["data"]["pot"] - 1]["eligible"]
        )
        others = [seat for seat in eligible if seat != shares[0]["seat"]]
        if len(shares) == 1 and others:
            shares[0]["seat"] = others[0]
            return Planted(event["position"], "showdown.best")
    raise NoPlace


def an_odd_chip_given_to_who_has_to_leave_it(forged: Forgery, dice: Dice) -> Planted:
    found = at_coruscant(forged, "pot_awarded", lambda data: data["remainder"] > 0)
    event = one_of(dice, found)
    event["data"]["shares"][0]["chips"] += event["data"]["remainder"]
    event["data"]["remainder"] = 0
    return Planted(event["position"], "odd_chips")


def a_carry_that_is_forgotten(forged: Forgery, dice: Dice) -> Planted:
    found = at_coruscant(forged, "hand_settled", lambda data: data["carry"] > 0)
    event = one_of(dice, found)
    event["data"]["carry"] = 0
    return Planted(event["position"], "odd_chips")


def a_tie_won_by_one_of_the_tied(forged: Forgery, dice: Dice) -> Planted:
    found = at_coruscant(forged, "pot_awarded", lambda data: len(data["shares"]) > 1)
    event = one_of(dice, found)
    first = event["data"]["shares"][0]
    event["data"] |= {"shares": [first | {"chips": event["data"]["chips"]}], "remainder": 0}
    return Planted(event["position"], "ties.split")


def a_cube_that_shows_another_of_the_tied(forged: Forgery, dice: Dice) -> Planted:
    found = at_coruscant(forged, "cube_rolled")
    event = one_of(dice, found)
    data = event["data"]
    data["winner"] = next(seat for seat in data["seats"] if seat != data["winner"])
    return Planted(event["position"], "ties.cube")


def a_suit_count_of_one_more(forged: Forgery, dice: Dice) -> Planted:
    event = one_of(dice, at_coruscant(forged, "hands_revealed"))
    event["data"]["hands"][0]["suit_count"] += 1
    return Planted(event["position"], "showdown.key")


def a_hand_that_is_not_shown(forged: Forgery, dice: Dice) -> Planted:
    event = one_of(dice, at_coruscant(forged, "hands_revealed"))
    event["data"]["hands"].pop()
    return Planted(event["position"], "showdown.reveal")


def a_bust_that_is_left_out(forged: Forgery, dice: Dice) -> Planted:
    found = at_coruscant(forged, "hand_settled", lambda data: data["busts"])
    event = one_of(dice, found)
    event["data"]["busts"].pop()
    return Planted(event["position"], "elimination")


DEFECTS: tuple[Plant, ...] = (
    an_uncalled_bet_returned_short,
    one_pot_where_there_are_several,
    a_pot_given_to_the_second_best,
    an_odd_chip_given_to_who_has_to_leave_it,
    a_carry_that_is_forgotten,
    a_tie_won_by_one_of_the_tied,
    a_cube_that_shows_another_of_the_tied,
    a_suit_count_of_one_more,
    a_hand_that_is_not_shown,
    a_bust_that_is_left_out,
)
