"""Audits as jobs: on demand, or every night; the report stands in ``audit_report``."""

import json
from collections.abc import Mapping, Sequence
from hashlib import sha256

import msgspec
import psycopg
import sqlalchemy as sa
import structlog

from engine import dispute
from engine.aggregates import DECIDERS
from engine.dispute.commands import AttachAudit
from engine.errors import InvariantViolated
from engine.league.auditing import RecordAudit
from engine.values import stream_of
from service.audit import Report, audit_league
from service.database import async_engine
from service.desk import Desk
from service.errors import EventUnreadable
from service.eventstore.append import GONE
from service.jobs import Hopeless
from service.keys import Keys
from service.transparency.signing import asking
from service.writer import Entry, States

_log = structlog.get_logger(__name__)

_BEGIN = """
    INSERT INTO audit_report (id, league, scope, state, started_at)
    VALUES ($1, $2, $3, 'running', clock_timestamp())
    ON CONFLICT (id) DO UPDATE SET state = 'running', started_at = clock_timestamp(),
                                   finished_at = NULL, progress = 0
"""

_PROGRESS = "UPDATE audit_report SET progress = $2 WHERE id = $1"

_END = """
    UPDATE audit_report SET state = $2, report = $3, progress = 1, finished_at = clock_timestamp()
     WHERE id = $1 AND state NOT IN ('passed', 'failed')
"""

_DONE = "SELECT state IN ('passed', 'failed') FROM audit_report WHERE id = $1"
_KEPT = "SELECT report::text FROM audit_report WHERE id = $1"


_AGAIN = "UPDATE audit_report SET state = 'waiting' WHERE id = $1"

_BREAK = """
    UPDATE audit_report SET state = 'broken', report = $2, finished_at = clock_timestamp()
     WHERE id = $1
"""

_BREAK_DEAD = """
    UPDATE audit_report SET state = 'broken', finished_at = clock_timestamp()
      FROM job
     WHERE job.task = 'audit.run' AND job.state = 'dead'
       AND audit_report.id = job.args ->> 'report' AND audit_report.finished_at IS NULL
"""


async def run(desk: Desk, ids: Mapping[str, str]) -> None:
    """
    Audit a league, or one tournament of it, and keep the report.

    Once it is done, doing it again changes nothing: the report stands.

    Args:
        ids: ``league``; ``tournament`` if only that; ``report``, the row that was asked for.

    Raises:
        Hopeless: If the audit itself broke, as it would again; its report says so.
    """
    league, tournament, report_id = ids["league"], ids.get("tournament"), ids["report"]
    if await desk.pool.fetchval(_DONE, report_id):
        await _record(desk, league, report_id)
        return
    await desk.pool.execute(_BEGIN, report_id, league, tournament or league)
    try:
        report = await _audited(desk, league, tournament, report_id)
    except (*GONE, sa.exc.DBAPIError):
        await desk.pool.execute(_AGAIN, report_id)
        raise
    except Exception as error:
        # An audit reads what may have been forged, so anything can break it.  A report
        # that stays "running" would say nothing: it says broken, and the job is over.
        # Its name only: what an error says of an opened value must not be kept.
        what = type(error).__name__
        await desk.pool.execute(_BREAK, report_id, json.dumps({"broken": what}))
        raise Hopeless(f"the audit broke: {what}") from error
    if "dispute" in ids:
        # Before the report stands: whoever runs this again would find it done.
        await _attach(desk, ids, report)
    verdict = "passed" if report.passed else "failed"
    content = msgspec.json.encode(report, order="sorted").decode()
    await desk.pool.execute(_END, report_id, verdict, content)
    await _record(desk, league, report_id)


async def _attach(desk: Desk, ids: Mapping[str, str], report: Report) -> None:
    """Tell a dispute what was found; the same report counts once."""
    stream = stream_of(ids["dispute"])
    command = AttachAudit(
        report=ids["report"],
        passed=report.passed,
        events=report.events,
        hands=report.hands,
        last_position=report.last_position,
        now=desk.clock.now(),
    )

    async def decide(states: States) -> Sequence[Entry]:
        state = (await states.load(stream)).state
        return [Entry(stream, dispute.decider.decide(state, command))]

    order = desk.order(f"attach_audit/{ids['dispute']}/{ids['report']}")
    await desk.writer.submit(ids["league"], order, decide)


def break_dead(connection: psycopg.Connection) -> None:
    """Let no report wait or run whose job is dead, however it died."""
    connection.execute(_BREAK_DEAD)


async def _record(desk: Desk, league: str, report_id: str) -> None:
    """Write down in the league's log that it was audited; once, however often it is tried."""
    content: str = await desk.pool.fetchval(_KEPT, report_id)
    report = msgspec.json.decode(content, type=Report)
    stream = stream_of(league)
    command = RecordAudit(
        report=report_id,
        scope=report.tournament or league,
        passed=report.passed,
        events=report.events,
        hands=report.hands,
        last_position=report.last_position,
        failed=tuple(check.name for check in report.checks if check.failed),
        first_bad_position=report.first_bad_position,
        digest=sha256(content.encode()).hexdigest(),
        now=desk.clock.now(),
    )

    async def decide(states: States) -> list[Entry]:
        state = (await states.load(stream)).state
        return [Entry(stream, DECIDERS["league"].decide(state, command))]

    try:
        await desk.writer.submit(league, desk.order(f"audit/{report_id}"), decide)
    except (EventUnreadable, InvariantViolated) as error:
        # The stream that would hold it is what the audit has found broken; the report stands.
        what = type(error).__name__
        _log.warning("an audit is not in the log", league=league, report=report_id, error=what)


async def _audited(desk: Desk, league: str, tournament: str | None, report_id: str) -> Report:
    async def progress(done: int, total: int) -> None:
        await desk.pool.execute(_PROGRESS, report_id, done / total)

    engine = async_engine(desk.settings.database_url, 2)
    try:
        async with engine.connect() as connection, asking(desk.settings) as signer:
            return await audit_league(
                connection,
                Keys(desk.settings.secret_key),
                league,
                tournament=tournament,
                progress=progress,
                signer=signer,
            )
    finally:
        await engine.dispose()
