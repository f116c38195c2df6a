"""
A quick model of evenings, which estimates when they end.

It plays evenings with stacks and chances instead of cards. That is about a hundred times as fast as
the engine, which plays the same evenings with cards. ``python -m bench lengths`` compares the ends
of both. The length of an evening depends most on how often people raise, which nobody knows
beforehand. So half of the evenings have simple players as in ``bench.nights``, who raise with good
cards. The other half have players as careful as the house bots.

The model uses only the standard library. It runs in a process of its own, so that players do not
wait for it. It reads a plan as JSON from standard input, and writes the evenings as JSON to
standard output. The same plan always gives the same evenings.

Late players come at any time until their level ends, to the shortest table or to a new one. While
the terms sell rebuys, a busted player buys one with a given chance. A re-entry is not played,
because it is much the same as a rebuy. Tables are balanced between hands.
"""

import heapq
import json
import sys
from bisect import bisect_left
from hashlib import sha256
from random import Random  # noqa: TID251 - the chances of a model, not of a game
from typing import Final, NamedTuple

EVENINGS_MAX: Final = 200
HANDS_MAX: Final = 25_000
"""The hands after which no further evening begins. They take about a second."""

EVENING_HANDS_MAX: Final = 4_000
"""The hands of the longest evening. A larger field is not simulated."""

WINS: Final = (0.7, 0.45, 0.3, 0.2, 0.12, 0.06)
"""The players' estimate of winning, by the distance of their cards from the target."""


class Company(NamedTuple):
    """A group of players of different temper."""

    raises: tuple[float, float]
    """The part of the simple players' raises that each makes, from the most careful player on."""

    caution: tuple[float, float]
    """The weight of losing the stack when each decides to call, from the most careful player on."""


COMPANIES: Final = (
    Company(raises=(0.7, 2.0), caution=(0.35, 0.35)),
    Company(raises=(0.0, 0.06), caution=(1.75, 0.55)),
)
"""
Players who raise as the simple players do, and players at least as careful as the house bots.

The two groups take turns. Within a group, evenings spread evenly from the most careful players to
the boldest. If chance chose them, one group would often have more evenings, and the percentiles
would move.
"""

GOLDEN: Final = 0.618034
"""The multiples of this number, without their whole part, fill the space from 0 to 1 evenly."""

DEAREST: Final = 0.65
"""
The chance of winning at which everybody calls any bet, as with the best cards against one player.

Otherwise two careful players would pass the blinds to each other for ever.
"""

FIRST: Final = (0.617, 0.838, 0.889, 0.914, 0.934, 1.0)
"""The share of first selections at each distance or nearer. The last distance is five or more."""

IMPROVED: Final = 0.38
"""The share of other selections that the improvement brings to the target."""

NEARER: Final = 0.6
"""The share of the remaining ones that the improvement brings to a distance of one, or of two."""

SUITED: Final = (0.3, 0.7, 0.92, 1.0)
"""The share of hands with no card of the suit, one or fewer, two or fewer, or any number."""


class Level(NamedTuple):
    """The forced bets of a level, and its end in seconds of play."""

    small: int
    big: int
    ante: int
    ends: float


class Late(NamedTuple):
    """The players who come after the start."""

    players: int = 0
    until: float = 0.0
    """The second of play by which all of them have come."""


class Rebuys(NamedTuple):
    """The rebuys that are sold, and the number of them that are bought."""

    each: int = 0
    """The most rebuys for one player."""

    until: float = 0.0
    """The second of play after which no rebuy is sold."""

    chance: float = 0.0
    """The chance that a player who may buy a rebuy does."""


class Plan(NamedTuple):
    """Everything that the length of an evening depends on."""

    players: int
    """All players, including those who come late."""

    seats: int
    stack: int
    unit: int
    """The smallest chip, which is the smallest raise."""

    levels: tuple[Level, ...]
    breaks: tuple[tuple[float, int], ...]
    """The second of play at which each break begins, and its length."""

    hand_seconds: int
    """The seconds that a hand takes apart from its players."""

    player_seconds: int
    """The seconds that each player dealt in adds."""

    late: Late = Late()
    rebuys: Rebuys = Rebuys()


class Ended(NamedTuple):
    """One evening."""

    seconds: int
    hands: int
    level: int


