"""
Audits as jobs, on demand or every night. Reports are kept in ``audit_report``.

``audit.run`` makes the plan, ``audit.unit`` does one unit of it, and ``audit.close`` puts the
report together. Repeating a job is harmless. If a process is killed, another one repeats its
unit when the job's lease ends. Finished units are not repeated.
"""

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from hashlib import sha256

import msgspec
import psycopg
import sqlalchemy as sa
import structlog
from sqlalchemy.ext.asyncio import AsyncConnection

from engine import dispute
from engine import league as league_aggregate
from engine.dispute.commands import AttachAudit
from engine.errors import InvariantViolated
from engine.league.auditing import RecordAudit
from engine.values import number_of
from service.audit.report import Report
from service.audit.run.plan import Plan, make_plan
from service.audit.run.units import Part, finish, perform
from service.base.database import async_engine
from service.base.drivers import Driver
from service.base.errors import EventUnreadable, LeagueSuspended, UnderMaintenance
from service.base.uuids import uuid5
from service.director.runtime import Runtime
from service.log.append import GONE
from service.log.keys import Keys
from service.log.orders import on_stream
from service.log.streams import dispute_stream, league_stream
from service.notices.occasions import Occasion, ends_at
from service.tasks import jobs
from service.tasks.jobs import Hopeless
from service.tasks.noticing import channels_of
from service.transparency.signing import asking

WINDOW = 8
"""The most units of one audit that are in the queue at a time, so that other jobs get a turn."""

_PAUSE = timedelta(minutes=1)
"""The pause before another attempt to attach a report in a league that takes no commands."""

_log = structlog.get_logger(__name__)

_BEGIN = """
    INSERT INTO audit_report (id, league, scope, state, started_at)
    VALUES ($1, $2, $3, 'running', clock_timestamp())
    ON CONFLICT (id) DO UPDATE
       SET state = 'running', finished_at = NULL,
           started_at = coalesce(audit_report.started_at, clock_timestamp())
     WHERE audit_report.state NOT IN ('passed', 'failed')
"""
_KEEP_PLAN = """
    INSERT INTO audit_plan (report, plan) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING 1
"""
_KEEP_UNITS = """
    INSERT INTO audit_unit (report, number, key, weight)
    SELECT $1, number - 1, key, weight
      FROM unnest($2::text[], $3::bigint[]) WITH ORDINALITY AS unit (key, weight, number)
"""
_PLAN = "SELECT plan::text FROM audit_plan WHERE report = $1"

# Processes that end a unit take this lock one after the other, so exactly one is the last.
_LOCK = "SELECT 1 FROM audit_report WHERE id = $1 FOR UPDATE"
_ARMED = "SELECT count(*) FROM audit_unit WHERE report = $1 AND state = 'armed'"
_LEFT = "SELECT count(*) FROM audit_unit WHERE report = $1 AND state <> 'done'"
_ARM = """
    UPDATE audit_unit SET state = 'armed'
     WHERE report = $1 AND number IN (SELECT number FROM audit_unit
        WHERE report = $1 AND state = 'waiting' ORDER BY number LIMIT $2)
    RETURNING number
"""
_TAKE = """
    UPDATE audit_unit SET runs = runs + 1
     WHERE report = $1 AND number = $2 AND state = 'armed'
       AND (SELECT state FROM audit_report WHERE id = $1) <> 'broken'
    RETURNING 1
"""
_TOLD = "UPDATE audit_unit SET progress = $3 WHERE report = $1 AND number = $2"
_PROGRESS = """
    UPDATE audit_report
       SET progress = (SELECT sum(progress)::float8 / greatest(sum(weight), 1)
                         FROM audit_unit WHERE report = $1)
     WHERE id = $1
"""
_UNIT_DONE = """
    UPDATE audit_unit SET state = 'done', part = $3, done_at = clock_timestamp()
     WHERE report = $1 AND number = $2 AND state = 'armed'
"""
_PARTS = "SELECT part::text FROM audit_unit WHERE report = $1 ORDER BY number"

_END = """
    UPDATE audit_report SET state = $2, report = $3, progress = 1, finished_at = clock_timestamp()
     WHERE id = $1 AND state NOT IN ('passed', 'failed')
"""

_CLOSED = "SELECT closed IS NOT NULL FROM append_turn WHERE league = $1"
_DONE = "SELECT state IN ('passed', 'failed') FROM audit_report WHERE id = $1"
_KEPT = "SELECT report::text FROM audit_report WHERE id = $1"


_AGAIN = "UPDATE audit_report SET state = 'waiting' WHERE id = $1 AND state = 'running'"

_UNTOLD = """
    INSERT INTO notice_occasion (event, league, position, facts, ends_at)
    SELECT $1, $2, coalesce(max(position), 0), $3, $4 FROM events WHERE league = $2
    ON CONFLICT DO NOTHING
"""

