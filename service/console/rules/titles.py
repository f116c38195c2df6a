"""The titles of the rules that a table names, which the replayer shows beside a step."""

from collections.abc import Mapping

import msgspec

from service.api.http.declaring.rule_names import NUMBERS
from service.base.languages import N_
from service.console.languages import Spoken

ALONE = "phases.one_live"
"""The rule of a hand that ends without a showdown. No event carries it."""

TITLES: Mapping[str, str] = {
    "absence.killed": N_("An absent player's hand is killed"),
    "absence.stepped_away": N_("A player who stepped away"),
    "absence.timeouts": N_("Away after missed turns"),
    "add_on": N_("Add-on"),
    "beacon.deals": N_("The public beacon for a deal"),
    "beacon.value": N_("The value of the public beacon"),
    "betting.all_in": N_("All-in"),
    "betting.call": N_("Call"),
    "betting.check": N_("Check"),
    "betting.chip_unit": N_("Bets in whole chips"),
    "betting.fixed_continue": N_("A fixed price to stay in"),
    "betting.fold": N_("Fold"),
    "betting.free_fold": N_("Fold without a bet"),
    "betting.last_raise": N_("The size of a raise"),
    "betting.lone_seat": N_("Only one can bet"),
    "betting.min_bet": N_("The smallest bet"),
    "betting.opening_bet": N_("Opening bet"),
    "betting.reopening": N_("When a player may raise again"),
    "betting.street_end": N_("The end of a street"),
    "betting.turn": N_("Whose turn it is"),
    "betting.units": N_("Bets in steps"),
    "button": N_("The button"),
    "cards.deal": N_("The deal"),
    "cards.discard": N_("Discards"),
    "cards.recycling": N_("A new pile"),
    "cards.replacement": N_("New cards"),
    "casino": N_("Casino"),
    "casino.add_on": N_("More chips"),
    "casino.carry": N_("Chips left in the pots"),
    "casino.leave": N_("Leaving with the chips"),
    "clock": N_("Time to decide"),
    "clock.bet": N_("Out of time at a bet"),
    "clock.card": N_("Out of time at a card turn"),
    "clock.improve": N_("Out of time at the new cards"),
    "clock.selection": N_("Out of time at the choice of cards"),
    "decisions.binding": N_("Decisions are final"),
    "denominations": N_("Kinds of chips"),
    "dice.target": N_("The target dice"),
    "directing.hold": N_("A table is held"),
    "disqualification": N_("Disqualification"),
    "escalation": N_("Growing forced bets"),
    "forced.ante": N_("Ante"),
    "forced.blinds": N_("Blinds"),
    "forced.out": N_("Out if both antes cannot be paid"),
    "generator.seeds": N_("The randomness of a deal"),
    "hand_for_hand": N_("Hand for hand"),
    "items.buy_back": N_("Buying an item back"),
    "items.stake": N_("Staking an item"),
    "levels.outage": N_("Levels after an outage"),
    "penalty.moved": N_("A penalty follows its player"),
    ALONE: N_("Only one player is left"),
    "phases.settled": N_("The hand is settled"),
    "pots.layers": N_("Main pot and side pots"),
    "pots.unmatched": N_("Uncalled bets"),
    "rebuy": N_("Rebuy"),
    "rebuy.last_hand": N_("No chips after the last hand"),
    "rulesets": N_("Rulesets"),
    "selection.first": N_("Choosing cards"),
    "selection.improve": N_("Adding cards"),
    "showdown.best": N_("The best hand"),
    "showdown.reveal": N_("Hands are shown"),
    "showdown.show": N_("Showing on request"),
    "spike.buy": N_("Buying a card"),
    "spike.dice": N_("The dice of each card round"),
    "spike.discard_pile": N_("The open pile"),
    "spike.gain": N_("Taking a card"),
    "spike.galaxy_series": N_("Three open piles"),
    "spike.junk": N_("Junking the hand"),
    "spike.one_card": N_("Doubles: the oldest card goes"),
    "spike.ranking": N_("The ranks of hands"),
    "spike.redeal": N_("Doubles: everybody gets new cards"),
    "spike.rounds": N_("Card rounds of a hand"),
    "spike.sabacc_pot": N_("The Sabacc pot"),
    "spike.stand": N_("Standing"),
    "spike.swap": N_("Swapping a card"),
    "spike.trade": N_("Trading a card"),
    "ties.blind_draw": N_("A tie: one open card each"),
    "ties.cube": N_("A tie: the chance cube"),
    "ties.draw_off": N_("A tie: one more card each"),
    "ties.split": N_("A tie: the pot is split"),
    "traditional": N_("Traditional sabacc"),
    "traditional.announce": N_("Totals are announced"),
    "traditional.bomb_out": N_("Bombing out"),
    "traditional.call": N_("Calling the hand"),
    "traditional.call_at_last": N_("The last call"),
    "traditional.call_without_cards": N_("A call without cards"),
    "traditional.demise": N_("Sudden Demise"),
    "traditional.draw": N_("Drawing a card"),
    "traditional.field": N_("The static field"),
    "traditional.nobody": N_("Every hand bombed out"),
    "traditional.reveal": N_("Hands are shown at a call"),
    "traditional.sabacc_pot": N_("The Sabacc pot"),
    "traditional.shift": N_("The shift"),
    "traditional.shift_dice": N_("The shift dice"),
    "traditional.stand": N_("Standing"),
    "traditional.trade": N_("Trading a card"),
    "visibility": N_("Who sees what"),
    "voiding": N_("A deal is void"),
    "voiding.fouled_deck": N_("A fouled deck"),
    "voiding.mis_deal": N_("A misdeal"),
    "voiding.substantial_action": N_("Substantial action"),
    "words.unit": N_("The smallest chip"),
}
"""The title of each rule that the engine names at a table, by the rule's name."""


class RuleNamed(msgspec.Struct, kw_only=True):
    """A rule of the rulebook."""

    name: str
    number: str
    title: str
    """The title in the reader's language, or the name of a rule that no table names."""


def rule_named(name: str, language: Spoken) -> RuleNamed:
    """Return a rule with its number and its title."""
    title = language.gettext(TITLES[name]) if name in TITLES else name
    return RuleNamed(name=name, number=NUMBERS.get(name, "?"), title=title)
