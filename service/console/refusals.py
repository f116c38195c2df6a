"""The facts of a refusal in a sentence of the reader's language, after its title."""

from collections.abc import Mapping
from datetime import datetime

from service.base.languages import N_
from service.console.calling import Problem
from service.console.languages import Spoken
from service.console.wordings import worded
from service.console.words import Words

SENTENCES: Mapping[str, str] = {
    "already_member": N_("The present role is %(role)s."),
    "amount_not_in_units": N_("Bets are multiples of %(unit)s chips."),
    "another_deal_in_play": N_("It is hand %(hand)s now, in deal %(deal)s."),
    "bet_too_large": N_("The most is %(maximum)s chips."),
    "bet_too_small": N_("The least is %(minimum)s chips."),
    "call_amount_changed": N_("It costs %(due)s chips now."),
    "call_too_early": N_(
        "It can be called from round %(earliest)s of the cards on. This is round %(round)s."
    ),
    "check_in_not_open": N_("It opens at %(opens_at)s."),
    "entrant_already_seated": N_("It is seat %(seat)s."),
    "facing_bet": N_("To stay in costs %(due)s chips."),
    "formula_invalid": N_("Look at character %(at)s of it."),
    "import_invalid": N_("It is the list of “%(tournament)s”."),
    "item_value_unknown": N_("These are possible: %(known)s."),
    "league_name_invalid": N_("It has %(length)s characters. Up to %(length_max)s are allowed."),
    "merge_of_office": N_("The office is %(role)s."),
    "no_seat_free": N_("All seats at %(tables)s tables are taken."),
    "not_a_draft": N_("The state of the evening: %(phase)s."),
    "not_your_turn": N_("It is the turn of seat %(seat)s."),
    "opening_invalid": N_("It may last %(hours_max)s hours at most."),
    "player_banned": N_("The ban ends at %(until)s."),
    "re_entry_not_allowed": N_("A player may enter again %(re_entries_max)s times at most."),
    "registration_closed": N_("The state of the evening: %(phase)s."),
    "seat_occupied": N_("It is seat %(seat)s."),
    "seat_unknown": N_("It has %(seats)s seats."),
    "selection_too_small": N_("Choose %(minimum)s cards at least."),
    "stack_not_in_units": N_("Stacks are multiples of %(unit)s chips."),
    "table_full": N_("It is a game for %(seats)s players at most."),
    "table_held": N_("The reason given: %(reason)s"),
    "template_body_too_long": N_("It has %(length)s characters. Up to %(length_max)s are allowed."),
    "templates_too_many": N_("It may have %(templates_max)s."),
    "too_few_entrants": N_(
        "Players who would get a seat: %(entrants)s. Needed: %(entrants_min)s. Wait for the start "
        "at %(starts_at)s, or cancel the evening."
    ),
    "tournament_full": N_("There are %(entrants_max)s places."),
    "tournament_not_finished": N_("The state of the evening: %(phase)s."),
    "tournament_not_running": N_("The state of the evening: %(phase)s."),
    "tournament_over": N_("The state of the evening: %(phase)s."),
}
"""A sentence by code. Its gaps are facts of the problem. Without one of them it is left out."""

