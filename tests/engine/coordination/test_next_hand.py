"""
Balancing, judged by an oracle that deals the next hands at the tables themselves.

``python -m tests.engine.coordination.test_next_hand SEEDS`` judges SEEDS floors of each game.
"""

import sys
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from typing import Any

import pytest
from msgspec.structs import replace

from engine.coordination.policies import summary_of
from engine.kit.rng import shuffled_pile
from engine.rulesets import EachDealtOnce, resolve, ruleset_hash
from engine.table.decide.opening import open_hand
from engine.table.decider import decider
from engine.table.model.commands import Arrival, OpenHand, SeatArrivals, Seeds
from engine.table.model.events import HandOpened
from engine.table.model.state import Table
from engine.tournament.model.commands import Register
from engine.tournament.model.directives import MoveOut
from engine.tournament.model.terms import EntryTerms
from engine.tournament.model.values import Candidate
from engine.tournament.seating.balancing import preferred
from engine.values import EntrantId
from tests.engine.coordination.simulation import HAND, HEAD, Floor
from tests.engine.tournament.floor import NOON, entrant, player, table
from tests.engine.tournament.test_rulings import running

SEEDS = Seeds(cards="01" * 32, dice="02" * 32, draws="03" * 32)
LATE = EntryTerms(late_registration_seconds=3_600, re_entries_max=3)
STEPS = 400
FLAT: dict[str, Any] = {"escalation": {"kind": "none"}}
GAMES: dict[str, tuple[str, dict[str, Any]]] = {
    "moving": ("better_simple", FLAT),
    "dead": ("better_simple", {**FLAT, "button": "dead"}),
    "moving, dealer small": ("better_simple", {**FLAT, "headsup": "dealer_small_blind"}),
    "dead, dealer small": (
        "better_simple",
        {**FLAT, "button": "dead", "headsup": "dealer_small_blind"},
    ),
    "antes": ("halcyon_10", {"end": {"kind": "last_standing"}}),
    "antes, each deals once": ("halcyon_10", {}),
    "antes, starter": ("cantina", FLAT),
}


def dealt(here: Table) -> Iterator[HandOpened]:
    """Open hand after hand at *here*, as if no hand ever moved a chip."""
    while True:
        command = OpenHand(
            hand=HAND, seeds=SEEDS, tournament_version=1, tournament_head=HEAD, now=NOON
        )
        opened = open_hand(here, command, shuffled_pile)
        yield opened
        after = decider.evolve(here, opened)
        assert isinstance(after, Table)
        here = replace(after, hand=None)


def turns_of(here: Table, blinds: bool) -> dict[int, int]:
    """Return the number of hands until each seat posts the big blind, or deals."""
    found: dict[int, int] = {}
    for number, hand in enumerate(islice(dealt(here), 2 * len(here.places) + 2), start=1):
        seat = hand.big_blind if blinds else hand.button
        if seat is not None:
            found.setdefault(seat, number)
    return found


def with_newcomer(here: Table, seat: int) -> Table:
    """Return the table with a newcomer in *seat*."""
    arrival = Arrival(seat=seat, entrant=EntrantId("ent_" + "f" * 32), stack=1_000)
    (seated,) = decider.decide(here, SeatArrivals(arrivals=(arrival,), now=NOON))
    after = decider.evolve(here, seated)
    assert isinstance(after, Table)
    return after


def first_hand(here: Table, seat: int) -> int:
    """Return 0 if *seat* is dealt in at once, 1 if it waits, 2 if it begins as small blind."""
    opened = next(dealt(here))
    if seat not in [books.seat for books in opened.seats if books.dealt]:
        return 1
    return 2 if opened.small_blind == seat else 0


