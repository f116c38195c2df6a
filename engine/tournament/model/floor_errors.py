"""Why the floor refuses an order."""

from engine.errors import CommandRejected


class RulingNotPossible(CommandRejected):
    """What a director orders cannot be done as things are."""

    code = "ruling_not_possible"
    detail = "this cannot be ordered now: {reason}"

    reason: str


class OwnSeat(CommandRejected):
    """Staff who play give the order about their own table, or about themselves."""

    code = "own_seat"
    rule = "directing.own_seat"
    detail = (
        "staff who play neither hold nor release the table they sit at, nor move themselves: "
        "ask somebody of the staff who does not play"
    )


class TableNotInPlay(CommandRejected):
    """The table is not, or no longer, one of the tournament's open tables."""

    code = "table_not_in_play"
    detail = "the tournament has no such open table"
