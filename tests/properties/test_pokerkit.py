"""
Pots and prices agree with those of pokerkit: all-ins, folds, short antes and ties included.

The same bets are made at a Holotable table and in a game of pokerkit with the same order of hands.
All chips are multiples of 60, so up to six tied seats share without an odd chip. Pokerkit gives odd
chips to the first winner, and Holotable does not.
"""

from random import Random

import pytest
from pokerkit import Automation, BadugiHand, BettingStructure, Deck, Opening, State, Street

from engine.kit.cards import deck
from engine.rulesets import Blinds, Ruleset, resolve
from engine.table.model import events
from engine.table.read.view_parts import TableView
from tests.engine.table.tables import Floor

HANDS = 300
ANTE = 60
RULESET = resolve(
    "better_simple",
    {
        "forced": {"kind": "ante", "amount": ANTE},
        "escalation": {"kind": "none"},
        "betting": {"kind": "poker_nl", "min_raise": "last_raise", "min_open": ANTE},
        "first_actor": ["left_of_button", "left_of_button"],
        "odd_chip": "seat_order",
    },
)
BLINDS = resolve(
    "better_simple",
    {
        "forced": {"kind": "blinds", "small": ANTE, "big": 2 * ANTE},
        "escalation": {"kind": "none"},
        "betting": {"kind": "poker_nl", "min_raise": "last_raise", "min_open": "big_blind"},
        "first_actor": ["left_of_big_blind", "left_of_button"],
        "headsup": "dealer_small_blind",
        "odd_chip": "seat_order",
    },
)
WITH_ANTES = resolve(
    "better_simple",
    {
        "forced": {"kind": "blinds", "small": ANTE, "big": 2 * ANTE, "player_ante": ANTE},
        "short_blind": "as_posted",
        "escalation": {"kind": "none"},
        "betting": {"kind": "poker_nl", "min_raise": "last_raise", "min_open": "big_blind"},
        "first_actor": ["left_of_big_blind", "left_of_button"],
        "headsup": "dealer_small_blind",
        "odd_chip": "seat_order",
    },
)
AUTOMATIONS = (
    Automation.ANTE_POSTING,
    Automation.BET_COLLECTION,
    Automation.BLIND_OR_STRADDLE_POSTING,
    Automation.CARD_BURNING,
    Automation.HOLE_CARDS_SHOWING_OR_MUCKING,
    Automation.HAND_KILLING,
    Automation.CHIPS_PUSHING,
    Automation.CHIPS_PULLING,
)
RANKS = "A23456"
IDLE = "89TJQK"
SUITS = "cdhs"


