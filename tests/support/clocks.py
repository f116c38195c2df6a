"""The clock of a test's own database, which a test may set."""

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
    Set the database's clock to differ from the machine's, until it is set again.

    The replaced function belongs to one database, so other tests keep their clocks.

    Args:
        url: The address of the database, with a superuser's login.
        by: The time by which the clock is ahead of the machine's.
    """
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("SET allow_system_table_mods = on")
        known = connection.execute("SELECT to_regproc(%s)", [_TRUE]).fetchone()
        if known is None or known[0] is None:
            connection.execute(_RENAME)
        connection.execute(_SET.format(true=_TRUE, seconds=by.total_seconds()).encode())
