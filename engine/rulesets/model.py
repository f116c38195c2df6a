"""
The parameters of each game.

A ruleset is data. It stands whole in the announcement of a tournament and in the opening of a
table, and each hand holds its hash. Its ``variant`` names the game. Source: rulebook
``rulesets``.
"""

from abc import abstractmethod
from hashlib import sha256
from typing import Literal, get_args

import msgspec

from engine.kit.denominations import Denomination
from engine.rulesets.parts import (
    Amounts,
    Ante,
    AnteByPlayers,
    Blinds,
    CardFees,
    ChanceCube,
    DoublePerOrbit,
    DrawOff,
    EachDealtOnce,
    FixedContinue,
    HandAntes,
    HandsOrLast,
    LastStanding,
    Levels,
    MainAntes,
    NoEscalation,
    NoForcedBet,
    OpenEnd,
    PokerNoLimit,
    Rebuy,
    Roll,
    ShiftOnDoubles,
    SingleBlindDraw,
    Split,
)
from engine.values import Chips

REVISION = 2
"""
The newest revision of the rules. All revisions from 1 on stay playable.

Source: rulebook ``rulesets.revisions``.
"""

Position = Literal["left_of_button", "left_of_big_blind"]
ExtraHand = Literal[
    "idiots_array",
    "prime_sabacc",
    "dual_power_coupling",
    "straight_staves",
    "straight_rhoon",
    "straight_trill",
]
EXTRA_HANDS: tuple[ExtraHand, ...] = get_args(ExtraHand)
"""Hands of Corellian Spike that only some tables play."""


class _Game(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="variant"
):
    """The parameters of every game. The defaults are those of the game family."""

    # The default is the revision of the first stored rulesets. New rulesets have REVISION.
    revision: int = 1
    """The revision of the rules by which the game is played."""

    first_dealer: Literal["host_choice", "high_card", "random"] = "host_choice"
    """The choice of the first dealer: the lowest seat, the highest open card, or a draw."""

    max_players: int = 10
    """The most seats at a table."""

    starting_stack: Chips | None = None
    """The chips of an entrant at the start. Null leaves the number to the announcement."""

    chip_unit: int = 1
    """The smallest amount. Every other amount is a multiple of it."""

    table_min: Chips | None = None
    """The smallest opening bet, if ``betting.min_open`` is ``table_min``. Null is one unit."""

    denominations: tuple[Denomination, ...] = ()
    """The names and values of the venue's chips. They are only shown, never used to count."""

    odd_chip: Literal["carry", "seat_order"] = "seat_order"
    """
    `carry` keeps odd units for the next hand. `seat_order` gives them to winners from the left of
    the button.
    """

    button: Literal["moving", "dead", "starter"] = "moving"
    """
    ``dead``: the big blind always moves on, and the button may be an empty seat. ``starter``:
    the seat that acts first rotates, and the button is the seat before it.
    """

    end: LastStanding | EachDealtOnce | HandsOrLast | OpenEnd = LastStanding()
    """The end of the game."""

    score: Literal["chips", "hands_won", "cash_out"] = "chips"
    """The measure that ranks players: chips, hands won, or the chips that they take away."""

    final_tie: Literal["sudden_death", "shared"] = "sudden_death"
    """The way to break a tie for the first place that the pots won did not break."""

    rebuy: Rebuy = Rebuy()
    """The rebuys that the game allows."""

    @property
    def variant(self) -> str:
        """Return the name of the game."""
        return str(self.__struct_config__.tag)

    @property
    def moneyless(self) -> bool:
        """True if the game counts hands instead of chips. Then nobody is all-in or eliminated."""
        return self.score == "hands_won"


