"""Checks of an installation's contents: backups, read models, jobs, quarantines, audits."""

import asyncio
from datetime import timedelta
from typing import Final

import asyncpg

from service.base.heartbeats import SILENCE
from service.base.settings import Settings
from service.cli.checks.finding import CheckFailed, Fault, restart
from service.people import quarantine
from service.process.demos import LEFT
from service.projections.following import troubles
from service.tasks.duties import GOING_ON
from service.tasks.measuring import UNSIGNED

LATE_SECONDS: Final = 60
"""A job or a read model that waits longer is late. The alerts use the same bound."""

UNSIGNED_SECONDS: Final = 240
"""Events that wait so much longer than ``sign_seconds`` are not only a busy signer's."""

BACKUP_AGE: Final = timedelta(hours=36)
"""A nightly backup is never older. The alerts use the same bound."""

RECONNECTING_SECONDS: Final = 3.0
"""The longest that a process needs for a new session while the database answers."""

POISONED: Final = 3
"""A job that has failed this often will probably fail until somebody sees to it."""

_SINCE = "SELECT since_at FROM maintenance"
_CLOSED = """
    SELECT 'lge_' || replace(league::text, '-', '') AS league, relocation FROM append_turn
     WHERE suspended_at IS NOT NULL AND relocation IS DISTINCT FROM 'released' ORDER BY 1
"""
_BACKUP = """
    SELECT service_time() - max(at) AS age, EXISTS (SELECT FROM events) AS filled,
           {faults} AS faults
      FROM operator_deed WHERE kind = 'backup_taken'
"""
_MAY_READ = "SELECT has_column_privilege('operator_deed', 'reason', 'SELECT')"
_LATE = """
    SELECT task, count(*) AS number, max(extract(epoch FROM service_time() - due_at))::int AS late
      FROM job
     WHERE state = 'ready' AND due_at < service_time() - $1 * interval '1 second'
       AND (task = ANY ($2) OR NOT EXISTS (SELECT FROM maintenance))
       AND NOT EXISTS (SELECT FROM append_turn t WHERE t.closed IS NOT NULL
                          AND (t.relocation IS NOT NULL OR NOT task = ANY ($2))
                          AND args ->> 'league' = 'lge_' || replace(t.league::text, '-', ''))
     GROUP BY task ORDER BY late DESC
"""
_EXPIRED = """
    SELECT task, count(*) AS number FROM job
     WHERE state = 'sent' AND lease_until < service_time() - $1 * interval '1 second'
     GROUP BY task ORDER BY task
"""
_FAILING = """
    SELECT task, occurrence, attempts, last_error FROM job
     WHERE state IN ('ready', 'sent') AND attempts >= $1 ORDER BY attempts DESC
"""
_SIGNS = "SELECT EXISTS (SELECT FROM checkpoint)"
_CONNECTED = """
    SELECT EXISTS (SELECT FROM pg_stat_activity
                    WHERE usename = 'holotable_project' AND datname = current_database()
                      AND application_name = 'holotable-listen')
"""
_BEATS = """
    SELECT process, extract(epoch FROM service_time() - at)::float AS silent FROM heartbeat
     ORDER BY process
"""


async def doors(connection: asyncpg.Connection, _settings: Settings) -> str:
    """The installation takes commands."""
    faults = []
    if (since := await connection.fetchval(_SINCE)) is not None:
        said = f"maintenance has lasted since {since:%Y-%m-%d %H:%M:%S} UTC: no commands are taken"
        step = "`holotable maintenance off --reason WHY` as holotable_migrate"
        faults.append(Fault(said, step, weak=True))
    for row in await connection.fetch(_CLOSED):
        what = "suspended" if row["relocation"] is None else f"{row['relocation']}, and closed"
        step = _opening(row["league"], row["relocation"])
        faults.append(Fault(f"{row['league']} is {what}", step, weak=True))
    if faults:
        raise CheckFailed(faults)
    return "every league takes commands"


def _opening(league: str, relocation: str | None) -> str:
    """Return what opens a closed league, or takes it further on its way to another cell."""
    restore = f"`holotable league restore {league} --reason WHY`"
    if relocation == "unpacked":
        restore = f"`holotable league restore {league} --release CODE --reason WHY`"
        return f"{restore} as holotable_migrate, with the code of `league release` on the old cell"
    if relocation == "packed":
        return (
            f"`holotable league release {league} ARRIVAL --reason WHY` as holotable_migrate gives "
            f"it up to the other cell; {restore} keeps it here, and makes its file worthless"
        )
    return f"{restore} as holotable_migrate"


async def demos(connection: asyncpg.Connection, _settings: Settings) -> str:
    """No killed demo has left databases on the server."""
    names = [name for (name,) in await connection.fetch(LEFT)]
    if names:
        step = (
            "`holotable demo --drop-left --dry-run` with HOLOTABLE_DATABASE_URL of an administrator"
        )
        said = f"a demo that was killed has left {', '.join(names)}"
        raise CheckFailed([Fault(said, step, weak=True)])
    return "none has left anything"


