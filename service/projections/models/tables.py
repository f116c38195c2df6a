"""Read model ``tables``: each table's state between hands, with its seats and stacks."""

import msgspec

from engine.table.model.commands import Arrival, Placed
from engine.table.model.events import (
    ArrivalsSeated,
    CarryAwarded,
    ChipsBought,
    ChipsReturned,
    DealVoided,
    HandOpened,
    HandSettled,
    SeatStack,
    SeatsVacated,
    TableClosed,
    TableHeld,
    TableOpened,
    TableResumed,
    TableWaiting,
)
from service.projections import schema
from service.projections.applying.changes import Changes
from service.projections.applying.projection import Happened, Projection, on

_Seated = Placed | Arrival | SeatStack | ChipsBought | ChipsReturned
"""The structs that give an entrant's seat and stack."""


def _table_opened(changes: Changes, happened: Happened[TableOpened]) -> None:
    event = happened.event
    changes.put(
        schema.table_summary,
        table=happened.subject,
        league=happened.league,
        tournament=event.tournament,
        number=event.number,
        state="open",
        ruleset_hash=event.ruleset_hash,
        seat_count=event.seat_count,
        hand_number=0,
        carry=0,
        sabacc_pot=0,
        opened_at=happened.at,
        version=happened.stream_version,
    )
    for placed in event.seats:
        _seat(changes, happened, placed)


def _hand_opened(changes: Changes, happened: Happened[HandOpened]) -> None:
    event = happened.event
    _turn(
        changes,
        happened,
        state="open",
        hand_number=event.number,
        hand=event.hand,
        carry=event.carry,
        sabacc_pot=event.sabacc_pot,
    )


def _hand_settled(changes: Changes, happened: Happened[HandSettled]) -> None:
    event = happened.event
    _turn(changes, happened, hand=None, carry=event.carry, sabacc_pot=event.sabacc_pot)
    for settled in event.stacks:
        _seat(changes, happened, settled)
    for bust in event.busts:
        changes.delete(schema.seat, table=happened.subject, entrant=bust.entrant)


def _deal_voided(changes: Changes, happened: Happened[DealVoided]) -> None:
    event = happened.event
    _turn(changes, happened, hand=None, carry=event.carry, sabacc_pot=event.sabacc_pot)


def _stack_changed(changes: Changes, happened: Happened[ChipsBought | ChipsReturned]) -> None:
    _seat(changes, happened, happened.event)
    _turn(changes, happened)


def _carry_awarded(changes: Changes, happened: Happened[CarryAwarded]) -> None:
    for part in happened.event.stacks:
        _seat(changes, happened, part)
    _turn(changes, happened, carry=0, sabacc_pot=0)


def _seats_vacated(changes: Changes, happened: Happened[SeatsVacated]) -> None:
    event = happened.event
    for placed in event.departures:
        changes.delete(schema.seat, table=happened.subject, entrant=placed.entrant)
    _turn(changes, happened)
    _carried(changes, happened, -event.carry, -event.sabacc_pot)


def _arrivals_seated(changes: Changes, happened: Happened[ArrivalsSeated]) -> None:
    event = happened.event
    for placed in event.arrivals:
        _seat(changes, happened, placed)
    _turn(changes, happened)
    _carried(changes, happened, event.carry, event.sabacc_pot)


def _table_held(changes: Changes, happened: Happened[TableHeld]) -> None:
    _turn(changes, happened, state="held")


def _table_resumed(changes: Changes, happened: Happened[TableResumed]) -> None:
    _turn(changes, happened, state="open")


def _table_waiting(changes: Changes, happened: Happened[TableWaiting]) -> None:
    _turn(changes, happened, state="waiting")


def _table_closed(changes: Changes, happened: Happened[TableClosed]) -> None:
    _turn(changes, happened, state="closed", closed_at=happened.at)


def _seat(changes: Changes, happened: Happened[msgspec.Struct], placed: _Seated) -> None:
    changes.put(
        schema.seat,
        table=happened.subject,
        entrant=placed.entrant,
        seat=placed.seat,
        league=happened.league,
        stack=placed.stack,
    )


def _turn(changes: Changes, happened: Happened[msgspec.Struct], **columns: object) -> None:
    changes.patch(
        schema.table_summary, table=happened.subject, version=happened.stream_version, **columns
    )


def _carried(
    changes: Changes, happened: Happened[msgspec.Struct], carry: int, sabacc_pot: int
) -> None:
    if carry or sabacc_pot:
        changes.add(
            schema.table_summary, {"table": happened.subject}, carry=carry, sabacc_pot=sabacc_pot
        )


tables = Projection(
    name="tables",
    version=1,
    relations=(schema.table_summary, schema.seat),
    handlers=dict(
        [
            on(TableOpened, _table_opened),
            on(HandOpened, _hand_opened),
            on(HandSettled, _hand_settled),
            on(DealVoided, _deal_voided),
            on(ChipsBought, _stack_changed),
            on(ChipsReturned, _stack_changed),
            on(CarryAwarded, _carry_awarded),
            on(SeatsVacated, _seats_vacated),
            on(ArrivalsSeated, _arrivals_seated),
            on(TableHeld, _table_held),
            on(TableResumed, _table_resumed),
            on(TableWaiting, _table_waiting),
            on(TableClosed, _table_closed),
        ]
    ),
)
