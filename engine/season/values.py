"""The small things that commands, events and states of a season are made of."""

from typing import Annotated, Literal

import msgspec

from engine.season.expression.evaluation import Cause
from engine.values import AdjustmentId, EntrantId, PlayerId, TextRef, TournamentId

Points = Annotated[str, msgspec.Meta(pattern=r"^-?(0|[1-9]\d*)(\.\d+)?$")]
"""A decimal number with exactly as many fraction digits as the season's scale."""

MINOR_UNITS_MAX = 2**53 - 1
MinorUnits = Annotated[int, msgspec.Meta(ge=0, le=MINOR_UNITS_MAX)]
"""Money in whole minor units of the tournament's currency, such as cents."""

Count = Annotated[int, msgspec.Meta(ge=0, le=2**31 - 1)]


class _Part(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    pass


class PlacesFromEnd(_Part, frozen=True, kw_only=True, tag="places_from_end"):
    """Place k of n entrants is worth n - k + 1 times ``per_place``: the last one gets one."""

    per_place: Points = "1"


class PointsTable(_Part, frozen=True, kw_only=True, tag="points_table"):
    """Place k is worth entry k of the table, first place first; places beyond it nothing."""

    points: tuple[Points, ...]


class PointsFormula(_Part, frozen=True, kw_only=True, tag="points_formula"):
    """Place k is worth what an expression comes to; see ``docs/guides/points.md``."""

    text: str
    language: int = 1
    """Version of the expression language that the text is read in."""

    preset: str | None = None
    """Under which name the text was asked for; the text decides."""


PointsRule = PlacesFromEnd | PointsTable | PointsFormula

Mode = Literal["sum", "average", "best", "best_average", "drop_worst", "best_series"]


class Aggregation(_Part, frozen=True, kw_only=True):
    """
    What a player's results come to.

    ``best`` is the sum and ``best_average`` the average of the ``results`` best ones;
    ``drop_worst`` leaves out the ``results`` worst of the season's tournaments, where one
    that was not played is 0; ``best_series`` is the best sum of ``results`` tournaments
    that the player played one after another.
    """

    mode: Mode = "sum"
    results: int | None = None


class Bonus(_Part, frozen=True, kw_only=True):
    """Points besides the placing: for each ``knockouts``, or once for ``attendance``."""

    kind: Literal["knockouts", "attendance"]
    points: Points


class Finish(_Part, frozen=True, kw_only=True):
    """One entry's result: ``shared`` entries hold the places from ``place`` on together."""

    entrant: EntrantId
    player: PlayerId
    place: int
    shared: int = 1
    spent: MinorUnits = 0
    """All that was paid for this entry: buy-in, fee, rebuys and add-ons."""

    knockouts: Count = 0


class Field(_Part, frozen=True, kw_only=True):
    """What a formula may ask of a tournament besides the place."""

    entrants: Count
    """Entries that have a place."""

    entries: Count
    """How often was bought in, rebuys included."""

    buy_in: MinorUnits
    pool: MinorUnits
    money_digits: int
    """Fraction digits of the currency: 2 where 100 minor units are one."""


class Award(_Part, frozen=True, kw_only=True):
    """What one player gets for one tournament: points of the best of the player's entries."""

    player: PlayerId
    entrant: EntrantId
    place: int
    shared: int
    points: Points
    spent: MinorUnits
    """Of all the player's entries, as ``knockouts``."""

    knockouts: Count
    failure: Cause | None
    """Why the formula had no value here; the award is then 0."""


class AwardChange(_Part, frozen=True, kw_only=True):
    """One player's award before and after; null where there is none."""

    player: PlayerId
    before: Award | None
    after: Award | None


AdjustmentKind = Literal["knockouts", "attendance", "high_hand", "manual", "penalty"]


class Adjustment(_Part, frozen=True, kw_only=True):
    """Points that are not for a place, with a name of their own so that they can be voided."""

    id: AdjustmentId
    player: PlayerId
    kind: AdjustmentKind
    points: Points
    tournament: TournamentId | None


class LotDraw(_Part, frozen=True, kw_only=True):
    """
    Which draw decided: the seed is use ``draws``, table 0, hand ``number``, deal 1.

    It is derived from the season's own master; label ``lot``.
    """

    number: int
    candidates: tuple[PlayerId, ...]
    """Ascending: what was drawn from."""

    order: tuple[PlayerId, ...]
    """As drawn: the first is ranked first."""


FateKind = Literal["counted", "left_out", "cancelled", "not_played"]


class Fate(_Part, frozen=True, kw_only=True):
    """What a closed season made of one tournament that was announced for it."""

    tournament: TournamentId
    fate: FateKind
    """``left_out`` gives no points; ``not_played`` had nobody entered when the season closed."""

    by: PlayerId | None
    """The person who left the tournament out; null for every other fate."""

    reason: TextRef | None
    """The words of that person; null for every other fate."""


Prospect = Literal["unplayed", "entered", "running", "finished", "cancelled"]


class Outlook(_Part, frozen=True, kw_only=True):
    """How a tournament that was announced for the season stands at the close."""

    tournament: TournamentId
    prospect: Prospect
    """``unplayed`` has nobody entered and play has not begun; ``entered`` has somebody."""

    uncounted: bool = False
    """Whether the season would still count the result, or count it otherwise."""

    frozen: tuple[str, ...] = ()
    """The disputes that hold the result back."""
