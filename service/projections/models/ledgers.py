"""
A season's ledger as rows: every award, import, revision, bonus, adjustment and merge, in order.

Rows are only appended. The standings follow from the entries that still count at the end.
In a season that sums every result, a player's entries add up to the player's points.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from decimal import Decimal

import msgspec

from engine.kit.merges import Merged, merged, one_of
from engine.season.events import (
    AdjustmentVoided,
    AwardRevised,
    AwardRevoked,
    BonusesAwarded,
    PointsAdjusted,
    PointsAwarded,
    ResultsImported,
    ResultsMerged,
    SeasonOpened,
)
from engine.season.standings import Result, Standing, StandingsTerms, folded, standings
from engine.season.values import Adjustment, Award, AwardChange
from engine.values import PlayerId
from service.projections.applying.changes import Row
from service.projections.applying.projection import Happened

TERMS = (
    "points",
    "scale",
    "aggregation",
    "minimum_games",
    "overall",
    "bonuses",
    "tie_breaks",
    "master_commitment",
)
"""The members of a season's opening that are shown."""

Entered = (
    PointsAwarded
    | AwardRevised
    | AwardRevoked
    | BonusesAwarded
    | PointsAdjusted
    | AdjustmentVoided
    | ResultsMerged
    | ResultsImported
)
"""The events that add entries to a ledger."""


def shown_terms(opened: SeasonOpened) -> Row:
    """Return the members named in :data:`TERMS` as plain JSON, in their stored form."""
    members = msgspec.structs.asdict(opened)
    return {name: msgspec.to_builtins(members[name], order="sorted") for name in TERMS}


def standings_terms(terms: Row) -> StandingsTerms:
    """Return the terms that the standings depend on, taken from a season's shown terms."""
    return msgspec.convert(
        {name: terms[name] for name in StandingsTerms.__struct_fields__}, StandingsTerms
    )


@dataclass(slots=True)
class Ledger:
    """One season's entries and their running totals."""

    league: str
    terms: StandingsTerms
    lots: list[Row] = field(default_factory=list)
    players: set[str] = field(default_factory=set)
    """All players with an entry, even if no entry of theirs still counts."""

    _results: dict[str, dict[str, Result]] = field(default_factory=dict)
    """By tournament in the order in which they were first counted, then by player."""

    _imported: dict[str, dict[str, Result]] = field(default_factory=dict)
    """By name of an imported tournament in the order of the newest list, then by player."""

    _merged: tuple[Merged, ...] = ()

    _adjustments: dict[str, Row] = field(default_factory=dict)
    """The bonuses and adjustments that count, by name."""

    def take(self, row: Row) -> None:
        """Add one entry to the totals."""
        player, tournament = row["player"], row["tournament"]
        self.players.add(player)
        match row["kind"]:
            case "award" | "revision" | "revocation":
                _placed(self._results.setdefault(tournament, {}), row)
            case "import":
                results = self._imported.setdefault(row["title"], {})
                _placed(results, row)
                if not results:
                    del self._imported[row["title"]]
            case "merge":
                self._merged = merged(self._merged, PlayerId(player), row["counts_for"])
            case "void":
                del self._adjustments[row["adjustment"]]
            case _:
                self._adjustments[row["adjustment"]] = row

    def standings(self) -> tuple[Standing, ...]:
        """Return the standings at the end of these entries."""
        ended = (*self._imported.values(), *self._results.values())
        counted = folded((tuple(each.values()) for each in ended if each), self._merged)
        adjusted: dict[PlayerId, Decimal] = {}
        for row in self._adjustments.values():
            player = one_of(self._merged, row["player"])
            adjusted[player] = adjusted.get(player, Decimal(0)) + row["points"]
        order: dict[PlayerId, int] = {
            player: place for lot in self.lots for place, player in enumerate(lot["order"], start=1)
        }
        return standings(self.terms, counted, adjusted, order)

    def entries(self, season: str, happened: Happened[Entered]) -> Iterator[Row]:
        """Yield the rows that one event adds."""
        event = happened.event
        shared: Row = {
            "season": season,
            "position": happened.position,
            "league": happened.league,
            "at": happened.at,
            "rule": event.rule,
        }
        if not isinstance(
            event, PointsAdjusted | AdjustmentVoided | ResultsMerged | ResultsImported
        ):
            shared["tournament"] = event.tournament
        if not isinstance(event, PointsAwarded | BonusesAwarded):
            shared["author"] = event.author
        if not isinstance(event, PointsAwarded | BonusesAwarded | ResultsImported):
            shared["reason"] = event.reason.text
        for part, own in enumerate(self._parts(event)):
            yield {**dict.fromkeys(_OWN), **shared, **own, "part": part}

    def _parts(self, event: Entered) -> Iterable[Row]:
        match event:
            case PointsAwarded():
                return [_awarded(award) for award in event.awards]
            case AwardRevised():
                return [_revised(change) for change in event.changes]
            case AwardRevoked():
                return self._revoked(event.tournament)
            case BonusesAwarded():
                return [_adjusted(bonus) for bonus in event.bonuses]
            case PointsAdjusted():
                return [_adjusted(event.adjustment)]
            case AdjustmentVoided():
                return [self._voided(event.adjustment)]
            case ResultsMerged():
                return [_merge(event)]
            case ResultsImported():
                return [*self._withdrawn(), *_stated(event)]

    def _withdrawn(self) -> list[Row]:
        """Return the entries that take the results of the list before back."""
        return [
            {"kind": "import", "player": player, "points": -Decimal(result.points), "title": title}
            for title, results in self._imported.items()
            for player, result in results.items()
        ]

    def _revoked(self, tournament: str) -> list[Row]:
        return [
            {"kind": "revocation", "player": player, "points": -Decimal(result.points)}
            for player, result in self._results[tournament].items()
        ]

    def _voided(self, adjustment: str) -> Row:
        row = self._adjustments[adjustment]
        return {
            "kind": "void",
            "player": row["player"],
            "points": -row["points"],
            "tournament": row["tournament"],
            "adjustment": adjustment,
        }


