"""The refusals of a director's orders."""

from engine.errors import CommandRejected


class RulingNotPossible(CommandRejected):
    """The order is not possible now."""

    code = "ruling_not_possible"
    detail = "this cannot be ordered now: {reason}"

    reason: str


class OwnSeat(CommandRejected):
    """Staff who play may not give this order about themselves or their own table."""

    code = "own_seat"
    rule = "directing.own_seat"
    detail = (
        "staff who play may not hold or release their own table, or move themselves; ask a "
        "member of the staff who does not play"
    )


class OwnClock(CommandRejected):
    """Staff who play may add time to the clock, but not take any or go to a level."""

    code = "own_clock"
    rule = "levels.set"
    detail = (
        "staff who play may only add time: another level, or less time, could end rebuys or late "
        "registration or bring them back; ask a member of the staff who does not play"
    )


class TableNotInPlay(CommandRejected):
    """The table is not one of the tournament's open tables."""

    code = "table_not_in_play"
    detail = "the tournament has no such open table"