class Twin:
    """
    One hand, played at a Holotable table and in a game of pokerkit.

    Every seat keeps one card, and its distance from the target is its rank. In pokerkit the seat
    holds one low card, and another of the same suit that does not count in badugi.

    Args:
        ruleset: A ruleset with an ante, with blinds for two seats, or with blinds and antes.
    """

    def __init__(self, seed: int, ruleset: Ruleset = RULESET) -> None:
        self.dice = Random(seed)
        self.ruleset = ruleset
        headsup = ruleset == BLINDS
        count = 2 if headsup else self.dice.randint(2, 6)
        stacks = [ANTE * self.dice.randint(1, 12) for _ in range(count)]
        stacks[0] += self.dice.choice((0, -30))
        self.floor = Floor(ruleset, stacks, seed=seed)
        self.asked: list[int] = []
        self.asked_there: list[int] = []
        """The price of a call at each turn, in Holotable and in pokerkit."""
        self.floor.target = (0, "circle")
        self.ranks = self._ranks(count)
        self._script()
        self.kinds: set[type] = set()
        self._note(self.floor.open_hand())
        hand = self.floor.table.hand
        assert hand is not None
        self.order = hand.order
        self.pokerkit = self._state([stacks[seat - 1] for seat in self.order])

    def _ranks(self, count: int) -> list[int]:
        """
        Return a rank for each seat. At most four seats share one, because there are four suits.
        """
        while True:
            ranks = [self.dice.randrange(self.dice.randint(1, 6)) for _ in range(count)]
            if max(map(ranks.count, ranks)) <= len(SUITS):
                return ranks

    def _script(self) -> None:
        kept = []
        for index, rank in enumerate(self.ranks):
            twins = [f"{suit}{sign}{rank + 1:02}" for suit in "TS" for sign in "+-"]
            kept.append(twins[self.ranks[:index].count(rank)])
        rest = iter([card for card in deck("d62") if card not in kept])
        for seat, card in enumerate(kept, start=1):
            self.floor.script[seat, "hand"] = (card, *(next(rest) for _ in range(4)))
            self.floor.script[seat, "new"] = tuple(next(rest) for _ in range(4))

    def _state(self, stacks: list[int]) -> State:
        blinds = (ANTE, 2 * ANTE) if isinstance(self.ruleset.forced, Blinds) else 0
        least = 2 * ANTE if blinds else ANTE
        state = State(
            AUTOMATIONS,
            Deck.STANDARD,
            (BadugiHand,),
            (
                Street(False, (False,), 0, False, Opening.POSITION, least, None),
                Street(False, (False,), 0, False, Opening.POSITION, least, None),
            ),
            BettingStructure.NO_LIMIT,
            True,
            0 if self.ruleset == BLINDS else ANTE,
            blinds,
            0,
            stacks,
            len(stacks),
        )
        suits: dict[int, str] = {}
        for index, seat in enumerate(self.order):
            rank = self.ranks[seat - 1]
            before = [self.ranks[other - 1] for other in self.order[:index]]
            suits[index] = SUITS[before.count(rank)]
        self._cards = {
            index: (f"{RANKS[self.ranks[seat - 1]]}{suits[index]}", suits[index])
            for index, seat in enumerate(self.order)
        }
        for index in range(len(stacks)):
            state.deal_hole(self._cards[index][0])
        return state

    def play(self) -> None:
        while (decision := self.floor.table.decision) is not None:
            seat = decision.seats[0]
            if decision.phase == "select":
                self._note(self.floor.select(seat, self.floor.script[seat, "hand"][0]))
            elif decision.phase == "improve":
                self._note(self.floor.improve(seat))
            else:
                self._bet(seat)

    def _bet(self, seat: int) -> None:
        self._deal_second()
        index = self.order.index(seat)
        assert self.pokerkit.actor_index == index
        view = self.floor.view(seat)
        legal = {action.verb: action for action in view.legal}
        price = legal["call"].amount or 0 if "call" in legal else 0
        self.asked.append(price)
        self.asked_there.append(self.pokerkit.checking_or_calling_amount or 0)
        verb, amount = self._choice(view)
        if verb == "fold" and self.pokerkit.can_fold():
            self.pokerkit.fold()
        elif verb == "raise_to" and self.pokerkit.can_complete_bet_or_raise_to(amount):
            self.pokerkit.complete_bet_or_raise_to(amount)
        else:
            legal = {action.verb for action in self.floor.view(seat).legal}
            verb, amount = ("check" if "check" in legal else "call"), None
            self.pokerkit.check_or_call()
        self._note(self.floor.act(seat, verb, amount))

    def _choice(self, view: TableView) -> tuple[str, int | None]:
        action = view.legal[self.dice.randrange(len(view.legal))]
        if action.verb != "raise_to":
            return action.verb, None
        assert action.min is not None and action.max is not None
        amount = self.dice.choice((action.min, action.max, action.max))
        return "raise_to", amount

    def _deal_second(self) -> None:
        """Deal a second card that does not count to each seat that is live in pokerkit."""
        while self.pokerkit.can_deal_hole():
            index = self.pokerkit.hole_dealee_index
            assert index is not None
            suit = self._cards[index][1]
            used = {repr(card) for cards in self.pokerkit.hole_cards for card in cards}
            self.pokerkit.deal_hole(next(k + suit for k in IDLE if k + suit not in used))

    def _note(self, happened: tuple[events.Event, ...]) -> None:
        self.kinds.update(map(type, happened))
        for event in happened:
            if isinstance(event, events.PotsFormed) and len(event.pots) > 1:
                self.kinds.add(events.FormedPot)
            if isinstance(event, events.PotAwarded) and len(event.shares) > 1:
                self.kinds.add(events.Share)

    def stacks(self) -> tuple[list[int], list[int]]:
        """Return the final stacks in Holotable and in pokerkit."""
        self._deal_second()
        while self.pokerkit.status:
            # Pokerkit also asks the last seat with chips, although it has nothing to answer.
            assert self.pokerkit.checking_or_calling_amount == 0
            self.pokerkit.check_or_call()
            self._deal_second()
        ours = self.floor.stacks()
        return [ours.get(seat, 0) for seat in self.order], list(self.pokerkit.stacks)


def test_calls_cost_what_they_cost_in_pokerkit() -> None:
    """
    Rulesets have an ante, or blinds and antes. For two seats there are also blinds alone.
    """
    short = 0
    for seed in range(HANDS // 2):
        for ruleset in (RULESET, BLINDS, WITH_ANTES):
            twin = Twin(seed, ruleset)
            twin.play()
            assert twin.asked == twin.asked_there, f"hand {seed}"
            ours, theirs = twin.stacks()
            assert ours == theirs, f"hand {seed}"
            short += any(0 < price < ANTE for price in twin.asked)
    assert short


@pytest.mark.parametrize("ruleset", [RULESET, WITH_ANTES], ids=["antes", "blinds and antes"])
def test_pots_are_paid_as_pokerkit_pays_them(ruleset: Ruleset) -> None:
    """Among the hands are side pots, ties, folds and uncalled bets that go back."""
    kinds: set[type] = set()
    for seed in range(HANDS):
        twin = Twin(seed, ruleset)
        twin.play()
        ours, theirs = twin.stacks()
        assert ours == theirs, f"hand {seed}"
        kinds |= twin.kinds

    assert {events.FormedPot, events.Share, events.UnmatchedReturned} <= kinds
