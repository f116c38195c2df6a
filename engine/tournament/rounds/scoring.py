"""
The scores of a round, and the ranking after it.

Points are decimal numbers with two fraction digits, rounded half to even.
"""

from collections.abc import Iterable, Mapping, Sequence
from decimal import ROUND_HALF_EVEN, Context, Decimal, localcontext
from itertools import groupby

from engine.tournament.model.events import TournamentAnnounced
from engine.tournament.model.terms import Rounds
from engine.tournament.model.values.rounds import (
    RoundBust,
    RoundResult,
    RoundScore,
    RoundTable,
    Score,
    TableEnd,
)
from engine.values import EntrantId

SCALE = Decimal("0.01")


def result_of(
    terms: TournamentAnnounced, table: RoundTable, end: TableEnd, busts: Sequence[RoundBust]
) -> RoundResult:
    """
    Return the places at one table, and their points.

    Entrants with chips rank before those without. Of the latter, a later bust ranks higher, and in
    the same hand a larger stack at its start. Equals share their places.

    Args:
        busts: The busts at this table, in any order.

    Source: rulebook ``rounds.places``.
    """
    ranks: dict[EntrantId, tuple[int, ...]] = {
        each.entrant: (1, each.stack, each.hands_won, each.pots_won) for each in end.stacks
    }
    ranks |= {each.entrant: (0, each.hand, each.stack_at_start) for each in busts}
    stacks = {each.entrant: each.stack for each in end.stacks}
    before = {each.entrant: each.stack for each in table.seats}
    scores: list[RoundScore] = []
    for group in _grouped(ranks):
        place = len(scores) + 1
        for entrant in group:
            stack = stacks.get(entrant, 0)
            won = stack - before[entrant]
            scores.append(
                RoundScore(
                    entrant=entrant,
                    place=place,
                    shared=len(group),
                    stack=stack,
                    points=_points(terms, place, len(group), won),
                )
            )
    return RoundResult(
        table=table.table, number=table.number, place=table.place, scores=tuple(scores)
    )


def _grouped(
    ranks: Mapping[EntrantId, tuple[int, ...]],
) -> Iterable[list[EntrantId]]:
    """Yield the groups of equal rank, the best first. Identifiers ascend within a group."""
    order = sorted(sorted(ranks), key=lambda each: ranks[each], reverse=True)
    for _, group in groupby(order, key=lambda each: ranks[each]):
        yield list(group)


def _points(terms: TournamentAnnounced, place: int, shared: int, won: int) -> str:
    """
    Return the points of a place at a table. Entrants who share places share their points.

    Source: rulebook ``rounds.points``.
    """
    plan = terms.format
    if isinstance(plan, Rounds) and plan.points == "chips":
        return _written(Decimal(won))
    worth = plan.place_points if isinstance(plan, Rounds) else ()
    worth = worth or tuple(range(terms.table_seats, 0, -1))
    with localcontext(Context(prec=50, rounding=ROUND_HALF_EVEN)):
        return _written(Decimal(sum(worth[place - 1 : place - 1 + shared])) / shared)


def _written(points: Decimal) -> str:
    return str(points.quantize(SCALE, rounding=ROUND_HALF_EVEN))


def scores_of(
    playing: Sequence[EntrantId],
    seated: Iterable[Sequence[RoundTable]],
    results: Iterable[Sequence[RoundResult]],
) -> tuple[Score, ...]:
    """
    Return the scores of everybody in *playing*: by points, then wins, then chips.

    Args:
        playing: The entrants in order of registration. Equals are listed in this order.
        seated: The tables of each round.
        results: The results of each round that is over.

    Source: rulebook ``rounds.ranking``.
    """
    points = dict.fromkeys(playing, Decimal(0))
    wins, chips = dict.fromkeys(playing, 0), dict.fromkeys(playing, 0)
    for tables, ends in zip(seated, results, strict=False):
        before = {each.entrant: each.stack for table in tables for each in table.seats}
        for score in (each for end in ends for each in end.scores if each.entrant in points):
            points[score.entrant] += Decimal(score.points)
            wins[score.entrant] += score.place == 1
            chips[score.entrant] += score.stack - before[score.entrant]
    key = {each: (points[each], wins[each], chips[each]) for each in playing}
    order = sorted(playing, key=lambda each: key[each], reverse=True)
    scores: list[Score] = []
    for _, group in groupby(order, key=lambda each: key[each]):
        equals, rank = list(group), len(scores) + 1
        scores.extend(
            Score(
                entrant=each,
                rank=rank,
                shared=len(equals),
                points=_written(points[each]),
                wins=wins[each],
                chips=chips[each],
            )
            for each in equals
        )
    return tuple(scores)
