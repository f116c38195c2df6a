"""A comparison of two players: the evenings that both played, with their places."""

from collections.abc import Sequence
from datetime import datetime

import msgspec


class Game(msgspec.Struct, kw_only=True):
    """An evening of a player."""

    tournament: str
    name: str
    at: datetime | None
    state: str
    withdrawn: bool
    placing: int | None
    shared: int | None
    payout: int | None
    currency: str | None
    knockouts: int
    rating: str | None
    """The rating after the evening."""


class Together(msgspec.Struct, kw_only=True):
    """An evening that both played, with their places."""

    tournament: str
    name: str
    at: datetime | None
    place: int
    other: int


class Against(msgspec.Struct, kw_only=True):
    """The record of two players in the same evenings."""

    player: str
    """The other player."""

    name: str | None
    evenings: tuple[Together, ...]
    """Newest first."""

    whole: bool
    """False if only the latest evenings of each are compared."""

    @property
    def ahead(self) -> int:
        """The number of evenings in which the first player finished ahead."""
        return sum(each.place < each.other for each in self.evenings)

    @property
    def behind(self) -> int:
        """The number of evenings in which the other player finished ahead."""
        return sum(each.place > each.other for each in self.evenings)


def together(games: Sequence[Game], others: Sequence[Game]) -> tuple[Together, ...]:
    """
    Return the evenings in which both have a place, newest first.

    Somebody who entered twice has the better place, as the standings count it.
    """
    best: dict[str, int] = {}
    for each in others:
        if each.placing is not None and not each.withdrawn:
            best[each.tournament] = min(each.placing, best.get(each.tournament, each.placing))
    found: dict[str, Together] = {}
    for each in games:
        if each.placing is None or each.withdrawn or each.tournament not in best:
            continue
        known = found.get(each.tournament)
        if known is None or each.placing < known.place:
            found[each.tournament] = Together(
                tournament=each.tournament,
                name=each.name,
                at=each.at,
                place=each.placing,
                other=best[each.tournament],
            )
    return tuple(found.values())
