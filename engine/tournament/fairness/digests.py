"""The entropy of entrants that goes into the draws of a tournament."""

from engine.kit.rng import commitments_digest
from engine.tournament.model.state import Registering, Running


def of_draws(state: Registering | Running) -> bytes:
    """
    Return the digest for draws at table 0, made from the entrants' commitments.

    Commitments count because nobody has opened their entropy at the first draw. With check-in,
    those of all checked-in entrants count, otherwise those of all entrants. They are in order of
    registration.

    Source: rulebook ``entropy.draws`` and ``generator.beacon``.
    """
    known = {each.entrant: each.commitment for each in state.fairness.contributions}
    if not known:
        return commitments_digest((), state.fairness.mixed)
    asked = state.terms.entry.check_in_opens_before_seconds is not None
    there = (
        each.entrant
        for each in state.entrants
        if not asked or each.entrant in state.entering.checked_in
    )
    counting = [bytes.fromhex(known[each]) for each in there if each in known]
    return commitments_digest(counting, state.fairness.mixed)