class CoruscantShift(_Game, frozen=True, kw_only=True, tag="coruscant_shift"):
    """One game with all its parameters. The defaults are those of the game family."""

    deck: Literal["d62"] = "d62"
    """`d62` has three suits from +1 to +10 and from -1 to -10, and two sylops."""

    hand_size: int = 5
    """The number of cards dealt to each seat."""

    first_selection_min: int = 0
    """The fewest cards of the first selection."""

    final_selection_min: int = 1
    """The fewest cards of the final selection."""

    recycle_discards: bool = True
    """True if the discards become a new pile when the pile is empty."""

    forced: NoForcedBet | Ante | Blinds = NoForcedBet()
    """The bets that are paid before the cards."""

    short_forced: Literal["all_in", "not_dealt_in"] = "all_in"
    """
    `all_in` pays what is left of a short stack. `not_dealt_in` leaves the seat out of the hand.
    """

    short_blind: Literal["full_price", "as_posted"] = "full_price"
    """The price for the other seats if the big blind cannot post in full."""

    escalation: NoEscalation | DoublePerOrbit | AnteByPlayers | Levels = NoEscalation()
    """The growth of the forced bets."""

    betting: PokerNoLimit | FixedContinue = PokerNoLimit()
    """The betting of each street."""

    first_actor: tuple[Position, Position] = ("left_of_button", "left_of_button")
    """The seat that acts first, for the first and for the second street."""

    roll: Roll = Roll()
    """The roll of target number and suit."""

    discard: Literal["at_shift", "with_selection"] = "at_shift"
    """Unselected cards go away with the selection or at the shift."""

    bet2: Literal["before_improve", "after_improve"] = "after_improve"
    """The second street comes before or after the improvement."""

    tie: Split | DrawOff | ChanceCube = Split()
    """The rule for tied hands."""

    headsup: Literal["literal", "dealer_small_blind"] = "literal"
    """`dealer_small_blind` gives the small blind to the dealer if two players are left."""

    special_item: bool = False
    """True if a broke player may stake an item of agreed value."""

    item_values: tuple[Chips, ...] = (200, 500, 1000)
    """The values in chips that a staked item may have."""

    def base_amounts(self) -> Amounts:
        """Return the forced bets before any escalation."""
        if isinstance(self.escalation, Levels):
            return self.escalation.levels[0].amounts
        match self.forced:
            case Ante(amount=amount):
                return Amounts(ante=amount)
            case Blinds(small=small, big=big, table_ante=table, player_ante=player):
                return Amounts(small=small, big=big, ante=table or player)
            case NoForcedBet():
                return Amounts()

    def least_stack(self, amounts: Amounts) -> Chips:
        """Return the chips that a seat needs to be dealt in at *amounts*."""
        if self.short_forced == "not_dealt_in" and isinstance(self.forced, Ante):
            return amounts.ante
        return 0


class _RoundsGame(_Game, frozen=True, kw_only=True):
    """A game of two pots, two cards each, and card rounds."""

    betting: PokerNoLimit = PokerNoLimit(min_open=1)
    """The betting of each street."""

    short_forced: Literal["sits_out", "out"] = "sits_out"
    """The consequence for a seat that cannot pay both antes. ``out`` eliminates it."""

    # Not an ABC: its metaclass would make each isinstance call Python code. The type checker
    # ensures that a game names both antes.
    @property
    @abstractmethod
    def main_ante(self) -> Chips:
        """Return the ante of each seat into the pot that is played for."""

    @property
    @abstractmethod
    def sabacc_ante(self) -> Chips:
        """Return the ante of each seat into the pot that waits for a special hand."""

    @property
    def hand_size(self) -> int:
        """Return the number of cards dealt to each seat."""
        return 2

    @property
    def forced(self) -> Ante:
        """Return the ante into the main pot."""
        return Ante(amount=self.main_ante)

    @property
    def escalation(self) -> NoEscalation:
        """Return no escalation, because the antes never change."""
        return NoEscalation()

    @property
    def headsup(self) -> Literal["literal"]:
        """Return ``literal``: without blinds, two players need no seats of their own."""
        return "literal"

    def base_amounts(self) -> Amounts:
        """Return the ante into the main pot. The other one never changes."""
        return Amounts(ante=self.main_ante)

    def least_stack(self, amounts: Amounts) -> Chips:
        """Return the chips that a seat needs to be dealt in at *amounts*: both antes."""
        return amounts.ante + self.sabacc_ante


