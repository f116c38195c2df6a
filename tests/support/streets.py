"""Streets that continue with random legal actions."""

from random import Random

from msgspec.structs import replace

from engine.hand.betting import Verb, act, legal_actions
from engine.hand.street import Bettor, Street
from engine.rulesets import REVISION, CoruscantShift, FixedContinue, PokerNoLimit


def played_with(
    betting: PokerNoLimit | FixedContinue, *, unit: int = 1, revision: int = REVISION
) -> CoruscantShift:
    """Return a ruleset with *betting*."""
    return CoruscantShift(betting=betting, chip_unit=unit, revision=revision)


def under(street: Street, revision: int) -> Street:
    """Return *street* under another revision of the rules."""
    return replace(street, ruleset=replace(street.ruleset, revision=revision))


def after_something_legal(street: Street, seat: int, dice: Random) -> tuple[Street, Verb]:
    """Return *street* after a random legal action of *seat*, with its verb."""
    legal = legal_actions(street, seat)
    action = legal[dice.randrange(len(legal))]
    amount = dice.choice((action.min, action.max)) if action.verb == "raise_to" else None
    verb: Verb = action.verb  # type: ignore[assignment]  # shown to clients as any string
    outcome = act(street, seat, verb, amount=amount, expected=action.amount)
    seats = tuple(
        Bettor(
            seat,
            outcome.stack,
            each.put_in + outcome.paid,
            outcome.current_bet,
            verb != "fold",
        )
        if isinstance(each, Bettor) and each.seat == seat
        else each
        for each in street.seats
    )
    bets = {"current_bet": outcome.current_bet, "full_raise": outcome.full_raise}
    return replace(street, seats=seats, after=seat, **bets), verb
