"""The parts of an installation: server, schema, clock, keys, rights, broker, signer, mail."""

from collections.abc import Sequence
from typing import Final

import asyncpg
import psycopg
from kombu import Connection as Broker

from service.base import rights
from service.base.addresses import with_database
from service.base.database import LOGINS, OWNER
from service.base.pools import MAILING
from service.base.schema_range import of_code
from service.base.settings import PASSWORD_MEMORY_KIB, Settings
from service.base.shipped import RIGHTS
from service.base.sources import READ_CLOCK, ClockReading, skew
from service.cli.checks.finding import SHOWN, CheckFailed, Fault, restart, wrong
from service.log.keys import Keys
from service.notices.smtp import Away, SmtpSession
from service.tasks.broker import is_postgres
from service.tasks.messages import unreadable
from service.transparency.memory import forgotten, memory_faults
from service.transparency.signing import SignerAway, SignerDamaged, SignerStrange, ask, asking

SKEW_ALLOWED: Final = 1.0
"""Seconds."""

_AWAY_SECONDS: Final = 5
_ATTRIBUTES = """
    SELECT rolname FROM pg_roles WHERE rolname = ANY ($1)
       AND (rolsuper OR rolcreatedb OR rolcreaterole OR rolreplication OR rolbypassrls)
     ORDER BY 1
"""


async def server(connection: asyncpg.Connection, _settings: Settings) -> str:
    """PostgreSQL is new enough."""
    version = connection.get_server_version()
    if version.major < 15:
        raise wrong(
            f"PostgreSQL {version.major}", "move to PostgreSQL 15 or newer: `holotable backup`"
        )
    return f"PostgreSQL {version.major}.{version.minor}"


async def passwords(_connection: asyncpg.Connection, settings: Settings) -> str:
    """Passwords are hashed with as much memory as by default."""
    if settings.password_memory_kib < PASSWORD_MEMORY_KIB:
        raise CheckFailed(
            [
                Fault(
                    f"hashing takes {settings.password_memory_kib} KiB, and "
                    f"{PASSWORD_MEMORY_KIB} KiB by default",
                    "unset HOLOTABLE_PASSWORD_MEMORY_KIB; a password is hashed again when it is "
                    "changed",
                    weak=True,
                )
            ]
        )
    return f"hashed with {settings.password_memory_kib} KiB"


async def schema(connection: asyncpg.Connection, _settings: Settings) -> str:
    """This program runs on the schema."""
    fit = await of_code().look(connection)
    if fit.fault is not None:
        raise wrong(fit.fault, fit.mend)
    if fit.mend:
        said = f"the schema is at {fit.here}, which is newer than this program"
        raise CheckFailed([Fault(said, fit.mend, weak=True)])
    return str(fit.here)


async def clock(connection: asyncpg.Connection, _settings: Settings) -> str:
    """The clocks of this machine and the database agree, and no step is in doubt."""
    [row] = await connection.fetch(READ_CLOCK)
    reading, faults = ClockReading(*row), []
    if reading.noticed_at is not None:
        faults.append(
            Fault(
                f"the database's clock has been {reading.ahead_us / 1e6:+.1f} s off since "
                f"{reading.noticed_at:%Y-%m-%d %H:%M:%S}",
                "if that clock is wrong, set it right (`timedatectl set-ntp true`); if it is "
                "right, believe it: `holotable clock believe --operator NAME --reason WHY` as "
                "holotable_migrate",
            )
        )
    behind = (await skew(connection)).total_seconds()
    if abs(behind) > SKEW_ALLOWED:
        side = "behind" if behind > 0 else "ahead of"
        said = f"this machine's clock is {abs(behind):.1f} s {side} the database's"
        faults.append(Fault(said, "keep both clocks in step: `timedatectl set-ntp true`"))
    if faults:
        raise CheckFailed(faults)
    return f"{-behind:+.3f} s off the database's"


async def keys(connection: asyncpg.Connection, settings: Settings) -> str:
    """The settings' key opens every league."""
    ours = Keys(*settings.secret_keys)
    rows = await connection.fetch("SELECT league, key_id, wrapped FROM key")
    foreign = sum(not ours.opens(*row) for row in rows)
    if foreign:
        raise wrong(
            f"{foreign} of {len(rows)} leagues' keys were wrapped by another secret key",
            "start every process with that key, or name it in HOLOTABLE_SECOND_SECRET_KEY and run "
            "`holotable rotate-key` as holotable_migrate",
        )
    return f"open the keys of all {len(rows)} leagues"


async def logins(connection: asyncpg.Connection, _settings: Settings) -> str:
    """Each login has its declared rights and no others."""
    fit, known = await of_code().look(connection), of_code().head
    if fit.here != known:
        return f"not compared: the list is of the schema {known}"
    faults = [
        Fault(
            f"{row['rolname']} has more power over the server than it needs",
            "run `holotable prepare URL` with an administrator's address",
        )
        for row in await connection.fetch(_ATTRIBUTES, list(LOGINS))
    ]
    declared = rights.of_log(RIGHTS.read_text(encoding="utf-8").splitlines())
    missing, extra = rights.difference(declared, await _held(connection))
    database = await connection.fetchval("SELECT quote_ident(current_database())")
    for lines, what, verb, preposition in (
        (missing, "lacks", "GRANT", "TO"),
        (extra, "has too much", "REVOKE", "FROM"),
    ):
        for line in lines:
            (statement,) = rights.statements(verb, preposition, [line], database)
            login, _, right = line.partition(" ")
            step = f"`psql ADDRESS -c '{statement}'` with the address of holotable_migrate"
            faults.append(Fault(f"{login} {what}: {right}", step))
    if faults:
        raise CheckFailed(faults)
    return f"{len(LOGINS)} logins have their {len(declared)} rights, and no others"


