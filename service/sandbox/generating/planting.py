"""
How a defect is planted in a bundle: where things stand, and what is said of it.

Every defect looks for a place in the season it is given; one without (nobody was ever
all-in) is left without that defect.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, TypeVar

from service.base.documents import Document
from service.sandbox.generating.chance import Dice
from service.sandbox.generating.forging import Forgery, Line

Plant = Callable[[Forgery, Dice], "Planted"]


class Planted(NamedTuple):
    """Where a defect is, and which rule it breaks."""

    position: int
    rule: str


_Thing = TypeVar("_Thing")


class NoPlace(Exception):
    """The season has no place for a defect."""


def one_of(dice: Dice, found: Sequence[_Thing]) -> _Thing:
    """
    Return one of several.

    Raises:
        NoPlace: If there is none.
    """
    if not found:
        raise NoPlace
    return dice.one(found)


# -- where things stand


def rules_of(forged: Forgery, event: Line) -> Any:
    """Return the ruleset that is played at the table of *event*."""
    return forged.rulesets[event["stream"]]


def at_coruscant(forged: Forgery, kind: str, where: Any = lambda data: True) -> list[Line]:
    """Return events of tables where Coruscant Shift is played."""
    return [
        line
        for line in forged.events(kind, where)
        if rules_of(forged, line)["variant"] == "coruscant_shift"
    ]


def before(forged: Forgery, event: Line, kind: str) -> Line | None:
    """Return the last event of that type before *event* in its stream."""
    found = [
        line
        for line in forged.events(kind)
        if line["stream"] == event["stream"] and line["position"] < event["position"]
    ]
    return found[-1] if found else None


def hand_of(forged: Forgery, event: Line) -> Iterator[Line]:
    """Yield the events of the hand in which *event* stands."""
    start = before(forged, event, "hand_opened")
    inside = False
    for line in forged.events():
        if line["stream"] != event["stream"]:
            continue
        if line["type"] == "hand_opened":
            inside = start is not None and line["position"] == start["position"]
        if inside:
            yield line


def unit_of(forged: Forgery, event: Line) -> int:
    """Return the smallest chip at the table of *event*."""
    return int(rules_of(forged, event)["chip_unit"])


def points_rule(forged: Forgery) -> str:
    """Return what the rule is called that this season's points follow from."""
    kind: str = forged.data("season_opened")["points"]["type"]
    return "points." + kind.removeprefix("points_")


def swapped(one: Document, other: Document, *members: str) -> None:
    """Exchange *members* of two objects."""
    for each in members:
        one[each], other[each] = other[each], one[each]