_OWN = (
    "tournament",
    "place",
    "shared",
    "adjustment",
    "failure",
    "reason",
    "author",
    "title",
    "counts_for",
)
"""Columns that not every entry fills."""


def _placed(results: dict[str, Result], row: Row) -> None:
    """Change the results of one tournament by one entry."""
    player = row["player"]
    before = results.pop(player, None)
    points = row["points"] + (0 if before is None else Decimal(before.points))
    if row["place"] is not None:
        place, shared = row["place"], row["shared"]
        results[player] = Result(player=player, place=place, shared=shared, points=f"{points:f}")


def _merge(event: ResultsMerged) -> Row:
    return {
        "kind": "merge",
        "player": event.player,
        "points": Decimal(0),
        "counts_for": event.into,
    }


def _stated(event: ResultsImported) -> list[Row]:
    return [
        {
            "kind": "import",
            "player": each.player,
            "points": Decimal(each.points),
            "place": each.place,
            "shared": each.shared,
            "title": tournament.name,
        }
        for tournament in event.tournaments
        for each in tournament.results
    ]


def _awarded(award: Award) -> Row:
    return {
        "kind": "award",
        "player": award.player,
        "points": Decimal(award.points),
        "place": award.place,
        "shared": award.shared,
        "failure": award.failure,
    }


def _revised(change: AwardChange) -> Row:
    was = Decimal(0) if change.before is None else Decimal(change.before.points)
    if change.after is None:
        return {"kind": "revision", "player": change.player, "points": -was}
    revised = _awarded(change.after)
    return {**revised, "kind": "revision", "points": revised["points"] - was}


def _adjusted(adjustment: Adjustment) -> Row:
    return {
        "kind": adjustment.kind,
        "player": adjustment.player,
        "points": Decimal(adjustment.points),
        "tournament": adjustment.tournament,
        "adjustment": adjustment.id,
    }
