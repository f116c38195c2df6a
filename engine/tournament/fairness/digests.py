"""What of the entrants' entropy goes into the draws of a tournament."""

from engine.kit.rng import commitments_digest
from engine.tournament.model.state import Registering, Running


def of_draws(state: Registering | Running) -> bytes:
    """
    Return the digest for draws at table 0: commitments, because nobody has opened at the first.

    Those of everybody checked in, in order of registration; of everybody registered,
    where nobody is asked to check in.

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
