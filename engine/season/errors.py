"""The refusals of a season."""

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


class ResultsMeet(CommandRejected):
    """Both players have a result in the same tournament of the season."""

    code = "results_meet"
    rule = "standings.merged"
    detail = (
        "both players have a result in {tournament}, and one person cannot hold two places;"
        " correct that result first"
    )

    tournament: str


class ImportInvalid(CommandRejected):
    """A list of results contradicts itself or the season's terms."""

    code = "import_invalid"
    rule = "standings.imported"
    detail = "{tournament}: {problem}"

    tournament: str
    problem: Wording


class SeasonNotOpened(CommandRejected):
    """The season does not exist yet."""

    code = "season_not_opened"
    detail = "the season has not been opened"


class SeasonNotClosed(CommandRejected):
    """The season is still open, and this needs a closed one."""

    code = "season_not_closed"
    detail = "the season is still open"


class SeasonClosedAlready(CommandRejected):
    """The season is closed, and its standings are final."""

    code = "season_closed"
    rule = "standings.final"
    detail = "the season is closed"


class SeasonUncounted(CommandRejected):
    """A tournament of the season is not counted yet, so the season cannot close."""

    code = "season_uncounted"
    rule = "standings.uncounted"
    detail = "not every tournament of the season is counted; wait, or let an owner leave it out"

    tournaments: Sequence[Mapping[str, str | None]]


class LeaveOutInvalid(CommandRejected):
    """The season cannot leave this tournament out."""

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
    """The terms of an open season cannot change."""

    code = "season_terms_fixed"
    rule = "standings.terms_fixed"
    detail = "the terms of an open season cannot change; open another season"


class PlacingsInvalid(CommandRejected):
    """The placings are not those of a finished tournament."""

    code = "placings_invalid"
    detail = "{problem}"

    problem: Wording


class AwardUnknown(CommandRejected):
    """The season has not counted this tournament."""

    code = "award_unknown"
    detail = "this tournament has not been counted in this season"


class AdjustmentUnknown(CommandRejected):
    """The season has no such bonus or adjustment."""

    code = "adjustment_unknown"
    detail = "there is no such adjustment in this season"


class OwnPoints(CommandRejected):
    """Scorers may not decide on their own points."""

    code = "own_points"
    detail = "{problem}"

    problem: Wording


class AdjustmentInvalid(CommandRejected):
    """The adjustment is invalid."""

    code = "adjustment_invalid"
    detail = "{problem}"

    problem: Wording
