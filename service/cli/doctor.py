"""``holotable doctor``: the state of each part of the service, and the commands that repair it."""

import json
import os
from collections.abc import AsyncIterator, Mapping
from typing import Final, Literal, NamedTuple

import asyncpg
import rich_click as click
from rich.markup import escape

from service.base.addresses import asyncpg_dsn
from service.base.settings import Settings, SettingsInvalid, read
from service.cli.checks import parts, state
from service.cli.checks.disk import disk
from service.cli.checks.finding import SHOWN, Check, CheckFailed
from service.cli.common import AWAY, NO, USAGE, awaited, err, out, plain

State = Literal["ok", "weak", "wrong", "unchecked"]

_MARKS: Final[Mapping[State, str]] = {
    "ok": "[green]ok[/]   ",
    "weak": "[yellow]weak[/] ",
    "wrong": "[red]wrong[/]",
    "unchecked": "--   ",
}


class Finding(NamedTuple):
    """One line of the answer."""

    check: str
    state: State
    said: str
    step: str | None = None
    """The command that repairs the fault."""


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON.")
def doctor(as_json: bool) -> None:
    """
    Check every part of the service, and name the command that repairs each fault.

    Exit with 0 without a fault, 1 with one, 2 if the settings are wrong, 3 if the database is not
    available. A weak point, such as an old backup, does not change the exit code.
    """
    awaited(examine(os.environ, as_json=as_json))


async def examine(environ: Mapping[str, str], *, as_json: bool = False) -> int:
    """Print every finding. Return 1 if one is wrong, 2 for the settings, 3 without a database."""
    try:
        settings = read(environ)
    except SettingsInvalid as error:
        err.print(
            f"settings: {error}\n  next: see the table of settings in the README", markup=False
        )
        return USAGE
    found, code = await _findings(settings)
    if as_json:
        told = [each._asdict() for each in found]
        out.print_json(json.dumps({"passed": code == 0, "findings": told}))
        return code
    for each in found:
        said = escape(plain(f"{each.check}: {each.said}" if each.said else each.check))
        step = "" if each.step is None else f"\n  next: {escape(plain(each.step))}"
        out.print(f"{_MARKS[each.state]} {said}{step}")
    return code


async def _findings(settings: Settings) -> tuple[list[Finding], int]:
    """Return the findings of all checks, and the exit code."""
    found = [Finding("settings", "ok", "")]
    try:
        connection = await asyncpg.connect(asyncpg_dsn(settings.database_url), timeout=5)
    except (OSError, asyncpg.PostgresError) as error:
        finding, code = _of_connecting(error)
        return [*found, finding], code
    try:
        for name, check in CHECKS.items():
            found += [each async for each in _checked(name, check, connection, settings)]
    finally:
        await connection.close()
    return found, NO if any(each.state == "wrong" for each in found) else 0


def _of_connecting(error: OSError | asyncpg.PostgresError) -> tuple[Finding, int]:
    """Return the finding for a database that lets nobody in, and the exit code."""
    step = "check HOLOTABLE_DATABASE_URL, and the server: `systemctl status postgresql`"
    if isinstance(error, asyncpg.DiskFullError):
        step = "PostgreSQL's disk is full: make room there; it goes on by itself"
    away = OSError | asyncpg.CannotConnectNowError | asyncpg.DiskFullError
    code = AWAY if isinstance(error, away) else NO
    return Finding("database", "wrong", str(error) or type(error).__name__, step), code


async def _checked(
    name: str, check: Check, connection: asyncpg.Connection, settings: Settings
) -> AsyncIterator[Finding]:
    try:
        yield Finding(name, "ok", await check(connection, settings))
    except CheckFailed as failed:
        for fault in failed.faults[:SHOWN]:
            yield Finding(name, "weak" if fault.weak else "wrong", fault.said, fault.step)
        if more := failed.faults[SHOWN:]:
            weak = all(fault.weak for fault in more)
            yield Finding(name, "weak" if weak else "wrong", f"{len(more)} more like these")
    except asyncpg.InsufficientPrivilegeError:
        yield Finding(name, "unchecked", "not checked, this login may not read it")
    except (
        asyncpg.UndefinedTableError,
        asyncpg.InvalidSchemaNameError,
        asyncpg.UndefinedFunctionError,
        asyncpg.UndefinedColumnError,
    ) as error:
        said = f"not checked, the schema lacks something: {error}"
        yield Finding(name, "wrong", said, "`holotable migrate`")
    except (asyncpg.DataError, asyncpg.FeatureNotSupportedError, OverflowError) as error:
        # Something that somebody has written into a row, too large for PostgreSQL or for Python.
        # PostgreSQL calls an infinite number not supported. It must not hide the other faults.
        said = f"not checked, a row holds an impossible value: {error}"
        step = "look for rows that no part of the service has written"
        yield Finding(name, "wrong", said, step)


CHECKS: Final[dict[str, Check]] = {
    "passwords": parts.passwords,
    "server": parts.server,
    "schema": parts.schema,
    "clock": parts.clock,
    "keys": parts.keys,
    "logins": parts.logins,
    "broker": parts.broker,
    "signer": parts.signer,
    "mail": parts.mail,
    "disk": disk,
    "demos": state.demos,
    "doors": state.doors,
    "backups": state.backups,
    "projections": state.projections,
    "heads": state.heads,
    "jobs": state.jobs,
    "quarantine": state.quarantines,
    "audits": state.audits,
    "heartbeats": state.heartbeats,
}
"""The checks in order."""