_NO_MORE_CHIPS = {
    "out": N_("The player has no seat any more."),
    "no_chips": N_("Give a number of chips."),
    "not_in_units": N_("The chips are not a multiple of the table's unit."),
    "scheduled_round": N_("Nobody buys chips in a round of the schedule."),
    "no_rebuy_left": N_("No rebuy is left."),
    "level_over": N_("The levels with rebuys are over."),
    "not_the_next": N_("This rebuy is not the next one. Nothing was bought."),
    "no_hand_left": N_("No further hand is played at this table."),
    "not_broke": N_("The player still has chips."),
    "no_items": N_("No items are staked in this game."),
    "no_item_left": N_("The player may stake no further item."),
    "none_offered": N_("This evening has no add-on."),
    "not_at_a_break": N_("Add-ons are taken in a break, or while play is paused."),
    "deal_made": N_("A deal is made already."),
    "none_left": N_("No add-on is left."),
}
_NOT_NOW = {
    "break": N_("There is a break now, or one begins at that moment."),
    "casino": N_("In a casino everybody leaves with their own chips."),
    "hands_or_rounds": N_("Give either hands or rounds."),
    "last_hands": N_("The last hands are called."),
    "last_level": N_("The last level has no end."),
    "length": N_("That is no length for a break."),
    "level": N_("That level is over, does not exist, or has a break after it already."),
    "no_break": N_("There is no break now."),
    "no_clock": N_("This evening has no clock."),
    "not_every_table_once": N_("Name every open table once."),
    "not_hand_for_hand": N_("Play is not hand for hand."),
    "number_of_hands": N_("That is no number of hands for a penalty."),
    "one_table": N_("Only one table is left."),
    "same_table": N_("The player sits at that table already."),
    "scheduled_round": N_("This does not go together with rounds of a schedule."),
    "seat_not_free": N_("That seat is not free."),
    "table_would_be_empty": N_("The table would be empty. Break it instead."),
    "time": N_("The clock would show no time, or more than a week."),
}
_NO_DEAL = {
    "not_running": N_("A deal is made while play goes on."),
    "deal_made": N_("A deal is made already."),
    "casino": N_("In a casino everybody leaves with their own chips. There is nothing to divide."),
    "others_may_still_enter": N_(
        "Others may still enter, and everybody who plays for the prizes has to accept a deal. It "
        "is possible once late registration has closed."
    ),
    "somebody_may_come_back": N_(
        "Somebody who has lost the last chip may still come back. A deal is possible once they "
        "have chips again, or the next hand of their table has begun."
    ),
    "nobody_to_deal_with": N_("Only one player is left."),
    "nothing_to_divide": N_("There are no prizes for the players who are left."),
    "out": N_("Only players who are left may propose a deal."),
    "others_play_now": N_("Others play now than when the deal was proposed."),
}
REASONS: Mapping[str, Mapping[str, str]] = {
    "add_on_not_allowed": _NO_MORE_CHIPS,
    "rebuy_not_allowed": _NO_MORE_CHIPS,
    "ruling_not_possible": _NOT_NOW,
    "deal_not_possible": _NO_DEAL,
}
"""A sentence by code and by its fact ``reason``."""

WORDED: Mapping[str, str] = {"invalid_ruleset": "reason"}
"""The fact that is one of the API's wordings, by code."""

NO_SENTENCE = frozenset({
    "beacon_mismatch", "beacon_missing", "card_action_not_allowed", "card_missing", "card_not_held",
    "claim_too_late", "deadline_not_reached", "deal_amounts_wrong", "deal_not_open", "deal_pending",
    "dispute_phase", "entropy_too_late", "fees_fixed", "fixture_entered", "fixture_past", "frozen",
    "hand_in_play", "item_not_owned", "late_entry_fixed",
    "league_description_invalid", "leave_out_invalid", "member_playing", "merge_of_banned",
    "merge_of_entered", "merged_already", "merged_player", "not_dealt_in", "occurrence_unknown",
    "offer_expired", "payment_not_due", "payment_not_recorded", "players_met",
    "prize_not_handed_over", "prizes_fixed",
    "recurrence_invalid", "recurrence_unknown", "results_meet",
    "salts_missing", "season_terms_invalid", "season_uncounted", "seeds_still_needed",
    "source_missing", "stack_too_small", "stale_decision", "substantial_action",
    "table_already_opened", "tables_missing", "template_changed", "terms_contradict", "terms_fixed",
    "terms_invalid", "too_few_stacks", "unknown_ruleset", "verb_not_played", "wrong_phase",
})  # fmt: skip
"""The codes whose facts tell a person nothing beside the title: identifiers, names of members."""


def no_deal(reason: str, language: Spoken) -> str:
    """Return why no deal is possible now, and when one will be."""
    return language.gettext(_NO_DEAL[reason])


def told(problem: Problem, language: Spoken) -> str:
    """Return what a problem's title does not say: its wording, and a sentence with its facts."""
    free = "" if problem.errors else worded(problem.wording, language)
    return f"{free} {_of_facts(problem, language)}".strip()


def _of_facts(problem: Problem, language: Spoken) -> str:
    """Return the sentence with the facts of a problem, or nothing if it has none."""
    if problem.code in WORDED:
        return worded(str(problem.facts.get(WORDED[problem.code])), language)
    known = REASONS.get(problem.code, {})
    reason = problem.facts.get("reason")
    if isinstance(reason, str) and reason in known:
        return language.gettext(known[reason])
    text = SENTENCES.get(problem.code)
    if text is None:
        return ""
    facts = {name: _written(name, fact, language) for name, fact in problem.facts.items()}
    try:
        return language.gettext(text) % {name: each for name, each in facts.items() if each}
    except KeyError:  # the fact is optional, and this problem does not have it
        return ""


def _written(name: str, fact: object, language: Spoken) -> str:
    """Return a fact as the reader writes it."""
    words = Words(language)
    match fact:
        case None | bool():
            return ""
        case int():
            return words.number(fact)
        case str() if name in ("until", "opens_at", "starts_at"):
            return words.when(datetime.fromisoformat(fact)).striptags()
        case str() if name == "phase":
            return words.phase(fact)
        case str() if name == "role":
            return words.role(fact)
    return str(fact)
