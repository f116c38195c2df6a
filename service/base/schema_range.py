"""
The schemas on which this code runs.

The code knows its migrations, from the first to its head. It runs on the schema of its head. It
also runs on a newer schema if that schema's `schema_support.oldest` names one of these migrations.
A migration that removes something the code needs raises `oldest`. The code never runs on an older
schema.
"""

from typing import Final, NamedTuple

import asyncpg
import psycopg

from service.base import revisions
from service.base.drivers import Driver

_HERE: Final = """
    SELECT version_num, to_regclass('schema_support') IS NOT NULL AS supports FROM alembic_version
"""
_OLDEST: Final = "SELECT oldest FROM schema_support"


class SchemaFit(NamedTuple):
    """Whether this code may run on a schema."""

    here: str | None
    """The schema's version, or None if there is no schema."""

    fault: str | None
    """The reason why this code must not run on it, in a sentence, or None if it may."""

    mend: str
    """The next step for a fault, or for a schema that is newer than the code. May be empty."""


class SchemaRange:
    """
    The migrations that the code knows.

    Args:
      known: From the first to the head.
    """

    def __init__(self, known: tuple[str, ...]) -> None:
        self.known = known

    @property
    def head(self) -> str:
        """The newest migration that the code knows."""
        return self.known[-1]

    def fit(self, here: str | None, oldest: str | None) -> SchemaFit:
        """
        Return whether the code runs on the schema *here*.

        Args:
          oldest: The head of the oldest code that may run on it. None if the schema does not say.
        """
        if here is None:
            return SchemaFit(None, "there is no schema", "run `holotable migrate`")
        if here == self.head:
            return SchemaFit(here, None, "")
        if here in self.known:
            fault = f"the schema is at {here}, and this version needs {self.head}"
            return SchemaFit(here, fault, "run `holotable migrate`")
        if oldest in self.known:
            return SchemaFit(here, None, "start this process with the newer version soon")
        fault = f"the schema is at {here}, which no longer serves this version of {self.head}"
        return SchemaFit(here, fault, "start this process with the newer version")

    async def look(self, driver: Driver) -> SchemaFit:
        """Return whether the code runs on a database's schema."""
        try:
            row = await driver.fetchrow(_HERE, timeout=2)
        except asyncpg.UndefinedTableError:
            return self.fit(None, None)
        if row is None:
            return self.fit(None, None)
        oldest = None
        if row["supports"] and row["version_num"] != self.head:
            oldest = await driver.fetchval(_OLDEST, timeout=2)
        return self.fit(row["version_num"], oldest)

    def look_now(self, connection: psycopg.Connection) -> SchemaFit:
        """Do the same as :meth:`look`, over a blocking driver."""
        try:
            row = connection.execute(_HERE.encode()).fetchone()
        except psycopg.errors.UndefinedTable:
            return self.fit(None, None)
        if row is None:
            return self.fit(None, None)
        here, supports = row
        oldest = None
        if supports and here != self.head:
            (oldest,) = connection.execute(_OLDEST.encode()).fetchone() or (None,)
        return self.fit(here, oldest)


def of_code() -> SchemaRange:
    """Return the range of the code that runs here."""
    return SchemaRange(revisions.known())
