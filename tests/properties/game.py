"""A whole tournament with real cards, from the announcement until the last table closes."""

from datetime import datetime, timedelta
from typing import Any

from engine.coordination.aggregates import DECIDERS
from engine.coordination.next_hand import plan_next_hand
from engine.coordination.plans import NextHandPlan
from engine.coordination.policies import busts_of, decide_in_turn, tables_of
from engine.rulesets import OpenEnd, Ruleset, ruleset_hash
from engine.table.model.commands import Command, VoidDeal
from engine.table.model.events import Event
from engine.table.model.state import Table
from engine.tournament.model.commands import CloseEarly
from engine.tournament.model.state import Finished, Running
from engine.values import HandId, TableId, stream_of
from tests.engine.tournament.floor import NOON, TOURNAMENT, to_start
from tests.properties.chooser import Chooser, view_of

HEAD = "00" * 32
COMMANDS_MAX = 20_000
"""More commands than any of these games needs, so a game that reaches it never ends."""


class Game:
    """
    One tournament and its tables, directed as the service directs them.

    Args:
        ruleset: The game.
        entrants: The number of entrants.
        chooser: The maker of every answer.
        terms: Terms of the announcement that replace those of the tests.
    """

    def __init__(self, ruleset: Ruleset, entrants: int, chooser: Chooser, **terms: Any) -> None:
        self.ruleset = ruleset
        self.chooser = chooser
        self.now = NOON
        decider = DECIDERS["tournament"]
        commands = to_start(entrants, ruleset=ruleset, ruleset_hash=ruleset_hash(ruleset), **terms)
        self.events, self.tournament = decide_in_turn(decider, decider.initial, commands)
        self.tables: dict[TableId, Table] = {}
        self.logs: dict[TableId, list[Event]] = {}
        """All events so far, by table."""

        for opening in tables_of(self.tournament, now=NOON):
            self.tables[opening.table] = DECIDERS["table"].initial
            self.logs[opening.table] = []
            self.do(opening.table, opening)

    def do(self, table: TableId, *commands: Command) -> bool:
        """Carry out *commands* in turn at *table*. Return True if any event followed."""
        decider = DECIDERS["table"]
        happened, state = decide_in_turn(decider, self.tables[table], commands)
        self.tables[table] = state
        self.logs[table] += happened
        self.now += timedelta(seconds=1)
        busts = busts_of(state, happened)
        if busts is not None:
            self._direct(busts)
        return bool(happened)

    def _direct(self, *commands: Any) -> bool:
        happened, self.tournament = decide_in_turn(
            DECIDERS["tournament"], self.tournament, commands
        )
        self.events += happened
        return bool(happened)

    @property
    def over(self) -> bool:
        return isinstance(self.tournament, Finished) and all(
            table.closed for table in self.tables.values()
        )

    def play(self, *, close_after: int | None = None) -> Finished:
        """
        Play until every table is closed, and return the end of the tournament.

        Args:
            close_after: The number of steps after which the director ends a game that still runs.
        """
        for step in range(COMMANDS_MAX):
            if self.over:
                assert isinstance(self.tournament, Finished)
                return self.tournament
            if step == close_after and isinstance(self.tournament, Running):
                self._direct(CloseEarly(now=self.now))
            self._step()
        raise AssertionError(f"no end after {COMMANDS_MAX} commands")

    def _step(self) -> None:
        """Let one table that can go on take a step. Tables may be some steps apart."""
        tables = list(self.tables.items())
        first = self.chooser.dice.randrange(len(tables))
        for key, table in (*tables[first:], *tables[:first]):
            if table.closed:
                continue
            if table.decision is not None:
                if self.chooser.rarely(60):
                    self.do(key, VoidDeal(cause="fouled_deck", reason="two_alike", now=self.now))
                    return
                view = view_of(table, table.decision.seats[0])
                self.do(key, self.chooser.legal(table, view, self.now))
                return
            if self._carry_out(self._plan(key, table, self.now)):
                return
        assert isinstance(self.ruleset.end, OpenEnd), "every table waits"
        assert self._direct(CloseEarly(now=self.now)), "a casino that does not close"

    def _plan(self, key: TableId, table: Table, now: datetime) -> NextHandPlan:
        live = {each: state for each, state in self.tables.items() if not state.closed}
        number = table.number * 1_000 + table.next_hand_number
        return plan_next_hand(
            self.tournament,
            live,
            key,
            now=now,
            hand=HandId(f"hnd_{number:032x}"),
            tournament_version=len(self.events),
            tournament_head=HEAD,
        )

    def _carry_out(self, plan: NextHandPlan) -> bool:
        """Carry out the commands of *plan*. Return True if any event followed."""
        happened = False
        streams = {stream_of(table): table for table in self.tables}
        for entry in plan.entries:
            if entry.stream == stream_of(TOURNAMENT):
                happened = self._direct(*entry.commands) or happened
            else:
                happened = self.do(streams[entry.stream], *entry.commands) or happened
        return happened
