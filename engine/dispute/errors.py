"""Why a dispute refuses a command."""

from datetime import datetime

from engine.errors import CommandRejected, Wording


class DisputeNotOpened(CommandRejected):
    """There is no such dispute."""

    code = "dispute_not_opened"
    detail = "the dispute does not exist"


class DisputeInvalid(CommandRejected):
    """A claim, a ruling or a disclosure that could not stand."""

    code = "dispute_invalid"
    detail = "{problem}"

    problem: Wording


class DisputePhase(CommandRejected):
    """The dispute is not where this could happen."""

    code = "dispute_phase"
    detail = "the dispute is {phase}"

    phase: str


class ClaimTooLate(CommandRejected):
    """The time in which members may claim on this is over; a referee still may."""

    code = "claim_too_late"
    rule = "disputes.window"
    detail = "claims on this are not taken any more; a referee still may open one"

    until: datetime


class AnotherPersonNeeded(CommandRejected):
    """Who has claimed, ruled or appealed before does not rule on it."""

    code = "another_person_needed"
    rule = "disputes.another_person"
    detail = "somebody else has to rule on this"


class NotDisclosed(CommandRejected):
    """Nothing lets this person open these values now."""

    code = "not_disclosed"
    rule = "disputes.disclosure"
    detail = "these values are not disclosed to you, or no longer"
