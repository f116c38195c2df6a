"""The refusals of a tournament of scheduled rounds."""

from engine.errors import CommandRejected


class NoRoundInPlay(CommandRejected):
    """The tournament has no rounds, or no round is in play."""

    code = "no_round_in_play"
    rule = "rounds.ended_early"
    detail = "no round is in play"
