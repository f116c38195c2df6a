"""
Refusing a pooler that shares one session of PostgreSQL between clients.

Holotable keeps things in its sessions: prepared statements, ``LISTEN``, locks that outlast a
transaction, temporary relations. PgBouncer loses them with ``pool_mode = transaction`` and
``statement``, some at once and some only under load.
"""

from typing import Final

import psycopg

from service.base.settings import SettingsInvalid

_ROUNDS: Final = 3
"""Another client may use the pool meanwhile, and so hide the fault from a single round."""

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

    Nothing is checked while the server is away, or if it has no two free connections.

    Raises:
      SessionsShared: If a session changed hands.
    """
    try:
        with _connection(url) as one, _connection(url) as other:
            for _ in range(_ROUNDS):
                before = _session(one)
                with other.transaction():  # holds a session, perhaps the same one as before
                    others = _session(other)
                    after = _session(one)
                if before != after or before == others:
                    raise SessionsShared(_SAID)
    except psycopg.errors.ProtocolViolation:  # PgBouncer in statement mode refuses a transaction
        raise SessionsShared(_SAID) from None
    except psycopg.OperationalError:
        return  # the process that needs the server will report that it is away


def _connection(url: str) -> psycopg.Connection:
    made = psycopg.connect(url, autocommit=True, connect_timeout=_SECONDS)
    made.prepare_threshold = None  # the answer is a refusal in words, and no lost statement
    return made


def _session(connection: psycopg.Connection) -> int:
    """Return the process of the server behind the connection."""
    found = connection.execute(_SESSION).fetchone()
    return int(found[0]) if found else 0