class Evening:
    """One evening, from the first hand to the last two players."""

    def __init__(self, plan: Plan, random: Random, number: int = 0) -> None:
        self.plan = plan
        self.random = random
        in_time = plan.players - plan.late.players
        self.stacks = [plan.stack] * in_time
        self.bought = [0] * plan.players
        self.hands = 0
        bold = number // 2 * GOLDEN % 1
        self.raising, self.caution = (
            careful + (bolder - careful) * bold for careful, bolder in COMPANIES[number % 2]
        )
        coming = (random.uniform(0.0, plan.late.until) for _ in range(plan.late.players))
        self.coming = sorted(coming, reverse=True)
        """The seconds at which the late players come, the next one last in the list."""
        number = -(-in_time // plan.seats)
        order = list(range(in_time))
        self.tables = {each: order[each::number] for each in range(number)}

    def play(self) -> Ended | None:
        """Play to the end, or return None if it takes too many hands."""
        times = [(0.0, table) for table in self.tables]
        while self.hands < EVENING_HANDS_MAX:
            now, table = heapq.heappop(times)
            for opened in self._seat(now):
                heapq.heappush(times, (now, opened))
            seated = self.tables.get(table)
            if seated is None:
                continue
            if len(seated) < 2:  # the others' hands must end first, or a late player must come
                self._balance(table)
                following = times[0][0] + 1 if times else self.coming[-1]
                heapq.heappush(times, (following, table))
                continue
            level = self._level(now)
            self._hand(seated, self.plan.levels[level])
            self.hands += 1
            self._sell(seated, now)
            now += self.plan.hand_seconds + self.plan.player_seconds * len(seated)
            seated[:] = [each for each in seated if self.stacks[each]]
            self._balance(table)
            if sum(map(len, self.tables.values())) < 2 and not self.coming:
                rests = sum(length for at, length in self.plan.breaks if at < now)
                return Ended(round(now + rests), self.hands, level + 1)
            heapq.heappush(times, (now, table))
        return None

    def _seat(self, now: float) -> list[int]:
        """Seat the players who have come late until *now*. Return the tables opened for them."""
        opened: list[int] = []
        while self.coming and self.coming[-1] <= now:
            self.coming.pop()
            shortest = min(self.tables, key=lambda each: len(self.tables[each]))
            if len(self.tables[shortest]) >= self.plan.seats:
                shortest = max(self.tables) + 1
                self.tables[shortest] = []
                opened.append(shortest)
            self.tables[shortest].append(len(self.stacks))
            self.stacks.append(self.plan.stack)
        return opened

    def _sell(self, seated: list[int], now: float) -> None:
        """Sell rebuys to the players who lost their last chip in the hand dealt at *now*."""
        each, until, chance = self.plan.rebuys
        if now >= until:
            return
        for player in seated:
            buys = not self.stacks[player] and self.bought[player] < each
            if buys and self.random.random() < chance:
                self.stacks[player] = self.plan.stack
                self.bought[player] += 1

    def _level(self, now: float) -> int:
        levels = self.plan.levels
        return next((n for n, each in enumerate(levels) if now < each.ends), len(levels) - 1)

    def _balance(self, table: int) -> None:
        """Break a table that is no longer needed, or fill one that has become short."""
        left = sum(map(len, self.tables.values()))
        while len(self.tables) > 1 and left <= self.plan.seats * (len(self.tables) - 1):
            broken = min(self.tables, key=lambda each: len(self.tables[each]))
            for player in self.tables.pop(broken):
                min(self.tables.values(), key=len).append(player)
        if (here := self.tables.get(table)) is not None:
            fullest = max(self.tables.values(), key=len)
            if len(fullest) > len(here) + 1:
                here.append(fullest.pop(self.random.randrange(len(fullest))))

    def _hand(self, seated: list[int], level: Level) -> None:
        """Play one hand, and move the dealer on."""
        stacks = [self.stacks[each] for each in seated]
        hand = Hand(stacks, self.raising, self.caution, self.random)
        hand.forced(level)
        hand.deal()
        hand.street(level.big or self.plan.unit, self.plan.unit)
        hand.improve()
        hand.street(level.big or self.plan.unit, self.plan.unit)
        for player, stack in zip(seated, hand.paid(), strict=True):
            self.stacks[player] = stack
        seated.append(seated.pop(0))


class Hand:
    """One hand. The seats are in the order in which they act; the last two post the blinds."""

    def __init__(self, stacks: list[int], raising: float, caution: float, random: Random) -> None:
        self.random = random
        self.raising = raising
        self.caution = caution
        self.stacks = stacks
        self.wagers = [0] * len(stacks)
        self.live = [True] * len(stacks)
        self.put = [0] * len(stacks)
        self.away = [0] * len(stacks)

    def _pay(self, seat: int, chips: int) -> None:
        paid = min(chips, self.stacks[seat])
        self.stacks[seat] -= paid
        self.wagers[seat] += paid
        self.put[seat] += paid

    def forced(self, level: Level) -> None:
        """Post the antes, which count for no street, and the blinds."""
        for seat in range(len(self.stacks)):
            self._pay(seat, level.ante)
        self.put = [0] * len(self.stacks)
        self._pay(-2, level.small)
        self._pay(-1, level.big)

    def deal(self) -> None:
        """Draw the distance of each selection from the target."""
        self.away = [bisect_left(FIRST, self.random.random()) for _ in self.stacks]

    def improve(self) -> None:
        """Draw the distances after the improvement, which takes none further away."""
        for seat, away in enumerate(self.away):
            if away:
                nearer = 1 if self.random.random() < NEARER else 2
                self.away[seat] = 0 if self.random.random() < IMPROVED else min(away, nearer)

    def street(self, opening: int, unit: int) -> None:
        """Bet until all have called, gone all in or folded."""
        bet = max(self.put)
        waiting = [seat for seat, on in enumerate(self.live) if on and self.stacks[seat]]
        acted: set[int] = set()
        while waiting and sum(self.live) > 1:
            seat = waiting.pop(0)
            due = bet - self.put[seat]
            if not due and not self._others_can_act(seat):
                break
            wished = self._wished(seat, bet, bet + unit if bet else opening, seat not in acted)
            acted.add(seat)
            if wished is None:
                self.live[seat] = False
                continue
            self._pay(seat, wished - self.put[seat])
            if self.put[seat] > bet:
                bet = self.put[seat]
                waiting = self._after(seat)
        self.put = [0] * len(self.stacks)

    def _others_can_act(self, seat: int) -> bool:
        return any(on and self.stacks[n] for n, on in enumerate(self.live) if n != seat)

    def _after(self, seat: int) -> list[int]:
        """Return the seats that must answer a raise, in the order in which they act."""
        number = len(self.stacks)
        following = ((seat + each) % number for each in range(1, number))
        return [each for each in following if self.live[each] and self.stacks[each]]

    def _wished(self, seat: int, bet: int, least: int, first: bool) -> int | None:
        """Return the seat's total in this street after its action, or None for a fold."""
        others = sum(self.live) - 1
        wins: float = WINS[self.away[seat]] ** (0.5 + others / 2)
        mood = self.random.random()
        stack, due = self.stacks[seat], bet - self.put[seat]
        most = self.put[seat] + stack
        raises = wins * self.raising
        if first and stack > due and mood < raises and self._others_can_act(seat):
            return min(least if mood < raises / 2 else 2 * least, most)
        if not due:
            return bet
        price = min(due, stack)
        # An even chance is not worth most of a stack.
        worth = price / (sum(self.wagers) + price + 1) + self.caution * price / (stack + 1)
        return self.put[seat] + price if wins + 0.1 * mood > min(worth, DEAREST) else None

    def paid(self) -> list[int]:
        """Return the stacks after the pots have been paid. Equal hands share."""
        worth = {
            seat: (self.away[seat], -bisect_left(SUITED, self.random.random()))
            for seat, on in enumerate(self.live)
            if on
        }
        below = 0
        for height in sorted({self.wagers[seat] for seat in worth}):
            pot = sum(min(each, height) - min(each, below) for each in self.wagers)
            able = [seat for seat in worth if self.wagers[seat] >= height]
            best = min(worth[seat] for seat in able)
            winners = [seat for seat in able if worth[seat] == best]
            share, odd = divmod(pot, len(winners))
            for seat in winners:
                self.stacks[seat] += share
            self.stacks[winners[0]] += odd
            below = height
        # Chips that nobody could contest go back to their owners.
        for seat, wager in enumerate(self.wagers):
            self.stacks[seat] += max(0, wager - below)
        return self.stacks


def play(plan: Plan) -> list[Ended]:
    """Return as many evenings as :data:`HANDS_MAX` allows, the shortest first."""
    random = Random(sha256(repr(plan).encode()).digest())  # noqa: S311 - nothing is dealt by it
    found: list[Ended] = []
    hands = 0
    while hands < HANDS_MAX and len(found) < EVENINGS_MAX:
        ended = Evening(plan, random, len(found)).play()
        if ended is None:
            return []
        found.append(ended)
        hands += ended.hands
    return sorted(found)


def main() -> None:
    """Read a plan, and write its evenings."""
    given = json.load(sys.stdin)
    levels = tuple(Level(*each) for each in given.pop("levels"))
    breaks = tuple((at, length) for at, length in given.pop("breaks"))
    late, rebuys = Late(*given.pop("late")), Rebuys(*given.pop("rebuys"))
    plan = Plan(levels=levels, breaks=breaks, late=late, rebuys=rebuys, **given)
    json.dump(play(plan), sys.stdout)


if __name__ == "__main__":
    main()
