"""Setting the clock of a test's own database."""

from datetime import timedelta

import psycopg

_TRUE = "pg_catalog.true_clock_timestamp"
_RENAME = "ALTER FUNCTION pg_catalog.clock_timestamp() RENAME TO true_clock_timestamp"
_SET = """
    CREATE OR REPLACE FUNCTION pg_catalog.clock_timestamp() RETURNS timestamptz
    LANGUAGE sql VOLATILE AS 'SELECT {true}() + interval ''{seconds} seconds'''
"""


def set_clock(url: str, by: timedelta) -> None:
    """
    Have the database say another time than the machine's, until it is set again.

    Functions are of one database, so no other test's clock is set.

    Args:
        url: Of a superuser.
        by: How far it is ahead of the machine's.
    """
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("SET allow_system_table_mods = on")
        known = connection.execute("SELECT to_regproc(%s)", [_TRUE]).fetchone()
        if known is None or known[0] is None:
            connection.execute(_RENAME)
        connection.execute(_SET.format(true=_TRUE, seconds=by.total_seconds()).encode())
