"""The parts of a season's commands, events and states."""

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
    """Place k of n entrants is worth n - k + 1 times ``per_place``. The last place is worth one."""

    per_place: Points = "1"
    """The points that each place is worth more than the place after it."""


class PointsTable(_Part, frozen=True, kw_only=True, tag="points_table"):
    """Place k is worth entry k of the table, first place first. Later places are worth nothing."""

    points: tuple[Points, ...]
    """The points of each place, first place first."""


class PointsFormula(_Part, frozen=True, kw_only=True, tag="points_formula"):
    """Place k is worth the value of an expression. See ``docs/guides/points.md``."""

    text: str
    """The expression, as it was written."""

    language: int = 1
    """The version of the expression language."""

    preset: str | None = None
    """The preset that the text was taken from. Only the text counts."""


PointsRule = PlacesFromEnd | PointsTable | PointsFormula

Mode = Literal["sum", "average", "best", "best_average", "drop_worst", "best_series"]


class Aggregation(_Part, frozen=True, kw_only=True):
    """
    The total of a player's results.

    ``best`` is the sum and ``best_average`` the average of the ``results`` best ones.
    ``drop_worst`` leaves out the ``results`` worst of the season's tournaments. A tournament
    that the player missed counts 0. ``best_series`` is the best sum of ``results`` tournaments
    that the player played one after another.
    """

    mode: Mode = "sum"
    """The way in which the results become one total."""

    results: int | None = None
    """The number of results that `mode` keeps or drops, or null for `sum` and `average`."""


class Bonus(_Part, frozen=True, kw_only=True):
    """Points apart from the placing: for each of the ``knockouts``, or once for ``attendance``."""

    kind: Literal["knockouts", "attendance"]
    """`knockouts` gives the points for each knock-out, `attendance` once for each tournament."""

    points: Points
    """The points of one knock-out or one attendance."""


class Finish(_Part, frozen=True, kw_only=True):
    """One entry's result. ``shared`` entries hold the places from ``place`` on together."""

    entrant: EntrantId
    player: PlayerId
    place: int
    shared: int = 1
    spent: MinorUnits = 0
    """Everything paid for this entry: buy-in, fee, rebuys and add-ons."""

    knockouts: Count = 0


class Field(_Part, frozen=True, kw_only=True):
    """The facts of a tournament that a formula can use in addition to the place."""

    entrants: Count
    """The number of entries that have a place."""

    entries: Count
    """The number of buy-ins, rebuys included."""

    buy_in: MinorUnits
    pool: MinorUnits
    money_digits: int
    """Fraction digits of the currency: 2 if 100 minor units make one."""


class Award(_Part, frozen=True, kw_only=True):
    """The points that one player gets for one tournament: those of the player's best entry."""

    player: PlayerId
    """The player who gets the points."""

    entrant: EntrantId
    """The player's best entry in the tournament."""

    place: int
    """The place of that entry, from 1."""

    shared: int
    """The number of entries that share the places from `place` on."""

    points: Points
    """The points for the place."""

    spent: MinorUnits
    """The sum over all entries of the player, like ``knockouts``."""

    knockouts: Count
    """The sum of knock-outs over all entries of the player."""

    failure: Cause | None
    """The cause if the formula had no value. The award is then 0."""


class AwardChange(_Part, frozen=True, kw_only=True):
    """One player's award before and after the change. A missing award is null."""

    player: PlayerId
    """The player whose award changed."""

    before: Award | None
    """The award until now, or null without one."""

    after: Award | None
    """The award from now on, or null without one."""


AdjustmentKind = Literal["knockouts", "attendance", "high_hand", "manual", "penalty"]


class Adjustment(_Part, frozen=True, kw_only=True):
    """Points that are not for a place. The identifier lets the staff void them."""

    id: AdjustmentId
    player: PlayerId
    """The player who gains or loses the points."""

    kind: AdjustmentKind
    """The occasion of the adjustment."""

    points: Points
    """The points, negative if they are taken."""

    tournament: TournamentId | None
    """The counted tournament that the adjustment refers to, or null."""


class ImportedResult(_Part, frozen=True, kw_only=True):
    """One player's place and points in a tournament that was not played here."""

    player: PlayerId
    """The player who gets the points."""

    place: int
    """The place, from 1."""

    shared: int
    """The number of players who share the places from `place` on."""

    points: Points
    """The points, as the list states them. No rule of the season made them."""


class ImportedTournament(_Part, frozen=True, kw_only=True):
    """The results of a tournament that was not played here, best place first."""

    name: str
    """The name, which is unique in the season's list."""

    played_on: str | None
    """The day, as `2024-03-31`, or null if the list has none."""

    results: tuple[ImportedResult, ...]
    """The results, best place first."""


class LotDraw(_Part, frozen=True, kw_only=True):
    """
    The draw that decided. Its seed has the use ``draws``, table 0, hand ``number``, deal 1.

    The seed is derived from the season's own master under the label ``lot``.
    """

    number: int
    """The number of the draw in its season."""

    candidates: tuple[PlayerId, ...]
    """The players who were level, in ascending order."""

    order: tuple[PlayerId, ...]
    """The outcome of the draw. The first player ranks first."""


FateKind = Literal["counted", "left_out", "cancelled", "not_played"]


class Fate(_Part, frozen=True, kw_only=True):
    """The fate of one announced tournament when its season closed."""

    tournament: TournamentId
    """The announced tournament."""

    fate: FateKind
    """``left_out`` gives no points. ``not_played`` had no entrants, or only house bots played."""

    by: PlayerId | None
    """The person who left the tournament out. Null for every other fate."""

    reason: TextRef | None
    """The words of that person. Null for every other fate."""


Prospect = Literal["unplayed", "entered", "running", "finished", "cancelled"]


class Outlook(_Part, frozen=True, kw_only=True):
    """The state of an announced tournament when the season closes."""

    tournament: TournamentId
    prospect: Prospect
    """``unplayed``: nobody is entered, or only house bots have played. ``entered``: somebody is."""

    uncounted: bool = False
    """True if the season still has to count the result, or count it again."""

    frozen: tuple[str, ...] = ()
    """The disputes that freeze the result."""