async def _held(connection: asyncpg.Connection) -> set[str]:
    """Return the rights that each login has in the database of the log, a line for each object."""
    members = rights.MEMBERS.format(roles="$1")
    lines = {row[0] for row in await connection.fetch(members, list(LOGINS))}
    for role in (*LOGINS, "public"):
        asked = {"role": "$1::name"}
        for (right,) in await connection.fetch(rights.DATABASE.format(**asked), role):
            lines.add(f"{role} database:log {right}")
        owns = rights.IS_OWNER.format(role="$1::name", owner="$2::name")
        if role != "public" and await connection.fetchval(owns, role, OWNER):
            continue
        objects = await connection.fetch(rights.OBJECTS.format(**asked), role)
        lines |= {
            f"{role} {name} {given}"
            for name, given in objects
            # A running or killed rebuild leaves relations there for a while.
            if not name.startswith("relation:reads_next.") or name.endswith(".checkpoint")
        }
    return lines


async def broker(_connection: asyncpg.Connection, settings: Settings) -> str:
    """The broker answers, and holds no unreadable message."""
    url = settings.broker_url
    if url is None:
        return "none set; only workers need one"
    if not is_postgres(url):
        return _amqp(url)
    try:
        async with await psycopg.AsyncConnection.connect(
            url, connect_timeout=_AWAY_SECONDS
        ) as found:
            put_away = await unreadable(found)
    except psycopg.OperationalError as error:
        own = with_database(settings.database_url, "holotable_broker")
        raise wrong(
            str(error),
            f"check HOLOTABLE_BROKER_URL; `holotable prepare URL` makes {own.rpartition('/')[2]}",
        ) from error
    if sum(put_away.values()):
        said = ", ".join(f"{queue}: {number}" for queue, number in put_away.items())
        raise wrong(
            f"unreadable messages were put away ({said})",
            "change the password of the broker's login, then empty pgmq.a_play and a_long",
        )
    return "answers"


def _amqp(url: str) -> str:
    try:
        with Broker(url, connect_timeout=_AWAY_SECONDS) as found:
            found.connect()  # it blocks, and no other task runs in this process
    except Exception as error:
        # kombu raises errors of many kinds from its library. None of them holds the password.
        raise wrong(
            f"RabbitMQ does not answer: {type(error).__name__}: {error}",
            "check HOLOTABLE_BROKER_URL and `systemctl status rabbitmq-server`; jobs wait in the "
            "database, and nothing is lost",
        ) from error
    return "RabbitMQ answers"


async def signer(connection: asyncpg.Connection, settings: Settings) -> str:
    """The signer answers, and remembers what was signed and nothing that the log lacks."""
    async with asking(settings) as found:
        if found is None:
            return "none set; only workers and audits ask it"
        try:
            await ask(found, "GET", "/key")  # without a league, no other check asks the signer
            lost = await forgotten(connection, found)
            signed, contradictions = await memory_faults(connection, found)
        except SignerStrange as strange:
            raise wrong(
                str(strange),
                "give every process that asks the signer the signer's token, and restart it; "
                "unsigned heads wait, and nothing is lost",
            ) from strange
        except SignerDamaged as damaged:
            raise wrong(
                str(damaged),
                "move this file away from HOLOTABLE_SIGNER_MEMORY, or from DATA/signer of `up`; "
                "then `holotable doctor` names the league that it was of",
            ) from damaged
        except SignerAway as away:
            raise wrong(
                str(away), f"{restart('signer')}; unsigned heads wait, and nothing is lost"
            ) from away
    faults = [
        Fault(
            said,
            "look for the lost events before anything else (docs/guides/signed-heads.md); "
            "if they are lost: `holotable epoch open "
            f"{said.partition(':')[0]} --operator NAME --reason WHY` as holotable_migrate",
        )
        for said in contradictions
    ]
    if lost:
        faults.append(_forgotten(lost))
    if faults:
        raise CheckFailed(faults)
    return f"remembers the heads of {signed} leagues; each is in its log"


def _forgotten(leagues: Sequence[str]) -> Fault:
    some = ", ".join(leagues[:SHOWN]) + (", …" if leagues[SHOWN:] else "")
    return Fault(
        f"it does not remember the signed heads of {len(leagues)} leagues ({some})",
        "its memory was lost or copied, unless these leagues came from another cell; if events may "
        "be lost too: `holotable epoch open` for each (docs/operating/backup-and-restore.md); "
        "otherwise the next head of each ends this",
        weak=True,
    )


async def mail(_connection: asyncpg.Connection, settings: Settings) -> str:
    """The mail server answers."""
    if settings.smtp_url is None or settings.mail_from is None:
        return "none set; nothing is mailed"
    try:
        await MAILING.run(None, SmtpSession(settings.smtp_url, settings.mail_from).greet)
    except Away as away:
        raise wrong(
            str(away), "check HOLOTABLE_SMTP_URL; mail waits until the server takes it"
        ) from away
    return "the mail server answers"
