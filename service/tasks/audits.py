"""
Audits as jobs: on demand, or every night; the report stands in ``audit_report``.

``audit.run`` makes the plan, ``audit.unit`` does one unit of it, ``audit.close`` puts the
report together.  Each may be done twice.  A unit's lease is its job's: what a killed
process was at is taken up again, and what is done is not done again.
"""

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from hashlib import sha256

import msgspec
import psycopg
import sqlalchemy as sa
import structlog
from sqlalchemy.ext.asyncio import AsyncConnection

from engine import dispute
from engine.coordination.aggregates import DECIDERS
from engine.dispute.commands import AttachAudit
from engine.errors import InvariantViolated
from engine.league.auditing import RecordAudit
from engine.values import number_of
from service.audit import Report
from service.audit.run.plan import Plan, make_plan
from service.audit.run.units import Part, finish, perform
from service.base.database import async_engine
from service.base.drivers import Driver
from service.base.errors import EventUnreadable
from service.director.runtime import Runtime
from service.log.append import GONE
from service.log.keys import Keys
from service.log.streams import dispute_stream, league_stream
from service.log.writer import Entry, States
from service.tasks import jobs
from service.tasks.jobs import Hopeless
from service.transparency.signing import asking

WINDOW = 8
"""Units of one audit that wait in the queue at a time, so that others get their turn."""

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

# Whoever ends a unit waits here for the one before; so exactly one of them is the last.
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

_DONE = "SELECT state IN ('passed', 'failed') FROM audit_report WHERE id = $1"
_KEPT = "SELECT report::text FROM audit_report WHERE id = $1"


_AGAIN = "UPDATE audit_report SET state = 'waiting' WHERE id = $1 AND state = 'running'"

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
    Begin to audit a league, or one tournament of it: fix what is covered, arm the first units.

    Once it is done, doing it again changes nothing: the report stands.

    Args:
        ids: ``league``; ``tournament`` if only that; ``report``, the row that was asked for.

    Raises:
        Hopeless: If the audit itself broke, as it would again; its report says so.
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
    Do one unit, keep what it found, and arm the next.

    Args:
        ids: Those of the audit, and ``unit``, its number.

    Raises:
        Hopeless: If it broke, as it would again; the report says so.
    """
    report_id, number = ids["report"], int(ids["unit"])
    if not await runtime.pool.fetchval(_TAKE, report_id, number):
        return  # it is done, or the audit is broken
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


async def close_audit(runtime: Runtime, ids: Mapping[str, str]) -> None:
    """
    Put the report together once every unit is done, and keep it.

    Args:
        ids: Those of the audit.

    Raises:
        Hopeless: If it broke, as it would again; the report says so.
    """
    league, report_id = ids["league"], ids["report"]
    if await runtime.pool.fetchval(_DONE, report_id):
        await _record(runtime, league, report_id)
        return
    async with _breaking(runtime, report_id):
        plan = await _plan_of(runtime, report_id)
        rows = await runtime.pool.fetch(_PARTS, report_id)
        parts = [msgspec.json.decode(row["part"], type=Part) for row in rows]
        seconds = (runtime.clock.now() - plan.now).total_seconds()
        async with _connected(runtime) as connection:
            report = await finish(connection, plan, parts, seconds)
    if "dispute" in ids:
        # Before the report stands: whoever runs this again would find it done.
        await _attach(runtime, ids, report)
    verdict = "passed" if report.passed else "failed"
    await runtime.pool.execute(_END, report_id, verdict, as_text(report))
    await _record(runtime, league, report_id)


async def _planned(runtime: Runtime, league: str, tournament: str | None, report_id: str) -> Plan:
    if await runtime.pool.fetchval(_PLAN, report_id) is not None:
        return await _plan_of(runtime, report_id)
    async with runtime.pool.acquire() as connection, asking(runtime.settings) as signer:
        # Units would find out one by one that nothing can be opened.
        await Keys(*runtime.settings.secret_keys).of(connection, number_of(league))
        return await make_plan(connection, league, tournament, signer)


async def _plan_of(runtime: Runtime, report_id: str) -> Plan:
    return msgspec.json.decode(await runtime.pool.fetchval(_PLAN, report_id), type=Plan)


async def _arm_more(runtime: Runtime, connection: Driver, ids: Mapping[str, str]) -> None:
    """Arm units as long as there are any, then what puts the report together."""
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
    """Have the report say it if the audit itself breaks; a database that is away is waited for."""
    try:
        yield
    except (*GONE, sa.exc.DBAPIError):
        raise
    except Exception as error:
        # An audit reads what may have been forged, so anything can break it.  A report
        # that stays "running" would say nothing: it says broken, and the job is over.
        # Its name only: what an error says of an opened value must not be kept.
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
    """Return how a plan, a part or a report is kept: canonical JSON."""
    # Keys that are numbers have to be text before they can be put in order.
    plain = msgspec.to_builtins(content, str_keys=True)
    return msgspec.json.encode(plain, order="sorted").decode()


async def _attach(runtime: Runtime, ids: Mapping[str, str], report: Report) -> None:
    """Tell a dispute what was found; the same report counts once."""
    stream = dispute_stream(ids["dispute"])
    command = AttachAudit(
        report=ids["report"],
        passed=report.passed,
        events=report.events,
        hands=report.hands,
        last_position=report.last_position,
        now=runtime.clock.now(),
    )

    async def decide(states: States) -> Sequence[Entry]:
        state = (await states.load(stream)).state
        return [Entry(stream, dispute.decider.decide(state, command))]

    order = runtime.order(f"attach_audit/{ids['dispute']}/{ids['report']}")
    await runtime.writer.submit(ids["league"], order, decide)


def break_dead(connection: psycopg.Connection) -> None:
    """Let no report wait or run whose job is dead, however it died."""
    connection.execute(_BREAK_DEAD)


async def _record(runtime: Runtime, league: str, report_id: str) -> None:
    """Write down in the league's log that it was audited; once, however often it is tried."""
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

    async def decide(states: States) -> list[Entry]:
        state = (await states.load(stream)).state
        return [Entry(stream, DECIDERS["league"].decide(state, command))]

    try:
        await runtime.writer.submit(league, runtime.order(f"audit/{report_id}"), decide)
    except (EventUnreadable, InvariantViolated) as error:
        # The stream that would hold it is what the audit has found broken; the report stands.
        what = type(error).__name__
        _log.warning("an audit is not in the log", league=league, report=report_id, error=what)