class Judge:
    """A count of everything that the oracle finds wrong, by kind."""

    def __init__(self, blinds: bool) -> None:
        self._blinds = blinds
        self.seen: Counter[str] = Counter()

    def next_hand(self, here: Table, candidates: tuple[Candidate, ...]) -> None:
        """Judge the turns of the entrants at *here*."""
        due = turns_of(here, self._blinds)
        told = {
            each.seat: each.hands_to_big_blind if self._blinds else each.hands_to_button
            for each in candidates
        }
        self.seen["between hands"] += 1
        self.seen["wrong turn"] += any(told[seat] != due.get(seat) for seat in told)
        first = [seat for seat, hands in due.items() if hands == 1]
        self.seen["wrong next"] += [seat for seat in told if told[seat] == 1] != first

    def move(self, order: MoveOut, floor: Floor) -> None:
        """Judge a move: the mover, and whether another seat would have been right."""
        source, (move,) = floor.tables[order.table], order.moves
        target = floor.tables[move.to_table]
        if not source.first_dealer or not target.first_dealer:
            return
        self.seen["moves"] += 1
        before = turns_of(source, self._blinds)
        regular = [place.seat for place in source.places if not place.arrived]
        costs = {
            seat: self._cost(before[move.from_seat], target, seat)
            for seat in range(1, target.seat_count + 1)
            if seat not in {place.seat for place in target.places}
        }
        mine = costs[move.to_seat]
        best = min(
            self._cost(before[seat], target, free)[:2]
            for seat in regular or before
            for free in costs
        )
        self.seen["wrong worst seat"] += mine != min(costs.values())
        self.seen["begins in the small blind"] += mine[0] == 2 and best[0] < 2
        self.seen["waits"] += mine[0] == 1 and best[0] < 1
        self.seen["blind twice or button missed"] += mine[1] > best[1]
        ends = min if self._blinds else max
        due = ends(before[seat] for seat in regular or before)
        self.seen["wrong mover"] += before[move.from_seat] != due and mine[1] == best[1] == 0
        self.seen["positions lost for want of others"] += mine[1]

    def _cost(self, before: int, target: Table, seat: int) -> tuple[int, int, int]:
        there = with_newcomer(target, seat)
        after = turns_of(there, self._blinds).get(seat, 99)
        lost = before - after if self._blinds else after - before
        return first_hand(there, seat), max(0, lost), after if self._blinds else -after


def judged(game: str, seed: int) -> Counter[str]:
    """Play a floor with newcomers, late players and returners, and count the faults."""
    name, overrides = GAMES[game]
    rules = resolve(name, overrides)
    seats = 4 + seed % 5
    late = not isinstance(rules.end, EachDealtOnce)  # late seats never deal
    floor = Floor(
        3 * seats,
        seed=seed,
        table_seats=seats,
        ruleset=rules,
        ruleset_hash=ruleset_hash(rules),
        starting_stack=100,
        entrants_max=200,
        entry=LATE if late else EntryTerms(),
    )
    judge = Judge(game.startswith(("moving", "dead")))
    for number in range(STEPS):
        if floor.over:
            break
        here = floor.random.choice(floor.open_tables)
        if here.hand is not None:
            floor.settle(here.table)
            continue
        if late and number % 23 == 7:
            come(floor, number)
        plan = floor.plan(here.table)
        if isinstance(plan.directive, MoveOut) and plan.directive.rule.startswith(
            "seating.balance"
        ):
            judge.move(plan.directive, floor)
        elif plan.outcome == "open" and here.first_dealer and len(here.places) > 2:
            judge.next_hand(here, told(floor, here))
        floor.carry_out(plan)
    return judge.seen


def told(floor: Floor, here: Table) -> tuple[Candidate, ...]:
    """Return the candidates at *here*, in balancing's order, if one of them had to leave."""
    state, tables = running(floor), {key: summary_of(each) for key, each in floor.tables.items()}
    (giver,) = (each for each in state.tables if each.table == here.table)
    # The target is the own table, because only the scores of the movers matter here.
    spare = replace(giver, seats=giver.seats[:-1])
    return preferred(state, tables, giver, [spare])


def come(floor: Floor, number: int) -> None:
    """Let a new player enter late, or an eliminated player enter again."""
    state = floor.tournament
    out = [each.entrant for each in getattr(state, "placings", ())]
    entries = {each.entrant: each.player for each in getattr(state, "entrants", ())}
    back = [entries[each] for each in out if list(entries.values()).count(entries[each]) < 3]
    who = floor.random.choice(back) if back and number % 2 else player(500 + number)
    if any(each.player == who for each in state.entrants if each.entrant in state.remaining()):
        return
    if all(len(each.seats) == state.terms.table_seats for each in running(floor).tables):
        return
    ids = (table(50 + number),)
    before = floor.counted()
    floor.decide(Register(entrant=entrant(500 + number), player=who, table_ids=ids, now=floor.now))
    floor.chips += floor.counted() - before


@pytest.mark.parametrize("game", GAMES)
def test_the_next_hands_are_those_that_balancing_foretells(game: str) -> None:
    """No move makes a player post a blind twice, miss a deal, or begin in the small blind."""
    seen: Counter[str] = Counter()
    for seed in range(8):
        seen.update(judged(game, seed))
    assert seen["between hands"] > 20 and seen["moves"] > 0, seen
    unjudged = ("between hands", "moves", "positions lost for want of others")
    assert not any(count for name, count in seen.items() if name not in unjudged), seen


if __name__ == "__main__":
    for each in GAMES:
        total: Counter[str] = Counter()
        for seed in range(int(sys.argv[1])):
            total.update(judged(each, seed))
        print(each, dict(total))
