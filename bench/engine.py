"""
Play hands in the engine alone on one core, compared with ``pokerkit``'s no-limit hold'em.

Both play complete hands of six seats by the same policy, from the shuffle to the paid pots.
They take turns, so that other load on the machine meets both. Ours go through the table's
decider: each command is decided and its events are applied. Time is this process's own, so a
second is one of one core.

The library has no peer for the commitments of a hand (salts, leaves and root of its deck, its
seeds). They are part of every hand here. They are also timed alone between the rounds, and the
rate without them is the rest of a hand.
"""

import gc
import platform
import statistics
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from importlib.metadata import version
from itertools import count, cycle
from typing import Any, Literal

from pokerkit import Automation, NoLimitTexasHoldem

from bench.floors import Figure, figure
from engine.kit.cards import deck
from engine.kit.rng import Pile, openings_digest, pile_salts, seed_commitment
from engine.rulesets import resolve, ruleset_hash
from engine.table.decider import decider
from engine.table.model.commands import (
    Act,
    Improve,
    OpenHand,
    OpenTable,
    Placed,
    Seeds,
    Select,
    Verb,
)
from engine.table.model.events import Event
from engine.table.model.hand import Decision
from engine.table.model.state import Place, Table
from engine.table.model.wagers import legal_wagers, street_of
from engine.values import EntrantId, HandId, TableId, TournamentId

SEATS = 6
STACK = 2_000
BLINDS = (5, 10)
NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)
RULESET = resolve("better", {"escalation": {"kind": "none"}, "starting_stack": STACK})
DECK = deck(RULESET.deck)
NO_OPENINGS = openings_digest(())

# Players answer this only in casinos.
AUTOMATIONS = tuple(each for each in Automation if each is not Automation.RUNOUT_COUNT_SELECTION)

ROUNDS = 9
ROUND_SECONDS = 1.0
COMMITMENTS = 500
LOOKS = 10_000
HANDS_REPLAYED = 50

Answer = Literal["on", "raise", "fold"]
Policy = tuple[Answer, ...]
"""Answers to bets in turn: continue (check or call), raise to the minimum, fold if facing a bet."""

POLICIES: dict[str, Policy] = {
    "check or call": ("on",),
    "folds and raises": (
        *("on", "raise", "on", "fold", "on", "on", "on", "fold"),
        *("on", "on", "raise", "on", "on", "fold", "on", "on"),
    ),
}


class Ours:
    """A table that plays on, and opens again after a bust."""

    def __init__(self, policy: Policy) -> None:
        self._answers = cycle(policy)
        self._numbers = count(1)
        self.table, self.happened = opened_table()

    def play(self) -> int:
        """Play one hand and return the number of decisions."""
        if len(self.table.places) < SEATS:
            self.table, self.happened = opened_table()
        self.open()
        actions = 0
        while (decision := self.table.decision) is not None:
            self.answer(decision)
            actions += 1
        return actions

    def open(self) -> None:
        """Open the next hand."""
        number = next(self._numbers)
        self._do(
            OpenHand(
                hand=HandId(f"hnd_{number:032x}"),
                seeds=seeds_of(number),
                tournament_version=1,
                tournament_head="0" * 64,
                now=NOW,
            )
        )

    def answer(self, decision: Decision) -> None:
        """Answer for the first seat that the decision waits for."""
        place = self.table.at(decision.seats[0])
        if decision.phase == "bet":
            self._do(self._wager(place, decision))
            return
        held = place.hand
        if held is None:
            raise RuntimeError("a seat without cards is waited for")
        selecting = decision.phase == "select"
        cards = held.cards[:3] if selecting else held.fresh[:1]
        asked = Select if selecting else Improve
        self._do(
            asked(
                entrant=place.entrant,
                decision=decision.token,
                cards=tuple([card.card for card in cards]),
                salt="5a" * 32,
                now=NOW,
            )
        )

    def _wager(self, place: Place, decision: Decision) -> Act:
        answer = next(self._answers)
        held = place.hand
        facing = held is not None and street_of(self.table).due(place.seat, held.put_in) > 0
        verb: Verb = "call" if facing else "check"
        amount = None
        if answer == "fold" and facing:
            verb = "fold"
        elif answer == "raise":
            raises = [a for a in legal_wagers(self.table, place.seat) if a.verb == "raise_to"]
            if raises:
                verb, amount = "raise_to", raises[0].min
        return Act(
            entrant=place.entrant, decision=decision.token, verb=verb, amount=amount, now=NOW
        )

    def _do(self, command: OpenHand | Select | Improve | Act) -> None:
        self.table, self.happened = done(self.table, command)


def done(state: Any, command: Any) -> tuple[Table, tuple[Event, ...]]:
    """Decide *command* and apply its events."""
    happened, state = decider.carry_out(state, command)
    return state, happened


def opened_table() -> tuple[Table, tuple[Event, ...]]:
    """Return a table of six with the event that opened it."""
    seats = tuple(
        Placed(seat=seat, entrant=EntrantId(f"ent_{seat:032x}"), stack=STACK)
        for seat in range(1, SEATS + 1)
    )
    command = OpenTable(
        table=TableId(f"tbl_{1:032x}"),
        tournament=TournamentId(f"trn_{1:032x}"),
        number=1,
        ruleset=RULESET,
        ruleset_hash=ruleset_hash(RULESET),
        decision_seconds=30,
        grace_seconds=1,
        seats=seats,
        seat_count=SEATS,
        now=NOW,
    )
    return done(decider.initial, command)


