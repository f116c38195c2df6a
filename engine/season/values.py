"""The small things that commands, events and states of a season are made of."""

from typing import Annotated

import msgspec

from engine.values import EntrantId, PlayerId

Points = Annotated[str, msgspec.Meta(pattern=r"^-?(0|[1-9]\d*)(\.\d+)?$")]
"""A decimal number with exactly as many fraction digits as the season's scale."""


class PlacesFromEnd(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="places_from_end"
):
    """Place k of n entrants is worth n - k + 1 times ``per_place``: the last one gets one."""

    per_place: Points = "1"


class PointsTable(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="points_table"
):
    """Place k is worth entry k of the table, first place first; places beyond it nothing."""

    points: tuple[Points, ...]


PointsRule = PlacesFromEnd | PointsTable


class Finish(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One entry's result: ``shared`` entries hold the places from ``place`` on together."""

    entrant: EntrantId
    player: PlayerId
    place: int
    shared: int = 1


class Award(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What one player gets for one tournament: points of the best of the player's entries."""

    player: PlayerId
    entrant: EntrantId
    place: int
    shared: int
    points: Points
