"""
The reader of Celery's messages in PGMQ. It archives foreign messages before Celery sees them.

Anyone with the broker's login can send any message. A message that cannot be read would break
every process that reads it, again and again. Such a message goes into the queue's archive
(``pgmq.a_play``, ``pgmq.a_long``). The log names it, and the doctor counts it.
"""

import base64
from collections.abc import Mapping
from typing import Annotated, Literal, NamedTuple
from uuid import UUID

import msgspec
import psycopg
import structlog
from kombu.transport import pgmq
from pgmq import PGMQueue
from psycopg import sql
from psycopg_pool import ConnectionPool

from engine.errors import InvariantViolated
from service.base.documents import Document
from service.tasks.duties import DUTIES

TRANSPORT = f"{__name__}:Transport"
_CONNECTIONS = 10
"""The most connections of one process to its broker, as in PGMQ's own client."""

_READ = "SELECT msg_id, read_ct, message::text FROM pgmq.read(%s::text, %s::integer, %s::integer)"
_ARCHIVE = "SELECT pgmq.archive(%s::text, %s::bigint)"
_NOTHING: Mapping[str, None] = dict.fromkeys(("callbacks", "errbacks", "chain", "chord"))

_log = structlog.get_logger(__name__)


class _Wanted(msgspec.Struct, forbid_unknown_fields=True):
    """The job that a message asks for."""

    job_id: UUID
    claim: Annotated[int, msgspec.Meta(ge=0, le=(1 << 63) - 1)]
    args: dict[str, str]


class _Headers(msgspec.Struct):
    task: str


class _Properties(msgspec.Struct):
    body_encoding: Literal["base64"]


class _Message(msgspec.Struct):
    """The parts of Celery's message that are used. All other parts are made again."""

    headers: _Headers
    properties: _Properties
    body: bytes


_message = msgspec.json.Decoder(_Message)
_body = msgspec.json.Decoder(tuple[tuple[()], _Wanted, Document])


class _Received(NamedTuple):
    msg_id: int
    read_ct: int
    message: Document


def readable(text: str, queue: str, tag: str) -> Document | None:
    """
    Return a clean message for Celery with the job of *text*, or None if *text* is foreign.

    Args:
        tag: The delivery tag of the message, unique in the channel.
    """
    try:
        found = _message.decode(text)
        _, wanted, _ = _body.decode(found.body)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return None
    task = found.headers.task
    if task not in DUTIES or DUTIES[task].queue != queue:
        return None
    return _made(task, wanted, queue, tag)


def _made(task: str, wanted: _Wanted, queue: str, tag: str) -> Document:
    """Return a message in Celery's protocol 2 that takes only the job from the sender."""
    name = str(wanted.job_id)
    asked = {"job_id": name, "claim": wanted.claim, "args": wanted.args}
    return {
        "body": base64.b64encode(msgspec.json.encode([[], asked, _NOTHING])).decode(),
        "content-encoding": "utf-8",
        "content-type": "application/json",
        "headers": {"lang": "py", "task": task, "id": name, "root_id": name, "retries": 0},
        "properties": {
            "correlation_id": name,
            "delivery_mode": 2,
            "delivery_info": {"exchange": "", "routing_key": queue},
            "priority": 0,
            "body_encoding": "base64",
            "delivery_tag": tag,
        },
    }


class Channel(pgmq.Channel):
    """PGMQ's channel, with its own way of receiving messages."""

    def _receive_messages(self, queue: str, qty: int = 1, **_: object) -> list[_Received]:
        """Read up to *qty* messages and archive the unreadable ones."""
        asked = (self._queue_name(queue), self.visibility_timeout, qty)
        pool = self.pgmq.pool
        if pool is None:
            raise InvariantViolated("PGMQ's client has no connections")
        with pool.connection() as connection:
            while rows := connection.execute(_READ, asked).fetchall():
                connection.commit()
                found = [each for row in rows if (each := _received(connection, queue, row))]
                if found:
                    return found
        return []


async def unreadable(connection: psycopg.AsyncConnection) -> dict[str, int]:
    """Return the number of archived unreadable messages for each queue."""
    found = {}
    for queue in sorted({each.queue for each in DUTIES.values()}):
        archive = sql.Identifier("pgmq", f"a_{queue}")
        known = await connection.execute("SELECT to_regclass(%s)", [f"pgmq.a_{queue}"])
        if (await known.fetchone() or (None,))[0] is not None:
            rows = await connection.execute(sql.SQL("SELECT count(*) FROM {}").format(archive))
            (found[queue],) = await rows.fetchone() or (0,)
    return found


def _received(
    connection: psycopg.Connection, queue: str, row: tuple[int, int, str | None]
) -> _Received | None:
    number, times, text = row
    if text is not None:
        message = readable(text, queue, f"{queue}-{number}-{times}")
        if message is not None:
            return _Received(number, times, message)
    connection.execute(_ARCHIVE, (queue, number))
    connection.commit()
    _log.error("message_unreadable", queue=queue, message=number)
    return None


class Transport(pgmq.Transport):
    """
    PGMQ's transport with this module's channel, on connections with every part of their address.

    PGMQ's client makes an address of its own from host, port, database, login and password, and
    would reach a server without the ``sslmode`` that its operator wants.
    """

    Channel = Channel

    def _create_pgmq_client(self) -> PGMQueue:
        address, seconds = self._told()
        client = PGMQueue(
            conn_string=address,
            vt=seconds,
            init_extension=False,
            pool=ConnectionPool(address, min_size=1, max_size=_CONNECTIONS, open=True),
        )
        client._own_pool = True  # the client closes it
        return client

    def _get_notify_waiter(self) -> pgmq._NotifyWaiter:
        if self._notify_waiter is None:
            self._notify_waiter = pgmq._NotifyWaiter(self._told()[0])
        return self._notify_waiter

    def _told(self) -> tuple[str, int]:
        """Return the broker's address and the seconds of invisibility, as the settings say."""
        options = (self.client and self.client.transport_options) or {}
        return options["conn_string"], options["visibility_timeout"]
