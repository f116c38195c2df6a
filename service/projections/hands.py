"""
Read model ``hands``: the history of every hand, as a spectator could have written it.

A hand's row grows while it is played; what is not yet settled is loaded before
each batch, because most events of a hand do not repeat its number.
"""

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from service.projections import schema
from service.projections.changes import Changes, Row
from service.projections.projection import Happened, Projection


async def _load(connection: AsyncConnection, changes: Changes, batch: Sequence[Happened]) -> None:
    """Put the unsettled hand of each table of *batch* into the memory, and its tournament."""
    tables = {happened.subject for happened in batch}
    hand, summary = schema.hand, schema.hand_table
    found = await connection.execute(
        sa.select(hand).where(hand.c.table.in_(tables), hand.c.state.in_(("open", "voided")))
    )
    for row in found.mappings():
        changes.memory[row["table"]] = dict(row)
    placed = await connection.execute(
        sa.select(summary.c.table, summary.c.tournament).where(summary.c.table.in_(tables))
    )
    for row in placed.mappings():
        changes.memory[f"tournament of {row['table']}"] = {"tournament": row["tournament"]}


def _table_opened(changes: Changes, happened: Happened) -> None:
    row = {"tournament": happened.data["tournament"]}
    changes.put(schema.hand_table, table=happened.subject, league=happened.league, **row)
    changes.memory[f"tournament of {happened.subject}"] = row


def _hand_opened(changes: Changes, happened: Happened) -> None:
    data = happened.data
    row: Row = {
        "table": happened.subject,
        "number": data["number"],
        "hand": data["hand"],
        "league": happened.league,
        "tournament": changes.memory[f"tournament of {happened.subject}"]["tournament"],
        "deal": data["deal"],
        "level": data["level"]["number"],
        "button": data["button"],
        "target": None,
        "suit": None,
        "state": "open",
        "seats": [_opened_seat(seat) for seat in data["seats"]],
        "pots": [],
        "winners": [],
        "opened_at": happened.at,
        "settled_at": None,
        "first_position": happened.position,
        "last_position": happened.position,
    }
    before = changes.memory.get(happened.subject)
    if before is not None:  # a deal was voided; the hand began with its first one
        row |= {name: before[name] for name in ("opened_at", "first_position")}
    changes.memory[happened.subject] = row
    changes.put(schema.hand, **row)


def _deal_voided(changes: Changes, happened: Happened) -> None:
    """Forget what was played; the cards of a deal that does not count are in its event."""
    blank = [
        seat | {"final_stack": None, "cards": None, "total": None}
        for seat in changes.memory[happened.subject]["seats"]
    ]
    _grow(changes, happened, state="voided", target=None, suit=None, seats=blank, pots=[])


def _opened_seat(seat: dict[str, Any]) -> Row:
    return {
        "seat": seat["seat"],
        "entrant": seat["entrant"],
        "stack": seat["stack"],
        "dealt": seat["dealt"],
        "final_stack": None,
        "cards": None,
        "total": None,
    }


def _dice_rolled(changes: Changes, happened: Happened) -> None:
    _grow(changes, happened, target=happened.data["target"], suit=happened.data["suit"])


def _hands_revealed(changes: Changes, happened: Happened) -> None:
    shown = {hand["seat"]: hand for hand in happened.data["hands"]}
    _grow(
        changes,
        happened,
        seats=[
            seat
            if seat["seat"] not in shown
            else seat
            | {
                "cards": [card["card"] for card in shown[seat["seat"]]["cards"]],
                "total": shown[seat["seat"]]["total"],
            }
            for seat in changes.memory[happened.subject]["seats"]
        ],
    )


def _pots_formed(changes: Changes, happened: Happened) -> None:
    pots = [
        {"pot": number, "chips": pot["chips"], "eligible": pot["eligible"], "shares": []}
        for number, pot in enumerate(happened.data["pots"], start=1)
    ]
    _grow(changes, happened, pots=pots)


def _pot_awarded(changes: Changes, happened: Happened) -> None:
    data = happened.data
    awarded = {name: data[name] for name in ("pot", "chips", "shares", "remainder", "rule")}
    before = changes.memory[happened.subject]["pots"]
    known = {pot["pot"]: pot for pot in before}
    known[data["pot"]] = known.get(data["pot"], {"eligible": []}) | awarded
    _grow(changes, happened, pots=[known[number] for number in sorted(known, key=_place)])


def _place(pot: int | str) -> tuple[bool, int]:
    """Return where a pot stands: by number, the Sabacc pot last, whenever it was given away."""
    return (True, 0) if isinstance(pot, str) else (False, pot)


def _sabacc_pot_awarded(changes: Changes, happened: Happened) -> None:
    """Put the Sabacc pot after the others; it may have several winners, one event each."""
    data = happened.data
    pots = changes.memory[happened.subject]["pots"]
    before: Row = next(
        (pot for pot in pots if pot["pot"] == "sabacc"),
        {"pot": "sabacc", "chips": 0, "eligible": [], "shares": [], "remainder": 0},
    )
    awarded = before | {
        "chips": before["chips"] + data["chips"],
        "eligible": [*before["eligible"], data["seat"]],
        "shares": [*before["shares"], {"seat": data["seat"], "chips": data["chips"]}],
        "rule": data["rule"],
    }
    rest = [pot for pot in pots if pot["pot"] != "sabacc"]
    _grow(changes, happened, pots=[*rest, awarded])


def _hand_settled(changes: Changes, happened: Happened) -> None:
    data = happened.data
    row = changes.memory[happened.subject]
    final = {settled["seat"]: settled for settled in data["stacks"]}
    won: dict[int, int] = {}
    for pot in row["pots"]:
        for share in pot["shares"]:
            won[share["seat"]] = won.get(share["seat"], 0) + share["chips"]
    winners = [
        {"seat": seat, "entrant": final[seat]["entrant"], "chips": won.get(seat, 0)}
        for seat in data["winners"]
    ]
    seats = [
        seat | {"final_stack": final[seat["seat"]]["stack"]} if seat["seat"] in final else seat
        for seat in row["seats"]
    ]
    _grow(changes, happened, state="settled", settled_at=happened.at, winners=winners, seats=seats)
    del changes.memory[happened.subject]


def _grow(changes: Changes, happened: Happened, **columns: Any) -> None:
    row = changes.memory[happened.subject] | columns | {"last_position": happened.position}
    changes.memory[happened.subject] = row
    changes.put(schema.hand, **row)


hands = Projection(
    name="hands",
    version=1,
    relations=(schema.hand, schema.hand_table),
    load=_load,
    handlers={
        "table_opened": _table_opened,
        "hand_opened": _hand_opened,
        "dice_rolled": _dice_rolled,
        "hands_revealed": _hands_revealed,
        "hands_ranked": _hands_revealed,
        "pots_formed": _pots_formed,
        "pot_awarded": _pot_awarded,
        "sabacc_pot_awarded": _sabacc_pot_awarded,
        "deal_voided": _deal_voided,
        "hand_settled": _hand_settled,
    },
)
