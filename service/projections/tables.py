"""Read model ``tables``: each table's state between hands, and who sits there with how much."""

from collections.abc import Mapping
from typing import Any

from service.projections import schema
from service.projections.changes import Changes
from service.projections.projection import Happened, Projection


def _table_opened(changes: Changes, happened: Happened) -> None:
    data = happened.data
    changes.put(
        schema.table_summary,
        table=happened.subject,
        league=happened.league,
        tournament=data["tournament"],
        number=data["number"],
        state="open",
        ruleset_hash=data["ruleset_hash"],
        seat_count=data["seat_count"],
        hand_number=0,
        carry=0,
        sabacc_pot=0,
        opened_at=happened.at,
        version=happened.stream_version,
    )
    for placed in data["seats"]:
        _seat(changes, happened, placed)


def _hand_opened(changes: Changes, happened: Happened) -> None:
    data = happened.data
    _turn(
        changes,
        happened,
        state="open",
        hand_number=data["number"],
        hand=data["hand"],
        carry=data["carry"],
        sabacc_pot=data["sabacc_pot"],
    )


def _hand_settled(changes: Changes, happened: Happened) -> None:
    data = happened.data
    _turn(changes, happened, hand=None, carry=data["carry"], sabacc_pot=data["sabacc_pot"])
    for settled in data["stacks"]:
        _seat(changes, happened, settled)
    for bust in data["busts"]:
        changes.delete(schema.seat, table=happened.subject, entrant=bust["entrant"])


def _deal_voided(changes: Changes, happened: Happened) -> None:
    data = happened.data
    _turn(changes, happened, hand=None, carry=data["carry"], sabacc_pot=data["sabacc_pot"])


def _stack_changed(changes: Changes, happened: Happened) -> None:
    _seat(changes, happened, happened.data)
    _turn(changes, happened)


def _carry_awarded(changes: Changes, happened: Happened) -> None:
    for part in happened.data["stacks"]:
        _seat(changes, happened, part)
    _turn(changes, happened, carry=0, sabacc_pot=0)


def _seats_vacated(changes: Changes, happened: Happened) -> None:
    data = happened.data
    for placed in data["departures"]:
        changes.delete(schema.seat, table=happened.subject, entrant=placed["entrant"])
    _turn(changes, happened)
    _carried(changes, happened, -data["carry"], -data["sabacc_pot"])


def _arrivals_seated(changes: Changes, happened: Happened) -> None:
    data = happened.data
    for placed in data["arrivals"]:
        _seat(changes, happened, placed)
    _turn(changes, happened)
    _carried(changes, happened, data["carry"], data["sabacc_pot"])


def _table_held(changes: Changes, happened: Happened) -> None:
    _turn(changes, happened, state="held")


def _table_resumed(changes: Changes, happened: Happened) -> None:
    _turn(changes, happened, state="open")


def _table_waiting(changes: Changes, happened: Happened) -> None:
    _turn(changes, happened, state="waiting")


def _table_closed(changes: Changes, happened: Happened) -> None:
    _turn(changes, happened, state="closed", closed_at=happened.at)


def _seat(changes: Changes, happened: Happened, placed: Mapping[str, Any]) -> None:
    changes.put(
        schema.seat,
        table=happened.subject,
        entrant=placed["entrant"],
        seat=placed["seat"],
        league=happened.league,
        stack=placed["stack"],
    )


def _turn(changes: Changes, happened: Happened, **columns: Any) -> None:
    changes.patch(
        schema.table_summary, table=happened.subject, version=happened.stream_version, **columns
    )


def _carried(changes: Changes, happened: Happened, carry: int, sabacc_pot: int) -> None:
    if carry or sabacc_pot:
        changes.add(
            schema.table_summary, {"table": happened.subject}, carry=carry, sabacc_pot=sabacc_pot
        )


tables = Projection(
    name="tables",
    version=1,
    relations=(schema.table_summary, schema.seat),
    handlers={
        "table_opened": _table_opened,
        "hand_opened": _hand_opened,
        "hand_settled": _hand_settled,
        "deal_voided": _deal_voided,
        "chips_bought": _stack_changed,
        "chips_returned": _stack_changed,
        "carry_awarded": _carry_awarded,
        "seats_vacated": _seats_vacated,
        "arrivals_seated": _arrivals_seated,
        "table_held": _table_held,
        "table_resumed": _table_resumed,
        "table_waiting": _table_waiting,
        "table_closed": _table_closed,
    },
)
