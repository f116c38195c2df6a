"""The refusals of corrections to a result."""

from engine.errors import CommandRejected, Wording


class TournamentNotFinished(CommandRejected):
    """The tournament has no result: it is still running, or it was cancelled."""

    code = "tournament_not_finished"
    detail = "a tournament that is {phase} has no result"

    phase: str


class CorrectionInvalid(CommandRejected):
    """The corrected result is invalid."""

    code = "correction_invalid"
    detail = "{problem}"

    problem: Wording
