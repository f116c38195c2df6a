"""Errors an operator can act on, each with its exit code and the next step."""

import os

import asyncpg
import psycopg
import sqlalchemy as sa

from engine.rulesets.errors import RulesetUnknown
from service.audit.run.processes import UnitStopped
from service.backups.manifest import BackupRefused
from service.base.database import (
    ServerRefused,
    driver_error,
    is_of_a_connection,
    sqlstate_of,
)
from service.base.embedded import ClusterFailed
from service.base.errors import EventUnreadable, StoreUnavailable
from service.base.settings import SettingsInvalid
from service.projections.models.all import ProjectionUnknown
from service.projections.rebuilding.rebuild import RebuildRefused


def explained(error: Exception) -> tuple[int, str, str] | None:
    """Return the exit code, the error's text and the next step, or None for a defect."""
    match error:
        case SettingsInvalid():
            return 2, str(error), "see the table of settings in the README"
        case BackupRefused():
            return 1, str(error), error.step
        case ClusterFailed():
            return 3, str(error), error.step or "see server.log in the cluster's folder"
        case RulesetUnknown():
            return 2, error.detail, "see `holotable rulesets list`"
        case ServerRefused():
            return (
                2,
                str(error),
                "see `Run` in the README for what HOLOTABLE_DATABASE_URL must name",
            )
        case ProjectionUnknown():
            return 2, str(error), "name one of these, or all"
        case RebuildRefused():
            return 1, str(error), "wait until it ends"
        case UnitStopped():
            return error.stopped.code, error.stopped.why, error.stopped.step
        case EventUnreadable():
            return 2, str(error), "set the HOLOTABLE_SECRET_KEY with which this database began"
        case StoreUnavailable():
            return 3, f"the database is not available: {error}", "run `holotable doctor`"
        case sa.exc.DBAPIError() | psycopg.Error() | asyncpg.PostgresError():
            return _explained_by_database(error)
        case OSError() if not is_of_a_connection(error):
            return 3, _about_a_file(error), "see whether it is there, and who may use it"
        case OSError() | asyncpg.InterfaceError():
            return 3, f"the database is not available: {error}", "run `holotable doctor`"
    return None


def _about_a_file(error: OSError) -> str:
    """Return what went wrong with a file, or with the disk if no file is named."""
    what = "the disk" if error.filename is None else os.fsdecode(error.filename)
    return f"{what}: {error.strerror}"


def _explained_by_database(error: Exception) -> tuple[int, str, str] | None:
    cause = driver_error(error)
    state = sqlstate_of(error)
    message = str(cause).splitlines()[0].rpartition(">: ")[2]
    if state == "42501":
        return 2, message, "use a login that may do this; see deploy/postgres/roles.sql"
    if state.startswith("28") or state == "3D000" or "permission denied for database" in message:
        return 2, message, "correct HOLOTABLE_DATABASE_URL"
    if state in {"42P01", "3F000"}:
        return 1, message, "run `holotable migrate`"
    if state == "55P03":
        why = "another session holds a lock that this command needs, so nothing was done"
        return 3, f"{why}: {message}", "run it again; `holotable doctor` names what hangs"
    if state == "25P03":
        return 3, "this command hung for too long, so it was rolled back", "run it again"
    if state == "XX000" and "concurrently updated" in message:
        return 3, f"another command changes the same: {message}", "run it again"
    # If psycopg cannot reach a server, its error has no state: wrong name or port, or a timeout.
    unreached = not state and (isinstance(cause, psycopg.OperationalError) or "connect" in message)
    if unreached or state[:2] in {"08", "53", "57"}:
        return 3, f"the database is not available: {message}", "run `holotable doctor`"
    return None
