"""
Refusing a pooler that lends one session of PostgreSQL to several clients.

Holotable keeps things in its sessions: prepared statements, ``LISTEN``, locks that outlast a
transaction, temporary relations. PgBouncer loses them with ``pool_mode = transaction`` and
``statement``, some at once and some only under load.
"""

from typing import Final

import psycopg

from service.base.settings import SettingsInvalid

_ROUNDS: Final = 3
"""Another client may use the pool meanwhile, and hide what a single round would show."""

_SECONDS: Final = 5
_SESSION: Final = "SELECT pg_backend_pid()"

_SAID: Final = (
    "the address of the database leads to a pooler that shares sessions, like PgBouncer with "
    "pool_mode = transaction; Holotable needs pool_mode = session, or PostgreSQL itself"
)


class SessionsShared(SettingsInvalid):
    """The address leads to a pooler that does not keep sessions."""


def refuse_shared_sessions(url: str) -> None:
    """
    Check that two connections to *url* keep a session each, between their transactions too.

    Nothing is checked while the server is away, or if it has no two connections to spare.

    Raises:
      SessionsShared: If a session changed hands.
    """
    try:
        with _connection(url) as one, _connection(url) as other:
            for _ in range(_ROUNDS):
                before = _session(one)
                with other.transaction():  # holds a session, perhaps the one that was before
                    others = _session(other)
                    after = _session(one)
                if before != after or before == others:
                    raise SessionsShared(_SAID)
    except psycopg.errors.ProtocolViolation:  # PgBouncer takes no transaction to pool statements
        raise SessionsShared(_SAID) from None
    except psycopg.OperationalError:
        return  # whoever needs the server says that it is away


def _connection(url: str) -> psycopg.Connection:
    made = psycopg.connect(url, autocommit=True, connect_timeout=_SECONDS)
    made.prepare_threshold = None  # the answer is a refusal in words, and no lost statement
    return made


def _session(connection: psycopg.Connection) -> int:
    """Return the process of the server that answers, whatever stands in between."""
    found = connection.execute(_SESSION).fetchone()
    return int(found[0]) if found else 0
