"""An example of a season's terms: invented evenings, with points from the API."""

from collections.abc import Mapping

import msgspec

from service.api.http.shell import shell_of
from service.api.season.trying_terms import SeasonTriedShown, StandingTried
from service.console.asking import Ask
from service.console.calling import Problem

_EVENINGS = (
    ("Ada", "Bo", "Cem", "Dia", "Eli", "Fay"),
    ("Bo", "Ada", "Eli", "Fay", "Cem"),
    ("Cem", "Bo", "Dia", "Ada", "Fay", "Eli"),
    ("Ada", "Cem", "Dia", "Eli", "Bo"),
)
"""The players of each evening, the winner first. Some players miss an evening."""

_KNOCKOUTS = (2, 1, 1, 1, 0, 0)
"""The knock-outs of each place. Nobody else is knocked out."""

_BUY_IN = 500
EVENINGS = len(_EVENINGS)


class Cell(msgspec.Struct, kw_only=True):
    """One evening of a player."""

    place: int
    points: str
    counts: bool


class Line(msgspec.Struct, kw_only=True):
    """One player of the example."""

    rank: int
    player: str
    cells: tuple[Cell | None, ...]
    """A cell for each evening, or null for one without this player."""

    bonuses: str
    """The points apart from the places, or nothing."""

    points: str
    qualified: bool


class Example(msgspec.Struct, kw_only=True):
    """The standings after the invented evenings, or the reason why the terms cannot be counted."""

    lines: tuple[Line, ...]
    bonuses: bool
    """True if somebody has points apart from the places."""


async def example_of(ask: Ask, terms: Mapping[str, object]) -> Example | None:
    """
    Return the example for the terms of a season.

    Args:
        terms: The members of a season's body that set how it counts.

    Returns:
        None if the API refuses the terms, or has no time for the example. If it refuses, opening
            the season shows the reason.
    """
    body = dict(terms) | {"evenings": [_evening(each) for each in _EVENINGS]}
    key = shell_of(ask.request).runtime.entropy.uuid().hex
    try:
        found = await ask.api.send("POST", "/v1/season-terms/try", body, SeasonTriedShown, key=key)
    except Problem as problem:
        if problem.status >= 500 and problem.code != "overloaded":
            raise
        return None
    lines = tuple(_line(each) for each in found.standings)
    return Example(lines=lines, bonuses=any(each.bonuses for each in lines))


def _evening(players: tuple[str, ...]) -> dict[str, object]:
    places = [
        {"label": player, "place": place, "knockouts": _KNOCKOUTS[place - 1]}
        for place, player in enumerate(players, 1)
    ]
    return {"places": places, "buy_in": _BUY_IN}


def _line(line: StandingTried) -> Line:
    by_evening = {each.evening: each for each in line.results}
    cells = tuple(
        None
        if (found := by_evening.get(number)) is None
        else Cell(place=found.place, points=found.points, counts=found.counts)
        for number in range(1, EVENINGS + 1)
    )
    return Line(
        rank=line.rank,
        player=line.label,
        cells=cells,
        bonuses=line.bonuses if float(line.bonuses) else "",
        points=line.points,
        qualified=line.qualified,
    )
