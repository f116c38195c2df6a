"""Audits as jobs: on demand, or every night; the report stands in ``audit_report``."""

import json
from collections.abc import Mapping

import msgspec

from service.audit import audit_league
from service.database import async_engine
from service.desk import Desk
from service.keys import Keys

_BEGIN = """
    INSERT INTO audit_report (id, league, scope, state, started_at)
    VALUES ($1, $2, $3, 'running', clock_timestamp())
    ON CONFLICT (id) DO UPDATE SET state = 'running', started_at = clock_timestamp(), progress = 0
"""

_END = """
    UPDATE audit_report SET state = $2, report = $3, progress = 1, finished_at = clock_timestamp()
     WHERE id = $1
"""


async def run(desk: Desk, ids: Mapping[str, str]) -> None:
    """
    Audit a league, or one tournament of it, and keep the report.

    Running it twice writes the same row twice.

    Args:
        ids: ``league``; ``tournament`` if only that; ``report``, the row that was asked for.
    """
    league, tournament = ids["league"], ids.get("tournament")
    report_id = ids.get("report") or f"nightly_{league}_{desk.clock.now():%Y%m%d}"
    await desk.pool.execute(_BEGIN, report_id, league, tournament or league)
    engine = async_engine(desk.settings.database_url, 2)
    try:
        async with engine.connect() as connection:
            report = await audit_league(
                connection, Keys(desk.settings.secret_key), league, tournament=tournament
            )
    finally:
        await engine.dispose()
    content = json.dumps(msgspec.to_builtins(report))
    await desk.pool.execute(_END, report_id, "passed" if report.passed else "failed", content)
