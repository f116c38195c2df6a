"""Defects in hands: in forced bets, dice, cards, selections and bets."""

from engine.kit.cards import deck
from service.sandbox.generating.chance import Dice
from service.sandbox.generating.forging import Forgery, Line
from service.sandbox.generating.planting import (
    NoPlace,
    Plant,
    Planted,
    at_coruscant,
    before,
    hand_of,
    one_of,
    rules_of,
    swapped,
    unit_of,
)

# -- forced bets, button, levels


def a_forced_bet_of_a_chip_less(forged: Forgery, dice: Dice) -> Planted:
    found = [
        line
        for line in at_coruscant(forged, "forced_bets_posted")
        if line["data"]["posts"][0]["chips"] > unit_of(forged, line)
    ]
    event = one_of(dice, found)
    event["data"]["posts"][0]["chips"] -= unit_of(forged, event)
    return Planted(event["position"], event["data"]["rule"])


def a_stack_that_grows_after_a_hand(forged: Forgery, dice: Dice) -> Planted:
    event = one_of(dice, at_coruscant(forged, "hand_settled"))
    event["data"]["stacks"][0]["stack"] += unit_of(forged, event)
    return Planted(event["position"], "stacks")


def forced_bets_that_do_not_double(forged: Forgery, dice: Dice) -> Planted:
    found = [
        line
        for line in at_coruscant(forged, "hand_opened")
        if rules_of(forged, line)["escalation"]["kind"] == "double_per_orbit"
        and line["data"]["level"]["amounts"] != line["data"]["base"]
    ]
    event = one_of(dice, found)
    event["data"]["level"]["amounts"] = dict(event["data"]["base"])
    return Planted(event["position"], "escalation")


# -- dice and cards


def a_die_that_shows_something_else(forged: Forgery, dice: Dice) -> Planted:
    event = one_of(dice, at_coruscant(forged, "dice_rolled"))
    event["data"]["target"] = 5 if event["data"]["target"] != 5 else -5
    return Planted(event["position"], "dice.target")


def two_seats_dealt_each_others_cards(forged: Forgery, dice: Dice) -> Planted:
    event = one_of(dice, at_coruscant(forged, "cards_dealt"))
    dealt = event["data"]["dealt"]
    swapped(dealt[0], dealt[1], "cards")
    return Planted(event["position"], "cards.deal")


def another_card_than_the_one_in_the_deck(forged: Forgery, dice: Dice) -> Planted:
    event = one_of(dice, at_coruscant(forged, "cards_dealt"))
    opening = forged.opening(event, "/dealt/0/cards/0")
    opening["value"] = "Z1" if opening["value"] != "Z1" else "Z2"
    return Planted(event["position"], "generator.piles")


def another_root_than_that_of_the_deck(forged: Forgery, dice: Dice) -> Planted:
    event = one_of(dice, at_coruscant(forged, "hand_opened"))
    event["data"]["deck_root"] = "0" * 64
    return Planted(event["position"], "generator.piles")


def a_seed_that_is_not_the_one_committed_to(forged: Forgery, dice: Dice) -> Planted:
    event = one_of(dice, at_coruscant(forged, "hand_opened"))
    seeds = forged.opening(event, "/seeds")["value"]
    forged.commit(event, "/seeds", seeds | {"dice": "0" * 64})
    return Planted(event["position"], "generator.seeds")


def another_master_than_the_one_committed_to(forged: Forgery, dice: Dice) -> Planted:
    event = one_of(dice, forged.events("registration_opened"))
    event["data"]["open_commitment"] = "0" * 64
    return Planted(event["position"], "generator.seeds")


def a_salt_that_the_house_chose(forged: Forgery, dice: Dice) -> Planted:
    event = one_of(dice, at_coruscant(forged, "hand_opened"))
    opening = forged.opening(event, "/seeds")
    opening["salt"] = "0" * 64
    forged.commit(event, "/seeds", opening["value"])
    return Planted(event["position"], "generator.labels")


def a_replacement_too_few(forged: Forgery, dice: Dice) -> Planted:
    found = at_coruscant(forged, "replacements_dealt", lambda data: data["dealt"][0]["cards"])
    event = one_of(dice, found)
    event["data"]["dealt"][0]["cards"].pop()
    return Planted(event["position"], "cards.replacement")


def a_pile_of_more_cards_than_were_thrown_away(forged: Forgery, dice: Dice) -> Planted:
    found = at_coruscant(forged, "pile_committed")
    event = one_of(dice, found)
    event["data"]["size"] += 1
    return Planted(event["position"], "cards.recycling")


# -- selections


