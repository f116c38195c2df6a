"""
Play whole tournaments in the engine, with simple players and a model of a hand's time.

Nothing is stored and nothing waits. Every table has its own time, and the earliest table
continues. Cards, bets, levels, moves and breaks of tables are the engine's.
"""

import heapq
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any, NamedTuple
from uuid import UUID

from engine.coordination.aggregates import DECIDERS
from engine.coordination.next_hand import plan_next_hand
from engine.coordination.policies import added_tables, busts_of, decide_in_turn, tables_of
from engine.coordination.purchases import chips_of
from engine.kit.cards import VALUES
from engine.rulesets import Ruleset, ruleset_hash
from engine.rulesets.structure import hand_seconds
from engine.table.model.commands import Act, Improve, Select, Verb
from engine.table.model.hand import Decision, InHand
from engine.table.model.state import Place, Table
from engine.table.model.wagers import legal_wagers
from engine.tournament.levels import structure_of
from engine.tournament.model.commands import (
    Announce,
    DeclareRebuy,
    OpenRegistration,
    RaiseLevels,
    Register,
    StartPlay,
)
from engine.tournament.model.state import Finished, Running, entries_of
from engine.tournament.model.terms import EntryTerms
from engine.tournament.model.values import Masters
from engine.values import (
    EntrantId,
    HandId,
    LeagueId,
    PlayerId,
    Seat,
    TableId,
    TournamentId,
    identifier,
    stream_of,
)

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
HEAD = "0" * 64
SALT = "5a" * 32
CHANCES = {0: 0.7, 1: 0.45, 2: 0.3, 3: 0.2, 4: 0.12}
"""The players' estimate of winning, by the distance of the hand from the target."""

LEAST = 0.06
CAUTION = 0.35
BETWEEN = timedelta(seconds=1)
"""The interval at which a waiting table is asked again."""


class Later(NamedTuple):
    """Changes after the start: some players come late, and some buy a rebuy."""

    players: int = 0
    """The share of all players who come late."""

    level: int | None = None
    """The last level in which they may come."""

    buying: float = 0.0
    """The chance that a player who may buy a rebuy does."""


_NOBODY_LATER = Later()


