"""Checks of every corrected result: the same entrants, the same money, places without gaps."""

from collections import Counter

from engine.tournament.model.events.correcting import ResultCorrected
from engine.tournament.model.state import Finished, State
from service.audit.said import Said, said


def faults_of(event: ResultCorrected, before: Finished) -> list[Said]:
    """Return the faults of a correction of the result *before*, using arithmetic of its own."""
    faults = []
    if event.number != len(before.corrections) + 1:
        faults.append(said("a correction is missing or doubled"))
    placed = sorted(each.entrant for each in event.placings)
    if placed != sorted(each.entrant for each in before.placings):
        faults.append(said("a correction places other entrants"))
    held = Counter(each.place for each in event.placings)
    following = 1
    for place in sorted(held):
        if place != following:
            faults.append(said("place %(following)s is left out", following=following))
        following = place + held[place]
    if any(each.shared != held[each.place] for each in event.placings):
        faults.append(said("a shared place has the wrong number of entrants"))
    paid, given = (sum(each.amount for each in one.payouts) for one in (before, event))
    if paid != given:
        faults.append(said("%(given)s is paid out, not %(paid)s", given=given, paid=paid))
    if {each.entrant for each in event.payouts} & set(event.forfeited):
        faults.append(said("an entrant who forfeited is paid"))
    return faults


def prize_due(before: State, entrant: str) -> int:
    """Return the payout of *entrant* by the result that stands, less what was handed over."""
    if not isinstance(before, Finished):
        return 0
    prize = sum(each.amount for each in before.payouts if each.entrant == entrant)
    return prize - handed_over(before, entrant)


def handed_over(before: State, entrant: str) -> int:
    """Return the money handed over to *entrant*, less what has come back."""
    if not isinstance(before, Finished):
        return 0
    return sum(each.amount for each in before.books.handed_over if each.entrant == entrant)
