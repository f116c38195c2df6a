"""The refusals of a table."""

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
    "AnotherDealInPlay",
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
    """The table has not been opened."""

    code = "table_not_opened"
    detail = "this table has not been opened"


class TableAlreadyOpened(CommandRejected):
    """The table is already open."""

    code = "table_already_opened"
    detail = "table {number} is already open"

    number: int


class TableIsClosed(CommandRejected):
    """The table is closed."""

    code = "table_closed"
    detail = "this table is closed"


class TableOnHold(CommandRejected):
    """The table is on hold."""

    code = "table_held"
    detail = "this table is on hold: {reason}"

    reason: str


class HandInPlay(CommandRejected):
    """A hand is in play. Try again when it is over."""

    code = "hand_in_play"
    detail = "hand {hand} is still in play; wait until it is over"

    hand: int


class TooFewStacks(CommandRejected):
    """A hand needs two seats that can be dealt in."""

    code = "too_few_stacks"
    detail = "a hand needs two seats with chips, not {seats}"

    seats: int


class NoDecisionOpen(CommandRejected):
    """The table is not waiting for a decision."""

    code = "no_decision_open"
    detail = "no decision is open at this table"


class NoDealInPlay(CommandRejected):
    """No deal is in play, and a hand that has ended cannot be voided."""

    code = "no_deal_in_play"
    rule = "voiding"
    detail = "no deal is in play at this table"


class AnotherDealInPlay(CommandRejected):
    """Another deal is in play than the one to be voided. Look at the table again."""

    code = "another_deal_in_play"
    rule = "voiding"
    detail = "hand {hand} is in play, with its deal {deal}"

    hand: int
    deal: int


class SubstantialAction(CommandRejected):
    """There was too much action for a mis-deal. Only a fouled deck still voids the deal."""

    code = "substantial_action"
    rule = "voiding.substantial_action"
    detail = "after {actions} actions only a fouled deck voids a deal"

    actions: int


class StaleDecision(CommandRejected):
    """The decision has been closed."""

    code = "stale_decision"
    rule = "decisions.binding"
    detail = "decision {decision} is closed; the open one is {current}"

    decision: str
    current: str


class WrongPhase(CommandRejected):
    """The open decision needs another kind of answer."""

    code = "wrong_phase"
    detail = "the table waits for another answer: {phase}"

    phase: str


class EntrantNotSeated(CommandRejected):
    """The entrant has no seat at this table."""

    code = "entrant_not_seated"
    detail = "this entrant has no seat at this table"


class EntrantAlreadySeated(CommandRejected):
    """The entrant already has a seat at this table."""

    code = "entrant_already_seated"
    detail = "this entrant already has seat {seat}"

    seat: int


class NotDealtIn(CommandRejected):
    """The seat is not dealt in."""

    code = "not_dealt_in"
    detail = "seat {seat} is not dealt in"

    seat: int


class NotYourTurn(CommandRejected):
    """Another seat has to act."""

    code = "not_your_turn"
    rule = "betting.turn"
    detail = "it is the turn of seat {seat}"

    seat: int


class SelectionFinal(CommandRejected):
    """The selection is final."""

    code = "selection_final"
    rule = "decisions.binding"
    detail = "this seat has already committed its selection"


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
    """The deadline has not passed."""

    code = "deadline_not_reached"
    rule = "clock"
    detail = "the decision may still be answered"

    until: datetime


class SaltsMissing(CommandRejected):
    """There are too few salts for the seats that timed out."""

    code = "salts_missing"
    detail = "{needed} salts are needed, not {given}"

    needed: int
    given: int


class SeatOccupied(CommandRejected):
    """The seat is occupied."""

    code = "seat_occupied"
    detail = "seat {seat} is occupied"

    seat: int


class SeatUnknown(CommandRejected):
    """The table has no such seat."""

    code = "seat_unknown"
    detail = "there is no seat {seat}; this table has {seats} seats"

    seat: int
    seats: int


class TableFull(CommandRejected):
    """There are more players than the ruleset can deal to."""

    code = "table_full"
    rule = "rulesets"
    detail = "this game is for at most {seats} players"

    seats: int


class StackTooSmall(CommandRejected):
    """The seat would have nothing left to play with."""

    code = "stack_too_small"
    rule = "items.buy_back"
    detail = "{chips} chips would leave nothing of a stack of {stack}"

    stack: int
    chips: int


class NothingToShow(CommandRejected):
    """The seat has no hand that it may show."""

    code = "nothing_to_show"
    rule = "showdown.show"
    detail = (
        "this seat has no hand to show: only a winner by folds may show, until the next hand opens"
    )


class NoHandLeft(CommandRejected):
    """No further hand is played at the table, so nobody buys chips there."""

    code = "no_hand_left"
    rule = "rebuy.last_hand"
    detail = "no further hand is played at this table, so nobody buys chips there"


class StackNotInUnits(CommandRejected):
    """The stack is not a multiple of the table's unit."""

    code = "stack_not_in_units"
    rule = "words.unit"
    detail = "a stack of {stack} is not a multiple of {unit}"

    stack: int
    unit: int


class CardActionNotAllowed(CommandRejected):
    """The seat cannot take this card action now."""

    code = "card_action_not_allowed"
    detail = "this seat cannot {verb} now"

    verb: str
    source: str | None


class CardMissing(CommandRejected):
    """The card action needs one of the seat's cards."""

    code = "card_missing"
    detail = "to {verb}, name one of your cards"

    verb: str
    rule: str


class SourceMissing(CommandRejected):
    """The card action has to name the source of the new card."""

    code = "source_missing"
    detail = "to {verb}, name the source of the new card"

    verb: str


class CallTooEarly(CommandRejected):
    """The hand cannot be called yet."""

    code = "call_too_early"
    rule = "traditional.call"
    detail = "the hand may be called from card round {earliest} on; this is card round {round}"

    round: int
    earliest: int
