"""
The entry of house bots.

Source: rulebook ``entry.house_bots``.
"""

from msgspec.structs import replace

from engine.kit.house_bots import is_house_bot
from engine.rulesets import OpenEnd
from engine.tournament.model.commands import Register
from engine.tournament.model.errors import HouseBotsForMoney
from engine.tournament.model.state import Registering, Running, State


def as_house_bot(state: State, command: Register) -> Register:
    """
    Return *command*, marked as the entry of a program if the player is a house bot.

    Raises:
        HouseBotsForMoney: If the tournament has a currency, or is a casino.
    """
    if not is_house_bot(command.player):
        return command
    if isinstance(state, Registering | Running):
        terms = state.terms
        if terms.currency is not None or isinstance(terms.ruleset.end, OpenEnd):
            raise HouseBotsForMoney
    return replace(command, bot=True)
