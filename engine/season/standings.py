"""
The standings of a season: the total of each player, and the ranks of equals.

They depend only on the counted awards, the adjustments in force and the lots. Therefore a
read model and the log always agree.

Source: rulebook ``standings.total``, ``standings.adjustments`` and the tie-breaks there.
"""

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal, localcontext
from functools import lru_cache

import msgspec
from msgspec.structs import replace

from engine.kit.merges import Merged, one_of
from engine.season.expression import Expression, NoValue, evaluate, parse
from engine.season.expression.limits import arithmetic
from engine.season.points import written
from engine.season.tiebreaks import Record, separated
from engine.season.values import Aggregation, Points
from engine.values import PlayerId

OVERALL_NAMES = frozenset(("total", "average", "played"))
"""The names that the expression for a whole season can use."""

NOTHING = Decimal(0)


class StandingsTerms(msgspec.Struct, frozen=True, kw_only=True):
    """The terms of a season that determine the standings."""

    scale: int
    aggregation: Aggregation
    minimum_games: int
    overall: str | None
    tie_breaks: tuple[str, ...]


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """One player's result in one tournament."""

    player: PlayerId
    place: int
    shared: int
    points: Points


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    rank: int
    """From 1. After a shared rank, the next rank counts all players who share it."""

    player: PlayerId
    points: Points
    qualified: bool
    """True if the player has enough games. Other players rank behind all qualified ones."""

    played: int
    counted: int
    """The number of results in the points."""

    best: Points | None
    """The best single result. Like the best placing, it is null without any result."""

    best_placing: int | None
    wins: int
    """Tournaments won without sharing the first place."""

    decided_by: str | None
    """The tie-break that separated this player from others with equal points."""

    shared: bool


@lru_cache(maxsize=256)
def overall_formula(text: str) -> Expression:
    """
    Return the expression of a season's overall formula.

    Raise ``FormulaInvalid`` if not valid.
    """
    return parse(text, OVERALL_NAMES)


def standings(
    terms: StandingsTerms,
    counted: Sequence[Sequence[Result]],
    adjusted: Mapping[PlayerId, Decimal],
    lots: Mapping[PlayerId, int],
) -> tuple[Standing, ...]:
    """
    Return all players with a result or an adjustment, the leader first.

    Args:
        counted: The results of each counted tournament, in the order of first counting.
        adjusted: The sum of the adjustments in force, by player.
        lots: Each player's place in the draw of lots, if there was one.
    """
    with localcontext(arithmetic()):
        records = _records(terms, counted, adjusted)
        by_player = [{result.player: result for result in each} for each in counted]
        groups: dict[tuple[bool, Decimal], list[Record]] = {}
        for record in sorted(records, key=lambda each: (not each.qualified, -each.points)):
            groups.setdefault((record.qualified, record.points), []).append(record)
        found: list[Standing] = []
        for group in groups.values():
            for level, decided_by in separated(group, by_player, terms.tie_breaks, lots):
                rank = len(found) + 1
                found += [
                    _standing(record, rank, terms.scale, decided_by, shared=len(level) > 1)
                    for record in sorted(level, key=lambda each: each.player)
                ]
        return tuple(found)


def folded(
    counted: Iterable[Sequence[Result]], merged: Sequence[Merged]
) -> tuple[Sequence[Result], ...]:
    """
    Return the results of each tournament under the players for whom they count.

    Two merged players never met in a tournament. If a later correction says so, the better place
    counts.

    Source: rulebook ``standings.merged``.
    """
    if not merged:
        return tuple(counted)
    found = []
    for each in counted:
        best: dict[PlayerId, Result] = {}
        for result in each:
            player = one_of(merged, result.player)
            held = best.get(player)
            if held is None or result.place < held.place:
                best[player] = replace(result, player=player)
        found.append(tuple(best.values()))
    return tuple(found)


def level_groups(found: Sequence[Standing]) -> list[tuple[Standing, ...]]:
    """Return the players who share a rank, in groups."""
    groups: dict[int, list[Standing]] = {}
    for each in found:
        if each.shared:
            groups.setdefault(each.rank, []).append(each)
    return [tuple(group) for group in groups.values()]


def _records(
    terms: StandingsTerms, counted: Sequence[Sequence[Result]], adjusted: Mapping[PlayerId, Decimal]
) -> list[Record]:
    results: dict[PlayerId, list[Result]] = {player: [] for player in adjusted}
    for each in counted:
        for result in each:
            results.setdefault(result.player, []).append(result)
    return [
        _record(terms, player, its, adjusted.get(player, NOTHING), len(counted))
        for player, its in results.items()
    ]


