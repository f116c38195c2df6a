"""
House bots: the league server's own players.

A house bot has no account and no token. Its identifier says that it is one, how strong it is and
its number in the league, so everybody who reads the log can tell house bots from people.

Source: rulebook ``entry.house_bots``, ``points.house_bots`` and ``ratings.house_bots``.
"""

import re
from hashlib import sha256
from typing import Final, Literal, NamedTuple

from engine.values import PlayerId

Strength = Literal["calm", "steady", "sharp"]

STRENGTHS: Final[tuple[Strength, ...]] = ("calm", "steady", "sharp")
"""Weakest first."""

NUMBER_MAX: Final = 0xFFFF
"""The most house bots of one strength in a league."""

# A UUID of version 8: "houseb" in ASCII, the strength, a digest of the league, the number. Players
# with accounts have UUIDs of versions 4 and 5.
_MARK: Final = b"houseb".hex()
_FORM: Final = re.compile(
    rf"plr_{_MARK}8(?P<strength>00[1-3])8[0-9a-f]{{11}}(?P<number>[0-9a-f]{{4}})"
)
_DIGITS: Final = 11

HOUSE: Final = PlayerId(f"plr_{_MARK}80008{0:015x}")
"""The league server itself. It owns the sandbox league. Nobody can sign in as it."""


class HouseBot(NamedTuple):
    """The facts in an identifier."""

    strength: Strength
    number: int
    """The number among the league's house bots of this strength, from 1."""

    @property
    def name(self) -> str:
        """
        Return the name that everybody sees.

        >>> HouseBot("sharp", 3).name
        'Bot 3, sharp'
        """
        return f"Bot {self.number}, {self.strength}"


def house_bot(league: str, strength: Strength, number: int) -> PlayerId:
    """
    Return the player that is house bot *number* of a strength in *league*.

    >>> house_bot("lge_00000000000000000000000000000007", "steady", 1)
    'plr_686f75736562800283aaec1436590001'
    """
    digest = sha256(f"holotable/house-bot/1/{league}".encode()).hexdigest()[:_DIGITS]
    kind = 1 + STRENGTHS.index(strength)
    return PlayerId(f"plr_{_MARK}8{kind:03x}8{digest}{number:04x}")


def house_bot_of(player: str) -> HouseBot | None:
    """
    Return the house bot that *player* is, or None for everybody else.

    >>> house_bot_of("plr_686f75736562800383aaec1436590001")
    HouseBot(strength='sharp', number=1)
    """
    match = _FORM.fullmatch(player)
    if match is None:
        return None
    return HouseBot(STRENGTHS[int(match["strength"], 16) - 1], int(match["number"], 16))


def is_house_bot(player: str) -> bool:
    """Return whether *player* is a house bot of any league."""
    return house_bot_of(player) is not None


def house_name(player: str) -> str | None:
    """
    Return the name of the house or of a house bot, or None for everybody else.

    >>> house_name(HOUSE)
    'The house'
    """
    if player == HOUSE:
        return "The house"
    bot = house_bot_of(player)
    return None if bot is None else bot.name
