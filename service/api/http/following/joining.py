"""The leagues that players with open streams have joined, looked up for all of them at once."""

import asyncio
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.ext.asyncio import AsyncEngine

from service.projections import schema

JOINED_SECONDS = 15.0
"""Shortest time between two look-ups. The number of open streams does not matter."""

_CLOSE_SECONDS = 2.0


class Joined:
    """
    The leagues of the players who have an open stream in this process.

    Args:
        database: Holds the read models.
    """

    def __init__(self, database: AsyncEngine) -> None:
        self._database = database
        self._open: Counter[str] = Counter()
        self._known: dict[str, frozenset[str]] = {}
        self._asked = 0.0
        self._asking: asyncio.Task[None] | None = None

    @contextmanager
    def held(self, player: str) -> Iterator[None]:
        """Look up the leagues of *player* too, inside the block."""
        self._open[player] += 1
        try:
            yield
        finally:
            self._open[player] -= 1
            if not self._open[player]:
                del self._open[player]
                self._known.pop(player, None)

    async def of(self, player: str) -> frozenset[str]:
        """Return the leagues of *player*, as read at most :data:`JOINED_SECONDS` ago."""
        now = asyncio.get_running_loop().time()
        if self._asking is None and now >= self._asked + JOINED_SECONDS:
            self._asked = now
            self._asking = asyncio.create_task(self._ask(), name="joined")
        if self._asking is not None:
            # Shielded, because other streams wait for the same answer.
            await asyncio.shield(self._asking)
        return self._known.get(player, frozenset())

    async def aclose(self) -> None:
        """Wait until a look-up has ended, or for two seconds."""
        if self._asking is not None:
            await asyncio.wait((self._asking,), timeout=_CLOSE_SECONDS)

    async def _ask(self) -> None:
        try:
            member, players = schema.member, list(self._open)
            statement = sa.select(member.c.player, member.c.league).where(
                member.c.player == sa.any_(sa.literal(players, ARRAY(sa.Text)))
            )
            async with self._database.connect() as connection:
                rows = (await connection.execute(statement)).all()
            found: dict[str, set[str]] = {}
            for row in rows:
                found.setdefault(row.player, set()).add(row.league)
            self._known = {player: frozenset(leagues) for player, leagues in found.items()}
        finally:
            self._asking = None
