"""Why a ruleset is refused."""

from engine.errors import CommandRejected


class RulesetUnknown(CommandRejected):
    """No preset has this name."""

    code = "unknown_ruleset"

    def __init__(self, *, name: str, known: str) -> None:
        super().__init__(f"there is no ruleset {name!r}; known are {known}", name=name, known=known)


class RulesetInvalid(CommandRejected):
    """The parameters do not make a game."""

    code = "invalid_ruleset"

    def __init__(self, *, reason: str) -> None:
        super().__init__(f"the ruleset is invalid: {reason}", reason=reason)
