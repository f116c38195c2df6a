"""How a tournament comes to its winner."""

from datetime import datetime
from typing import Annotated, Literal

import msgspec
from msgspec import Meta


class _Format(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind"
):
    pass


class Freezeout(_Format, frozen=True, kw_only=True, tag="freezeout"):
    """Until one is left, at as many tables as are needed."""


class SingleTable(_Format, frozen=True, kw_only=True, tag="single_table"):
    """
    Until one is left, at one table: no more enter than it has seats.

    Source: rulebook ``single_table``.
    """


class Rounds(_Format, frozen=True, kw_only=True, tag="rounds"):
    """
    Scheduled rounds, each at new tables, for points; then, with a cut, a final among the best.

    Source: rulebook ``rounds``.
    """

    rounds: int
    seating: Literal["heats", "swiss", "round_robin"] = "heats"
    """Drawn anew; with equals in points; or so that all meet as evenly as may be."""

    hands_per_round: int | None = None
    """Hands each table plays; none means until everybody there has dealt once."""

    stacks: Literal["fresh", "carried"] = "fresh"
    """Whether everybody begins each round with the starting stack, or with the own chips."""

    points: Literal["places", "chips"] = "places"
    place_points: tuple[int, ...] = ()
    """By place at the table; none: as many as a table has seats for the first, one less each."""

    between_seconds: int = 0
    """From the end of a round to the next."""

    starts_at: tuple[Annotated[datetime, Meta(tz=True)], ...] = ()
    """Of the second round and each later one, the final last; none begins earlier."""

    cut: int | None = None
    """How many go on to the final; none: points decide."""

    final_stack: int | None = None
    """None: the own chips where they are carried, else the starting stack."""


FormatTerms = Freezeout | SingleTable | Rounds
