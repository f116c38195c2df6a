"""The refusals of a tournament's books."""

from engine.errors import CommandRejected


class PaymentNotDue(CommandRejected):
    """The amount is more than is due."""

    code = "payment_not_due"
    rule = "payment.recorded"
    detail = "{amount} as {kind} is more than is due: {due}"

    kind: str
    amount: int
    due: int


class PaymentNotRecorded(CommandRejected):
    """Less was recorded for this purpose, or some of it was given back."""

    code = "payment_not_recorded"
    rule = "payment.reversed"
    detail = "{amount} as {kind} is more than was recorded and not given back: {recorded}"

    kind: str
    amount: int
    recorded: int


class PrizeNotDue(CommandRejected):
    """The entrant has no prize, or has received all of it."""

    code = "prize_not_due"
    rule = "prizes.handed_over"
    detail = "the result that stands owes this entrant nothing, or all of it was handed over"


class PrizeNotOwedBack(CommandRejected):
    """The entrant has received no more than the current result pays."""

    code = "prize_not_owed_back"
    rule = "prizes.returned"
    detail = "this entrant has got no more than the result that stands pays"


class PrizeNotHandedOver(CommandRejected):
    """Nothing, or another sum, is recorded as handed over to the entrant."""

    code = "prize_not_handed_over"
    rule = "prizes.reversed"
    detail = "what is recorded as handed over to this entrant comes to {recorded}"

    recorded: int


class PaymentsOnTrust(CommandRejected):
    """The tournament takes every entry as paid."""

    code = "payments_on_trust"
    rule = "payment.on_trust"
    detail = "this tournament takes every entry as paid"


class AddOnNotAllowed(CommandRejected):
    """No add-on is possible: none is left, or it is not the time for one."""

    code = "add_on_not_allowed"
    rule = "add_on"
    detail = "no add-on can be taken: {reason}"

    reason: str


class DealNotPossible(CommandRejected):
    """A payout deal is not possible now, or not in this form."""

    code = "deal_not_possible"
    rule = "payout_deal"
    detail = "this deal is not possible: {reason}"

    reason: str


class DealAmountsWrong(CommandRejected):
    """The shares leave somebody out, or do not add up to the prizes."""

    code = "deal_amounts_wrong"
    rule = "payout_deal"
    detail = "the shares come to {given}; everyone still in plays for {at_stake}"

    given: int
    at_stake: int


class DealPending(CommandRejected):
    """Another payout deal waits for answers."""

    code = "deal_pending"
    rule = "payout_deal"
    detail = "deal {number} waits for answers"

    number: int


class DealNotOpen(CommandRejected):
    """The payout deal is not waiting for this entrant's answer."""

    code = "deal_not_open"
    rule = "payout_deal"
    detail = "deal {number} does not wait for this answer"

    number: int
