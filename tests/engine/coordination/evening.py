"""A whole tournament: its own decider, real tables, and players with scripted answers."""

from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any

from engine.coordination.aggregates import DECIDERS
from engine.coordination.next_hand import plan_next_hand
from engine.coordination.plans import NextHandPlan
from engine.coordination.policies import (
    added_tables,
    busts_of,
    decide_in_turn,
    presence_of,
    tables_of,
)
from engine.coordination.purchases import chips_of, demand_a_hand
from engine.rulesets import Ruleset, ruleset_hash
from engine.table.model.commands import Act, CallHand, Improve, Select, TakeCardTurn
from engine.table.model.state import Table
from engine.table.read.view import seen_by
from engine.table.read.view_parts import TableView
from engine.tournament.model.state import Finished
from engine.values import EntrantId, HandId, TableId, stream_of
from tests.engine.tournament.floor import NOON, TOURNAMENT, to_start

HEAD = "00" * 32
STEPS_MAX = 500

Player = Callable[[TableView], tuple[str, Any]]
"""The answer of a player: a betting verb and its amount, or the cards to select or add."""


class Evening:
    """One tournament from its announcement to its end."""

    def __init__(self, entrants: int, ruleset: Ruleset, **terms: Any) -> None:
        stack = 0 if ruleset.moneyless else ruleset.starting_stack or 100
        asked = to_start(
            entrants,
            ruleset=ruleset,
            ruleset_hash=ruleset_hash(ruleset),
            **{"starting_stack": stack, "table_seats": 6, **terms},
        )
        decider = DECIDERS["tournament"]
        self.events, self.tournament = decide_in_turn(decider, decider.initial, asked)
        self.tables: dict[TableId, Table] = {}
        self.history: list[Any] = []
        """The events of all tables."""

        self.now = NOON
        self.play_as: Player = passive
        told = presence_of(self.tournament, self.events)
        for opening in tables_of(self.tournament, now=NOON):
            initial = DECIDERS["table"].initial
            self.at_table(opening.table, initial, opening, *told.get(opening.table, ()))

    @property
    def table(self) -> Table:
        """The only table."""
        (table,) = self.tables.values()
        return table

    def at_table(self, table: TableId, state: Any, *commands: Any) -> tuple[Any, ...]:
        decided, self.tables[table] = decide_in_turn(DECIDERS["table"], state, commands)
        self.history += decided
        self.now += timedelta(seconds=1)
        busts = busts_of(self.tables[table], decided)
        if busts is not None:
            self.ask(busts)
        return decided

    def ask(self, *commands: Any) -> tuple[Any, ...]:
        """Decide *commands* on the tournament, and their consequences at its tables."""
        decided, after = decide_in_turn(DECIDERS["tournament"], self.tournament, commands)
        for table, asked in chips_of(decided, now=self.now).items():
            # Both decide or neither: a refusal of the table leaves the tournament as it was.
            demand_a_hand(self.tables[table], asked)
            self.at_table(table, self.tables[table], *asked)
        for opening in added_tables(after, decided, now=self.now):
            self.at_table(opening.table, DECIDERS["table"].initial, opening)
        for table, told in presence_of(after, decided).items():
            if table in self.tables:
                self.at_table(table, self.tables[table], *told)
        self.tournament = after
        self.events += decided
        return decided

    def plan(self, table: TableId) -> NextHandPlan:
        hand = HandId(f"hnd_{len(self.history):032x}")
        return plan_next_hand(
            self.tournament,
            self.tables,
            table,
            now=self.now,
            hand=hand,
            tournament_version=len(self.events),
            tournament_head=HEAD,
        )

    def next_hand(self, table: TableId) -> NextHandPlan:
        """Carry out the tournament's next step for *table*."""
        plan = self.plan(table)
        for entry in plan.entries:
            if entry.stream == stream_of(TOURNAMENT):
                self.ask(*entry.commands)
                continue
            at = next(key for key in self.tables if stream_of(key) == entry.stream)
            self.at_table(at, self.tables[at], *entry.commands)
        return plan

    def play_hand(self, table: TableId) -> None:
        """Answer every open decision until no hand is in play."""
        while (decision := self.tables[table].decision) is not None:
            for seat in decision.seats:
                entrant = self.tables[table].at(seat).entrant
                self.at_table(table, self.tables[table], self._answer(table, entrant))

    def _answer(self, table: TableId, entrant: EntrantId) -> Any:
        view = seen_by(self.tables[table], entrant)
        assert view.decision is not None
        verb, what = self.play_as(view)
        answer = {"entrant": entrant, "decision": view.decision.token, "now": self.now}
        if verb == "select":
            return Select(**answer, cards=what, salt="ab" * 32)
        if verb == "improve":
            return Improve(**answer, cards=what, salt="cd" * 32)
        if verb == "call_hand":
            return CallHand(**answer)
        if verb in ("stand", "draw", "gain"):
            return TakeCardTurn(**answer, verb=verb, source=what, salt="ef" * 32)
        return Act(**answer, verb=verb, amount=what)

    def play(self) -> list[NextHandPlan]:
        """Play to the end, and return the plan of each step."""
        plans = []
        while not isinstance(self.tournament, Finished):
            assert len(plans) < STEPS_MAX, "the tournament does not come to its end"
            for table in list(self.tables):
                if not self.tables[table].closed:
                    plans.append(self.next_hand(table))
                    self.play_hand(table)
        return plans

    def happened(self, kind: type) -> list[Any]:
        return [event for event in self.history if isinstance(event, kind)]


def cards_of(view: TableView) -> tuple[str, Sequence[str]] | None:
    """Return the answer to a select or improve phase: keep the first card, add the first."""
    if view.me is None or view.decision is None:
        return None
    if view.decision.phase == "select":
        return "select", view.me.cards[:1]
    if view.decision.phase == "improve":
        return "improve", view.me.new_cards[:1]
    return None


def passive(view: TableView) -> tuple[str, Any]:
    """Check, call or stay, and never fold."""
    if (chosen := cards_of(view)) is not None:
        return chosen
    return view.legal[1].verb, None


def folding(view: TableView) -> tuple[str, Any]:
    """Fold whenever there is a bet. Select like the others."""
    if (chosen := cards_of(view)) is not None:
        return chosen
    return view.legal[0].verb, None
