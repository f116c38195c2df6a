"""
Prizes that staff hand over after a tournament, and take back after a correction or a mistake.

Source: rulebook ``prizes.handed_over``, ``prizes.returned`` and ``prizes.reversed``.
"""

from engine.tournament.model.commands.money import HandOverPrize, ReturnPrize, ReversePrize
from engine.tournament.model.errors.correcting import TournamentNotFinished
from engine.tournament.model.errors.money import PrizeNotDue, PrizeNotHandedOver, PrizeNotOwedBack
from engine.tournament.model.events.money import PrizeHandedOver, PrizeReturned, PrizeReversed
from engine.tournament.model.state import Finished, State, phase_of
from engine.tournament.model.values.money import Books
from engine.values import EntrantId


def handed_over_to(books: Books, entrant: EntrantId) -> int:
    """Return the money that an entrant has got, in minor units."""
    return sum(each.amount for each in books.handed_over if each.entrant == entrant)


def hand_over(state: State, command: HandOverPrize) -> tuple[PrizeHandedOver, ...]:
    """
    Return the prize of an entrant, or what a correction has added to it.

    Raises:
        TournamentNotFinished: If the tournament has no result.
        PrizeNotDue: If the result that stands pays the entrant nothing, or nothing more. A command
            without an event would leave its key free, and a retry could pay a later correction.
    """
    if not isinstance(state, Finished):
        raise TournamentNotFinished(phase=phase_of(state))
    currency = state.terms.currency
    due = _payout(state, command.entrant) - handed_over_to(state.books, command.entrant)
    if due <= 0 or currency is None:
        raise PrizeNotDue
    return (
        PrizeHandedOver(
            entrant=command.entrant,
            amount=due,
            currency=currency,
            by=command.by,
            rule="prizes.handed_over",
        ),
    )


def give_back(state: State, command: ReturnPrize) -> tuple[PrizeReturned, ...]:
    """
    Return what an entrant got beyond the payout of the result that stands.

    Raises:
        TournamentNotFinished: If the tournament has no result.
        PrizeNotOwedBack: If the entrant has got no more than the payout.
    """
    if not isinstance(state, Finished):
        raise TournamentNotFinished(phase=phase_of(state))
    given, currency = handed_over_to(state.books, command.entrant), state.terms.currency
    beyond = given - _payout(state, command.entrant)
    if beyond <= 0 or currency is None:
        raise PrizeNotOwedBack
    return (
        PrizeReturned(
            entrant=command.entrant,
            amount=beyond,
            currency=currency,
            by=command.by,
            rule="prizes.returned",
        ),
    )


def reverse(state: State, command: ReversePrize) -> tuple[PrizeReversed, ...]:
    """
    Take back the record that an entrant got a prize, or a part of it.

    It corrects the record and moves no money, so it does not wait for a dispute.

    Raises:
        TournamentNotFinished: If the tournament has no result.
        PrizeNotHandedOver: If nothing, or less than the amount, is recorded as handed over, or
            another sum than the command names.
    """
    if not isinstance(state, Finished):
        raise TournamentNotFinished(phase=phase_of(state))
    given, currency = handed_over_to(state.books, command.entrant), state.terms.currency
    amount = given if command.amount is None else command.amount
    stale = command.recorded not in (None, given)
    if stale or not 0 < amount <= given or currency is None:
        raise PrizeNotHandedOver(recorded=given)
    return (
        PrizeReversed(
            entrant=command.entrant,
            amount=amount,
            currency=currency,
            by=command.by,
            reason=command.reason,
            rule="prizes.reversed",
        ),
    )


def _payout(state: Finished, entrant: EntrantId) -> int:
    return next((each.amount for each in state.payouts if each.entrant == entrant), 0)
