"""A floor without cards: real tournaments and tables. A generator decides how hands end."""

from random import Random
from typing import Any

from msgspec.structs import replace

from engine.coordination.aggregates import DECIDERS
from engine.coordination.next_hand import plan_next_hand
from engine.coordination.plans import NextHandPlan
from engine.coordination.policies import added_tables, decide_in_turn, tables_of
from engine.coordination.purchases import chips_of, demand_a_hand
from engine.table.decide.opening import dealable
from engine.table.decide.positions import dealers_left, positions
from engine.table.model.commands import OpenHand
from engine.table.model.state import Table
from engine.tournament.model.commands import RecordBusts
from engine.tournament.model.state import Finished, Running
from engine.tournament.model.values import Busted
from engine.values import EntrantId, HandId, TableId, stream_of
from tests.engine.tournament.floor import NOON, TOURNAMENT, to_start

HEAD = "00" * 32
HAND = HandId("hnd_" + "0" * 32)


class InPlay:
    """A stand-in for the hand in play of a table."""

    decision = None


def after_opening(state: Table) -> Table:
    """
    Return a table after its next hand was opened: its button, its blinds and the seats dealt in.
    """
    at = positions(state, dealable(state), bytes(32), b"")
    return replace(
        state,
        hand_number=state.hand_number + 1,
        button=at.button,
        starter=at.starter,
        small_blind=at.small_blind,
        big_blind=at.big_blind,
        first_dealer=at.first_dealer,
        orbits=at.orbits,
        dealers_left=dealers_left(state, dealable(state), at.button),
        places=tuple(
            replace(place, arrived=place.arrived and place.seat not in at.dealt)
            for place in state.places
        ),
    )


