"""
Appending events: one call of one function, one transaction, one league.

The append takes a single round trip. With two, a process that stopped between them would hold the
league's lock and stop everybody.
"""

import logging
from collections.abc import Sequence
from uuid import UUID

import asyncpg

from service.base.drivers import Driver
from service.log.record import (
    Append,
    DatedAhead,
    Disconnected,
    LeagueClosed,
    Outcome,
    StatementFailed,
)

_log = logging.getLogger(__name__)

CALL = "SELECT * FROM append_events($1, $2, $3, $4::append_head[], $5::append_event[])"

_AHEAD = "HT001"
"""The SQLSTATE for an event that is dated ahead of the database's clock."""

_CLOSED = "HT004"
"""The SQLSTATE for a league that takes no commands. The detail says why."""

GONE = (
    asyncpg.PostgresConnectionError,
    asyncpg.InterfaceError,
    # After a backend was killed in mid-statement, asyncpg may raise this error.
    asyncpg.InternalClientError,
    asyncpg.OperatorInterventionError,
    asyncpg.InsufficientResourcesError,
    asyncpg.TransactionRollbackError,
    asyncpg.IdleInTransactionSessionTimeoutError,
    # A lock that did not come in time, or a database that takes no connections.
    asyncpg.ObjectNotInPrerequisiteStateError,
    asyncpg.InvalidAuthorizationSpecificationError,
    asyncpg.InvalidCatalogNameError,
    OSError,
    TimeoutError,
)
"""The exceptions of asyncpg when the database is away or too busy. A retry may succeed."""


async def call(
    connection: Driver, league: UUID, epoch: int, appends: Sequence[Append], checked: bool = False
) -> Outcome:
    """
    Send *appends*, in order, and return the outcome of each.

    Args:
      connection: asyncpg's, outside a transaction.
      epoch: The league's epoch when the states were read.
      checked: True if each head is compared with the log. Otherwise only the first head of each
        stream is.

    Raises:
      Closed: If the league takes no commands, by order of an operator.
      DatedAhead: If an event is dated later than the database's clock allows.
      Disconnected: If the outcome is unknown.
      StatementFailed: If the statement failed and nothing was appended.
    """
    heads, events = parameters(appends, checked)
    firsts = [append.event_0 for append in appends]
    try:
        [row] = await connection.fetch(CALL, league, epoch, firsts, heads, events)
    except GONE as error:
        raise Disconnected(str(error)) from error
    except asyncpg.UniqueViolationError as error:
        # Another session wrote to the log without the function and took these positions first.
        _log.warning("another session took these positions first: %s", error)
        return Outcome(epoch, failed=set(range(len(appends))))
    except asyncpg.PostgresError as error:
        if error.sqlstate == _CLOSED:
            raise LeagueClosed(str(error), str(error.detail)) from error
        failed = DatedAhead if error.sqlstate == _AHEAD else StatementFailed
        raise failed(str(error)) from error
    outcome = Outcome(row["epoch"])
    if row["epoch"] != epoch:
        return outcome
    outcome.failed = {number - 1 for number in row["failed"]}
    outcome.duplicates = {
        number - 1: position
        for number, position in zip(
            row["duplicates"], row["duplicate_positions"] or (), strict=True
        )
    }
    position = row["first_position"]
    for index, append in enumerate(appends):
        if index not in outcome.failed and index not in outcome.duplicates:
            outcome.first[index] = position
            position += len(append.events)
    return outcome


def parameters(
    appends: Sequence[Append], checked: bool
) -> tuple[list[Sequence[object]], list[Sequence[object]]]:
    heads: list[Sequence[object]] = []
    events: list[Sequence[object]] = []
    mentioned: set[str] = set()
    for number, append in enumerate(appends, start=1):
        for stream, version, hash_, written, first_at in append.heads:
            first = checked or stream not in mentioned
            mentioned.add(stream)
            heads.append((number, stream, version, hash_, first, written, first_at))
        for new in append.events:
            stream, version, event_id, type_, schema, at, data, sealed, metadata, hash_ = new
            events.append(
                (
                    number,
                    stream,
                    version,
                    event_id,
                    type_,
                    schema,
                    at,
                    data.decode(),
                    sealed,
                    metadata.decode(),
                    hash_,
                )
            )
    return heads, events
