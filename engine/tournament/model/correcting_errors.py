"""Why a result is not set right as asked."""

from engine.errors import CommandRejected


class TournamentNotFinished(CommandRejected):
    """There is no result yet, and none of a cancelled tournament."""

    code = "tournament_not_finished"

    def __init__(self, *, phase: str) -> None:
        super().__init__(f"a tournament that is {phase} has no result", phase=phase)


class CorrectionInvalid(CommandRejected):
    """The result that was asked for cannot be one."""

    code = "correction_invalid"

    def __init__(self, *, problem: str) -> None:
        super().__init__(problem)
