"""The game of each kind of ruleset."""

from engine.errors import InvariantViolated
from engine.rulesets import CorellianSpike, CoruscantShift, Ruleset, Traditional
from engine.table.games import corellian_spike, coruscant_shift, spike_turns, traditional
from engine.table.games.game import CardTurns, Game

_GAMES: dict[type, Game] = {
    CoruscantShift: Game(step=coruscant_shift.step),
    Traditional: Game(step=traditional.step, turns=traditional.TURNS),
    CorellianSpike: Game(step=corellian_spike.step, turns=spike_turns.TURNS),
}


def game_of(ruleset: Ruleset) -> Game:
    """
    Return the game for *ruleset*.

    Raises:
        InvariantViolated: If no game plays it.
    """
    game = _GAMES.get(type(ruleset))
    if game is None:
        raise InvariantViolated(f"nobody plays {type(ruleset).__name__}")
    return game


def turns_of(ruleset: Ruleset) -> CardTurns:
    """
    Return the card turns for *ruleset*.

    Raises:
        InvariantViolated: If its game has no card turns.
    """
    turns = game_of(ruleset).turns
    if turns is None:
        raise InvariantViolated(f"{type(ruleset).__name__} has no card turns")
    return turns