def a_card_kept_that_was_never_held(forged: Forgery, dice: Dice) -> Planted:
    for event in dice.shuffled(at_coruscant(forged, "selection_committed")):
        kept = forged.opening(event, "/cards")["value"]
        dealt = {
            opening["value"]
            for line in hand_of(forged, event)
            if line["type"] == "cards_dealt"
            for opening in forged.openings(line).values()
        }
        if kept:
            foreign = next(card for card in deck("d62") if card not in dealt)
            forged.commit(event, "/cards", [foreign, *kept[1:]])
            return Planted(event["position"], "selection.first")
    raise NoPlace


def a_count_that_is_not_that_of_the_selection(forged: Forgery, dice: Dice) -> Planted:
    event = one_of(dice, at_coruscant(forged, "selections_closed"))
    event["data"]["counts"][0]["cards"] += 1
    return Planted(event["position"], "visibility")


def a_discard_of_too_few_cards(forged: Forgery, dice: Dice) -> Planted:
    found = at_coruscant(forged, "cards_discarded", lambda data: data["counts"][0]["cards"] > 1)
    event = one_of(dice, found)
    event["data"]["counts"][0]["cards"] -= 1
    return Planted(event["position"], "cards.discard")


# -- betting


def a_decision_opened_for_the_wrong_seat(forged: Forgery, dice: Dice) -> Planted:
    for event in dice.shuffled(
        at_coruscant(forged, "decision_opened", lambda data: data["phase"] == "bet")
    ):
        opened = next(hand_of(forged, event))
        others = {seat["seat"] for seat in opened["data"]["seats"]} - set(event["data"]["seats"])
        if others:
            event["data"]["seats"] = [min(others)]
            return Planted(event["position"], "betting.turn")
    raise NoPlace


def _acted(forged: Forgery, dice: Dice, verb: str, *, least: int) -> Line:
    found = at_coruscant(
        forged,
        "seat_acted",
        lambda data: data["verb"] == verb and data["paid"] > least and not data["all_in"],
    )
    chosen: Line = one_of(dice, found)
    return chosen


def a_check_where_a_bet_is_due(forged: Forgery, dice: Dice) -> Planted:
    event = _acted(forged, dice, "call", least=0)
    event["data"] |= {"verb": "check", "rule": "betting.check", "paid": 0, "expected": None}
    return Planted(event["position"], "betting.check")


def a_call_that_pays_too_little(forged: Forgery, dice: Dice) -> Planted:
    event = _acted(forged, dice, "call", least=5)
    unit = unit_of(forged, event)
    event["data"]["paid"] -= unit
    event["data"]["stack"] += unit
    return Planted(event["position"], "betting.call")


def a_stay_above_the_price(forged: Forgery, dice: Dice) -> Planted:
    event = _acted(forged, dice, "stay", least=0)
    event["data"]["paid"] += 1
    event["data"]["stack"] -= 1
    return Planted(event["position"], "betting.fixed_continue")


def a_first_bet_below_the_smallest(forged: Forgery, dice: Dice) -> Planted:
    for event in dice.shuffled(
        at_coruscant(
            forged,
            "seat_acted",
            lambda data: data["rule"] == "betting.opening_bet" and not data["all_in"],
        )
    ):
        street = before(forged, event, "street_closed")
        opened = next(hand_of(forged, event))
        least = 0 if street is None else street["data"]["min_open"]
        unit = unit_of(forged, event)
        inside = street is not None and street["position"] > opened["position"]
        if inside and least > unit:
            data = event["data"]
            lower = data["amount"] - (least - unit)
            data |= {"amount": least - unit, "current_bet": least - unit, "paid": least - unit}
            data["stack"] += lower
            return Planted(event["position"], "betting.opening_bet")
    raise NoPlace


def a_street_with_more_chips_than_were_bet(forged: Forgery, dice: Dice) -> Planted:
    event = one_of(dice, at_coruscant(forged, "street_closed"))
    event["data"]["chips"] += unit_of(forged, event)
    return Planted(event["position"], "betting.street_end")


DEFECTS: tuple[Plant, ...] = (
    a_forced_bet_of_a_chip_less,
    a_stack_that_grows_after_a_hand,
    forced_bets_that_do_not_double,
    a_die_that_shows_something_else,
    two_seats_dealt_each_others_cards,
    another_card_than_the_one_in_the_deck,
    another_root_than_that_of_the_deck,
    a_seed_that_is_not_the_one_committed_to,
    another_master_than_the_one_committed_to,
    a_salt_that_the_house_chose,
    a_replacement_too_few,
    a_pile_of_more_cards_than_were_thrown_away,
    a_card_kept_that_was_never_held,
    a_count_that_is_not_that_of_the_selection,
    a_discard_of_too_few_cards,
    a_decision_opened_for_the_wrong_seat,
    a_check_where_a_bet_is_due,
    a_call_that_pays_too_little,
    a_stay_above_the_price,
    a_first_bet_below_the_smallest,
    a_street_with_more_chips_than_were_bet,
)
