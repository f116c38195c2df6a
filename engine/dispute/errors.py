"""Why a dispute refuses a command."""

from datetime import datetime

from engine.errors import CommandRejected


class DisputeNotOpened(CommandRejected):
    """There is no such dispute."""

    code = "dispute_not_opened"

    def __init__(self) -> None:
        super().__init__("the dispute does not exist")


class DisputeInvalid(CommandRejected):
    """A claim, a ruling or a disclosure that could not stand."""

    code = "dispute_invalid"

    def __init__(self, *, problem: str) -> None:
        super().__init__(problem)


class DisputePhase(CommandRejected):
    """The dispute is not where this could happen."""

    code = "dispute_phase"

    def __init__(self, *, phase: str) -> None:
        super().__init__(f"the dispute is {phase}", phase=phase)


class ClaimTooLate(CommandRejected):
    """The time in which members may claim on this is over; a referee still may."""

    code = "claim_too_late"
    rule = "disputes.window"

    def __init__(self, *, until: datetime) -> None:
        super().__init__(
            "claims on this are not taken any more; a referee still may open one",
            until=until.isoformat(),
        )


class AnotherPersonNeeded(CommandRejected):
    """Who has claimed, ruled or appealed before does not rule on it."""

    code = "another_person_needed"
    rule = "disputes.another_person"

    def __init__(self) -> None:
        super().__init__("somebody else has to rule on this")


class NotDisclosed(CommandRejected):
    """Nothing lets this person open these values now."""

    code = "not_disclosed"
    rule = "disputes.disclosure"

    def __init__(self) -> None:
        super().__init__("these values are not disclosed to you, or no longer")
