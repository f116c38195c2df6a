"""
Prizes that staff hand over after a tournament. Source: rulebook ``prizes.handed_over``.
"""

from engine.tournament.model.correcting_errors import TournamentNotFinished
from engine.tournament.model.money_commands import HandOverPrize
from engine.tournament.model.money_errors import PrizeNotDue
from engine.tournament.model.money_events import PrizeHandedOver
from engine.tournament.model.money_values import Books
from engine.tournament.model.state import Finished, State, phase_of
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
    prize = next((each.amount for each in state.payouts if each.entrant == command.entrant), 0)
    due = prize - handed_over_to(state.books, command.entrant)
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