class Floor:
    """All streams of one tournament, and the steps that change them."""

    def __init__(self, entrants: int, *, seed: int, **terms: Any) -> None:
        self.random, self.now = Random(seed), NOON
        decider = DECIDERS["tournament"]
        commands = to_start(entrants, **terms)
        self.events, self.tournament = decide_in_turn(decider, decider.initial, commands)
        self.tables: dict[TableId, Table] = {}
        for opening in tables_of(self.tournament, now=NOON):
            table = DECIDERS["table"]
            self.tables[opening.table] = decide_in_turn(table, table.initial, (opening,))[1]
        self.chips = self.counted()

    @property
    def open_tables(self) -> list[Table]:
        return [table for table in self.tables.values() if not table.closed]

    @property
    def over(self) -> bool:
        return isinstance(self.tournament, Finished) and not self.open_tables

    def counted(self) -> int:
        stacks = sum(place.stack for table in self.open_tables for place in table.places)
        return stacks + sum(table.carry + table.sabacc_pot for table in self.open_tables)

    def plan(self, table: TableId) -> NextHandPlan:
        known = {each.table: each for each in self.open_tables} | {table: self.tables[table]}
        return plan_next_hand(
            self.tournament,
            known,
            table,
            now=self.now,
            hand=HAND,
            tournament_version=len(self.events),
            tournament_head=HEAD,
        )

    def carry_out(self, plan: NextHandPlan) -> bool:
        """Append the steps of *plan*, and return whether anything has happened."""
        happened = False
        for entry in plan.entries:
            if entry.stream == stream_of(TOURNAMENT):
                happened = self.decide(*entry.commands) or happened
                continue
            table = next(key for key in self.tables if stream_of(key) == entry.stream)
            if entry.commands and isinstance(entry.commands[0], OpenHand):
                self._open(table, entry.commands[0].round)
                happened = True
                continue
            decided, state = decide_in_turn(DECIDERS["table"], self.tables[table], entry.commands)
            self.tables[table] = state
            happened = bool(decided) or happened
        return happened

    def decide(self, *commands: Any) -> bool:
        decider = DECIDERS["tournament"]
        decided, after = decide_in_turn(decider, self.tournament, commands)
        for table, asked in chips_of(decided, now=NOON).items():
            # Both decide or neither: a refusal of the table leaves the tournament as it was.
            state = self.tables[table]
            demand_a_hand(state, asked)
            self.tables[table] = decide_in_turn(DECIDERS["table"], state, asked)[1]
            self.chips += sum(getattr(each, "chips", 0) for each in asked)
        for opening in added_tables(after, decided, now=NOON):
            table = DECIDERS["table"]
            self.tables[opening.table] = decide_in_turn(table, table.initial, (opening,))[1]
        self.tournament = after
        self.events += decided
        return bool(decided)

    def _open(self, table: TableId, number: int) -> None:
        state = self.tables[table]
        assert len([place for place in state.places if place.stack]) >= 2
        self.tables[table] = replace(
            after_opening(state), hand=InPlay(), round=number, wait=None, voided=None
        )

    def settle(self, table: TableId) -> None:
        """End the hand in play. Chips change hands, and some players bust."""
        before = {place.entrant: place.stack for place in self.tables[table].places}
        stacks = dict(before)
        winner = self.random.choice(list(stacks))
        for entrant, stack in before.items():
            if entrant != winner:
                lost = stack if self.random.random() < 0.4 else self.random.randrange(0, stack, 5)
                stacks[entrant] -= lost
                stacks[winner] += lost
        # Sometimes nobody wins the pot, and it is carried.
        self._settled(table, stacks, (winner,) if self.random.random() < 0.9 else ())

    def lose(self, table: TableId, *entrants: EntrantId) -> None:
        """End the hand in play. *entrants* lose all their chips to another player there."""
        before = {place.entrant: place.stack for place in self.tables[table].places}
        stacks = dict(before)
        winner = next(each for each in stacks if each not in entrants)
        for entrant in entrants:
            stacks[winner] += stacks[entrant]
            stacks[entrant] = 0
        self._settled(table, stacks, (winner,))

    def _settled(
        self, table: TableId, stacks: dict[EntrantId, int], won_by: tuple[EntrantId, ...] = ()
    ) -> None:
        state = self.tables[table]
        before = {place.entrant: place.stack for place in state.places}
        busts = tuple(
            Busted(
                entrant=place.entrant,
                seat=place.seat,
                stack_at_start=before[place.entrant],
                pot=1,
                won_by=won_by,
            )
            for place in state.places
            if not stacks[place.entrant]
        )
        self.tables[table] = replace(
            state,
            hand=None,
            places=tuple(
                replace(place, stack=stacks[place.entrant])
                for place in state.places
                if stacks[place.entrant]
            ),
        )
        if busts:
            number = state.hand_number
            self.decide(
                RecordBusts(
                    table=table,
                    hand_number=number,
                    round=state.round,
                    busts=busts,
                    now=self.now,
                )
            )

    def step(self) -> bool:
        """Let one random table take its next step, and return whether it could."""
        state = self.random.choice(self.open_tables)
        if state.hand is not None:
            self.settle(state.table)
            return True
        return self.carry_out(self.plan(state.table))

    def rearrange(self) -> None:
        """Carry out every move that idle tables ask for, and nothing else."""
        moved = True
        while moved:
            moved = False
            for table in list(self.tables):
                if self.tables[table].closed or self.tables[table].hand is not None:
                    continue
                plan = self.plan(table)
                if plan.outcome == "rearrange":
                    moved = self.carry_out(plan)

    def check(self) -> None:
        """
        Assert that no entrant and no chip is lost or doubled, and that all states agree on seats.
        """
        if not isinstance(self.tournament, Running):
            return
        assert self.counted() == self.chips
        assert {
            (seating.table, each.seat, each.entrant)
            for seating in self.tournament.tables
            for each in seating.seats
        } == {
            (table.table, placed.seat, placed.entrant)
            for table in self.open_tables
            for placed in table.entrants()
        }
        out = [placing.entrant for placing in self.tournament.placings]
        if self.tournament.floor.hand_for_hand is not None:
            out += [each.entrant for each in self.tournament.floor.hand_for_hand.out]
        known = sorted([*out, *self.tournament.remaining()])
        assert known == sorted(each.entrant for each in self.tournament.entrants)
