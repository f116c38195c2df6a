"""
Read model ``records``: each entry of a player, with its counts and its result.

It counts events and knows no rule. A hand counts, when it is settled, for everybody
who was dealt in, so a voided deal does not count.
"""

from collections.abc import Sequence

import msgspec
import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from engine.league.merging import PlayersMerged
from engine.table.model.events import HandOpened, HandSettled
from engine.tournament.model.events import (
    EntrantBusted,
    EntrantEliminated,
    EntrantRegistered,
    EntrantWithdrawn,
    ItemStaked,
    PlayStarted,
    RebuyTaken,
    TournamentAnnounced,
    TournamentCancelled,
    TournamentFinished,
)
from engine.tournament.model.events.correcting import ResultCorrected
from engine.tournament.model.events.entering import (
    NoShowPurged,
    NoShowReleased,
    PlacesLowered,
    TermsChanged,
)
from engine.tournament.model.events.money import BountyWon, EntrantKnockedOut
from engine.values import EntrantId
from service.projections import schema
from service.projections.applying.changes import Changes
from service.projections.applying.projection import Happened, Projection, on


async def _load(
    connection: AsyncConnection, changes: Changes, batch: Sequence[Happened[msgspec.Struct]]
) -> None:
    """Load what *batch* needs: entrants dealt in, knock-outs, and entries of merged players."""
    table, game = schema.record_table, schema.record_game
    tables = {happened.subject for happened in batch}
    found = await connection.execute(sa.select(table).where(table.c.table.in_(tables)))
    for row in found.mappings():
        changes.memory[row["table"]] = {"dealt": row["dealt"]}
    out = {each.event.entrant for each in batch if isinstance(each.event, EntrantEliminated)}
    busted = await connection.execute(
        sa.select(game.c.entrant, game.c.knocked_out_by).where(
            game.c.entrant.in_(out), game.c.knocked_out_by.is_not(None)
        )
    )
    for row in busted.mappings():
        changes.memory[row["entrant"]] = {"by": row["knocked_out_by"]}
    going = {each.event.player for each in batch if isinstance(each.event, PlayersMerged)}
    entered = await connection.execute(
        sa.select(game.c.entrant, game.c.player).where(
            game.c.league == batch[0].league, game.c.player.in_(going)
        )
    )
    for row in entered.mappings():
        _entries_of(changes, row["player"]).append(row["entrant"])


def _entries_of(changes: Changes, player: str) -> list[str]:
    """Return the entries of *player* that are in the memory, to be added to."""
    entries: list[str] = changes.memory.setdefault(player, {"entries": []})["entries"]
    return entries


def _tournament_announced(changes: Changes, happened: Happened[TournamentAnnounced]) -> None:
    event = happened.event
    changes.put(
        schema.record_tournament,
        tournament=happened.subject,
        league=happened.league,
        season=event.season,
        name=event.name,
        currency=event.currency,
        state="announced",
    )


def _terms_changed(changes: Changes, happened: Happened[TermsChanged]) -> None:
    event = happened.event
    changes.patch(
        schema.record_tournament,
        tournament=happened.subject,
        name=event.name,
        currency=event.currency,
    )


