"""
A season's ledger as rows: every award, revision, bonus, adjustment and voiding, in order.

Only appended to.  What counts at the end of it is all that standings follow from; in a
season that sums every result, a player's entries add up to the player's points.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

import msgspec

from engine.season.standings import Reckoning, Result, Standing, standings
from service.projections.changes import Row
from service.projections.projection import Happened

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
"""What is shown of a season's opening."""


@dataclass(slots=True)
class Ledger:
    """One season's entries, and what they come to so far."""

    league: str
    terms: Mapping[str, Any]
    lots: list[Mapping[str, Any]] = field(default_factory=list)
    players: set[str] = field(default_factory=set)
    """Everybody who has an entry, whether or not anything of it counts still."""

    _results: dict[str, dict[str, Result]] = field(default_factory=dict)
    """By tournament in the order in which they were first counted, then by player."""

    _adjustments: dict[str, Row] = field(default_factory=dict)
    """The bonuses and adjustments that count, by name."""

    def take(self, row: Row) -> None:
        """Count one entry."""
        player, tournament = row["player"], row["tournament"]
        self.players.add(player)
        match row["kind"]:
            case "award" | "revision" | "revocation":
                results = self._results.setdefault(tournament, {})
                before = results.pop(player, None)
                points = row["points"] + (0 if before is None else Decimal(before.points))
                if row["place"] is not None:
                    place, shared = row["place"], row["shared"]
                    results[player] = Result(
                        player=player, place=place, shared=shared, points=f"{points:f}"
                    )
            case "void":
                del self._adjustments[row["adjustment"]]
            case _:
                self._adjustments[row["adjustment"]] = row

    def standings(self) -> tuple[Standing, ...]:
        """Return the standings at the end of these entries."""
        wanted = {name: self.terms[name] for name in Reckoning.__struct_fields__}
        counted = tuple(tuple(results.values()) for results in self._results.values() if results)
        adjusted: dict[Any, Decimal] = {}
        for row in self._adjustments.values():
            adjusted[row["player"]] = adjusted.get(row["player"], Decimal(0)) + row["points"]
        order: dict[Any, int] = {
            player: place for lot in self.lots for place, player in enumerate(lot["order"], start=1)
        }
        return standings(msgspec.convert(wanted, Reckoning), counted, adjusted, order)

    def entries(self, season: str, happened: Happened) -> Iterator[Row]:
        """Yield the rows that one event adds."""
        shared = {
            "season": season,
            "position": happened.position,
            "league": happened.league,
            "at": happened.at,
            "tournament": happened.data.get("tournament"),
            "rule": happened.data["rule"],
            "reason": happened.data.get("reason", {}).get("text"),
            "author": happened.data.get("author"),
        }
        for part, own in enumerate(self._parts(happened.type, happened.data)):
            yield {**dict.fromkeys(_OWN), **shared, **own, "part": part}

    def _parts(self, type_: str, data: Mapping[str, Any]) -> Iterable[Row]:
        match type_:
            case "points_awarded":
                return [_awarded(award) for award in data["awards"]]
            case "award_revised":
                return [_revised(change) for change in data["changes"]]
            case "award_revoked":
                return self._revoked(data["tournament"])
            case "bonuses_awarded":
                return [_adjusted(bonus) for bonus in data["bonuses"]]
            case "points_adjusted":
                return [_adjusted(data["adjustment"])]
            case _:
                return [self._voided(data["adjustment"])]

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


_OWN = ("place", "shared", "adjustment", "failure")


def _awarded(award: Mapping[str, Any]) -> Row:
    return {
        "kind": "award",
        "player": award["player"],
        "points": Decimal(award["points"]),
        "place": award["place"],
        "shared": award["shared"],
        "failure": award["failure"],
    }


def _revised(change: Mapping[str, Any]) -> Row:
    before, after = change["before"], change["after"]
    was = Decimal(0) if before is None else Decimal(before["points"])
    if after is None:
        return {"kind": "revision", "player": change["player"], "points": -was}
    revised = _awarded(after)
    return {**revised, "kind": "revision", "points": revised["points"] - was}


def _adjusted(adjustment: Mapping[str, Any]) -> Row:
    return {
        "kind": adjustment["kind"],
        "player": adjustment["player"],
        "points": Decimal(adjustment["points"]),
        "tournament": adjustment["tournament"],
        "adjustment": adjustment["id"],
    }
