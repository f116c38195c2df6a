"""Read model ``standings``: the seasons, their ledgers and their standings."""

from collections.abc import Sequence
from decimal import Decimal

import msgspec
import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from engine.season.events import (
    AdjustmentVoided,
    AwardRevised,
    AwardRevoked,
    BonusesAwarded,
    LotsDrawn,
    PointsAdjusted,
    PointsAwarded,
    ResultsImported,
    ResultsMerged,
    SeasonClosed,
    SeasonOpened,
)
from service.projections import schema
from service.projections.applying.changes import Changes
from service.projections.applying.projection import Happened, Projection, on
from service.projections.models.ledgers import Entered, Ledger, shown_terms, standings_terms


async def _load(
    connection: AsyncConnection, changes: Changes, batch: Sequence[Happened[msgspec.Struct]]
) -> None:
    """Load the ledger of each season in *batch* into the memory."""
    season, ledger = schema.season, schema.ledger
    names = {happened.subject for happened in batch}
    found = await connection.execute(sa.select(season).where(season.c.season.in_(names)))
    known = {
        row["season"]: Ledger(row["league"], standings_terms(row["terms"]), list(row["lots"]))
        for row in found.mappings()
    }
    entries = await connection.execute(
        sa.select(ledger)
        .where(ledger.c.season.in_(known))
        .order_by(ledger.c.position, ledger.c.part)
    )
    for row in entries.mappings():
        known[row["season"]].take(dict(row))
    changes.memory.update({name: {"ledger": its} for name, its in known.items()})


def _season_opened(changes: Changes, happened: Happened[SeasonOpened]) -> None:
    terms = shown_terms(happened.event)
    changes.memory[happened.subject] = {"ledger": Ledger(happened.league, standings_terms(terms))}
    changes.put(
        schema.season,
        season=happened.subject,
        league=happened.league,
        name=happened.event.name,
        state="open",
        opened_at=happened.at,
        terms=terms,
        lots=[],
    )


def _entered(changes: Changes, happened: Happened[Entered]) -> None:
    memory = changes.memory[happened.subject]
    ledger: Ledger = memory["ledger"]
    for row in list(ledger.entries(happened.subject, happened)):
        ledger.take(row)
        changes.put(schema.ledger, **row)
    memory["moved"] = True


def _lots_drawn(changes: Changes, happened: Happened[LotsDrawn]) -> None:
    memory = changes.memory[happened.subject]
    ledger: Ledger = memory["ledger"]
    draw = msgspec.to_builtins(happened.event.draw, order="sorted")
    ledger.lots.append({"rank": happened.event.rank, **draw})
    changes.patch(schema.season, season=happened.subject, lots=ledger.lots)
    memory["moved"] = True


def _season_closed(changes: Changes, happened: Happened[SeasonClosed]) -> None:
    changes.patch(schema.season, season=happened.subject, state="closed", closed_at=happened.at)


def _settle(changes: Changes) -> None:
    """Write the standings of every season that changed, once for the whole batch."""
    for season, memory in changes.memory.items():
        if "moved" not in memory:
            continue
        ledger: Ledger = memory["ledger"]
        found = ledger.standings()
        for each in found:
            changes.put(
                schema.standing,
                season=season,
                player=each.player,
                league=ledger.league,
                rank=each.rank,
                shared=each.shared,
                qualified=each.qualified,
                points=Decimal(each.points),
                played=each.played,
                counted=each.counted,
                wins=each.wins,
                best=None if each.best is None else Decimal(each.best),
                best_placing=each.best_placing,
                decided_by=each.decided_by,
            )
        for player in ledger.players - {each.player for each in found}:
            changes.delete(schema.standing, season=season, player=player)


standings = Projection(
    name="standings",
    version=2,
    relations=(schema.season, schema.ledger, schema.standing),
    load=_load,
    settle=_settle,
    handlers=dict(
        [
            on(SeasonOpened, _season_opened),
            on(PointsAwarded, _entered),
            on(BonusesAwarded, _entered),
            on(AwardRevised, _entered),
            on(AwardRevoked, _entered),
            on(PointsAdjusted, _entered),
            on(AdjustmentVoided, _entered),
            on(ResultsMerged, _entered),
            on(ResultsImported, _entered),
            on(LotsDrawn, _lots_drawn),
            on(SeasonClosed, _season_closed),
        ]
    ),
)