_BREAK = """
    UPDATE audit_report SET state = 'broken', report = $2, finished_at = clock_timestamp()
     WHERE id = $1 AND state NOT IN ('passed', 'failed')
"""

_BREAK_DEAD = """
    UPDATE audit_report SET state = 'broken', finished_at = clock_timestamp()
      FROM job
     WHERE job.task LIKE 'audit.%' AND job.state = 'dead'
       AND audit_report.id = job.args ->> 'report' AND audit_report.finished_at IS NULL
"""


async def run_audit(runtime: Runtime, ids: Mapping[str, str]) -> None:
    """
    Begin the audit of a league or of one tournament: fix its scope and arm the first units.

    If the report is already finished, the audit does not run again.

    Args:
        ids: ``league``, ``report`` (the row to fill), and ``tournament`` to audit only that one.

    Raises:
        Hopeless: If the audit itself broke and would break again. Its report is then broken.
    """
    league, tournament, report_id = ids["league"], ids.get("tournament"), ids["report"]
    if await runtime.pool.fetchval(_DONE, report_id):
        await _record(runtime, league, report_id)
        return
    await runtime.pool.execute(_BEGIN, report_id, league, tournament or league)
    try:
        async with _breaking(runtime, report_id):
            plan = await _planned(runtime, league, tournament, report_id)
    except (*GONE, sa.exc.DBAPIError):
        await runtime.pool.execute(_AGAIN, report_id)
        raise
    async with runtime.pool.acquire() as connection, connection.transaction():
        await connection.execute(_LOCK, report_id)
        if await connection.fetchval(_KEEP_PLAN, report_id, as_text(plan)):
            keys = [unit.key for unit in plan.units]
            weights = [unit.weight for unit in plan.units]
            await connection.execute(_KEEP_UNITS, report_id, keys, weights)
        await _arm_more(runtime, connection, ids)


async def audit_unit(runtime: Runtime, ids: Mapping[str, str]) -> None:
    """
    Do one unit of an audit, keep its part of the report, and arm more units.

    Args:
        ids: The audit's identifiers, and ``unit``, the number of the unit.

    Raises:
        Hopeless: If the unit broke and would break again. The report is then broken.
    """
    report_id, number = ids["report"], int(ids["unit"])
    if not await runtime.pool.fetchval(_TAKE, report_id, number):
        return  # the unit is done, or the audit is broken
    async with _breaking(runtime, report_id):
        plan = await _plan_of(runtime, report_id)

        async def told(weight: int) -> None:
            await runtime.pool.execute(_TOLD, report_id, number, weight)
            await runtime.pool.execute(_PROGRESS, report_id)

        keys = Keys(*runtime.settings.secret_keys)
        async with _connected(runtime) as connection:
            opened = await keys.of(connection, number_of(plan.league))
            part = await perform(connection, opened, plan, plan.units[number], told)
    async with runtime.pool.acquire() as driver, driver.transaction():
        await driver.execute(_LOCK, report_id)
        await driver.execute(_UNIT_DONE, report_id, number, as_text(part))
        await _arm_more(runtime, driver, ids)


async def close_audit(runtime: Runtime, ids: Mapping[str, str]) -> datetime | None:
    """
    Put the report together once every unit is done, and keep it.

    Args:
        ids: The audit's identifiers.

    Returns:
        The instant to try again, if the league takes no commands now. Its dispute gets the report
        when it takes them again.

    Raises:
        Hopeless: If closing broke and would break again. The report is then broken.
    """
    league, report_id = ids["league"], ids["report"]
    if await runtime.pool.fetchval(_DONE, report_id):
        await _record(runtime, league, report_id)
        return None
    if "dispute" in ids and await runtime.pool.fetchval(_CLOSED, number_of(league)):
        return runtime.clock.now() + _PAUSE  # before the work, which each attempt would repeat
    async with _breaking(runtime, report_id):
        plan = await _plan_of(runtime, report_id)
        rows = await runtime.pool.fetch(_PARTS, report_id)
        parts = [msgspec.json.decode(row["part"], type=Part) for row in rows]
        seconds = (runtime.clock.now() - plan.now).total_seconds()
        async with _connected(runtime) as connection:
            report = await finish(connection, plan, parts, seconds)
    if "dispute" in ids:
        # Attach first. Once the report is kept, a retry would find the audit done and stop.
        try:
            await _attach(runtime, ids, report)
        except (LeagueSuspended, UnderMaintenance):
            return runtime.clock.now() + _PAUSE
    verdict = "passed" if report.passed else "failed"
    await runtime.pool.execute(_END, report_id, verdict, as_text(report))
    await _record(runtime, league, report_id)
    return None


