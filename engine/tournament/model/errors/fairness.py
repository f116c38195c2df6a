"""The refusals of entropy and of publishing seeds."""

from engine.errors import CommandRejected


class NotCheckedIn(CommandRejected):
    """Only entrants who have checked in may commit entropy."""

    code = "not_checked_in"
    rule = "entropy.commit"
    detail = "check in first"


class EntropyCommittedAlready(CommandRejected):
    """The entry has already committed its entropy."""

    code = "entropy_committed_already"
    rule = "entropy.commit"
    detail = "this entry has already committed its entropy"


class EntropyNotCommitted(CommandRejected):
    """The entry has committed no entropy."""

    code = "entropy_not_committed"
    rule = "entropy.open"
    detail = "this entry has committed no entropy"


class EntropyTooEarly(CommandRejected):
    """Entropy may be opened only after the seats are drawn."""

    code = "entropy_too_early"
    rule = "entropy.open"
    detail = "entropy may be opened only after the seats are drawn"


class EntropyOpenedAlready(CommandRejected):
    """The entry has already opened its entropy."""

    code = "entropy_opened_already"
    rule = "entropy.open"
    detail = "this entry has already opened its entropy"


class EntropyTooLate(CommandRejected):
    """It is too late to commit or to open entropy."""

    code = "entropy_too_late"
    rule = "entropy.late"
    detail = (
        "it is too late: commitments end when the seats are drawn, openings with the table's "
        "first hand"
    )

    until: str


class EntropyMismatch(CommandRejected):
    """The bytes are not those of the commitment."""

    code = "entropy_mismatch"
    rule = "entropy.open"
    detail = "these are not the 32 bytes of the commitment"


class SeatsBeingDrawn(CommandRejected):
    """The seats are being drawn, so nobody may enter or leave."""

    code = "seats_being_drawn"
    rule = "beacon.seats"
    detail = "the seats are being drawn; nobody may enter or leave until they are"


class SeedsStillNeeded(CommandRejected):
    """The seeds are still in use. They are published after the end."""

    code = "seeds_still_needed"
    rule = "entropy.publication"
    detail = "seeds are published when the tournament is finished"

    phase: str
