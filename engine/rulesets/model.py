"""
The parameters of a game.

A ruleset is data: it stands whole in the announcement of a tournament and in the
opening of a table, and its hash in every hand.  Source: rulebook ``rulesets``.
"""

from hashlib import sha256
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
    """Everyone pays *amount*; it does not count as a bet of the first street."""

    amount: Chips


class Blinds(_Part, frozen=True, kw_only=True, tag="blinds"):
    """Two seats left of the button pay; both count as bets of the first street."""

    small: Chips
    big: Chips


class NoEscalation(_Part, frozen=True, kw_only=True, tag="none"):
    """Forced bets stay as they are."""


class DoublePerOrbit(_Part, frozen=True, kw_only=True, tag="double_per_orbit"):
    """Forced bets double whenever the button reaches or passes the first dealer's seat."""


class AnteByPlayers(_Part, frozen=True, kw_only=True, tag="ante_by_players"):
    """The ante grows before every hand but the first, by the number of players with chips."""

    inc: dict[str, int]
    """Chips by number of players; ``*`` for every other number."""


class PokerNoLimit(_Part, frozen=True, kw_only=True, tag="poker_nl"):
    """Fold, check, call, raise to any amount."""

    min_raise: Literal["chip_unit", "min_bet", "last_raise"] = "chip_unit"
    min_open: Literal["big_blind", "table_min"] | int = "table_min"
    """The smallest opening bet; ``table_min`` is one unit."""


class FixedContinue(_Part, frozen=True, kw_only=True, tag="fixed_continue"):
    """One pass: stay for a fixed price, or fold."""

    cost: Chips


class Split(_Part, frozen=True, kw_only=True, tag="split"):
    """Tied seats share the pot."""


class DrawOff(_Part, frozen=True, kw_only=True, tag="draw_off"):
    """Each tied seat gets one open card, the highest value wins."""

    limit: int = 3
    then: Literal["cube"] = "cube"


class ChanceCube(_Part, frozen=True, kw_only=True, tag="chance_cube"):
    """One of the tied seats, drawn."""


class LastStanding(_Part, frozen=True, kw_only=True, tag="last_standing"):
    """Until one player holds every chip."""


class EachDealtOnce(_Part, frozen=True, kw_only=True, tag="each_dealt_once"):
    """Until everyone has dealt once."""


class HandsOrLast(_Part, frozen=True, kw_only=True, tag="hands_or_last"):
    """A number of hands, or until one player holds every chip."""

    hands: int | None = None


class OpenEnd(_Part, frozen=True, kw_only=True, tag="open"):
    """Until the house closes the table."""


class _Plain(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    pass


class Roll(_Plain, frozen=True, kw_only=True):
    """In whose name the dice are rolled, and when."""

    by: Literal["dealer", "left_of_dealer", "house"] = "dealer"
    when: Literal["before_deal", "after_deal"] = "after_deal"


class Rebuy(_Plain, frozen=True, kw_only=True):
    """How often a player may buy a new stack; null is without limit."""

    max: int | None = 0
    between_hands: bool = True


class Amounts(_Plain, frozen=True, kw_only=True):
    """The forced bets in force, in chips; 0 where the ruleset has none."""

    small: Chips = 0
    big: Chips = 0
    ante: Chips = 0


Position = Literal["left_of_button", "left_of_big_blind"]


class Ruleset(_Plain, frozen=True, kw_only=True):
    """One game with all its parameters; the defaults are those of the game family."""

    variant: Literal["coruscant_shift"] = "coruscant_shift"
    revision: int = 1
    deck: Literal["d62"] = "d62"
    hand_size: int = 5
    first_dealer: Literal["host_choice", "high_card", "random"] = "host_choice"
    first_selection_min: int = 0
    final_selection_min: int = 1
    recycle_discards: bool = True
    max_players: int = 10
    starting_stack: Chips | None = None
    chip_unit: int = 1
    forced: NoForcedBet | Ante | Blinds = NoForcedBet()
    short_forced: Literal["all_in", "not_dealt_in"] = "all_in"
    escalation: NoEscalation | DoublePerOrbit | AnteByPlayers = NoEscalation()
    betting: PokerNoLimit | FixedContinue = PokerNoLimit()
    first_actor: tuple[Position, Position] = ("left_of_button", "left_of_button")
    roll: Roll = Roll()
    discard: Literal["at_shift", "with_selection"] = "at_shift"
    bet2: Literal["before_improve", "after_improve"] = "after_improve"
    tie: Split | DrawOff | ChanceCube = Split()
    odd_chip: Literal["carry", "seat_order"] = "seat_order"
    headsup: Literal["literal", "dealer_small_blind"] = "literal"
    button: Literal["moving", "starter"] = "moving"
    """``starter``: the seat that acts first rotates, and the button is the one before it."""

    end: LastStanding | EachDealtOnce | HandsOrLast | OpenEnd = LastStanding()
    score: Literal["chips", "hands_won", "cash_out"] = "chips"
    rebuy: Rebuy = Rebuy()
    special_item: bool = False

    @property
    def moneyless(self) -> bool:
        """Whether hands are counted instead of chips: nobody is all-in or eliminated."""
        return self.score == "hands_won"

    def base_amounts(self) -> Amounts:
        """Return the forced bets before any escalation."""
        match self.forced:
            case Ante(amount=amount):
                return Amounts(ante=amount)
            case Blinds(small=small, big=big):
                return Amounts(small=small, big=big)
            case NoForcedBet():
                return Amounts()


def ruleset_hash(ruleset: Ruleset) -> str:
    """Return SHA-256 over the ruleset's JSON with sorted keys and every field, in hexadecimal."""
    return sha256(msgspec.json.encode(ruleset, order="sorted")).hexdigest()
