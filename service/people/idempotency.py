"""
Requests that came before, and commands that were refused.

A request that appends to the log needs no record: the log itself knows the command. Every other
request leaves a keyed digest here for seven days, in the transaction of its effect.
"""

import asyncio
import hmac
from datetime import datetime, timedelta
from typing import NamedTuple
from uuid import UUID

import asyncpg
import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from service.base.errors import IdempotencyKeyReused
from service.log.keys import derive
from service.people.schema import idempotency

KEPT_FOR = timedelta(days=7)
"""A retry after this is a new request."""

_DIGEST = b"holotable/idempotency/1"


class RecordedRequest(NamedTuple):
    """A request, recorded so that a retry finds it."""

    command: UUID
    request: bytes
    """The body without secrets, as :func:`service.api.http.reading.bodies.read_body` returns it."""

    account: UUID
    """The account that sent it. The record is deleted when this person is erased."""

    made: UUID | None = None
    """The identifier of what it makes, so that a retry returns the same one."""

    at: datetime | None = None
    """The instant of the first request."""


class Requests:
    """
    Recognises the requests of the last seven days.

    A bare digest of a body could be found by trying bodies. The digests are therefore keyed, and
    bodies hold no secret here. A copy of the database together with the settings' key reveals no
    more than the readable columns beside the digest.

    Args:
      secret_keys: The settings' keys. The first makes digests, and all are compared.
    """

    def __init__(self, *secret_keys: str) -> None:
        self._keys = tuple(derive(each.encode(), _DIGEST) for each in secret_keys)

    async def before(
        self, connection: AsyncConnection, said: RecordedRequest, now: datetime
    ) -> RecordedRequest | None:
        """
        Record a request. Return the earlier record if the request came before.

        Raises:
          IdempotencyKeyReused: If another request came under the same key.
        """
        statement = insert(idempotency).values(
            command=said.command,
            digest=hmac.digest(self._keys[0], said.request, "sha256"),
            account=said.account,
            made=said.made,
            created_at=now,
        )
        given = statement.excluded
        recorded = await connection.execute(
            statement.on_conflict_do_update(
                index_elements=["command"],
                set_={
                    "digest": given.digest,
                    "account": given.account,
                    "made": given.made,
                    "created_at": given.created_at,
                },
                where=idempotency.c.created_at <= now - KEPT_FOR,
            ).returning(idempotency.c.command)
        )
        if recorded.first() is not None:
            return None
        found = await connection.execute(
            sa.select(idempotency).where(idempotency.c.command == said.command)
        )
        known = found.one()
        digests = [hmac.digest(key, said.request, "sha256") for key in self._keys]
        if not any(hmac.compare_digest(known.digest, each) for each in digests):
            raise IdempotencyKeyReused("this key was used for another request")
        return said._replace(account=known.account, made=known.made, at=known.created_at)


class Refusal(NamedTuple):
    """A refused game command, kept so that "I acted in time" can be settled."""

    received_at: datetime
    league: UUID
    account: UUID
    stream: str
    command: UUID
    code: str


_KEEP = """
    INSERT INTO refused_command (received_at, league, account, stream, command, code)
    SELECT * FROM unnest($1::timestamptz[], $2::uuid[], $3::uuid[], $4::text[], $5::uuid[],
                         $6::text[])
"""
_GROUP_MAX = 500


class Refusals:
    """
    Keeps refusals in groups. Each group holds the refusals that arrived during the previous one.

    Args:
      pool: Of a role that may write ``refused_command``.
    """

    def __init__(self, pool: asyncpg.Pool) -> None:
        self._pool = pool
        self._waiting: list[tuple[Refusal, asyncio.Future[None]]] = []
        self._keeper: asyncio.Task[None] | None = None

    async def keep(self, refusal: Refusal) -> None:
        """Return once *refusal* is kept. Raise the database's error if it is not."""
        kept: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((refusal, kept))
        if self._keeper is None or self._keeper.done():
            self._keeper = asyncio.create_task(self._keep_waiting(), name="refusals")
        await kept

    async def aclose(self) -> None:
        """Wait until all refusals are kept."""
        if self._keeper is not None:
            await asyncio.gather(self._keeper, return_exceptions=True)

    async def _keep_waiting(self) -> None:
        while self._waiting:
            group, self._waiting = self._waiting[:_GROUP_MAX], self._waiting[_GROUP_MAX:]
            columns = zip(*(refusal for refusal, _ in group), strict=True)
            try:
                async with self._pool.acquire() as connection:
                    await connection.execute(_KEEP, *(list(column) for column in columns))
            except Exception as error:  # noqa: BLE001
                # One task writes for all callers. Each of them gets the error, and the next group
                # is still tried.
                for _, kept in group:
                    if not kept.done():
                        kept.set_exception(error)
            else:
                for _, kept in group:
                    if not kept.done():
                        kept.set_result(None)
