"""
The parts of a ruleset.

A part with a ``kind`` is one of several. An override replaces it whole.
"""

from typing import Literal

import msgspec

from engine.values import Chips


class _Part(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind"
):
    pass


class NoForcedBet(_Part, frozen=True, kw_only=True, tag="none"):
    """Nobody pays before the cards."""


class Ante(_Part, frozen=True, kw_only=True, tag="ante"):
    """Everyone pays *amount*. It does not count as a bet of the first street."""

    amount: Chips
    """The ante of each seat."""


class Blinds(_Part, frozen=True, kw_only=True, tag="blinds"):
    """Two seats left of the button pay. Both payments count as bets of the first street."""

    small: Chips
    """The small blind."""

    big: Chips
    """The big blind."""

    table_ante: Chips = 0
    """The big blind also pays this amount for the whole table, as dead money of the main pot."""

    player_ante: Chips = 0
    """Every seat in the hand pays this amount before the blinds. It does not count as a bet."""


class NoEscalation(_Part, frozen=True, kw_only=True, tag="none"):
    """Forced bets stay as they are."""


class DoublePerOrbit(_Part, frozen=True, kw_only=True, tag="double_per_orbit"):
    """Forced bets double whenever the button reaches or passes the first dealer's seat."""


class AnteByPlayers(_Part, frozen=True, kw_only=True, tag="ante_by_players"):
    """The ante grows before every hand except the first, by the number of players with chips."""

    inc: dict[str, int]
    """Chips by number of players. ``*`` is for every other number."""


class LevelStep(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The forced bets of one level, and its length in hands or seconds, as the structure counts."""

    small: Chips = 0
    """The small blind."""

    big: Chips = 0
    """The big blind."""

    ante: Chips = 0
    """The ante of each seat."""

    length: int | None = None
    """Null for the last level only, which never ends."""

    @property
    def amounts(self) -> "Amounts":
        """Return the forced bets without the length."""
        return Amounts(small=self.small, big=self.big, ante=self.ante)


class Levels(_Part, frozen=True, kw_only=True, tag="levels"):
    """
    A list of levels, one after the other.

    If levels count hands, each table counts its own. If they go by the clock, one clock runs
    for the whole tournament.
    """

    by: Literal["hands", "clock"]
    """
    The unit of each level's length. `hands` count at each table, `clock` counts seconds for all.
    """

    levels: tuple[LevelStep, ...]
    """The levels in order. The last one has no length."""


class PokerNoLimit(_Part, frozen=True, kw_only=True, tag="poker_nl"):
    """Fold, check, call, raise to any amount."""

    min_raise: Literal["chip_unit", "min_bet", "last_raise"] = "chip_unit"
    """The smallest raise: a unit, the smallest opening bet, or the last raise."""

    min_open: Literal["big_blind", "half_ante", "table_min"] | int = "table_min"
    """
    The smallest opening bet, at least one unit. ``half_ante`` is half the ante in force,
    rounded down to whole units. ``table_min`` is the ruleset's ``table_min``.
    """


class FixedContinue(_Part, frozen=True, kw_only=True, tag="fixed_continue"):
    """One pass: stay for a fixed price, or fold."""

    cost: Chips
    """The price of staying in."""


class Split(_Part, frozen=True, kw_only=True, tag="split"):
    """Tied seats share the pot."""


class DrawOff(_Part, frozen=True, kw_only=True, tag="draw_off"):
    """Each tied seat gets one open card. The highest value wins."""

    limit: int = 3
    """The most cards that each tied seat gets."""

    then: Literal["cube"] = "cube"
    """The chance cube decides if the cards do not."""

    prefer_cube: bool = False
    """True if the chance cube decides at once, without a draw-off."""


class ChanceCube(_Part, frozen=True, kw_only=True, tag="chance_cube"):
    """A draw among the tied seats."""


class SingleBlindDraw(_Part, frozen=True, kw_only=True, tag="single_blind_draw"):
    """
    Each tied seat gets one open card. The card nearest to zero wins, and the positive one of
    two equally near.
    """


class LastStanding(_Part, frozen=True, kw_only=True, tag="last_standing"):
    """Until one player holds every chip."""


class EachDealtOnce(_Part, frozen=True, kw_only=True, tag="each_dealt_once"):
    """Until everyone has dealt once."""


class HandsOrLast(_Part, frozen=True, kw_only=True, tag="hands_or_last"):
    """A number of hands, or until one player holds every chip."""

    hands: int | None = None
    """The number of hands, or null for no limit."""


class OpenEnd(_Part, frozen=True, kw_only=True, tag="open"):
    """Until the house closes the table."""


class ShiftOnDoubles(_Part, frozen=True, kw_only=True, tag="doubles"):
    """Two dice after each street. Doubles shift the cards."""

    when: Literal["after_bet"] = "after_bet"
    """The moment of the dice."""


class Plain(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A part with keys that are overridden one by one."""


class Roll(Plain, frozen=True, kw_only=True):
    """The seat that rolls the dice, or the house, and the moment of the roll."""

    by: Literal["dealer", "left_of_dealer", "house"] = "dealer"
    """The seat that rolls, in name: the house makes the numbers."""

    when: Literal["before_deal", "after_deal"] = "after_deal"
    """The moment of the roll."""


class Rebuy(Plain, frozen=True, kw_only=True):
    """The number of rebuys a player may make, each for a starting stack. Null means no limit."""

    max: int | None = 0
    """The number of rebuys a player may make. 0 allows none, null any number."""

    until_level: int | None = None
    """The last level in which a player may rebuy. Null is every level."""

    seconds: int = 20
    """The seconds that a table waits for players who have just busted."""

    between_hands: Literal[True] = True
    """Rebuys happen between hands only."""


class MainAntes(Plain, frozen=True, kw_only=True):
    """The ante of each seat into each of the two pots of Traditional."""

    main: Chips = 1
    """The ante into the main pot."""

    sabacc: Chips = 1
    """The ante into the Sabacc pot."""


class HandAntes(Plain, frozen=True, kw_only=True):
    """
    The ante of each seat into each of the two pots of Corellian Spike: rulebook ``spike.ante``.
    """

    hand: Chips = 2
    """The ante into the hand pot."""

    sabacc: Chips = 1
    """The ante into the Sabacc pot."""


class CardFees(Plain, frozen=True, kw_only=True):
    """The price of each card action, paid into the hand pot as dead money."""

    gain: Chips = 1
    """The price of one more card from the pile."""

    swap: Chips = 1
    """The price of exchanging a card."""

    discard: Chips = 2
    """The price of the top card of the discard pile."""

    junk: Chips = 0
    """The price of junking the hand."""


class Amounts(Plain, frozen=True, kw_only=True):
    """The forced bets in force, in chips, or 0 if the ruleset has none."""

    small: Chips = 0
    """The small blind."""

    big: Chips = 0
    """The big blind."""

    ante: Chips = 0
    """The ante of each seat."""
