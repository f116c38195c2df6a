"""Why a result is not set right as asked."""

from engine.errors import CommandRejected, Wording


class TournamentNotFinished(CommandRejected):
    """There is no result yet, and none of a cancelled tournament."""

    code = "tournament_not_finished"
    detail = "a tournament that is {phase} has no result"

    phase: str


class CorrectionInvalid(CommandRejected):
    """The result that was asked for cannot be one."""

    code = "correction_invalid"
    detail = "{problem}"

    problem: Wording
