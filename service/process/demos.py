"""
Demos on a given server: those under way, those that were kept, and what killed ones have left.

A demo holds a session of its database's name for as long as it runs, so a database without that
session is nobody's. One that a person wants to keep says so in its comment.
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

_KEPT: Final = "holotable: kept"

LEFT: Final = r"""
    SELECT d.datname FROM pg_database d
      JOIN LATERAL (SELECT regexp_replace(d.datname, '_broker$', '') AS demo) its ON true
     WHERE d.datname LIKE 'holotable\_demo\_%'
       AND NOT EXISTS (SELECT FROM pg_stat_activity a WHERE a.application_name = its.demo
                           OR a.datname IN (its.demo, its.demo || '_broker'))
       AND NOT EXISTS (SELECT FROM pg_database kept WHERE kept.datname = its.demo
                          AND shobj_description(kept.oid, 'pg_database') = 'holotable: kept')
     ORDER BY 1
"""
"""Databases of demos that were killed. Any login may ask."""

_USED_ELSEWHERE = """
    SELECT count(*) FROM pg_shdepend d JOIN pg_roles r ON r.oid = d.refobjid
      LEFT JOIN pg_database of ON of.oid = d.dbid OR of.oid = d.objid
            AND d.classid = 'pg_database'::regclass
     WHERE d.refclassid = 'pg_authid'::regclass AND d.classid <> 'pg_auth_members'::regclass
       AND r.rolname = ANY (%s) AND (of.datname IS NULL OR of.datname <> ALL (%s))
"""


class Remains(NamedTuple):
    """Databases, roles and folders of killed demos, on a server and on this machine."""

    databases: dict[str, int]
    """Their sizes in bytes, by name."""

    roles: bool
    """True if the roles are there, and nothing else uses them."""

    folders: list[Path]
    """Folders with logs and passwords."""

    def __bool__(self) -> bool:
        return bool(self.databases)


@contextmanager
def under_way(url: str, name: str) -> Iterator[None]:
    """Show for the length of the block that a demo uses the database *name*."""
    with psycopg.connect(url, autocommit=True, application_name=name):
        yield


def keep(url: str, name: str) -> None:
    """Leave a database to its reader. Nobody counts it among what was left."""
    with database.connect(url, autocommit=True) as connection:
        said = sql.SQL("COMMENT ON DATABASE {} IS {}")
        connection.execute(said.format(sql.Identifier(name), sql.Literal(_KEPT)))


def remains(url: str) -> Remains:
    """
    Return what killed demos have left.

    Args:
        url: With a login that may make roles and databases.
    """
    with database.connect(url, autocommit=True) as connection:
        names = [name for (name,) in connection.execute(LEFT.encode()).fetchall()]
        asked = "SELECT datname, pg_database_size(oid) FROM pg_database WHERE datname = ANY (%s)"
        sizes: dict[str, int] = dict(connection.execute(asked, [names]).fetchall())
        roles = [*database.LOGINS, database.OWNER]
        found = connection.execute(_USED_ELSEWHERE, [roles, names]).fetchone()
    return Remains(
        {name: sizes[name] for name in names},
        roles=bool(names) and found == (0,),
        folders=[folder for folder in _folders() if folder.name.replace("-", "_") in names],
    )


def drop(url: str, left: Remains) -> None:
    """Remove what killed demos have left, the folder with the passwords last."""
    for name in left.databases:
        database.drop_database(url, name)
    if left.roles:
        database.drop_roles(url)
    for folder in left.folders:
        shutil.rmtree(folder)


def _folders() -> Iterator[Path]:
    """Yield this user's folders of demos. Others may write beside them, so no link is followed."""
    for folder in Path(gettempdir()).glob(f"{FOLDERS}*"):
        its = folder.lstat()
        if its.st_uid == os.geteuid() and folder.is_dir() and not folder.is_symlink():
            yield folder
