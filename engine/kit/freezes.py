"""The refusal of commands that a dispute has frozen."""

from engine.errors import CommandRejected


class Frozen(CommandRejected):
    """This waits for the outcome of a dispute."""

    code = "frozen"
    rule = "disputes.freeze"
    detail = "this waits for the outcome of a dispute"

    dispute: str