def _record(
    terms: StandingsTerms,
    player: PlayerId,
    results: Sequence[Result],
    adjustment: Decimal,
    tournaments: int,
) -> Record:
    points = [Decimal(each.points) for each in results]
    total, count = aggregated(terms.aggregation, points, tournaments)
    if terms.overall is not None and results:
        total = _overall(terms.overall, total, points)
    return Record(
        player=player,
        points=Decimal(written(total + adjustment, scale=terms.scale)),
        qualified=len(results) >= terms.minimum_games,
        played=len(results),
        counted=count,
        best=max(points, default=None),
        best_placing=min((each.place for each in results), default=None),
        wins=sum(each.place == 1 and each.shared == 1 for each in results),
    )


def aggregated(
    aggregation: Aggregation, points: Sequence[Decimal], tournaments: int
) -> tuple[Decimal, int]:
    """
    Return the total of *points*, in order of play, and the number of results in it.

    Args:
        tournaments: The number of tournaments that the season has counted.

    Source: rulebook ``standings.best``, ``standings.average``, ``standings.drop_worst``,
    ``standings.best_series``.

    >>> aggregated(Aggregation(mode="best", results=2), [Decimal(3), Decimal(5), Decimal(4)], 3)
    (Decimal('9'), 2)
    """
    every = _with_missed(aggregation, points, tournaments)
    kept = [every[index] for index in _kept(aggregation, every, points)]
    total = sum(kept, NOTHING)
    if aggregation.mode in ("average", "best_average") and kept:
        total /= len(kept)
    return total, min(len(kept), len(points))


def counting(
    aggregation: Aggregation, points: Sequence[Decimal], tournaments: int
) -> frozenset[int]:
    """
    Return the indices of the *points*, in order of play, that make the total of :func:`aggregated`.

    >>> best = Aggregation(mode="best", results=2)
    >>> sorted(counting(best, [Decimal(3), Decimal(5), Decimal(3)], 3))
    [0, 1]
    """
    every = _with_missed(aggregation, points, tournaments)
    kept = _kept(aggregation, every, points)
    return frozenset(index for index in kept if index < len(points))


def _with_missed(
    aggregation: Aggregation, points: Sequence[Decimal], tournaments: int
) -> list[Decimal]:
    """Return *points*, and 0 for each missed tournament where the mode drops the worst."""
    missed = tournaments - len(points) if aggregation.mode == "drop_worst" else 0
    return [*points, *[NOTHING] * missed]


def _kept(
    aggregation: Aggregation, every: Sequence[Decimal], points: Sequence[Decimal]
) -> Sequence[int]:
    """Return the places in *every* of the results that count. The earlier of equals counts."""
    results = aggregation.results or 0
    best_first = sorted(range(len(every)), key=every.__getitem__, reverse=True)
    match aggregation.mode:
        case "sum" | "average":
            return range(len(every))
        case "best" | "best_average":
            return best_first[:results]
        case "drop_worst":
            # A missed tournament counts 0, so it is left out first unless a result is below 0.
            return best_first[: max(1, len(every) - results)]
        case "best_series":
            return _best_series(points, results)


def _best_series(points: Sequence[Decimal], length: int) -> range:
    """
    Return the *length* results in a row with the best sum, or all results if there are fewer.

    The earliest of equal series counts.
    """
    series = [
        range(start, min(start + length, len(points)))
        for start in range(max(1, len(points) - length + 1))
    ]
    return max(series, key=lambda each: sum((points[index] for index in each), NOTHING))


def _overall(text: str, total: Decimal, points: Sequence[Decimal]) -> Decimal:
    """Return the value of a season's own formula for *total*, or 0 if it has no value."""
    values = {
        "total": total,
        "average": sum(points, NOTHING) / len(points),
        "played": Decimal(len(points)),
    }
    try:
        return evaluate(overall_formula(text), values)
    except NoValue:
        return NOTHING


def _standing(
    record: Record, rank: int, scale: int, decided_by: str | None, *, shared: bool
) -> Standing:
    return Standing(
        rank=rank,
        player=record.player,
        points=written(record.points, scale=scale),
        qualified=record.qualified,
        played=record.played,
        counted=record.counted,
        best=None if record.best is None else written(record.best, scale=scale),
        best_placing=record.best_placing,
        wins=record.wins,
        decided_by=decided_by,
        shared=shared,
    )
