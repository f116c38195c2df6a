"""A whole tournament of scheduled rounds, in which each next round is seated at its time."""

from typing import Any
from uuid import UUID

from engine.coordination.aggregates import DECIDERS
from engine.coordination.round_tables import opened
from engine.table.read.view_parts import TableView
from engine.tournament.model.commands.rounds import SeatRound
from engine.tournament.model.state import Finished, Running
from engine.tournament.model.state.rounds import RoundsState
from engine.tournament.model.terms import Rounds
from engine.values import TableId, identifier
from tests.engine.coordination.evening import STEPS_MAX, Evening, cards_of


def new_table(number: int) -> TableId:
    return TableId(identifier("tbl", UUID(int=9_000 + number)))


class Heats(Evening):
    """Rounds that are played until the tournament is over. Only the clock acts between them."""

    def __init__(self, entrants: int, ruleset: Any, plan: Rounds, **terms: Any) -> None:
        super().__init__(entrants, ruleset, **{"format": plan, "table_seats": 4, **terms})

    @property
    def rounds(self) -> RoundsState:
        assert isinstance(self.tournament, Running | Finished)
        assert self.tournament.rounds is not None
        return self.tournament.rounds

    def seat_round(self) -> tuple[Any, ...]:
        """Do what the round's job does, at its time or before."""
        first = self.rounds.tables
        ids = tuple(new_table(first + number) for number in range(len(self.tournament.entrants)))
        events = self.ask(SeatRound(table_ids=ids, now=self.now))
        for opening, absent in opened(self.tournament, events, now=self.now):
            self.at_table(opening.table, DECIDERS["table"].initial, opening, *absent)
        return events

    def play_round(self) -> None:
        """Play until no table of the round is open."""
        steps = 0
        while isinstance(self.tournament, Running) and self.tournament.in_round:
            steps += 1
            assert steps < STEPS_MAX, "the round does not end"
            for seating in self.tournament.tables:
                if not self.tables[seating.table].closed:
                    self.next_hand(seating.table)
                    self.play_hand(seating.table)

    def play_rounds(self) -> None:
        """Play to the end of the last round, as if every later round began when it was due."""
        self.play_round()
        while isinstance(self.tournament, Running) and self.rounds.cut is None:
            assert self.rounds.next_at is not None
            self.now = max(self.now, self.rounds.next_at)
            assert self.seat_round()
            self.play_round()

    def of(self, kind: type) -> list[Any]:
        """Return the tournament's events of one kind."""
        return [event for event in self.events if isinstance(event, kind)]


def bold(view: TableView) -> tuple[str, Any]:
    """Raise as high as allowed, or else call. Select like the others."""
    if (chosen := cards_of(view)) is not None:
        return chosen
    legal = {each.verb: each for each in view.legal}
    if "raise_to" in legal:
        return "raise_to", legal["raise_to"].max
    return ("call" if "call" in legal else "check"), None
