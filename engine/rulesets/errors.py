"""The refusals of rulesets."""

from engine.errors import CommandRejected


class RulesetUnknown(CommandRejected):
    """No preset has this name."""

    code = "unknown_ruleset"
    detail = "there is no ruleset {name!r}; the known ones are {known}"

    name: str
    known: str


class RulesetInvalid(CommandRejected):
    """The parameters do not make a game that can be played."""

    code = "invalid_ruleset"
    detail = "the ruleset is invalid: {reason}"

    reason: str
