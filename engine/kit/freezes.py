"""The one refusal of everything that waits for a dispute."""

from engine.errors import CommandRejected


class Frozen(CommandRejected):
    """It waits for the outcome of a dispute."""

    code = "frozen"
    rule = "disputes.freeze"

    def __init__(self, *, dispute: str) -> None:
        super().__init__("this waits for the outcome of a dispute", dispute=dispute)
