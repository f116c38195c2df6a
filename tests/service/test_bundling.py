"""Which tables a bundle has to hold."""

from engine.tournament.entering.events import TableAdded
from engine.tournament.events import PlayStarted
from engine.tournament.rounds.events import FinalSeated
from engine.tournament.rounds.values import RoundDraw
from engine.tournament.values import SeatAssignment
from engine.values import Seat
from service.bundles.gathering import tables_of
from tests.engine.floor import entrant, table


def test_a_table_that_was_opened_late_or_for_the_final_belongs_to_its_tournament() -> None:
    started = PlayStarted(tables=(table(1), table(2)), entrants=8)
    added = TableAdded(
        table=table(3), number=3, entrant=entrant(9), seat=Seat(1), chips=100, rule="late.table"
    )
    final = FinalSeated(
        draw=RoundDraw(number=2, label="final", order=(entrant(1), entrant(2))),
        assignments=tuple(
            SeatAssignment(
                entrant=entrant(number), table=table(4), table_number=4, seat=Seat(number),
                stack=100,
            )
            for number in (1, 2)
        ),
        breaking_order=(4,),
        rule="rounds.final",
    )  # fmt: skip
    assert tables_of([started, added, final]) == [table(number) for number in (1, 2, 3, 4)]
