"""
The cut to the final, and places by points.

Source: rulebook ``rounds.cut`` and ``rounds.placing``.
"""

from collections.abc import Sequence

from engine.tournament.fairness.digests import of_draws
from engine.tournament.model.events import EntrantEliminated, Event
from engine.tournament.model.events.rounds import CutMade
from engine.tournament.model.state import Running
from engine.tournament.model.terms import Rounds
from engine.tournament.model.values import Placing
from engine.tournament.model.values.rounds import RoundDraw, Score
from engine.tournament.results.ranking import finished
from engine.tournament.seating.draw import draw_order
from engine.values import EntrantId


def places(state: Running, scores: Sequence[Score], *, first_place: int) -> tuple[Placing, ...]:
    """
    Return the places of *scores*, best first, from *first_place* on. Equals share their places.
    """
    players = {each.entrant: each.player for each in state.entrants}
    ranks = [each.rank for each in scores]
    return tuple(
        Placing(
            entrant=each.entrant,
            player=players[each.entrant],
            place=first_place + ranks.index(each.rank),
            shared=ranks.count(each.rank),
        )
        for each in scores
    )


def eliminated(placings: Sequence[Placing], *, rule: str) -> tuple[EntrantEliminated, ...]:
    """Return the eliminations of *placings*, the last place first."""
    return tuple(
        EntrantEliminated(
            entrant=each.entrant,
            player=each.player,
            place=each.place,
            shared=each.shared,
            rule=rule,
        )
        for each in reversed(placings)
    )


def over(state: Running) -> bool:
    """Return whether no further round is played, even if more were planned."""
    return state.closing or state.floor.last_hands is not None


def after_last_round(
    state: Running, plan: Rounds, scores: tuple[Score, ...], out: tuple[Placing, ...]
) -> tuple[Event, ...]:
    """
    Return the cut and the places that it decides, or the end if there is no final.

    Args:
        scores: The scores of everybody still in, the best first.
        out: The places of entrants who went out with the last round.
    """
    if plan.cut is None or over(state) or len(scores) < 2:
        best = places(state, scores, first_place=1)
        left = tuple(each.entrant for each in scores)
        placings = (*state.placings, *out, *best)
        return finished(state, placings, left, rule=_end(state, len(scores)))
    cut = _cut(state, plan.cut, scores)
    behind = [each for each in scores if each.entrant not in cut.going]
    placings = places(state, behind, first_place=len(cut.going) + 1)
    return (cut, *eliminated(placings, rule="rounds.placing"))


def _end(state: Running, left: int) -> str:
    deal = state.books.deal
    if state.closing:
        return "finish.deal" if deal is not None and deal.ends else "finish.closed"
    if state.floor.last_hands is not None:
        return "finish.last_hands"
    if left < 2:
        return "finish.last_entrant" if left else "finish.nobody_left"
    return "rounds.result"


def _cut(state: Running, cut: int, scores: tuple[Score, ...]) -> CutMade:
    tied: tuple[EntrantId, ...] = ()
    draw, chosen = None, [each.entrant for each in scores[:cut]]
    if cut < len(scores) and scores[cut - 1].rank == scores[cut].rank:
        rank = scores[cut].rank
        equal = {each.entrant for each in scores if each.rank == rank}
        tied = tuple(each.entrant for each in state.entrants if each.entrant in equal)
        number = state.draws + 1
        order = draw_order(
            tied, masters=state.masters, number=number, label="lot", digest=of_draws(state)
        )
        draw = RoundDraw(number=number, label="lot", order=order)
        safe = [each.entrant for each in scores if each.rank < rank]
        chosen = [*safe, *order[: cut - len(safe)]]
    return CutMade(going=tuple(chosen), candidates=scores, tied=tied, draw=draw, rule="rounds.cut")
