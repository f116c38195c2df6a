"""Why a tournament's books refuse something."""

from engine.errors import CommandRejected


class PaymentNotDue(CommandRejected):
    """More than is owed for this, or than was paid too much."""

    code = "payment_not_due"
    rule = "payment.recorded"

    def __init__(self, *, kind: str, amount: int, due: int) -> None:
        super().__init__(
            f"{amount} as {kind} is not due: {due} is", kind=kind, amount=amount, due=due
        )


class PaymentsOnTrust(CommandRejected):
    """This tournament takes every entry as paid."""

    code = "payments_on_trust"
    rule = "payment.on_trust"

    def __init__(self) -> None:
        super().__init__("this tournament takes every entry as paid")


class AddOnNotAllowed(CommandRejected):
    """There is no add-on, none left, or it is not the time for one."""

    code = "add_on_not_allowed"
    rule = "add_on"

    def __init__(self, *, reason: str) -> None:
        super().__init__(f"no add-on can be taken: {reason}", reason=reason)


class DealNotPossible(CommandRejected):
    """There is nothing to divide now, or not so."""

    code = "deal_not_possible"
    rule = "payout_deal"

    def __init__(self, *, reason: str) -> None:
        super().__init__(f"this deal is not possible: {reason}", reason=reason)


class DealAmountsWrong(CommandRejected):
    """The shares are not everyone's, or do not add up to what is played for."""

    code = "deal_amounts_wrong"
    rule = "payout_deal"

    def __init__(self, *, given: int, at_stake: int) -> None:
        super().__init__(
            f"the shares come to {given}; everyone still in plays for {at_stake}",
            given=given,
            at_stake=at_stake,
        )


class DealPending(CommandRejected):
    """Another deal waits for answers."""

    code = "deal_pending"
    rule = "payout_deal"

    def __init__(self, *, number: int) -> None:
        super().__init__(f"deal {number} waits for answers", number=number)


class DealNotOpen(CommandRejected):
    """This deal does not wait for an answer of this entrant."""

    code = "deal_not_open"
    rule = "payout_deal"

    def __init__(self, *, number: int) -> None:
        super().__init__(f"deal {number} does not wait for this answer", number=number)