def _entrant_registered(changes: Changes, happened: Happened[EntrantRegistered]) -> None:
    event = happened.event
    changes.put(
        schema.record_game,
        entrant=event.entrant,
        league=happened.league,
        player=event.player,
        tournament=happened.subject,
        bot=event.bot,
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
    _entries_of(changes, event.player).append(event.entrant)


def _players_merged(changes: Changes, happened: Happened[PlayersMerged]) -> None:
    """Give the entries of the merged player to the other one."""
    event = happened.event
    moved = _entries_of(changes, event.player)
    for entrant in moved:
        changes.patch(schema.record_game, entrant=entrant, player=event.into)
    _entries_of(changes, event.into).extend(moved)
    changes.memory[event.player] = {"entries": []}


def _entrant_withdrawn(
    changes: Changes, happened: Happened[EntrantWithdrawn | NoShowReleased | NoShowPurged]
) -> None:
    changes.patch(schema.record_game, entrant=happened.event.entrant, withdrawn=True)


def _play_started(changes: Changes, happened: Happened[PlayStarted]) -> None:
    changes.patch(schema.record_tournament, tournament=happened.subject, state="running")


def _hand_opened(changes: Changes, happened: Happened[HandOpened]) -> None:
    dealt = [seat.entrant for seat in happened.event.seats if seat.dealt]
    changes.memory[happened.subject] = {"dealt": dealt}
    changes.put(schema.record_table, table=happened.subject, league=happened.league, dealt=dealt)


def _hand_settled(changes: Changes, happened: Happened[HandSettled]) -> None:
    event = happened.event
    for entrant in changes.memory[happened.subject]["dealt"]:
        changes.add(schema.record_game, {"entrant": entrant}, hands=1)
    for settled in event.stacks:
        if settled.seat in event.winners:
            changes.add(schema.record_game, {"entrant": settled.entrant}, hands_won=1)


def _entrant_busted(changes: Changes, happened: Happened[EntrantBusted]) -> None:
    changes.add(schema.record_game, {"entrant": happened.event.entrant}, busts=1)


def _entrant_knocked_out(changes: Changes, happened: Happened[EntrantKnockedOut]) -> None:
    """Remember who knocked the entrant out. The knock-out counts at the elimination."""
    event = happened.event
    _knocked_out(changes, event.entrant, event.by)


def _back_in_play(changes: Changes, happened: Happened[ItemStaked | RebuyTaken]) -> None:
    _knocked_out(changes, happened.event.entrant, None)


def _knocked_out(changes: Changes, entrant: str, by: Sequence[EntrantId] | None) -> None:
    changes.patch(schema.record_game, entrant=entrant, knocked_out_by=by)
    changes.memory[entrant] = {"by": by or []}


def _bounty_won(changes: Changes, happened: Happened[BountyWon]) -> None:
    event = happened.event
    changes.add(schema.record_game, {"entrant": event.by}, bounties=event.amount)


def _rebuy_taken(changes: Changes, happened: Happened[RebuyTaken]) -> None:
    changes.add(schema.record_game, {"entrant": happened.event.entrant}, rebuys=1)
    _back_in_play(changes, happened)


def _entrant_eliminated(changes: Changes, happened: Happened[EntrantEliminated]) -> None:
    event = happened.event
    changes.patch(
        schema.record_game, entrant=event.entrant, placing=event.place, shared=event.shared
    )
    for winner in changes.memory.get(event.entrant, {"by": []})["by"]:
        changes.add(schema.record_game, {"entrant": winner}, knockouts=1)


def _places_lowered(changes: Changes, happened: Happened[PlacesLowered]) -> None:
    for entrant in happened.event.entrants:
        changes.add(schema.record_game, {"entrant": entrant}, placing=happened.event.by)


def _no_show_purged(changes: Changes, happened: Happened[NoShowPurged]) -> None:
    event = happened.event
    if event.struck:
        for entrant in event.raised:
            changes.add(schema.record_game, {"entrant": entrant}, placing=-1)
        _entrant_withdrawn(changes, happened)


def _tournament_finished(changes: Changes, happened: Happened[TournamentFinished]) -> None:
    _result(changes, happened)
    _ended(changes, happened, "finished")


def _result(changes: Changes, happened: Happened[TournamentFinished | ResultCorrected]) -> None:
    """Store the complete result, whether it is the first one or a correction."""
    event = happened.event
    paid = {payout.entrant: payout.amount for payout in event.payouts}
    for placing in event.placings:
        changes.patch(
            schema.record_game,
            entrant=placing.entrant,
            placing=placing.place,
            shared=placing.shared,
            payout=paid.get(placing.entrant, 0),
        )


def _tournament_cancelled(changes: Changes, happened: Happened[TournamentCancelled]) -> None:
    _ended(changes, happened, "cancelled")


def _ended(changes: Changes, happened: Happened[msgspec.Struct], state: str) -> None:
    changes.patch(
        schema.record_tournament, tournament=happened.subject, state=state, finished_at=happened.at
    )


records = Projection(
    name="records",
    version=2,
    relations=(schema.record_tournament, schema.record_game, schema.record_table),
    load=_load,
    handlers=dict(
        [
            on(TournamentAnnounced, _tournament_announced),
            on(TermsChanged, _terms_changed),
            on(EntrantRegistered, _entrant_registered),
            on(PlayersMerged, _players_merged),
            on(EntrantWithdrawn, _entrant_withdrawn),
            on(NoShowReleased, _entrant_withdrawn),
            on(NoShowPurged, _no_show_purged),
            on(PlacesLowered, _places_lowered),
            on(PlayStarted, _play_started),
            on(HandOpened, _hand_opened),
            on(HandSettled, _hand_settled),
            on(EntrantBusted, _entrant_busted),
            on(EntrantKnockedOut, _entrant_knocked_out),
            on(RebuyTaken, _rebuy_taken),
            on(ItemStaked, _back_in_play),
            on(BountyWon, _bounty_won),
            on(EntrantEliminated, _entrant_eliminated),
            on(TournamentFinished, _tournament_finished),
            on(ResultCorrected, _result),
            on(TournamentCancelled, _tournament_cancelled),
        ]
    ),
)
