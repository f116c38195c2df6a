"""Why a ruleset is refused."""

from engine.errors import CommandRejected


class RulesetUnknown(CommandRejected):
    """No preset has this name."""

    code = "unknown_ruleset"
    detail = "there is no ruleset {name!r}; known are {known}"

    name: str
    known: str


class RulesetInvalid(CommandRejected):
    """The parameters do not make a game."""

    code = "invalid_ruleset"
    detail = "the ruleset is invalid: {reason}"

    reason: str