class Traditional(_RoundsGame, frozen=True, kw_only=True, tag="traditional"):
    """Traditional sabacc: a static field, shifts, bomb-outs and Sudden Demise."""

    deck: Literal["d76"] = "d76"
    """`d76` has four suits with values from 1 to 15, and special cards."""

    max_players: int = 8
    """The most seats at a table."""

    starting_stack: Chips | None = 100
    """The chips of an entrant at the start. Null leaves the number to the announcement."""

    ante: MainAntes = MainAntes()
    """The antes into the two pots."""

    pot_building_rounds: int = 4
    """The card rounds in which nobody may call the hand."""

    max_rounds: int = 10
    """After this many card rounds the hand is called automatically."""

    shift: ShiftOnDoubles = ShiftOnDoubles()
    """The shift of the cards on doubles."""

    compare: Literal["signed", "absolute"] = "signed"
    """`signed` ranks totals by their value, `absolute` by their distance from zero."""

    announce_totals: bool = False
    """True if everybody announces the total of the first two cards."""

    @property
    def main_ante(self) -> Chips:
        """Return the ante of each seat into the main pot."""
        return self.ante.main

    @property
    def sabacc_ante(self) -> Chips:
        """Return the ante of each seat into the Sabacc pot."""
        return self.ante.sabacc


class CorellianSpike(_RoundsGame, frozen=True, kw_only=True, tag="corellian_spike"):
    """
    Corellian Spike: three card rounds, dice that redeal the hands, totals near zero.

    ``galaxy_series``, ``ranking`` ``galaxy`` and ``spike_redeals`` ``oldest_card`` rest on one
    public program alone, so they need ``experimental``.
    """

    deck: Literal["d62"] = "d62"
    """`d62` has three suits from +1 to +10 and from -1 to -10, and two sylops."""

    max_players: int = 8
    """The most seats at a table."""

    starting_stack: Chips | None = 100
    """The chips of an entrant at the start. Null leaves the number to the announcement."""

    button: Literal["moving", "dead", "starter"] = "starter"
    short_forced: Literal["sits_out", "out"] = "out"
    ante: HandAntes = HandAntes()
    """The antes into the two pots."""

    spike_dice: bool = True
    """True if two dice follow each card round. Doubles redeal the hands."""

    spike_before_bet: bool = False
    """True if the dice come before the street."""

    spike_redeals: Literal["hand", "oldest_card"] = "hand"
    """
    ``oldest_card``: the dice are rolled in the last card round only, and each hand replaces one
    card.
    """

    gain_from_discard: bool = False
    """True if the open card of the discards may be taken instead of one from the pile."""

    swap_gain_cost: CardFees | None = None
    """The prices of card actions, or null if they are free."""

    ranking: Literal["printed", "galaxy"] = "printed"
    """The ranking of hands: as the game prints it, or that of the Galaxy Series."""

    extra_named_hands: tuple[ExtraHand, ...] = ()
    """Further named hands that count."""

    strict_named_hands: bool = False
    """True if cards beyond the named ones forbid the names of a fixed size."""

    galaxy_series: bool = False
    """True if up to three open piles replace the discard pile."""

    tie: SingleBlindDraw | Split = SingleBlindDraw()
    """The rule for tied hands."""

    experimental: bool = False
    """True if the ruleset may use rules known from a single public program only."""

    @property
    def main_ante(self) -> Chips:
        """Return the ante of each seat into the hand pot."""
        return self.ante.hand

    @property
    def sabacc_ante(self) -> Chips:
        """Return the ante of each seat into the Sabacc pot."""
        return self.ante.sabacc


RoundsRuleset = Traditional | CorellianSpike
"""The games with card rounds."""

Ruleset = CoruscantShift | Traditional | CorellianSpike
"""One game with all its parameters."""


def ruleset_hash(ruleset: Ruleset) -> str:
    """Return SHA-256 over the ruleset's JSON with sorted keys and every field, in hexadecimal."""
    return sha256(msgspec.json.encode(ruleset, order="sorted")).hexdigest()