def seeds_of(number: int) -> Seeds:
    """Return the seeds of hand *number*."""
    cards, dice, draws = (
        sha256(f"{use} {number}".encode()).hexdigest() for use in ("cards", "dice", "draws")
    )
    return Seeds(cards=cards, dice=dice, draws=draws)


class Theirs:
    """The library's state for each hand. It shuffles when it is made."""

    def __init__(self, policy: Policy) -> None:
        self._answers = cycle(policy)
        self._game = NoLimitTexasHoldem(AUTOMATIONS, True, 0, BLINDS, BLINDS[1])

    def play(self) -> int:
        """Play one hand and return the number of decisions."""
        state = self._game((STACK,) * SEATS, SEATS)
        actions = 0
        while state.status:
            answer = next(self._answers)
            if answer == "raise" and state.can_complete_bet_or_raise_to():
                state.complete_bet_or_raise_to(state.min_completion_betting_or_raising_to_amount)
            elif answer == "fold" and state.checking_or_calling_amount:
                state.fold()
            else:
                state.check_or_call()
            actions += 1
        return actions


def rate(play: Callable[[], int]) -> tuple[float, float]:
    """Return hands and actions a second of one round."""
    hands = actions = 0
    begun = time.process_time()
    while (taken := time.process_time() - begun) < ROUND_SECONDS:
        actions += play()
        hands += 1
    return hands / taken, actions / taken


def seconds(ask: Callable[[], object], times: int) -> float:
    """Return the seconds of *ask*, measured over *times*."""
    begun = time.process_time()
    for _ in range(times):
        ask()
    return (time.process_time() - begun) / times


def commit(seeds: Seeds) -> None:
    """Make all commitments of a hand: its seeds, and each card of its deck under one root."""
    cards = bytes.fromhex(seeds.cards)
    Pile(1, DECK, pile_salts(cards, NO_OPENINGS, 1, len(DECK))).root()
    for seed in (cards, bytes.fromhex(seeds.dice), bytes.fromhex(seeds.draws)):
        seed_commitment(seed)


def spread(values: Sequence[float], form: str = ",.0f") -> str:
    """Return the median of *values* with the smallest and the largest in brackets."""
    return f"{statistics.median(values):{form}} ({min(values):{form}} to {max(values):{form}})"


def compare(name: str, policy: Policy) -> Figure:
    """Play by *policy* in turns, and print the rates."""
    ours, theirs, seeds = Ours(policy), Theirs(policy), seeds_of(1)
    hands, actions, peer, peer_actions, costs = ([] for _ in range(5))
    for _ in range(ROUNDS):
        played = rate(ours.play)
        hands.append(played[0])
        actions.append(played[1])
        costs.append(seconds(lambda: commit(seeds), COMMITMENTS))
        played = rate(theirs.play)
        peer.append(played[0])
        peer_actions.append(played[1])
    apart = [1 / (1 / rate - cost) for rate, cost in zip(hands, costs, strict=True)]
    print(f"  hands/s {spread(hands)}; pokerkit {spread(peer)}")
    print(f"  actions/s {spread(actions)}; pokerkit {spread(peer_actions)}")
    print(f"  commitments {spread([cost * 1e6 for cost in costs])} µs a hand (budget 100)")
    print(f"  hands/s without them {spread(apart)}")
    whole = [mine / its for mine, its in zip(hands, peer, strict=True)]
    ratio = [mine / its for mine, its in zip(apart, peer, strict=True)]
    print(
        f"  ratio {spread(ratio, '.1f')} without the commitments, {spread(whole, '.1f')} with them"
    )
    return figure(f"engine: {name}", "hands/s", hands, peer, "pokerkit's no-limit hold'em")


def history() -> tuple[Table, Decision, list[Event]]:
    """Return a table that waits for a bet, the decision, and the events before it."""
    ours = Ours(("on",))
    events = [*ours.happened]
    while True:
        decision = ours.table.decision
        if decision is None:
            ours.open()
        elif decision.phase == "bet" and ours.table.hand_number > HANDS_REPLAYED:
            return ours.table, decision, events
        else:
            ours.answer(decision)
        events += ours.happened


def asides() -> None:
    """Print the cost of listing the legal actions, and the speed of evolving a history."""
    table, decision, events = history()
    seat = decision.seats[0]
    looks = [seconds(lambda: legal_wagers(table, seat), LOOKS) * 1e6 for _ in range(ROUNDS)]
    replays = [len(events) / seconds(lambda: decider.replay(events), 5) for _ in range(ROUNDS)]
    print(f"legal actions of the seat whose turn it is: {spread(looks, '.2f')} µs a call")
    print(f"replay of {len(events)} events of a table, decoded before: {spread(replays)} events/s")


def main() -> list[Figure]:
    """Print every comparison."""
    gc.freeze()
    gc.set_threshold(50_000, 50, 1_000)  # as every process of the service does
    print(
        f"Python {platform.python_version()}, pokerkit {version('pokerkit')}; "
        f"{ROUNDS} rounds in turns, median (least to greatest)"
    )
    print(f"{SEATS} seats, blinds {BLINDS[0]} and {BLINDS[1]}, stacks of {STACK}")
    print(
        "ours: ruleset better without escalation; each seat keeps three of five cards "
        "and adds one of its two new ones"
    )
    print(
        "pokerkit: NoLimitTexasHoldem; automations",
        ", ".join(each.name.lower() for each in AUTOMATIONS),
    )
    print("folds and raises: of 16 answers 2 raise to the least, 3 fold to a bet, 11 check or call")
    figures = []
    for name, policy in POLICIES.items():
        print(f"bets: {name}")
        figures.append(compare(name, policy))
    asides()
    return figures


if __name__ == "__main__":
    main()
