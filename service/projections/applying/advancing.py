"""
Applying a batch of events to one read model in one league, with its checkpoint.

Rows and checkpoint change in one transaction by compare-and-set, so two runners can never apply
a batch twice. An event that cannot be applied stops the projection in that league.
"""

from collections.abc import Sequence

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from service.projections.applying.checkpoints import MISPLACED
from service.projections.applying.events import Read, Unreadable, decoded, stored
from service.projections.applying.projection import NOTHING, Projection, ProjectionBroken
from service.projections.schema import checkpoint

CHUNK = 5_000
"""Positions in one transaction: enough to spread its cost, few enough to show progress."""

_WHOLE = {"broken_at": None, "reason": None, "broken_since": None}
"""The checkpoint columns that are cleared when the checkpoint moves on."""


class CheckpointMoved(Exception):
    """Another runner applied this batch first, so this transaction must be rolled back."""


class VersionDiffers(Exception):
    """The rows were made by another version of the projection and need a rebuild."""


async def applied(connection: AsyncConnection, projection: Projection, league: str) -> int:
    """
    Return the last position applied, or -1 if there is none.

    Raises:
        VersionDiffers: If another version of the projection made the rows.
    """
    found = await connection.execute(
        sa.select(checkpoint.c.version, checkpoint.c.position).where(
            checkpoint.c.name == projection.name, checkpoint.c.league == league
        )
    )
    row = found.first()
    if row is None:
        return NOTHING
    if row.version != projection.version:
        raise VersionDiffers(
            f"{projection.name} of {league} is at version {row.version}, "
            f"this program has {projection.version}: rebuild it"
        )
    return int(row.position)


async def advance(
    connection: AsyncConnection,
    projection: Projection,
    league: str,
    known: frozenset[str],
    until: int,
    chunk: int = CHUNK,
) -> int:
    """
    Apply the next chunk inside the caller's transaction. Return the new checkpoint.

    The checkpoint moves to the last position that was scanned, even if no event was handled.

    Args:
        known: Every event type of the catalogue. Any other type stops the projection.
        until: The last position to scan.

    Raises:
        ProjectionBroken: If an event cannot be applied.
        CheckpointMoved: If another runner was quicker.
    """
    before = await applied(connection, projection, league)
    scanned = min(before + chunk, until)
    if scanned <= before:
        return before
    passed_over = known.difference(projection.handlers)
    events = decoded(league, await stored(connection, league, before, scanned, passed_over))
    try:
        await apply(connection, projection, league, events, before, scanned)
    except ProjectionBroken as error:
        # A quicker runner has written rows too, and they do not match the events read here.
        if await applied(connection, projection, league) != before:
            raise CheckpointMoved from error
        raise
    return scanned


async def apply(
    connection: AsyncConnection,
    projection: Projection,
    league: str,
    events: Sequence[Read],
    before: int,
    after: int,
) -> None:
    """
    Apply the *events* of one projection, and move its checkpoint from *before* to *after*.

    Raises:
        ProjectionBroken: If an event cannot be read or applied.
        CheckpointMoved: If the checkpoint was not at *before*.
    """
    batch = []
    for each in events:
        if isinstance(each, Unreadable):
            raise ProjectionBroken(projection.name, league, each.position, each.reason)
        batch.append(each)
    changes = await projection.gather(connection, batch)
    await changes.write(connection)
    await _move(connection, projection, league, before, after)


async def _move(
    connection: AsyncConnection, projection: Projection, league: str, before: int, after: int
) -> None:
    if before == NOTHING:
        made = insert(checkpoint).values(
            name=projection.name, league=league, version=projection.version, position=after
        )
        moved = await connection.execute(
            made.on_conflict_do_update(
                index_elements=["name", "league"],
                set_={"position": after, **_WHOLE},
                where=checkpoint.c.position == NOTHING,
            )
        )
    else:
        moved = await connection.execute(
            sa.update(checkpoint)
            .where(
                checkpoint.c.name == projection.name,
                checkpoint.c.league == league,
                checkpoint.c.version == projection.version,
                checkpoint.c.position == before,
            )
            .values(position=after, **_WHOLE)
        )
    if moved.rowcount != 1:
        raise CheckpointMoved(f"{projection.name} of {league} is no longer at {before}")


async def mark_broken(
    connection: AsyncConnection, projection: Projection, error: ProjectionBroken
) -> None:
    """Record the event that stops the projection in a league, why, and since when it stands."""
    said = error.reason.replace("\0", " ")[:500]  # PostgreSQL stores no NUL
    row = {"name": error.name, "league": error.league, "version": projection.version}
    broken = {"broken_at": error.position, "reason": said}
    made = insert(checkpoint).values(
        **row, **broken, position=NOTHING, broken_since=sa.func.service_time()
    )
    # A retry that stops at the same event again has stood still since the first time.
    same, kept = checkpoint.c.broken_at == error.position, checkpoint.c.broken_since
    first = {"broken_since": sa.case((same, kept), else_=made.excluded.broken_since)}
    await connection.execute(
        made.on_conflict_do_update(
            index_elements=["name", "league"],
            set_=broken | first,
            # A runner of a newer program may have applied the event meanwhile.
            where=checkpoint.c.position < error.position,
        )
    )


async def mark_misplaced(
    connection: AsyncConnection, projection: Projection, league: str, position: int, head: int
) -> None:
    """Record that a checkpoint at *position* is past the *head* of the log, for when it is not."""
    await connection.execute(
        sa.update(checkpoint)
        .where(
            checkpoint.c.name == projection.name,
            checkpoint.c.league == league,
            checkpoint.c.version == projection.version,
            checkpoint.c.position == position,
            checkpoint.c.broken_at.is_(None),
        )
        .values(
            broken_at=head + 1,
            reason=f"{MISPLACED} {position}, and the log ended at {head}",
            broken_since=sa.func.service_time(),
        )
    )