class Night:
    """One tournament, from the seat draw to its winner."""

    def __init__(
        self,
        ruleset: Ruleset,
        *,
        players: int,
        stack: int,
        seed: int,
        table_seats: int = 6,
        later: Later = _NOBODY_LATER,
    ) -> None:
        self.random = Random(seed)
        self.later = later
        self.people = Random(f"{seed} comes late or buys")
        self.bought = 0
        steps = structure_of(ruleset)[: later.level or 0]
        until = sum(each.length or 0 for each in steps)
        coming = (self.people.uniform(0, until) for _ in range(later.players))
        self.coming = [NOON + timedelta(seconds=each) for each in sorted(coming, reverse=True)]
        in_time = players - later.players
        self.name = TournamentId(identifier("trn", UUID(int=seed)))
        self.hands = 0
        asked = (
            Announce(
                tournament=self.name,
                league=LeagueId(identifier("lge", UUID(int=1))),
                name="Night",
                ruleset=ruleset,
                ruleset_name="night",
                ruleset_hash=ruleset_hash(ruleset),
                table_seats=table_seats,
                starting_stack=stack,
                entrants_max=max(players, 2),
                starts_at=NOON,
                decision_seconds=30,
                entry=EntryTerms(late_registration_level=later.level),
            ),
            OpenRegistration(
                masters=Masters(cards=f"{seed + 1:064x}", open=f"{seed + 2:064x}"),
                salts=(SALT, SALT),
                now=NOON,
            ),
            *(_entry(number, NOON) for number in range(1, in_time + 1)),
            StartPlay(table_ids=_tables(range(1, players + 1)), now=NOON),
        )
        decider = DECIDERS["tournament"]
        _, self.tournament = decide_in_turn(decider, decider.initial, asked)
        self.tables: dict[TableId, Table] = {}
        for opening in tables_of(self.tournament, now=NOON):
            table = DECIDERS["table"]
            self.tables[opening.table] = decide_in_turn(table, table.initial, (opening,))[1]

    def play(self) -> timedelta:
        """Play to the end, and return the time by the model."""
        times = [(NOON, table) for table in self.tables]
        heapq.heapify(times)
        now = NOON
        while isinstance(self.tournament, Running):
            now, table = heapq.heappop(times)
            for opened in self._let_in(now):
                heapq.heappush(times, (now, opened))
            self._tend(now)
            took = self._go_on(table, now)
            if took is not None:
                heapq.heappush(times, (now + took, table))
        assert isinstance(self.tournament, Finished)
        return now - NOON

    def _tend(self, now: datetime) -> None:
        clock = self.tournament.clock
        if clock is not None and clock.due is not None and clock.due <= now:
            self._above(RaiseLevels(now=now))

    def _let_in(self, now: datetime) -> list[TableId]:
        """Enter those who have come late until *now*. Return the tables added for them."""
        added: list[TableId] = []
        while self.coming and self.coming[-1] <= now:
            self.coming.pop()
            number = len(entries_of(self.tournament)) + 1
            events = self._above(_entry(number, now, _tables([100_000 + number])))
            for opening in added_tables(self.tournament, events, now=now):
                table = DECIDERS["table"]
                self.tables[opening.table] = decide_in_turn(table, table.initial, (opening,))[1]
                added.append(opening.table)
        return added

    def _sell(self, key: TableId, now: datetime) -> None:
        """Sell rebuys to those at a table who have just lost their last chip."""
        for window in getattr(self.tournament, "windows", ()):
            if window.table == key and window.buys and self.people.random() < self.later.buying:
                level = self.tables[key].level_number
                events = self._above(DeclareRebuy(entrant=window.entrant, level=level, now=now))
                self._at_table(key, *chips_of(events, now=now)[key])
                self.bought += 1

    def _above(self, *commands: Any) -> Any:
        events, self.tournament = decide_in_turn(DECIDERS["tournament"], self.tournament, commands)
        return events

    def _go_on(self, key: TableId, now: datetime) -> timedelta | None:
        """Lead a table to its next hand. Return the time of its hand, or None if it is closed."""
        table = self.tables[key]
        if table.hand is not None:
            # Its time is over, so it is played now with its outcome.
            self._play_hand(key, now)
            self._sell(key, now)
            return timedelta()
        for _ in range(100):
            if not isinstance(self.tournament, Running):
                return None
            plan = plan_next_hand(
                self.tournament,
                {k: each for k, each in self.tables.items() if not each.closed or k == key},
                key,
                now=now,
                hand=HandId(identifier("hnd", UUID(int=self.hands + 1))),
                tournament_version=1,
                tournament_head=HEAD,
            )
            if self.tables[key].closed:
                return None
            self._append(plan.entries)
            if plan.outcome == "open":
                self.hands += 1
                dealt = self.tables[key].dealt()
                return timedelta(seconds=hand_seconds(len(dealt)))
            if plan.outcome in ("hold", "nothing"):
                return BETWEEN
        raise AssertionError("a table finds no next hand")

    def _append(self, entries: Any) -> None:
        for entry in entries:
            if entry.stream == stream_of(self.name):
                self._above(*entry.commands)
                continue
            key = next(each for each in self.tables if stream_of(each) == entry.stream)
            self._at_table(key, *entry.commands)

    def _at_table(self, key: TableId, *commands: Any) -> None:
        decided, after = decide_in_turn(DECIDERS["table"], self.tables[key], commands)
        self.tables[key] = after
        if (busts := busts_of(after, decided)) is not None:
            self._above(busts)

    def _play_hand(self, key: TableId, now: datetime) -> None:
        while (decision := self.tables[key].decision) is not None:
            place = self.tables[key].at(decision.seats[0])
            self._at_table(key, self._answer(self.tables[key], decision, place, now))

    def _answer(self, table: Table, decision: Decision, place: Place, now: datetime) -> Any:
        hand = place.hand
        assert hand is not None and table.hand is not None
        who, token = place.entrant, decision.token
        target = table.hand.target or 0
        if decision.phase == "select":
            cards = _nearest([each.card for each in hand.cards], target)
            return Select(entrant=who, decision=token, cards=cards, salt=SALT, now=now)
        if decision.phase == "improve":
            kept = sum(VALUES[each.card] for each in hand.selection)
            fresh = [each.card for each in hand.fresh]
            added = _nearest(fresh, target - kept, none=bool(hand.selection))
            return Improve(entrant=who, decision=token, cards=added, salt=SALT, now=now)
        verb, amount = self._bet(table, place, hand, target)
        return Act(entrant=who, decision=token, verb=verb, amount=amount, now=now)

    def _bet(
        self, table: Table, place: Place, hand: InHand, target: int
    ) -> tuple[Verb, int | None]:
        """Call if the chance is worth the price, and raise once a street with the best hands."""
        legal = {each.verb: each for each in legal_wagers(table, Seat(place.seat))}
        away = abs(sum(VALUES[each.card] for each in hand.selection) - target)
        others = len(table.live()) - 1
        wins = CHANCES.get(away, LEAST) ** (0.5 + others / 2)
        mood = self.random.random()
        raising = legal.get("raise_to")
        first = hand.acted_at is None
        if first and raising is not None and raising.min is not None and mood < wins:
            most = min(raising.max or raising.min, 2 * raising.min)
            return "raise_to", raising.min if mood < wins / 2 else most
        if "check" in legal:
            return "check", None
        staying = legal.get("call") or legal["stay"]
        price = min(staying.amount or 0, place.stack)
        pot = sum(each.hand.wager for each in table.places if each.hand is not None)
        # An even chance is not worth most of a stack.
        worth = price / (pot + price + 1) + CAUTION * price / (place.stack + 1)
        if wins + 0.1 * mood > worth:
            return ("call" if "call" in legal else "stay"), None
        return "fold", None


def _entry(number: int, now: datetime, tables: tuple[TableId, ...] = ()) -> Register:
    return Register(
        entrant=EntrantId(identifier("ent", UUID(int=number))),
        player=PlayerId(identifier("plr", UUID(int=number))),
        table_ids=tables,
        now=now,
    )


def _tables(numbers: Iterable[int]) -> tuple[TableId, ...]:
    return tuple(TableId(identifier("tbl", UUID(int=number))) for number in numbers)


def _nearest(cards: list[str], target: int, *, none: bool = False) -> tuple[str, ...]:
    """Return the *cards* that come nearest to *target*; among equals the fewest."""
    ways = range(0 if none else 1, 1 << len(cards))

    def worth(way: int) -> tuple[int, int]:
        chosen = sum(VALUES[card] for index, card in enumerate(cards) if way >> index & 1)
        return abs(chosen - target), way.bit_count()

    best = min(ways, key=worth)
    return tuple(card for index, card in enumerate(cards) if best >> index & 1)
