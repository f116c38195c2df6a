"""
Tools that plant a defect in a bundle: they find a place for it and describe it.

Each defect needs a fitting place in the season. A season without one, for example because nobody
was all-in, does not get the defect.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, TypeVar

from service.base.documents import Document, Json
from service.sandbox.generating.chance import Dice
from service.sandbox.generating.forging import Forgery, Line, Where

Plant = Callable[[Forgery, Dice], "Planted"]


class Planted(NamedTuple):
    """The position of a defect, and the rule that it breaks."""

    position: int
    rule: str


_Thing = TypeVar("_Thing")


class NoPlace(Exception):
    """The season has no place for a defect."""


def one_of(dice: Dice, found: Sequence[_Thing]) -> _Thing:
    """
    Return one element of *found*, all equally likely.

    Raises:
        NoPlace: If *found* is empty.
    """
    if not found:
        raise NoPlace
    return dice.one(found)


# -- finding places


def rules_of(forged: Forgery, event: Line) -> Json:
    """Return the ruleset that is played at the table of *event*."""
    return forged.rulesets[event["stream"]]


def at_coruscant(forged: Forgery, kind: str, where: Where = lambda data: True) -> list[Line]:
    """Return the events of type *kind* at tables that play Coruscant Shift."""
    return [
        line
        for line in forged.events(kind, where)
        if rules_of(forged, line)["variant"] == "coruscant_shift"
    ]


def before(forged: Forgery, event: Line, kind: str) -> Line | None:
    """Return the last event of type *kind* before *event* in its stream."""
    found = [
        line
        for line in forged.events(kind)
        if line["stream"] == event["stream"] and line["position"] < event["position"]
    ]
    return found[-1] if found else None


def hand_of(forged: Forgery, event: Line) -> Iterator[Line]:
    """Yield the events of the hand that *event* belongs to."""
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
    """Return the unit at the table of *event*."""
    return int(rules_of(forged, event)["chip_unit"])


def points_rule(forged: Forgery) -> str:
    """Return the slug of the rule by which this season awards points."""
    kind: str = forged.data("season_opened")["points"]["type"]
    return "points." + kind.removeprefix("points_")


def swapped(one: Document, other: Document, *members: str) -> None:
    """Exchange *members* of two objects."""
    for each in members:
        one[each], other[each] = other[each], one[each]
