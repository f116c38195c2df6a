"""
Read model ``records``: what each entry of a player came to, counted and settled.

It counts what events say and knows no rule: a hand counts for whoever was dealt in
when it is settled, so a voided deal counts nothing.
"""

from collections.abc import Sequence

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from service.projections import schema
from service.projections.changes import Changes
from service.projections.projection import Happened, Projection


async def _load(connection: AsyncConnection, changes: Changes, batch: Sequence[Happened]) -> None:
    """Put who is dealt in at each table of *batch*, and who had busted whom, into the memory."""
    table, game = schema.record_table, schema.record_game
    tables = {happened.subject for happened in batch}
    found = await connection.execute(sa.select(table).where(table.c.table.in_(tables)))
    for row in found.mappings():
        changes.memory[row["table"]] = {"dealt": row["dealt"]}
    out = {each.data["entrant"] for each in batch if each.type == "entrant_eliminated"}
    busted = await connection.execute(
        sa.select(game.c.entrant, game.c.knocked_out_by).where(
            game.c.entrant.in_(out), game.c.knocked_out_by.is_not(None)
        )
    )
    for row in busted.mappings():
        changes.memory[row["entrant"]] = {"by": row["knocked_out_by"]}


def _tournament_announced(changes: Changes, happened: Happened) -> None:
    data = happened.data
    changes.put(
        schema.record_tournament,
        tournament=happened.subject,
        league=happened.league,
        season=data["season"],
        name=data["name"],
        currency=data["currency"],
        state="announced",
    )


def _entrant_registered(changes: Changes, happened: Happened) -> None:
    data = happened.data
    changes.put(
        schema.record_game,
        entrant=data["entrant"],
        league=happened.league,
        player=data["player"],
        tournament=happened.subject,
        bot=data["bot"],
        withdrawn=False,
        hands=0,
        hands_won=0,
        busts=0,
        rebuys=0,
        knockouts=0,
        bounties=0,
        registered_at=happened.at,
        registered_position=happened.position,
    )


def _entrant_withdrawn(changes: Changes, happened: Happened) -> None:
    changes.patch(schema.record_game, entrant=happened.data["entrant"], withdrawn=True)


def _play_started(changes: Changes, happened: Happened) -> None:
    changes.patch(schema.record_tournament, tournament=happened.subject, state="running")


def _hand_opened(changes: Changes, happened: Happened) -> None:
    dealt = [seat["entrant"] for seat in happened.data["seats"] if seat["dealt"]]
    changes.memory[happened.subject] = {"dealt": dealt}
    changes.put(schema.record_table, table=happened.subject, league=happened.league, dealt=dealt)


def _hand_settled(changes: Changes, happened: Happened) -> None:
    data = happened.data
    for entrant in changes.memory[happened.subject]["dealt"]:
        changes.add(schema.record_game, {"entrant": entrant}, hands=1)
    for settled in data["stacks"]:
        if settled["seat"] in data["winners"]:
            changes.add(schema.record_game, {"entrant": settled["entrant"]}, hands_won=1)


def _entrant_busted(changes: Changes, happened: Happened) -> None:
    changes.add(schema.record_game, {"entrant": happened.data["entrant"]}, busts=1)


def _entrant_knocked_out(changes: Changes, happened: Happened) -> None:
    """Remember by whom; it counts once the entrant is out for good."""
    data = happened.data
    _knocked_out(changes, data["entrant"], data["by"])


def _back_in_play(changes: Changes, happened: Happened) -> None:
    _knocked_out(changes, happened.data["entrant"], None)


def _knocked_out(changes: Changes, entrant: str, by: list[str] | None) -> None:
    changes.patch(schema.record_game, entrant=entrant, knocked_out_by=by)
    changes.memory[entrant] = {"by": by or []}


def _bounty_won(changes: Changes, happened: Happened) -> None:
    data = happened.data
    changes.add(schema.record_game, {"entrant": data["by"]}, bounties=data["amount"])


def _rebuy_taken(changes: Changes, happened: Happened) -> None:
    changes.add(schema.record_game, {"entrant": happened.data["entrant"]}, rebuys=1)
    _back_in_play(changes, happened)


def _entrant_eliminated(changes: Changes, happened: Happened) -> None:
    data = happened.data
    changes.patch(
        schema.record_game, entrant=data["entrant"], placing=data["place"], shared=data["shared"]
    )
    for winner in changes.memory.get(data["entrant"], {"by": []})["by"]:
        changes.add(schema.record_game, {"entrant": winner}, knockouts=1)


def _places_lowered(changes: Changes, happened: Happened) -> None:
    for entrant in happened.data["entrants"]:
        changes.add(schema.record_game, {"entrant": entrant}, placing=happened.data["by"])


def _no_show_purged(changes: Changes, happened: Happened) -> None:
    data = happened.data
    if data["struck"]:
        for entrant in data["raised"]:
            changes.add(schema.record_game, {"entrant": entrant}, placing=-1)
        _entrant_withdrawn(changes, happened)


def _tournament_finished(changes: Changes, happened: Happened) -> None:
    _result(changes, happened)
    _ended(changes, happened, "finished")


def _result(changes: Changes, happened: Happened) -> None:
    """Put the result that holds, whole: the first one, or one that was set right."""
    data = happened.data
    paid = {payout["entrant"]: payout["amount"] for payout in data["payouts"]}
    for placing in data["placings"]:
        changes.patch(
            schema.record_game,
            entrant=placing["entrant"],
            placing=placing["place"],
            shared=placing["shared"],
            payout=paid.get(placing["entrant"], 0),
        )


def _tournament_cancelled(changes: Changes, happened: Happened) -> None:
    _ended(changes, happened, "cancelled")


def _ended(changes: Changes, happened: Happened, state: str) -> None:
    changes.patch(
        schema.record_tournament, tournament=happened.subject, state=state, finished_at=happened.at
    )


records = Projection(
    name="records",
    version=2,
    relations=(schema.record_tournament, schema.record_game, schema.record_table),
    load=_load,
    handlers={
        "tournament_announced": _tournament_announced,
        "entrant_registered": _entrant_registered,
        "entrant_withdrawn": _entrant_withdrawn,
        "no_show_released": _entrant_withdrawn,
        "no_show_purged": _no_show_purged,
        "places_lowered": _places_lowered,
        "play_started": _play_started,
        "hand_opened": _hand_opened,
        "hand_settled": _hand_settled,
        "entrant_busted": _entrant_busted,
        "entrant_knocked_out": _entrant_knocked_out,
        "rebuy_taken": _rebuy_taken,
        "item_staked": _back_in_play,
        "bounty_won": _bounty_won,
        "entrant_eliminated": _entrant_eliminated,
        "tournament_finished": _tournament_finished,
        "result_corrected": _result,
        "tournament_cancelled": _tournament_cancelled,
    },
)
