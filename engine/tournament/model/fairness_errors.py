"""Why entropy is not taken, or seeds stay closed."""

from engine.errors import CommandRejected


class NotCheckedIn(CommandRejected):
    """Where entrants check in, only who is there commits."""

    code = "not_checked_in"
    rule = "entropy.commit"
    detail = "check in first"


class EntropyCommittedAlready(CommandRejected):
    """Whoever could commit anew could choose."""

    code = "entropy_committed_already"
    rule = "entropy.commit"
    detail = "this entry has committed already"


class EntropyNotCommitted(CommandRejected):
    """There is nothing to open."""

    code = "entropy_not_committed"
    rule = "entropy.open"
    detail = "this entry has not committed to anything"


class EntropyTooEarly(CommandRejected):
    """While others may still commit, nobody opens: the last one could choose."""

    code = "entropy_too_early"
    rule = "entropy.open"
    detail = "entropy is opened once the seats are drawn"


class EntropyOpenedAlready(CommandRejected):
    """It is opened once."""

    code = "entropy_opened_already"
    rule = "entropy.open"
    detail = "this entry has opened already"


class EntropyTooLate(CommandRejected):
    """Commitments end when seats are drawn, openings with the table's first hand."""

    code = "entropy_too_late"
    rule = "entropy.late"
    detail = "this comes too late"

    until: str


class EntropyMismatch(CommandRejected):
    """These are not the bytes that were committed to."""

    code = "entropy_mismatch"
    rule = "entropy.open"
    detail = "these are not the 32 bytes that were committed to"


class SeatsBeingDrawn(CommandRejected):
    """Who plays was settled before the beacon's round was named, and stays so until it comes."""

    code = "seats_being_drawn"
    rule = "beacon.seats"
    detail = "the seats are being drawn; nobody comes or goes until they are"


class SeedsStillNeeded(CommandRejected):
    """Whoever knows the master knows every card to come."""

    code = "seeds_still_needed"
    rule = "entropy.publication"
    detail = "seeds are published when the tournament is finished"

    phase: str
