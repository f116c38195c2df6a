"""Why a season refuses a command."""

from collections.abc import Mapping, Sequence

from engine.errors import CommandRejected, Wording
from engine.season.expression.parsing import FormulaInvalid

__all__ = [
    "AdjustmentInvalid",
    "AdjustmentUnknown",
    "AwardUnknown",
    "FormulaInvalid",
    "LeaveOutInvalid",
    "PlacingsInvalid",
    "SeasonClosedAlready",
    "SeasonNotOpened",
    "SeasonTermsFixed",
    "SeasonTermsInvalid",
    "SeasonUncounted",
]


class SeasonNotOpened(CommandRejected):
    """There is no such season yet."""

    code = "season_not_opened"
    detail = "the season has not been opened"


class SeasonNotClosed(CommandRejected):
    """What is written down at a season's end has to wait for it."""

    code = "season_not_closed"
    detail = "the season is still open"


class SeasonClosedAlready(CommandRejected):
    """The standings are final."""

    code = "season_closed"
    rule = "standings.final"
    detail = "the season is closed"


class SeasonUncounted(CommandRejected):
    """A tournament of the season is still to be counted, so the season cannot be closed yet."""

    code = "season_uncounted"
    rule = "standings.uncounted"
    detail = "not every tournament of the season is counted: wait, or let an owner leave it out"

    tournaments: Sequence[Mapping[str, str | None]]


class LeaveOutInvalid(CommandRejected):
    """The season cannot leave this tournament out; the detail says why."""

    code = "leave_out_invalid"
    rule = "standings.left_out"
    detail = "{tournament} {problem}"

    tournament: str
    problem: Wording


class SeasonTermsInvalid(CommandRejected):
    """The terms of the season contradict themselves."""

    code = "season_terms_invalid"
    detail = "{field}: {problem}"

    field: str
    problem: Wording


class SeasonTermsFixed(CommandRejected):
    """Formula, tie-breaks and all other terms hold to the end; other ones are another season."""

    code = "season_terms_fixed"
    rule = "standings.terms_fixed"
    detail = "the terms of an open season never change; open another season"


class PlacingsInvalid(CommandRejected):
    """The placings are not those of a finished tournament."""

    code = "placings_invalid"
    detail = "{problem}"

    problem: Wording


class AwardUnknown(CommandRejected):
    """This tournament was never counted in the season."""

    code = "award_unknown"
    detail = "this tournament has not been counted in this season"


class AdjustmentUnknown(CommandRejected):
    """The season has no such bonus or adjustment."""

    code = "adjustment_unknown"
    detail = "there is no such adjustment in this season"


class OwnPoints(CommandRejected):
    """Nobody gives points to themselves, nor takes back what was taken from them."""

    code = "own_points"
    detail = "another scorer has to decide on your points"


class AdjustmentInvalid(CommandRejected):
    """The adjustment is not one that can be kept in the ledger."""

    code = "adjustment_invalid"
    detail = "{problem}"

    problem: Wording
