"""
Compare the example players with others: games of six seats, three of each kind.

One kind of opponent keeps the best cards at once and bets by mood. The other kind never folds.
Each player sees only the view of its own seat.
"""

import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any, NamedTuple

import msgspec

from engine.rulesets import preset, ruleset_hash
from engine.table.decider import decider
from engine.table.model.commands import (
    Act,
    CallHand,
    Command,
    FieldCards,
    Improve,
    OpenHand,
    OpenTable,
    Placed,
    Seeds,
    Select,
    TakeCardTurn,
)
from engine.table.model.errors import TooFewStacks
from engine.table.model.state import State, Table
from engine.table.read.view import seen_by
from engine.values import EntrantId, HandId, TableId, TournamentId
from service.sandbox.bots.betting import Temper
from service.sandbox.bots.judgement import best_addition, score, whim
from service.sandbox.bots.player import choose

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
SEATS = 6
GAMES = 60
HANDS_MAX = 60

View = dict[str, Any]
Policy = Callable[[View, str], dict[str, Any]]


def knowing(view: View, name: str) -> dict[str, Any]:
    """Play as the example players do."""
    action = choose(view, Temper.of(name, 1), name, 1)
    if action is None:
        raise ValueError("nothing is asked of this seat")
    return action


def by_mood(view: View, name: str) -> dict[str, Any]:
    """Keep the best cards at once, and bet by a feeling between 0 and 1."""
    if (cards := _best_now(view)) is not None:
        return cards
    legal = {action["verb"]: action for action in view["legal"]}
    temper = Temper.of(name, 1)
    found = score(view["me"]["selection"], view["target"], view["suit"])
    feeling = {0: 0.2, 1: 0.08, 2: 0.04}.get(found.distance, 0.0) - 0.15 * found.missing
    moment = (view["number"], view["hand_number"], view["decision"]["turn"])
    nerve = min(1.0, feeling) + (whim(1, name, *moment) - 0.5) * (0.2 + 0.4 * temper.boldness)
    pot = sum(each["chips"] for each in view["pots"])
    raising = legal.get("raise_to")
    if raising is not None and nerve > 0.72 - 0.2 * temper.boldness:
        unit = max(1, raising["min"] - view["current_bet"])
        wished = view["current_bet"] + int(pot * nerve * 0.6)
        amount = raising["min"] + max(0, wished - raising["min"]) // unit * unit
        everything = nerve > 0.93 or amount * 2 > raising["max"]
        return {"type": "raise_to", "amount": raising["max"] if everything else amount}
    for free in ("check", "stay"):
        if free in legal:
            return {"type": free}
    due = legal["call"]["amount"]
    if nerve < 0.08 + due / max(1, pot + due) * (0.7 + 0.5 * temper.patience):
        return {"type": "fold"}
    return {"type": "call"}


def never_folding(view: View, name: str) -> dict[str, Any]:
    """Keep the best cards at once, and call every bet."""
    if (cards := _best_now(view)) is not None:
        return cards
    verbs = {action["verb"] for action in view["legal"]}
    return {"type": next(verb for verb in ("stand", "check", "stay", "call") if verb in verbs)}


PAIRINGS: tuple[tuple[str, Policy], ...] = (
    ("better_simple", by_mood),
    ("better_simple", never_folding),
    ("cantina", by_mood),
    ("cantina", never_folding),
    ("halcyon_100", by_mood),
    ("traditional", never_folding),
    ("spike", never_folding),
)


def _best_now(view: View) -> dict[str, Any] | None:
    """Return the best selection if no more cards came; None if no selection is needed."""
    phase, mine = view["decision"]["phase"], view["me"]
    if phase not in ("select", "improve"):
        return None
    pool = mine["cards"] if phase == "select" else mine["new_cards"]
    cards = best_addition(mine["selection"], pool, view["target"], view["suit"])
    return {"type": phase, "cards": list(cards)}


def _hex(*facts: object) -> str:
    return sha256(repr(facts).encode()).hexdigest()


