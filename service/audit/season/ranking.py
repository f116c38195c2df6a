"""A season's standings, counted again from its events."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from itertools import groupby
from typing import Any

from engine.season import events
from engine.season.values import Adjustment, Award, ImportedResult
from service.audit.season import points as plain

Row = tuple[int, str, str]
"""Rank, player, points."""

_Result = Award | ImportedResult
"""A place with its points, from a tournament or from a list."""

_Merit = Any  # merits of one tie-break compare with each other only
"""The value by which one tie-break compares players: a number or a list of numbers."""


@dataclass(slots=True)
class PlainStandings:
    """Follows one season's events without any rule of the engine."""

    terms: events.SeasonOpened
    imported: list[dict[str, _Result]] = field(default_factory=list)
    """By tournament of the newest list, then by player."""

    ones: dict[str, str] = field(default_factory=dict)
    """By merged player, the player for whom the results count."""

    results: dict[str, dict[str, Award]] = field(default_factory=dict)
    """By tournament in the order in which they were first counted, then by player."""

    entries: dict[str, Adjustment] = field(default_factory=dict)
    """Bonuses and adjustments by name."""

    void: set[str] = field(default_factory=set)
    lots: dict[str, int] = field(default_factory=dict)
    _totals: dict[str, str] = field(default_factory=dict)
    """The total of every player, or empty until needed, and again after a change."""

    def take(self, event: events.Event) -> None:
        """Note the changes of *event*."""
        if not isinstance(event, events.LotsDrawn):
            self._totals = {}
        match event:
            case events.PointsAwarded():
                self.results[event.tournament] = {each.player: each for each in event.awards}
            case events.AwardRevised():
                for change in event.changes:
                    self.results[event.tournament].pop(change.player, None)
                    if change.after is not None:
                        self.results[event.tournament][change.player] = change.after
            case events.AwardRevoked():
                self.results[event.tournament] = {}
            case events.BonusesAwarded():
                self.entries |= {each.id: each for each in event.bonuses}
            case events.PointsAdjusted():
                self.entries[event.adjustment.id] = event.adjustment
            case events.AdjustmentVoided():
                self.void.add(event.adjustment)
            case events.ResultsMerged():
                self.ones = {old: self._new(one, event) for old, one in self.ones.items()}
                self.ones[event.player] = event.into
            case events.ResultsImported():
                self.imported = [
                    {each.player: each for each in tournament.results}
                    for tournament in event.tournaments
                ]
            case events.LotsDrawn():
                self.lots |= {player: place for place, player in enumerate(event.draw.order)}

    def one(self, player: str) -> str:
        """Return the player for whom the results of *player* count."""
        return self.ones.get(player, player)

    def met(self, player: str, other: str) -> bool:
        """Return whether two players have results in one tournament."""
        imported = any(self._holds_both(each, player, other) for each in self.imported)
        return imported or any(
            self._holds_both(each, player, other) for each in self.results.values()
        )

    def _holds_both(self, results: Mapping[str, _Result], player: str, other: str) -> bool:
        return {player, other} <= {self.one(each) for each in results}

    def rows(self) -> list[Row]:
        """Return all players by rank. Players who share a rank are ordered by identifier."""
        played = (each for each in self.results.values() if each)
        counted = [*map(self._folded, self.imported), *map(self._folded, played)]
        totals = self._totals = self._totals or self._added(counted)
        players = totals.keys()
        enough = {
            player: sum(player in each for each in counted) >= self.terms.minimum_games
            for player in players
        }
        groups = _parted([sorted(players)], lambda it: (enough[it], _exact(totals[it])))
        for tie_break in self.terms.tie_breaks:
            groups = [
                part
                for group in groups
                for part in _parted([group], _merit(tie_break, group, counted, self.lots))
            ]
        found: list[Row] = []
        for group in groups:
            rank = len(found) + 1
            found += [(rank, player, totals[player]) for player in group]
        return found

    def _folded(self, results: Mapping[str, _Result]) -> Mapping[str, _Result]:
        """Return the results of one tournament by the players for whom they count."""
        found: dict[str, _Result] = {}
        for player, result in sorted(results.items(), key=lambda each: each[1].place):
            found.setdefault(self.one(player), result)
        return found

    @staticmethod
    def _new(one: str, merge: events.ResultsMerged) -> str:
        return merge.into if one == merge.player else one

    def _added(self, counted: Sequence[Mapping[str, _Result]]) -> dict[str, str]:
        """Return the total of every player."""
        extra: dict[str, Fraction] = {}
        for name, entry in self.entries.items():
            if name not in self.void:
                player = self.one(entry.player)
                extra[player] = extra.get(player, Fraction()) + _exact(entry.points)
        players = {player for each in counted for player in each} | extra.keys()
        return {
            player: self._total(player, counted, extra.get(player, Fraction()))
            for player in players
        }

    def _total(self, player: str, counted: Sequence[Mapping[str, _Result]], extra: Fraction) -> str:
        terms = self.terms
        own = [_exact(each[player].points) for each in counted if player in each]
        mode, results = terms.aggregation.mode, terms.aggregation.results or 0
        reached = plain.total(mode, results, own, len(counted))
        if terms.overall is not None and own:
            reached = plain.overall(terms.overall, reached, own)
        return plain.rounded(reached + extra, terms.scale)


@lru_cache(maxsize=16_384)
def _exact(points: str) -> Fraction:
    return Fraction(points)


def _parted(groups: list[list[str]], merit: Callable[[str], _Merit]) -> list[list[str]]:
    found: list[list[str]] = []
    for group in groups:
        ordered = sorted(sorted(group), key=merit, reverse=True)
        found += [sorted(part) for _, part in groupby(ordered, key=merit)]
    return found


def _merit(
    tie_break: str,
    group: list[str],
    counted: Sequence[Mapping[str, _Result]],
    lots: Mapping[str, int],
) -> Callable[[str], _Merit]:
    """Return the value of a player of *group* under *tie_break*. More is better."""

    def own(player: str) -> list[_Result]:
        return [each[player] for each in counted if player in each]

    match tie_break:
        case "standings.best_result":
            return lambda it: max([_exact(each.points) for each in own(it)], default=_NOTHING)
        case "standings.wins":
            return lambda it: sum((each.place, each.shared) == (1, 1) for each in own(it))
        case "standings.head_to_head":
            return _balance(group, counted).__getitem__
        case "standings.most_recent":
            return lambda it: [
                _exact(each[it].points) if it in each else Fraction() for each in counted[::-1]
            ]
        case _:
            return lambda it: -lots.get(it, 0)


def _balance(group: list[str], counted: Sequence[Mapping[str, _Result]]) -> Mapping[str, int]:
    """Return for each of *group* how many others it beat minus how many beat it, summed."""
    found = dict.fromkeys(group, 0)
    for each in counted:
        places = Counter(each[player].place for player in group if player in each)
        above, below = 0, sum(places.values())
        score = {}
        for place in sorted(places):
            below -= places[place]
            score[place] = below - above
            above += places[place]
        for player in group:
            if player in each:
                found[player] += score[each[player].place]
    return found


_NOTHING = Fraction(-(10**40))
"""Less than every result."""
