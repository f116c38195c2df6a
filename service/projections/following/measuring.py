"""The distance of the read models from the log, for the projector's metrics."""

from collections.abc import Iterable

import psycopg
from prometheus_client.core import Metric

from service.base.metrics import gauge
from service.log.read import KNOWN
from service.projections.applying.checkpoints import believed, misplaced
from service.projections.models.all import ALL

# Its two places are the names and the versions of this program's read models. The age is that of
# the first event that is not applied. A broken projection and one with a misplaced checkpoint stay
# out of it: they wait for an operator, and have numbers of their own.
LAG = f"""
    {KNOWN}
    , heads AS MATERIALIZED (
        SELECT known.league AS number, last.position AS head,
               'lge_' || replace(known.league::text, '-', '') AS league
          FROM known
         CROSS JOIN LATERAL (SELECT position FROM events e WHERE e.league = known.league
                              ORDER BY position DESC LIMIT 1) last
    )
    SELECT program.name,
           coalesce(sum(heads.head - coalesce(it.position, -1))
                    FILTER (WHERE done.broken_at IS NULL AND NOT it.misplaced), 0),
           coalesce(max(extract(epoch FROM service_time() - waiting.at))
                    FILTER (WHERE done.broken_at IS NULL AND NOT it.misplaced), 0),
           count(*) FILTER (WHERE done.broken_at IS NOT NULL AND NOT it.misplaced),
           coalesce(max((done.version <> program.version OR it.misplaced)::int), 0)
      FROM heads
     CROSS JOIN unnest({{names}}::text[], {{versions}}::int[]) AS program(name, version)
      LEFT JOIN reads.checkpoint done ON done.league = heads.league AND done.name = program.name
     CROSS JOIN LATERAL (SELECT {misplaced("heads.head")} AS misplaced,
                                {believed("heads.head")} AS position) it
      LEFT JOIN LATERAL (
        SELECT e.at FROM events e
         WHERE e.league = heads.number AND e.position = coalesce(it.position, -1) + 1
           AND heads.head > coalesce(it.position, -1)) waiting ON true
     GROUP BY program.name
"""  # noqa: S608 - a constant


def measured(connection: psycopg.Connection) -> Iterable[Metric]:
    """Return the distance of each projection to the heads of all leagues."""
    asked = {"names": [each.name for each in ALL], "versions": [each.version for each in ALL]}
    statement = LAG.format(names="%(names)s", versions="%(versions)s")
    rows = connection.execute(statement.encode(), asked).fetchall()
    found = {row[0]: [float(each) for each in row[1:]] for row in rows}
    for column, name, documentation in (
        (0, "holotable_projection_behind_events", "Positions that are not applied yet."),
        (1, "holotable_projection_behind_seconds", "Age of the first of them."),
        (2, "holotable_projection_broken", "Leagues in which an event broke the projection."),
        (3, "holotable_projection_outdated", "1 if its rows need a rebuild."),
    ):
        # Without a league, no projection can be behind.
        numbers = {each.name: found.get(each.name, [0.0] * 4)[column] for each in ALL}
        yield gauge(name, documentation, numbers, "projection")