async def _planned(runtime: Runtime, league: str, tournament: str | None, report_id: str) -> Plan:
    if await runtime.pool.fetchval(_PLAN, report_id) is not None:
        return await _plan_of(runtime, report_id)
    async with runtime.pool.acquire() as connection, asking(runtime.settings) as signer:
        # Fail here if the league's key cannot be opened, and not in every unit.
        await Keys(*runtime.settings.secret_keys).of(connection, number_of(league))
        return await make_plan(connection, league, tournament, signer)


async def _plan_of(runtime: Runtime, report_id: str) -> Plan:
    return msgspec.json.decode(await runtime.pool.fetchval(_PLAN, report_id), type=Plan)


async def _arm_more(runtime: Runtime, connection: Driver, ids: Mapping[str, str]) -> None:
    """Arm waiting units up to ``WINDOW``. When all are done, arm the closing job."""
    report_id, now = ids["report"], runtime.clock.now()
    room = WINDOW - await connection.fetchval(_ARMED, report_id)
    for row in await connection.fetch(_ARM, report_id, room):
        number = str(row["number"])
        occurrence = f"audit:{report_id}/{number}"
        args = {**ids, "unit": number}
        await jobs.arm(
            connection, jobs.Job(occurrence=occurrence, task="audit.unit", args=args, due_at=now)
        )
    if not await connection.fetchval(_LEFT, report_id):
        args = {name: its for name, its in ids.items() if name != "unit"}
        await jobs.arm(
            connection,
            jobs.Job(
                occurrence=f"audit:{report_id}/close", task="audit.close", args=args, due_at=now
            ),
        )


@asynccontextmanager
async def _breaking(runtime: Runtime, report_id: str) -> AsyncIterator[None]:
    """Mark the report as broken if the audit breaks. A database error only means a retry."""
    try:
        yield
    except (*GONE, sa.exc.DBAPIError):
        raise
    except Exception as error:
        # An audit reads data that may be forged, so anything can break it. The report must not
        # stay "running": it becomes broken, and the job ends. Only the name of the error is
        # kept, because its text may contain an opened value.
        what = type(error).__name__
        await runtime.pool.execute(_BREAK, report_id, json.dumps({"broken": what}))
        raise Hopeless(f"the audit broke: {what}") from error


@asynccontextmanager
async def _connected(runtime: Runtime) -> AsyncIterator[AsyncConnection]:
    engine = async_engine(runtime.settings.database_url, 1)
    try:
        async with engine.connect() as connection:
            yield connection
    finally:
        await engine.dispose()


def as_text(content: msgspec.Struct) -> str:
    """Return a plan, a part or a report as JSON with sorted keys, the form in which it is kept."""
    # Numeric keys must become text before they can be sorted.
    plain = msgspec.to_builtins(content, str_keys=True)
    return msgspec.json.encode(plain, order="sorted").decode()


async def _attach(runtime: Runtime, ids: Mapping[str, str], report: Report) -> None:
    """Attach the audit to its dispute. The same report is attached only once."""
    stream = dispute_stream(ids["dispute"])
    command = AttachAudit(
        report=ids["report"],
        passed=report.passed,
        events=report.events,
        hands=report.hands,
        last_position=report.last_position,
        now=runtime.clock.now(),
    )
    decide = on_stream(stream, dispute.decider, command)
    order = runtime.order(f"attach_audit/{ids['dispute']}/{ids['report']}")
    await runtime.writer.submit(ids["league"], order, decide)


def break_dead(connection: psycopg.Connection) -> None:
    """Mark reports as broken when their job is dead."""
    connection.execute(_BREAK_DEAD)


async def _record(runtime: Runtime, league: str, report_id: str) -> None:
    """Record the finished audit in the league's log. Retries record it only once."""
    content: str = await runtime.pool.fetchval(_KEPT, report_id)
    report = msgspec.json.decode(content, type=Report)
    stream = league_stream(league)
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
        now=runtime.clock.now(),
    )
    decide = on_stream(stream, league_aggregate.decider, command)
    try:
        await runtime.writer.submit(league, runtime.order(f"audit/{report_id}"), decide)
    except (EventUnreadable, InvariantViolated) as error:
        # The league's own stream is broken, as the audit has found. The report is still valid.
        what = type(error).__name__
        _log.warning("an audit is not in the log", league=league, report=report_id, error=what)
        if not report.passed:
            await _tell(runtime, league, report_id)


async def _tell(runtime: Runtime, league: str, report_id: str) -> None:
    """Let owners and operator hear of a failed audit that no event of the log tells."""
    if not channels_of(runtime.settings):
        return
    occasion = Occasion(kind="audit_failed", stream=league_stream(league))
    number = number_of(league)
    facts = msgspec.json.encode(occasion).decode()
    end = ends_at(occasion, runtime.clock.now())
    await runtime.pool.execute(_UNTOLD, uuid5(number, report_id), number, facts, end)