class Game:
    """One table from its first hand until one seat has everything, or until the limit of hands."""

    def __init__(self, name: str, number: int, policies: Sequence[Policy]) -> None:
        ruleset = preset(name)
        self.number = number
        self.policies = policies
        stack = ruleset.starting_stack or 100
        self.state: State = decider.initial
        self.hands = 0
        self._do(
            OpenTable(
                table=TableId(f"tbl_{1:032x}"),
                tournament=TournamentId(f"trn_{1:032x}"),
                number=1 + number,
                ruleset=ruleset,
                ruleset_hash=ruleset_hash(ruleset),
                decision_seconds=30,
                grace_seconds=1,
                seats=tuple(
                    Placed(seat=seat, entrant=EntrantId(f"ent_{seat:032x}"), stack=stack)
                    for seat in range(1, len(policies) + 1)
                ),
                seat_count=len(policies),
                now=NOON,
            )
        )

    @property
    def table(self) -> Table:
        """Return the table as it is."""
        if not isinstance(self.state, Table):
            raise TypeError("the table is not open")
        return self.state

    def _do(self, command: Command) -> None:
        _, self.state = decider.carry_out(self.state, command)

    def play(self) -> dict[int, int]:
        """Return the stacks at the end, by seat."""
        while self.hands < HANDS_MAX and len(self.table.places) > 1:
            number = self.table.next_hand_number
            cards, dice, draws = (_hex(use, self.number, number) for use in ("c", "d", "l"))
            try:
                self._do(
                    OpenHand(
                        hand=HandId(f"hnd_{number:032x}"),
                        seeds=Seeds(cards=cards, dice=dice, draws=draws),
                        tournament_version=1,
                        tournament_head="0" * 64,
                        now=NOON,
                    )
                )
            except TooFewStacks:
                break
            self.hands += 1
            while self.table.decision is not None:
                self._answer(self.table.decision.seats[0])
        return {place.seat: place.stack for place in self.table.places}

    def _answer(self, seat: int) -> None:
        view = msgspec.to_builtins(seen_by(self.table, self.table.at(seat).entrant))
        action = self.policies[seat - 1](view, f"{self.number}/{seat}")
        self._do(self._command(seat, action))

    def _command(self, seat: int, action: dict[str, Any]) -> Command:
        decision = self.table.decision
        about: dict[str, Any] = {
            "entrant": self.table.at(seat).entrant,
            "decision": "" if decision is None else decision.token,
            "now": NOON,
        }
        salt = _hex(seat, about["decision"])
        match action["type"]:
            case "select" | "improve":
                kind = Select if action["type"] == "select" else Improve
                return kind(**about, cards=tuple(action["cards"]), salt=salt)
            case "field":
                return FieldCards(**about, cards=tuple(action["cards"]))
            case "call_hand":
                return CallHand(**about)
            case "draw" | "trade" | "stand" | "gain" | "swap" | "junk" | "buy":
                chosen = {"card": action.get("card"), "source": action.get("source")}
                return TakeCardTurn(**about, verb=action["type"], salt=salt, **chosen)
            case verb:
                return Act(**about, verb=verb, amount=action.get("amount"))


class Result(NamedTuple):
    """The share of the example players. Half of everything means that both kinds are equal."""

    won: float
    chips: float
    games: int
    hands: int
    seconds: float

    def __str__(self) -> str:
        return (
            f"won {self.won:>4.0%} of {self.games} games, {self.chips:>4.0%} of the chips; "
            f"{self.hands} hands, {1e3 * self.seconds / self.hands:.1f} ms a hand"
        )


def compare(name: str, other: Policy, games: int = GAMES) -> Result:
    """Play *games* of the preset *name*, with the seats changing places."""
    chips = total = hands = 0
    won = 0.0
    began = time.process_time()
    for number in range(games):
        ours = [(seat + number) % 2 == 0 for seat in range(SEATS)]
        game = Game(name, number, [knowing if mine else other for mine in ours])
        stacks = game.play()
        best = max(stacks.values())
        leaders = [seat for seat, stack in stacks.items() if stack == best]
        won += sum(ours[seat - 1] for seat in leaders) / len(leaders)
        chips += sum(stack for seat, stack in stacks.items() if ours[seat - 1])
        total += sum(stacks.values())
        hands += game.hands
    return Result(won / games, chips / total, games, hands, time.process_time() - began)


def main() -> None:
    """Print the results of the example players."""
    for name, other in PAIRINGS:
        print(f"{name:<14} against {other.__name__.replace('_', ' '):<14} {compare(name, other)}")
