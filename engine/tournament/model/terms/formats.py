"""The formats of a tournament."""

from datetime import datetime
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from engine.rulesets import OpenEnd, Ruleset


class _Format(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind"
):
    pass


class Freezeout(_Format, frozen=True, kw_only=True, tag="freezeout"):
    """Play until one entrant is left, at as many tables as are needed."""


class SingleTable(_Format, frozen=True, kw_only=True, tag="single_table"):
    """
    Play until one entrant is left, at one table. No more players may enter than it has seats.

    Source: rulebook ``single_table``.
    """


class Rounds(_Format, frozen=True, kw_only=True, tag="rounds"):
    """
    Scheduled rounds for points, each at new tables. With a cut, a final among the best follows.

    Source: rulebook ``rounds``.
    """

    rounds: int
    """The number of rounds, without the final."""

    seating: Literal["heats", "swiss", "round_robin"] = "heats"
    """
    ``heats``: drawn again. ``swiss``: with players equal in points. ``round_robin``: all meet
    as evenly as possible.
    """

    hands_per_round: int | None = None
    """The hands of each table. Null means until everybody there has dealt once."""

    stacks: Literal["fresh", "carried"] = "fresh"
    """
    ``fresh``: everybody begins each round with the starting stack. ``carried``: with their own
    chips.
    """

    points: Literal["places", "chips"] = "places"
    """`places` gives points for the place at the table, `chips` for chips won less chips lost."""

    place_points: tuple[int, ...] = ()
    """
    By place at the table. If empty, the first place gets as many points as a table has seats,
    and each later place one fewer.
    """

    between_seconds: int = 0
    """The seconds from the end of a round to the next."""

    starts_at: tuple[Annotated[datetime, Meta(tz=True)], ...] = ()
    """The instants of the second and later rounds, and of the final. None begins earlier."""

    cut: int | None = None
    """The number of entrants who go on to the final, or null if points decide."""

    final_stack: int | None = None
    """Null for the own chips if they are carried, else for the starting stack."""


FormatTerms = Freezeout | SingleTable | Rounds


def one_table(plan: FormatTerms, ruleset: Ruleset) -> bool:
    """Return whether a tournament never has a second table. A casino never does."""
    return isinstance(plan, SingleTable) or isinstance(ruleset.end, OpenEnd)
