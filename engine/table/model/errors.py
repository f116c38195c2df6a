"""Why a table refuses a command."""

from datetime import datetime

from engine.errors import CommandRejected
from engine.hand.betting import (
    AmountMissing,
    AmountNotInUnits,
    BetTooLarge,
    BetTooSmall,
    CallAmountChanged,
    CannotCheck,
    NothingToCall,
    RaiseNotAllowed,
    VerbNotPlayed,
)

__all__ = [
    "AmountMissing",
    "AmountNotInUnits",
    "BetTooLarge",
    "BetTooSmall",
    "CallAmountChanged",
    "CallTooEarly",
    "CannotCheck",
    "CardActionNotAllowed",
    "CardMissing",
    "CardNotHeld",
    "CardsDuplicated",
    "DeadlineNotReached",
    "EntrantAlreadySeated",
    "EntrantNotSeated",
    "HandInPlay",
    "NoDealInPlay",
    "NoDecisionOpen",
    "NotDealtIn",
    "NotYourTurn",
    "NothingToCall",
    "NothingToShow",
    "RaiseNotAllowed",
    "SaltsMissing",
    "SeatOccupied",
    "SeatUnknown",
    "SelectionFinal",
    "SelectionTooSmall",
    "SourceMissing",
    "StackNotInUnits",
    "StackTooSmall",
    "StaleDecision",
    "SubstantialAction",
    "TableAlreadyOpened",
    "TableFull",
    "TableIsClosed",
    "TableNotOpened",
    "TableOnHold",
    "TooFewStacks",
    "VerbNotPlayed",
    "WrongPhase",
]


class TableNotOpened(CommandRejected):
    """The stream is empty."""

    code = "table_not_opened"
    detail = "this table has not been opened"


class TableAlreadyOpened(CommandRejected):
    """A table is opened once."""

    code = "table_already_opened"
    detail = "table {number} is already open"

    number: int


class TableIsClosed(CommandRejected):
    """Nothing happens at a closed table."""

    code = "table_closed"
    detail = "this table is closed"


class TableOnHold(CommandRejected):
    """The floor has stopped this table."""

    code = "table_held"
    detail = "this table is on hold: {reason}"

    reason: str


class HandInPlay(CommandRejected):
    """This waits until the hand is over."""

    code = "hand_in_play"
    detail = "hand {hand} is still in play"

    hand: int


class TooFewStacks(CommandRejected):
    """A hand needs two seats that can be dealt in."""

    code = "too_few_stacks"
    detail = "a hand needs two seats with chips, not {seats}"

    seats: int


class NoDecisionOpen(CommandRejected):
    """Nothing is waited for."""

    code = "no_decision_open"
    detail = "no decision is open at this table"


class NoDealInPlay(CommandRejected):
    """Once a hand has ended, nothing of it is taken back."""

    code = "no_deal_in_play"
    rule = "voiding"
    detail = "no deal is in play at this table"


class SubstantialAction(CommandRejected):
    """Too much was played on the deal to call it a mis-deal."""

    code = "substantial_action"
    rule = "voiding.substantial_action"
    detail = "after {actions} actions only a fouled deck voids a deal"

    actions: int


class StaleDecision(CommandRejected):
    """The decision that is answered has been closed."""

    code = "stale_decision"
    rule = "decisions.binding"
    detail = "decision {decision} is closed; the open one is {current}"

    decision: str
    current: str


class WrongPhase(CommandRejected):
    """The open decision is of another kind."""

    code = "wrong_phase"
    detail = "the table waits for another answer: {phase}"

    phase: str


class EntrantNotSeated(CommandRejected):
    """The entrant has no seat here."""

    code = "entrant_not_seated"
    detail = "this entrant has no seat at this table"


class EntrantAlreadySeated(CommandRejected):
    """The entrant has a seat here already."""

    code = "entrant_already_seated"
    detail = "this entrant already has seat {seat}"

    seat: int


class NotDealtIn(CommandRejected):
    """The seat takes no part in this hand."""

    code = "not_dealt_in"
    detail = "seat {seat} takes no part in this hand"

    seat: int


class NotYourTurn(CommandRejected):
    """Another seat is to act."""

    code = "not_your_turn"
    rule = "betting.turn"
    detail = "it is the turn of seat {seat}"

    seat: int


class SelectionFinal(CommandRejected):
    """A selection is final when sent."""

    code = "selection_final"
    rule = "decisions.binding"
    detail = "this seat has already committed its cards"


class SelectionTooSmall(CommandRejected):
    """The selection holds too few cards."""

    code = "selection_too_small"
    detail = "a selection of {cards} cards is below the minimum of {minimum}"

    cards: int
    minimum: int
    rule: str


class CardNotHeld(CommandRejected):
    """The card is not among those to choose from."""

    code = "card_not_held"
    detail = "{card} is not among the cards to choose from"

    card: str


class CardsDuplicated(CommandRejected):
    """A card is named twice."""

    code = "cards_duplicated"
    detail = "a card is named twice"


class DeadlineNotReached(CommandRejected):
    """The clock is still running; ties go to the player."""

    code = "deadline_not_reached"
    rule = "clock"
    detail = "the decision may still be answered"

    until: datetime


class SaltsMissing(CommandRejected):
    """The house cannot commit for every seat that ran out of time."""

    code = "salts_missing"
    detail = "{needed} salts are needed, not {given}"

    needed: int
    given: int


class SeatOccupied(CommandRejected):
    """Somebody sits there."""

    code = "seat_occupied"
    detail = "seat {seat} is occupied"

    seat: int


class SeatUnknown(CommandRejected):
    """The table has no such seat."""

    code = "seat_unknown"
    detail = "there is no seat {seat} among {seats}"

    seat: int
    seats: int


class TableFull(CommandRejected):
    """More players than the ruleset can deal to."""

    code = "table_full"
    rule = "rulesets"
    detail = "this game is for {seats} players at most"

    seats: int


class StackTooSmall(CommandRejected):
    """Nothing would be left to play with."""

    code = "stack_too_small"
    rule = "items.buy_back"
    detail = "{chips} chips of a stack of {stack}"

    stack: int
    chips: int


class NothingToShow(CommandRejected):
    """Only who won by folds may show, until the next hand is opened."""

    code = "nothing_to_show"
    rule = "showdown.show"
    detail = "this seat has no hand that it may show"


class StackNotInUnits(CommandRejected):
    """The stack cannot be paid in the table's chips."""

    code = "stack_not_in_units"
    rule = "words.unit"
    detail = "a stack of {stack} is not a multiple of {unit}"

    stack: int
    unit: int


class CardActionNotAllowed(CommandRejected):
    """The game knows the action, but it cannot be taken now."""

    code = "card_action_not_allowed"
    detail = "this seat cannot {verb} now"

    verb: str
    source: str | None


class CardMissing(CommandRejected):
    """The action needs an own card."""

    code = "card_missing"
    detail = "to {verb} needs an own card"

    verb: str
    rule: str


class SourceMissing(CommandRejected):
    """The new card could come from several places."""

    code = "source_missing"
    detail = "to {verb} needs to say where the card comes from"

    verb: str


class CallTooEarly(CommandRejected):
    """The pot is still being built; nobody may call the hand."""

    code = "call_too_early"
    rule = "traditional.call"
    detail = "the hand may be called from round {earliest} on, not in round {round}"

    round: int
    earliest: int
