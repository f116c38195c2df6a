"""
Demos on a given server: those under way, those that were kept, and what killed ones have left.

A demo holds a session of its database's name for as long as it runs, and writes into the comment of
its database that it made it. A database that bears this mark and has no such session was left by a
demo that was killed. A name alone proves nothing.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import gettempdir
from typing import Final, NamedTuple

import psycopg
from psycopg import sql

from service.base import database

FOLDERS: Final = "holotable-demo-"
"""The first part of the name of a demo's folder. Its database has the same name, with ``_``."""

MADE: Final = "holotable: a demo made this"
MADE_ROLES: Final = "holotable: a demo made this and the roles"
KEPT: Final = "holotable: a demo left this to its reader"

LEFT: Final = r"""
    SELECT d.datname FROM pg_database d
      JOIN pg_database its ON its.datname = regexp_replace(d.datname, '_broker$', '')
     WHERE its.datname ~ '^holotable_demo_[a-z0-9_]{8}$'
       AND its.datdba = (SELECT oid FROM pg_roles WHERE rolname = 'holotable_owner')
       AND shobj_description(its.oid, 'pg_database') LIKE 'holotable: a demo made this%'
       AND NOT EXISTS (SELECT FROM pg_stat_activity a WHERE a.application_name = its.datname
                           OR a.datname IN (its.datname, its.datname || '_broker'))
     ORDER BY d.datname DESC
"""
"""Databases of demos that were killed, that with the mark last. Any login may ask."""

_USED_ELSEWHERE = """
    SELECT count(*) FROM pg_shdepend d JOIN pg_roles r ON r.oid = d.refobjid
      LEFT JOIN pg_database of ON of.oid = d.dbid OR of.oid = d.objid
            AND d.classid = 'pg_database'::regclass
     WHERE d.refclassid = 'pg_authid'::regclass AND d.classid <> 'pg_auth_members'::regclass
       AND r.rolname = ANY (%s) AND (of.datname IS NULL OR of.datname <> ALL (%s))
"""


class Remains(NamedTuple):
    """Databases, passwords and folders of demos that were killed."""

    databases: list[str]
    passwords: bool
    """True if only these databases use the roles, so that the passwords are a demo's too."""

    roles: bool
    """True if besides a demo made the roles themselves."""

    folders: list[Path]
    """Folders with logs and passwords, if they are on this machine."""


@contextmanager
def under_way(url: str, name: str) -> Iterator[None]:
    """Show for the length of the block that a demo uses the database *name*."""
    with psycopg.connect(url, autocommit=True, application_name=name):
        yield


def mark(url: str, name: str, said: str) -> None:
    """Write into the comment of the database *name* whose it is: a mark of this module."""
    with database.connect(url, autocommit=True) as connection:
        comment = sql.SQL("COMMENT ON DATABASE {} IS {}")
        connection.execute(comment.format(sql.Identifier(name), sql.Literal(said)))


def remains(url: str) -> Remains:
    """
    Return what killed demos have left.

    Args:
        url: With a login that may make roles and databases.
    """
    with database.connect(url, autocommit=True) as connection:
        names = [name for (name,) in connection.execute(LEFT.encode()).fetchall()]
        roles = [*database.LOGINS, database.OWNER]
        alone = connection.execute(_USED_ELSEWHERE, [roles, names]).fetchone() == (0,)
        asked = (
            "SELECT shobj_description(oid, 'pg_database') FROM pg_database WHERE datname = ANY (%s)"
        )
        marks = {said for (said,) in connection.execute(asked, [names]).fetchall()}
    return Remains(
        names,
        passwords=bool(names) and alone,
        roles=alone and MADE_ROLES in marks,
        folders=[folder for folder in _folders() if folder.name.replace("-", "_") in names],
    )


def drop(url: str, left: Remains) -> list[str]:
    """
    Remove what killed demos have left, the folder with the passwords last.

    Returns:
      The databases that somebody has opened or kept meanwhile. They stay, and the rest with them.
    """
    with database.connect(url, autocommit=True) as connection:
        stay = [name for name in left.databases if not _dropped(connection, name)]
    if stay:
        return stay
    if left.roles:
        database.drop_roles(url)
    elif left.passwords:
        database.forget_passwords(url)
    for folder in left.folders:
        shutil.rmtree(folder)
    return []


def _dropped(connection: psycopg.Connection, name: str) -> bool:
    """Drop a database, unless somebody has opened or kept it since it was found."""
    if (name,) not in connection.execute(LEFT.encode()).fetchall():
        return False
    try:
        connection.execute(sql.SQL("DROP DATABASE {}").format(sql.Identifier(name)))
    except psycopg.errors.ObjectInUse:
        return False
    return True


def _folders() -> Iterator[Path]:
    """Yield this user's folders of demos. Others may write beside them, so no link is followed."""
    for folder in Path(gettempdir()).glob(f"{FOLDERS}*"):
        its = folder.lstat()
        if its.st_uid == os.geteuid() and folder.is_dir() and not folder.is_symlink():
            yield folder
