"""
Times of entry that stand still while nobody can act: late registration, and offers of places.

Source: rulebook ``levels.outage``.
"""

from datetime import datetime

from engine.kit import outages
from engine.tournament.model.commands.entering import ExtendEntryTimes
from engine.tournament.model.events.entering import LateRegistrationExtended, OfferExtended
from engine.tournament.model.state import Registering, Running, State
from engine.tournament.model.terms.announced import closes_at


def counts_from(state: State) -> datetime | None:
    """Return the instant from which outages lengthen a time of entry. None if there is none."""
    if isinstance(state, Running):
        return state.entering.late_since
    if not isinstance(state, Registering):
        return None
    offers = (each.offered_since for each in state.entering.offers())
    return min((each for each in offers if each is not None), default=None)


def extend(
    state: State, command: ExtendEntryTimes
) -> tuple[LateRegistrationExtended | OfferExtended, ...]:
    """Return the new ends of late registration and of offers, as far as outages move them."""
    now = command.now
    away = [(each.since, min(each.until, now)) for each in command.outages if each.since < now]
    if isinstance(state, Running):
        since, until = state.entering.late_since, state.entering.late_until
        if since is None or until is None:
            return ()
        later = outages.lengthened(since, until, away)
        if later == until:
            return ()
        return (LateRegistrationExtended(at=now, until=later, rule="levels.outage"),)
    if not isinstance(state, Registering):
        return ()
    extended = []
    for each in state.entering.offers():
        since, until = each.offered_since, each.offered_until
        if since is None or until is None:
            continue
        later = min(outages.lengthened(since, until, away), closes_at(state.terms))
        if later > until:
            extended.append(
                OfferExtended(entrant=each.entrant, at=now, until=later, rule="levels.outage")
            )
    return tuple(extended)
