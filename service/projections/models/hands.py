"""
Read model ``hands``: the history of every hand, from public events only.

A hand's row grows while the hand is played. Unsettled hands are loaded before each
batch, because most events of a hand do not repeat its number.
"""

from collections.abc import Sequence

import msgspec
import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from engine.table.model.events import (
    DealVoided,
    DiceRolled,
    HandOpened,
    HandSettled,
    HandsRanked,
    HandsRevealed,
    PotAwarded,
    PotsFormed,
    SabaccPotAwarded,
    SeatBooks,
    TableOpened,
)
from service.projections import schema
from service.projections.applying.changes import Changes, Row
from service.projections.applying.projection import Happened, Projection, on


async def _load(
    connection: AsyncConnection, changes: Changes, batch: Sequence[Happened[msgspec.Struct]]
) -> None:
    """Load the unsettled hand and the tournament of each table in *batch* into the memory."""
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


def _table_opened(changes: Changes, happened: Happened[TableOpened]) -> None:
    row = {"tournament": happened.event.tournament}
    changes.put(schema.hand_table, table=happened.subject, league=happened.league, **row)
    changes.memory[f"tournament of {happened.subject}"] = row


def _hand_opened(changes: Changes, happened: Happened[HandOpened]) -> None:
    event = happened.event
    row: Row = {
        "table": happened.subject,
        "number": event.number,
        "hand": event.hand,
        "league": happened.league,
        "tournament": changes.memory[f"tournament of {happened.subject}"]["tournament"],
        "deal": event.deal,
        "level": event.level.number,
        "button": event.button,
        "target": None,
        "suit": None,
        "state": "open",
        "seats": [_opened_seat(seat) for seat in event.seats],
        "pots": [],
        "winners": [],
        "opened_at": happened.at,
        "settled_at": None,
        "first_position": happened.position,
        "last_position": happened.position,
    }
    before = changes.memory.get(happened.subject)
    if before is not None:  # a deal was voided, but the hand began with its first deal
        row |= {name: before[name] for name in ("opened_at", "first_position")}
    changes.memory[happened.subject] = row
    changes.keep(schema.hand, row)


def _deal_voided(changes: Changes, happened: Happened[DealVoided]) -> None:
    """Clear the row. The cards of the voided deal are in the ``deal_voided`` event."""
    blank = [
        seat | {"final_stack": None, "cards": None, "total": None}
        for seat in changes.memory[happened.subject]["seats"]
    ]
    _grow(changes, happened, state="voided", target=None, suit=None, seats=blank, pots=[])


def _opened_seat(seat: SeatBooks) -> Row:
    return {
        "seat": seat.seat,
        "entrant": seat.entrant,
        "stack": seat.stack,
        "dealt": seat.dealt,
        "final_stack": None,
        "cards": None,
        "total": None,
    }


def _dice_rolled(changes: Changes, happened: Happened[DiceRolled]) -> None:
    _grow(changes, happened, target=happened.event.target, suit=happened.event.suit)


def _hands_revealed(changes: Changes, happened: Happened[HandsRevealed | HandsRanked]) -> None:
    shown = {hand.seat: hand for hand in happened.event.hands}
    _grow(
        changes,
        happened,
        seats=[
            seat
            if seat["seat"] not in shown
            else seat
            | {
                "cards": [card.card for card in shown[seat["seat"]].cards],
                "total": shown[seat["seat"]].total,
            }
            for seat in changes.memory[happened.subject]["seats"]
        ],
    )


def _pots_formed(changes: Changes, happened: Happened[PotsFormed]) -> None:
    pots = [
        {"pot": number, "chips": pot.chips, "eligible": pot.eligible, "shares": []}
        for number, pot in enumerate(happened.event.pots, start=1)
    ]
    _grow(changes, happened, pots=pots)


def _pot_awarded(changes: Changes, happened: Happened[PotAwarded]) -> None:
    event = happened.event
    awarded = {
        "pot": event.pot,
        "chips": event.chips,
        "shares": [{"chips": share.chips, "seat": share.seat} for share in event.shares],
        "remainder": event.remainder,
        "rule": event.rule,
    }
    before = changes.memory[happened.subject]["pots"]
    known = {pot["pot"]: pot for pot in before}
    known[event.pot] = known.get(event.pot, {"eligible": []}) | awarded
    _grow(changes, happened, pots=[known[number] for number in sorted(known, key=_place)])


def _place(pot: int | str) -> tuple[bool, int]:
    """Return the sort key of a pot: by number, with the Sabacc pot always last."""
    return (True, 0) if isinstance(pot, str) else (False, pot)


def _sabacc_pot_awarded(changes: Changes, happened: Happened[SabaccPotAwarded]) -> None:
    """Put the Sabacc pot last. It may have several winners, each with an event of its own."""
    event = happened.event
    pots = changes.memory[happened.subject]["pots"]
    before: Row = next(
        (pot for pot in pots if pot["pot"] == "sabacc"),
        {"pot": "sabacc", "chips": 0, "eligible": [], "shares": [], "remainder": 0},
    )
    awarded = before | {
        "chips": before["chips"] + event.chips,
        "eligible": [*before["eligible"], event.seat],
        "shares": [*before["shares"], {"seat": event.seat, "chips": event.chips}],
        "rule": event.rule,
    }
    rest = [pot for pot in pots if pot["pot"] != "sabacc"]
    _grow(changes, happened, pots=[*rest, awarded])


def _hand_settled(changes: Changes, happened: Happened[HandSettled]) -> None:
    event = happened.event
    row = changes.memory[happened.subject]
    final = {settled.seat: settled for settled in event.stacks}
    won: dict[int, int] = {}
    for pot in row["pots"]:
        for share in pot["shares"]:
            won[share["seat"]] = won.get(share["seat"], 0) + share["chips"]
    winners = [
        {"seat": seat, "entrant": final[seat].entrant, "chips": won.get(seat, 0)}
        for seat in event.winners
    ]
    seats = [
        seat | {"final_stack": final[seat["seat"]].stack} if seat["seat"] in final else seat
        for seat in row["seats"]
    ]
    _grow(changes, happened, state="settled", settled_at=happened.at, winners=winners, seats=seats)
    del changes.memory[happened.subject]


def _grow(changes: Changes, happened: Happened[msgspec.Struct], **columns: object) -> None:
    row = changes.memory[happened.subject]
    row.update(columns, last_position=happened.position)
    changes.keep(schema.hand, row)


hands = Projection(
    name="hands",
    version=1,
    relations=(schema.hand, schema.hand_table),
    load=_load,
    handlers=dict(
        [
            on(TableOpened, _table_opened),
            on(HandOpened, _hand_opened),
            on(DiceRolled, _dice_rolled),
            on(HandsRevealed, _hands_revealed),
            on(HandsRanked, _hands_revealed),
            on(PotsFormed, _pots_formed),
            on(PotAwarded, _pot_awarded),
            on(SabaccPotAwarded, _sabacc_pot_awarded),
            on(DealVoided, _deal_voided),
            on(HandSettled, _hand_settled),
        ]
    ),
)
