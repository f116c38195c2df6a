"""
This process's copy of closed doors: the installation, leagues and accounts.

The log itself refuses commands to a closed league. This copy serves requests that never reach the
log, and refuses commands early. It is read again at each notification.
"""

import asyncio
from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from uuid import UUID

import asyncpg
import structlog

from service.api.http.declaring.declaration import Operation
from service.base.errors import LeagueSuspended, UnderMaintenance

_log = structlog.get_logger(__name__)

# Closures that overlap, or begin as another ends, are one. Those that have ended are outages. A row
# without a league is about every league that was founded here. A league that came from another cell
# has a row of its own instead, because closures of this cell count for it only from its arrival.
# greatest() passes over NULL.
_LOOK = """
    WITH RECURSIVE closed (league, since, retry_seconds) AS (
        SELECT NULL::uuid, since_at, retry_seconds FROM maintenance
        UNION ALL
        SELECT league, suspended_at, NULL FROM append_turn WHERE suspended_at IS NOT NULL
    ), still (league, since) AS (
        SELECT league, since FROM closed
        UNION
        SELECT league, greatest(since_at, here_since) FROM append_turn, maintenance
         WHERE here_since IS NOT NULL
        UNION
        SELECT * FROM (
            WITH begun AS (
                SELECT coalesce(still.league, outage.league) AS league, still.since AS before,
                       greatest(outage.since_at,
                                CASE WHEN outage.league IS NULL THEN t.here_since END) AS since
                  FROM still CROSS JOIN outage
                  LEFT JOIN append_turn t ON t.league = coalesce(still.league, outage.league)
                 WHERE (still.league = outage.league) IS NOT FALSE
                   AND (still.league IS NOT NULL OR t.here_since IS NULL)
                   AND outage.until_at >= still.since
            ) SELECT league, since FROM begun WHERE since < before) AS earlier
    ), stands (league, since) AS (
        SELECT league, min(since) FROM still GROUP BY league
    )
    SELECT 'lge_' || replace(stands.league::text, '-', '') AS league, stands.since AS stands_since,
           closed.since, closed.retry_seconds, t.here_since IS NOT NULL AS came
      FROM stands LEFT JOIN closed ON closed.league IS NOT DISTINCT FROM stands.league
      LEFT JOIN append_turn t ON t.league = stands.league
"""


class Doors:
    """
    The closed doors of an installation.

    Args:
        pool: Connections to the database.
        later: Does work in the background.
    """

    def __init__(
        self, pool: asyncpg.Pool, later: Callable[[Coroutine[None, None, None]], None]
    ) -> None:
        self.maintenance: int | None = None
        """During maintenance, the seconds after which clients should ask again."""

        self.suspended: Mapping[str, datetime] = {}
        """The leagues that take no commands, each with the instant of its suspension."""

        self._stands: Mapping[str | None, datetime] = {}
        """
        The instants since which leagues stand still without a gap, by league, and under None that
        of all others during maintenance.
        """

        self._came: frozenset[str] = frozenset()
        """The leagues from another cell that stand still. The row of all leagues is not theirs."""

        self.person: Callable[[UUID | None, bool], None] = lambda _person, _ended: None
        """
        Called with an account that changed, or None for all, and with True if its streams end.
        """

        self._watching: set[Callable[[], None]] = set()
        self._pool = pool
        self._later = later
        self._looking = asyncio.Lock()

    def heard(self, payload: str | None) -> None:
        """Follow a notification. None means that some may have been missed."""
        what, _, number = (payload or "").partition(" ")
        if payload is None:
            self.person(None, False)
        elif what in ("account", "name"):
            try:
                self.person(UUID(hex=number), what == "account")
            except ValueError:
                _log.warning("a malformed notification was ignored")
            return
        self._later(self.look())

    def demand_open(self, league: str, asked: Operation) -> None:
        """
        Check that a league takes commands, as far as this process knows. It always takes reads and
        audits.

        Raises:
            LeagueSuspended: If an operator has suspended it.
        """
        goes_on = not asked.commands or asked.name == "start_audit"
        if league in self.suspended and not goes_on:
            raise LeagueSuspended("an operator has suspended the league; it takes no commands")

    def demand_service(self, asked: Operation) -> None:
        """
        Check that the installation takes commands. It always takes reads.

        Raises:
            UnderMaintenance: If an operator has closed it for a time.
        """
        if self.maintenance is not None and asked.commands:
            raise UnderMaintenance(self.maintenance)

    def closed_since(self, league: str) -> datetime | None:
        """
        Return since when a league has taken no commands without a gap, or None if it takes them.

        From then on its clocks stand: maintenance and suspensions count as outages.
        """
        if league in self._came:
            return self._stands[league]
        both = (self._stands.get(None), self._stands.get(league))
        return min((each for each in both if each is not None), default=None)

    @contextmanager
    def watched(self, wake: Callable[[], None]) -> Iterator[None]:
        """Call *wake* inside the block whenever something else is closed than before."""
        self._watching.add(wake)
        try:
            yield
        finally:
            self._watching.discard(wake)

    async def look(self) -> None:
        """Read which doors are closed.

        Of two overlapping reads, the one that began later counts.
        """
        async with self._looking:
            rows = await self._pool.fetch(_LOOK)
            before = self.maintenance, self.suspended
            whole = next((each for each in rows if each["league"] is None), None)
            self.maintenance = None if whole is None else whole["retry_seconds"]
            self.suspended = {
                each["league"]: each["since"] for each in rows if each["league"] and each["since"]
            }
            self._stands = {each["league"]: each["stands_since"] for each in rows}
            self._came = frozenset(each["league"] for each in rows if each["came"])
            if before != (self.maintenance, self.suspended):
                for wake in tuple(self._watching):
                    wake()
