"""
Tie-breaks between players with equal points.

Each tie-break is tried among the players that all earlier ones left level. Head-to-head
compares only these players.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import groupby
from typing import Any, Literal, NamedTuple, Protocol, get_args

from engine.errors import InvariantViolated
from engine.values import PlayerId

TieBreak = Literal[
    "standings.best_result",
    "standings.wins",
    "standings.head_to_head",
    "standings.most_recent",
    "standings.lot",
]

LOT: TieBreak = "standings.lot"

TIE_BREAKS: tuple[TieBreak, ...] = get_args(TieBreak)
"""All tie-breaks, in the default order."""

Key = Callable[["Record"], Any]
"""Sorts players for a tie-break. Larger is better."""


class Record(NamedTuple):
    """One player's season before ranks are given."""

    player: PlayerId
    points: Decimal
    qualified: bool
    played: int
    counted: int
    best: Decimal | None
    best_placing: int | None
    wins: int


class Placed(Protocol):
    """The parts of a player's result that tie-breaks use."""

    @property
    def place(self) -> int: ...
    @property
    def points(self) -> str: ...


Played = Mapping[PlayerId, Placed]
"""The results of one counted tournament, by player."""


def separated(
    group: Sequence[Record],
    counted: Sequence[Played],
    tie_breaks: Sequence[str],
    lots: Mapping[PlayerId, int],
) -> Iterator[tuple[Sequence[Record], str | None]]:
    """
    Yield the parts of *group*, the better parts first. All players of *group* have equal points.

    Each part comes with the tie-break that separated it. Players in one part are level.

    Args:
        counted: The tournaments, in the order of first counting.
        lots: Each player's place in a draw of lots.
    """
    parts: list[tuple[Sequence[Record], str | None]] = [(group, None)]
    for tie_break in tie_breaks:
        following: list[tuple[Sequence[Record], str | None]] = []
        for part, decided_by in parts:
            if len(part) == 1:
                following.append((part, decided_by))
                continue
            split = _split(part, _key(tie_break, part, counted, lots))
            decided = tie_break if len(split) > 1 else decided_by
            following += [(each, decided) for each in split]
        parts = following
    yield from parts


def _split(part: Sequence[Record], key: Key) -> list[Sequence[Record]]:
    ordered = sorted(part, key=key, reverse=True)
    return [tuple(each) for _, each in groupby(ordered, key=key)]


def _key(
    tie_break: str,
    part: Sequence[Record],
    counted: Sequence[Played],
    lots: Mapping[PlayerId, int],
) -> Key:
    match tie_break:
        case "standings.best_result":
            return lambda record: (record.best is not None, record.best or 0)
        case "standings.wins":
            return lambda record: record.wins
        case "standings.head_to_head":
            balance = _head_to_head({each.player for each in part}, counted)
            return lambda record: balance[record.player]
        case "standings.most_recent":
            recent = _from_the_last(part, counted)
            return lambda record: recent[record.player]
    if tie_break != LOT:
        raise InvariantViolated(f"no tie-break {tie_break}")
    return lambda record: -lots.get(record.player, 0)


def _head_to_head(players: set[PlayerId], counted: Sequence[Played]) -> Mapping[PlayerId, int]:
    """Return each player's wins over others of *players*, minus the losses to them."""
    balance = dict.fromkeys(players, 0)
    for each in counted:
        placed = {player: each[player].place for player in players if player in each}
        places = sorted(placed.values())
        for player, place in placed.items():
            before = bisect_left(places, place)
            balance[player] += len(places) - bisect_right(places, place) - before
    return balance


def _from_the_last(
    part: Sequence[Record], counted: Sequence[Played]
) -> Mapping[PlayerId, tuple[Decimal, ...]]:
    """Return each player's points by tournament, the latest first. A missed one is 0."""
    return {
        record.player: tuple(
            Decimal(each[record.player].points) if record.player in each else Decimal(0)
            for each in reversed(counted)
        )
        for record in part
    }
