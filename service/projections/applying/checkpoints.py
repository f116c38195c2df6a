"""
Whether a checkpoint can be believed, judged here for everything that trusts one.

A projector moves a checkpoint only to a position up to which it has applied the log. Somebody who
may write to the database can put it past the end of the log: then the next events are never
applied. Such a checkpoint is *misplaced*. Nobody knows which events its rows lack, so only a
rebuild makes them right.

The log may reach that position later. So a projector that meets a misplaced checkpoint records the
first event that the log lacked as the one that stops it, with a reason that begins with
:data:`MISPLACED`. A checkpoint that has passed that event is misplaced too. For any other reason it
is not: a projector of an older program may record an event as too new that a newer one has applied.
"""

from collections.abc import Collection, Sequence

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from service.projections.applying.projection import NOTHING

MISPLACED = "its checkpoint was at position"

HEAD = f"""
    coalesce((SELECT e.position FROM events e
               WHERE e.league = CASE WHEN done.league ~ '^lge_[0-9a-f]{{32}}$'
                                     THEN substr(done.league, 5)::uuid END
                 AND e.position IS NOT NULL
               ORDER BY e.position DESC LIMIT 1), {NOTHING})
"""  # noqa: S608 - a constant
"""The last position of the log of ``done.league``, in SQL. It is looked up once for each row."""


def misplaced(head: str = HEAD) -> str:
    """
    Return, in SQL, whether the checkpoint ``done`` is misplaced. It is false without a checkpoint.

    Args:
        head: The last position of the league's log, in SQL, if the statement knows it.
    """
    return (
        f"((done.position > {head} OR done.position < {NOTHING} "
        "OR (done.broken_at <= done.position "
        f"AND starts_with(done.reason, '{MISPLACED}'))) IS TRUE)"
    )


def believed(head: str = HEAD) -> str:
    """
    Return, in SQL, the position up to which the checkpoint ``done`` proves events to be applied.

    It is null if there is no checkpoint, or if it is misplaced.
    """
    return f"(CASE WHEN NOT {misplaced(head)} THEN done.position END)"


_STANDING = sa.text(
    f"""
    SELECT done.name, done.league, done.version, done.position, {misplaced()} AS misplaced
      FROM reads.checkpoint done
     WHERE done.name = ANY(:names) AND done.league = ANY(:leagues)
    """  # noqa: S608 - a constant
)
_POSITIONS = sa.text(
    f"""
    SELECT done.league, done.position FROM reads.checkpoint done
     WHERE done.name = :name AND NOT {misplaced()}
    """  # noqa: S608 - a constant
)
_LOCK = sa.text("SELECT FROM reads.checkpoint WHERE name = :name FOR UPDATE")
_PUT_AWAY = sa.text(
    f"DELETE FROM reads.checkpoint done WHERE done.name = :name AND {misplaced()}"  # noqa: S608
)


async def standing(
    connection: AsyncConnection, names: Collection[str], leagues: Collection[str]
) -> Sequence[sa.Row[str, str, int, int, bool]]:
    """
    Return the live checkpoints of read models in leagues, judged in one statement.

    Each row has ``name``, ``league``, ``version``, ``position`` and ``misplaced``.
    """
    asked = {"names": list(names), "leagues": list(leagues)}
    return (await connection.execute(_STANDING, asked)).all()


async def positions_of(connection: AsyncConnection, name: str) -> dict[str, int]:
    """Return the position of a read model in each league in which it is not misplaced."""
    found = await connection.execute(_POSITIONS, {"name": name})
    return {row.league: row.position for row in found}


async def put_away(connection: AsyncConnection, name: str) -> None:
    """Lock the checkpoints of a read model, and delete those that are misplaced."""
    await connection.execute(_LOCK, {"name": name})
    await connection.execute(_PUT_AWAY, {"name": name})
