"""Why a tournament of scheduled rounds refuses a command."""

from engine.errors import CommandRejected


class NoRoundInPlay(CommandRejected):
    """The tournament has no rounds, or none is being played."""

    code = "no_round_in_play"
    rule = "rounds.ended_early"
    detail = "no round is being played"
