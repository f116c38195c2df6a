"""The refusals of a dispute."""

from datetime import datetime

from engine.errors import CommandRejected, Wording


class DisputeNotOpened(CommandRejected):
    """The dispute does not exist."""

    code = "dispute_not_opened"
    detail = "the dispute does not exist"


class DisputeInvalid(CommandRejected):
    """The claim, the ruling or the disclosure is invalid."""

    code = "dispute_invalid"
    detail = "{problem}"

    problem: Wording


class DisputePhase(CommandRejected):
    """The phase of the dispute does not allow this."""

    code = "dispute_phase"
    detail = "this is not possible while the dispute is {phase}"

    phase: str


class ClaimTooLate(CommandRejected):
    """The window for claims by members has closed. A referee may still open a dispute."""

    code = "claim_too_late"
    rule = "disputes.window"
    detail = "claims on this are closed; a referee may still open a dispute"

    until: datetime


class AnotherPersonNeeded(CommandRejected):
    """Someone who claimed, ruled or appealed before may not rule on the dispute."""

    code = "another_person_needed"
    rule = "disputes.another_person"
    detail = "you claimed, ruled or appealed before, so somebody else has to rule on this"


class NotDisclosed(CommandRejected):
    """No disclosure lets this person open these values now."""

    code = "not_disclosed"
    rule = "disputes.disclosure"
    detail = "these values are not disclosed to you, or the disclosure has ended"
