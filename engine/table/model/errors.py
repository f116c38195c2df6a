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

    def __init__(self) -> None:
        super().__init__("this table has not been opened")


class TableAlreadyOpened(CommandRejected):
    """A table is opened once."""

    code = "table_already_opened"

    def __init__(self, *, number: int) -> None:
        super().__init__(f"table {number} is already open", number=number)


class TableIsClosed(CommandRejected):
    """Nothing happens at a closed table."""

    code = "table_closed"

    def __init__(self) -> None:
        super().__init__("this table is closed")


class TableOnHold(CommandRejected):
    """The floor has stopped this table."""

    code = "table_held"

    def __init__(self, *, reason: str) -> None:
        super().__init__(f"this table is on hold: {reason}", reason=reason)


class HandInPlay(CommandRejected):
    """This waits until the hand is over."""

    code = "hand_in_play"

    def __init__(self, *, hand: int) -> None:
        super().__init__(f"hand {hand} is still in play", hand=hand)


class TooFewStacks(CommandRejected):
    """A hand needs two seats that can be dealt in."""

    code = "too_few_stacks"

    def __init__(self, *, seats: int) -> None:
        super().__init__(f"a hand needs two seats with chips, not {seats}", seats=seats)


class NoDecisionOpen(CommandRejected):
    """Nothing is waited for."""

    code = "no_decision_open"

    def __init__(self) -> None:
        super().__init__("no decision is open at this table")


class NoDealInPlay(CommandRejected):
    """Once a hand has ended, nothing of it is taken back."""

    code = "no_deal_in_play"
    rule = "voiding"

    def __init__(self) -> None:
        super().__init__("no deal is in play at this table")


class SubstantialAction(CommandRejected):
    """Too much was played on the deal to call it a mis-deal."""

    code = "substantial_action"
    rule = "voiding.substantial_action"

    def __init__(self, *, actions: int) -> None:
        super().__init__(
            f"after {actions} actions only a fouled deck voids a deal", actions=actions
        )


class StaleDecision(CommandRejected):
    """The decision that is answered has been closed."""

    code = "stale_decision"
    rule = "decisions.binding"

    def __init__(self, *, decision: str, current: str) -> None:
        super().__init__(
            f"decision {decision} is closed; the open one is {current}",
            decision=decision,
            current=current,
        )


class WrongPhase(CommandRejected):
    """The open decision is of another kind."""

    code = "wrong_phase"

    def __init__(self, *, phase: str) -> None:
        super().__init__(f"the table waits for another answer: {phase}", phase=phase)


class EntrantNotSeated(CommandRejected):
    """The entrant has no seat here."""

    code = "entrant_not_seated"

    def __init__(self) -> None:
        super().__init__("this entrant has no seat at this table")


class EntrantAlreadySeated(CommandRejected):
    """The entrant has a seat here already."""

    code = "entrant_already_seated"

    def __init__(self, *, seat: int) -> None:
        super().__init__(f"this entrant already has seat {seat}", seat=seat)


class NotDealtIn(CommandRejected):
    """The seat takes no part in this hand."""

    code = "not_dealt_in"

    def __init__(self, *, seat: int) -> None:
        super().__init__(f"seat {seat} takes no part in this hand", seat=seat)


class NotYourTurn(CommandRejected):
    """Another seat is to act."""

    code = "not_your_turn"
    rule = "betting.turn"

    def __init__(self, *, seat: int) -> None:
        super().__init__(f"it is the turn of seat {seat}", seat=seat)


class SelectionFinal(CommandRejected):
    """A selection is final when sent."""

    code = "selection_final"
    rule = "decisions.binding"

    def __init__(self) -> None:
        super().__init__("this seat has already committed its cards")


class SelectionTooSmall(CommandRejected):
    """The selection holds too few cards."""

    code = "selection_too_small"

    def __init__(self, *, cards: int, minimum: int, rule: str) -> None:
        super().__init__(
            f"a selection of {cards} cards is below the minimum of {minimum}",
            cards=cards,
            minimum=minimum,
        )
        self.rule = rule


class CardNotHeld(CommandRejected):
    """The card is not among those to choose from."""

    code = "card_not_held"

    def __init__(self, *, card: str) -> None:
        super().__init__(f"{card} is not among the cards to choose from", card=card)


class CardsDuplicated(CommandRejected):
    """A card is named twice."""

    code = "cards_duplicated"

    def __init__(self) -> None:
        super().__init__("a card is named twice")


class DeadlineNotReached(CommandRejected):
    """The clock is still running; ties go to the player."""

    code = "deadline_not_reached"
    rule = "clock"

    def __init__(self, *, until: datetime) -> None:
        super().__init__("the decision may still be answered", until=until.isoformat())


class SaltsMissing(CommandRejected):
    """The house cannot commit for every seat that ran out of time."""

    code = "salts_missing"

    def __init__(self, *, needed: int, given: int) -> None:
        super().__init__(f"{needed} salts are needed, not {given}", needed=needed, given=given)


class SeatOccupied(CommandRejected):
    """Somebody sits there."""

    code = "seat_occupied"

    def __init__(self, *, seat: int) -> None:
        super().__init__(f"seat {seat} is occupied", seat=seat)


class SeatUnknown(CommandRejected):
    """The table has no such seat."""

    code = "seat_unknown"

    def __init__(self, *, seat: int, seats: int) -> None:
        super().__init__(f"there is no seat {seat} among {seats}", seat=seat, seats=seats)


class TableFull(CommandRejected):
    """More players than the ruleset can deal to."""

    code = "table_full"
    rule = "rulesets"

    def __init__(self, *, seats: int) -> None:
        super().__init__(f"this game is for {seats} players at most", seats=seats)


class StackTooSmall(CommandRejected):
    """Nothing would be left to play with."""

    code = "stack_too_small"
    rule = "items.buy_back"

    def __init__(self, *, stack: int, chips: int) -> None:
        super().__init__(f"{chips} chips of a stack of {stack}", stack=stack, chips=chips)


class NothingToShow(CommandRejected):
    """Only who won by folds may show, until the next hand is opened."""

    code = "nothing_to_show"
    rule = "showdown.show"

    def __init__(self) -> None:
        super().__init__("this seat has no hand that it may show")


class StackNotInUnits(CommandRejected):
    """The stack cannot be paid in the table's chips."""

    code = "stack_not_in_units"
    rule = "words.unit"

    def __init__(self, *, stack: int, unit: int) -> None:
        super().__init__(f"a stack of {stack} is not a multiple of {unit}", stack=stack, unit=unit)


class CardActionNotAllowed(CommandRejected):
    """The game knows the action, but it cannot be taken now."""

    code = "card_action_not_allowed"

    def __init__(self, *, verb: str, source: str | None) -> None:
        super().__init__(f"this seat cannot {verb} now", verb=verb, source=source)


class CardMissing(CommandRejected):
    """The action needs an own card."""

    code = "card_missing"

    def __init__(self, *, verb: str, rule: str) -> None:
        super().__init__(f"to {verb} needs an own card", verb=verb)
        self.rule = rule


class SourceMissing(CommandRejected):
    """The new card could come from several places."""

    code = "source_missing"

    def __init__(self, *, verb: str) -> None:
        super().__init__(f"to {verb} needs to say where the card comes from", verb=verb)


class CallTooEarly(CommandRejected):
    """The pot is still being built; nobody may call the hand."""

    code = "call_too_early"
    rule = "traditional.call"

    def __init__(self, *, round: int, earliest: int) -> None:
        super().__init__(
            f"the hand may be called from round {earliest} on, not in round {round}",
            round=round,
            earliest=earliest,
        )