async def backups(connection: asyncpg.Connection, _settings: Settings) -> str:
    """The last backup is not too old, and names no fault of the log."""
    whole = await connection.fetchval(_MAY_READ)
    faults = "(array_agg(reason ORDER BY at DESC))[1]" if whole else "NULL::text"
    row = await connection.fetchrow(_BACKUP.format(faults=faults))
    if row is None or (row["age"] is None and not row["filled"]):
        return "none taken; there is nothing to back up yet"
    step = "`holotable backup FOLDER` as holotable_migrate, or with --data; every night by a timer"
    if row["age"] is None:
        raise CheckFailed([Fault("none has been taken", step, weak=True)])
    aged = f"the last one is {row['age'].total_seconds() / 3600:.0f} hours old"
    if not whole:
        aged += "; holotable_api also sees whether it names faults"
    found = [Fault(aged, step, weak=True)] if row["age"] > BACKUP_AGE else []
    if row["faults"]:
        repaired = (
            "`holotable repair LEAGUE --operator NAME --reason WHY --dry-run` as holotable_api "
            "says more; after the repair take another backup"
        )
        found.append(Fault(f"the log that the last one copied has {row['faults']}", repaired))
    if found:
        raise CheckFailed(found)
    return aged


async def projections(connection: asyncpg.Connection, _settings: Settings) -> str:
    """The read models are of this version and at the end of the log."""
    faults = [
        Fault(str(each), f"`holotable projections rebuild {each.name}` as holotable_project")
        for each in await troubles.unfit(connection)
    ]
    faults += [
        Fault(
            f"{each.name} is {each.seconds:.0f} s and {each.events} events behind",
            restart("project"),
        )
        for each in await troubles.behind(connection)
        if each.seconds > LATE_SECONDS
    ]
    if faults:
        raise CheckFailed(faults)
    return "made by this version, and at the end of the log"


async def heads(connection: asyncpg.Connection, settings: Settings) -> str:
    """Signed heads keep up with the log, if they are signed at all."""
    if not await connection.fetchval(_SIGNS):
        return "none has been signed yet"
    waited = float(await connection.fetchval(UNSIGNED) or 0)
    if waited > settings.sign_seconds + UNSIGNED_SECONDS:
        said = f"events have waited for a signed head for {waited:.0f} s"
        step = (
            f"{restart('signer')}; a worker that is away and a league in quarantine make heads "
            "wait, too"
        )
        # An installation that has ended signing on purpose names no signer.
        raise CheckFailed([Fault(said, step, weak=settings.signer_url is None)])
    return "signed to the end of the log"


async def jobs(connection: asyncpg.Connection, _settings: Settings) -> str:
    """No job is dead, late, lost or failing again and again."""
    faults = [_release(each) for each in await quarantine.held(connection) if _is_job(each)]
    for row in await connection.fetch(_LATE, LATE_SECONDS, list(GOING_ON)):
        said = f"{row['number']} {row['task']} are due, the oldest for {row['late']} s"
        step = f"{restart('worker')}; if all are busy, raise HOLOTABLE_WORKER_PROCESSES"
        faults.append(Fault(said, step))
    for row in await connection.fetch(_EXPIRED, LATE_SECONDS):
        said = (
            f"{row['number']} {row['task']} were sent, and no worker has finished or repeated them"
        )
        faults.append(Fault(said, restart("worker")))
    for row in await connection.fetch(_FAILING, POISONED):
        said = f"{row['occurrence']} has failed {row['attempts']} times: {row['last_error']}"
        step = (
            f"look for {row['task']} in the worker's log; after ten times it is dead, unless it "
            "waits for the database, the disk or a key"
        )
        faults.append(Fault(said, step, weak=True))
    if faults:
        raise CheckFailed(faults)
    return "none is dead, late or failing"


async def quarantines(connection: asyncpg.Connection, _settings: Settings) -> str:
    """No consumer of the log has stopped in a league."""
    held = [each for each in await quarantine.held(connection) if not _is_job(each)]
    if held:
        raise CheckFailed([_release(each) for each in held])
    return "no league is held"


def _is_job(held: quarantine.StoppedConsumer) -> bool:
    return held.consumer.startswith("job/")


def _release(held: quarantine.StoppedConsumer) -> Fault:
    named = f"{held.league or quarantine.NO_LEAGUE} {held.consumer}"
    return Fault(
        str(held),
        f"`holotable quarantine show {named}` says why; after the repair: `holotable quarantine "
        f"release {named}` as holotable_migrate",
    )


async def audits(connection: asyncpg.Connection, _settings: Settings) -> str:
    """The newest audit of every league passed."""
    failed = await troubles.failed_audits(connection)
    if failed:
        raise CheckFailed(
            [
                Fault(
                    str(each),
                    f"`holotable audit {each.league}` as holotable_audit says why, and records "
                    "nothing: after the repair, the next nightly audit or one that the league's "
                    "staff start takes this away",
                )
                for each in failed
            ]
        )
    return "the last of every league passed"


async def _connected(connection: asyncpg.Connection) -> bool:
    """Return whether a process of read models listens. One that has lost its session comes back."""
    if await connection.fetchval(_CONNECTED):
        return True
    await asyncio.sleep(RECONNECTING_SECONDS)
    return bool(await connection.fetchval(_CONNECTED))


async def heartbeats(connection: asyncpg.Connection, settings: Settings) -> str:
    """No kind of process has stopped beating."""
    rows = await connection.fetch(_BEATS)
    limit = SILENCE * settings.heartbeat_seconds
    faults = [
        Fault(
            f"no {row['process']} for {row['silent']:.0f} s",
            f"{restart(row['process'])}; open decisions get their time back",
        )
        for row in rows
        if row["silent"] > limit
    ]
    running = [row["process"] for row in rows if row["silent"] <= limit]
    # The read models' process has no heartbeat: no player waits for it. It listens all the time.
    if running and not await _connected(connection):
        faults.append(Fault("no project is connected to the database", restart("project")))
    if faults:
        raise CheckFailed(faults)
    return f"running: {', '.join(row['process'] for row in rows) or 'none started yet'}"
