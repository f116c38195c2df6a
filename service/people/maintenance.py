"""
Maintenance of the whole installation, by order of an operator.

While it lasts, every league takes no commands, and the API refuses everything that is not a read.
It counts as an outage of all leagues.

Every function works in the caller's transaction. For a dry run, roll it back.
"""

from sqlalchemy.ext.asyncio import AsyncConnection

from service.base.sources import service_now
from service.log.keys import driver_of
from service.log.subscription import DOORS
from service.people import operator_log

# An append locks rows of this relation. So this lock waits for running appends, and later appends
# see what this transaction commits.
_ALONE = "LOCK TABLE append_turn IN EXCLUSIVE MODE"
_BEGIN = """
    INSERT INTO maintenance (since_at, retry_seconds) VALUES (service_time(), $1)
    ON CONFLICT DO NOTHING
"""
_OUTAGE = """
    INSERT INTO outage (process, since_at, until_at)
    VALUES ('maintenance', $1, greatest(service_time(), $1::timestamptz + interval '1 microsecond'))
"""


async def begin(connection: AsyncConnection, by: str, reason: str, retry_seconds: int) -> bool:
    """
    Take no commands from the commit on. Return False if maintenance had begun already.

    Args:
      retry_seconds: The time after which refused clients should ask again.
    """
    await service_now(connection)  # begins the transaction, which the driver's own calls would not
    driver = await driver_of(connection)
    await driver.execute(_ALONE)
    if await driver.execute(_BEGIN, retry_seconds) == "INSERT 0 0":
        return False
    await driver.execute("UPDATE append_turn SET maintenance = true")
    await operator_log.add(connection, [None], by, "maintenance_began", "installation", reason)
    await driver.execute("SELECT pg_notify($1, 'maintenance')", DOORS)
    return True


async def end(connection: AsyncConnection, by: str, reason: str) -> bool:
    """Take commands again, and record the outage. Return False if there was no maintenance."""
    await service_now(connection)  # begins the transaction, which the driver's own calls would not
    driver = await driver_of(connection)
    await driver.execute(_ALONE)
    since = await driver.fetchval("DELETE FROM maintenance RETURNING since_at")
    if since is None:
        return False
    await driver.execute("UPDATE append_turn SET maintenance = false WHERE maintenance")
    await driver.execute(_OUTAGE, since)
    await operator_log.add(connection, [None], by, "maintenance_ended", "installation", reason)
    await driver.execute("SELECT pg_notify($1, 'maintenance')", DOORS)
    return True
