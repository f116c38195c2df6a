"""
Delivering messages: attempts, their log, and the end of a webhook whose receiver is silent.

Messages are delivered at least once. A process that dies between an attempt and its record sends
the message again, with the same identifier. Several messages are under way at a time, but few to
each webhook, so a slow receiver delays only its own messages. A free place goes to the league with
the fewest messages under way. So a league that fills the queue gets no more places than others.
"""

import asyncio
from datetime import datetime, timedelta
from typing import Final, NamedTuple
from uuid import UUID

import structlog

from engine.values import identifier
from service.base.drivers import Driver
from service.base.errors import EventUnreadable
from service.base.outside import AddressRefused, Outside
from service.director.runtime import Runtime
from service.log.keys import LeagueKeys
from service.log.orders import HOUSE
from service.people import operator_log
from service.people.relocations import STAYS
from service.people.sealed_rows import opened
from service.webhooks.discord import discord_of
from service.webhooks.signing import signed

DELAYS: Final = (
    timedelta(seconds=5),
    timedelta(minutes=5),
    timedelta(minutes=30),
    timedelta(hours=2),
    timedelta(hours=5),
    timedelta(hours=10),
    timedelta(hours=14),
    timedelta(hours=20),
    timedelta(hours=24),
)
"""The waits after each failed attempt. A message has failed when the attempt after them fails."""

JITTER: Final = 0.2
"""The part of a wait that is added at random, so that retries do not all come at once."""

FAILING_FOR: Final = timedelta(days=5)
"""A webhook is disabled when all its attempts have failed for this long."""

UNDER_WAY_MAX: Final = 4
"""The most messages under way to one webhook. A failing webhook gets one at a time."""

_ALL_MAX = 64
_TURN_SECONDS = 20.0
_LOOK_SECONDS = 0.2
_SUCCESS = range(200, 300)
_GONE = 410

_log = structlog.get_logger(__name__)

_DUE = f"""
    SELECT due.id, webhook.id AS webhook, league, form, url, secret, second_secret, second_until,
           due.body
      FROM webhook
     CROSS JOIN LATERAL (
        SELECT id, body, next_at FROM webhook_delivery
         WHERE webhook_delivery.webhook = webhook.id AND state = 'waiting' AND next_at <= $1
           AND NOT id = ANY ($2)
         ORDER BY next_at, created_at
         LIMIT greatest(0, CASE WHEN failing_since IS NULL THEN $4 ELSE 1 END
                           - (SELECT count(*) FROM unnest($3::uuid[]) AS busy
                               WHERE busy = webhook.id))
     ) AS due
     WHERE disabled_at IS NULL AND {STAYS.format(league="webhook.league")}
     ORDER BY row_number() OVER (PARTITION BY league
                                 ORDER BY failing_since IS NOT NULL, due.next_at)
              + (SELECT count(*) FROM unnest($6::uuid[]) AS busy WHERE busy = league),
              failing_since IS NOT NULL, random()
     LIMIT $5
"""  # noqa: S608
# Everybody who changes a delivery holds its webhook.
_HELD = "SELECT url FROM webhook WHERE id = $1 FOR UPDATE"
_ATTEMPTS = "SELECT attempts FROM webhook_delivery WHERE id = $1"
_DELIVERED = """
    UPDATE webhook_delivery SET state = 'delivered', attempts = attempts + 1, next_at = NULL
     WHERE id = $1
"""
# A delivery that was given up during the attempt stays failed.
_FAILED = """
    UPDATE webhook_delivery
       SET state = CASE WHEN $2::timestamptz IS NULL THEN 'failed' ELSE state END,
           attempts = attempts + 1, next_at = CASE WHEN state = 'waiting' THEN $2 END
     WHERE id = $1
"""
_ATTEMPT = """
    INSERT INTO webhook_attempt (delivery, at, millis, status, error) VALUES ($1, $2, $3, $4, $5)
"""
_WELL = "UPDATE webhook SET failing_since = NULL WHERE id = $1 AND failing_since IS NOT NULL"
_ILL = """
    UPDATE webhook SET failing_since = coalesce(failing_since, $2) WHERE id = $1
    RETURNING failing_since
"""
_DISABLE = """
    UPDATE webhook SET disabled_at = $2, disabled_why = $3
     WHERE id = $1 AND disabled_at IS NULL RETURNING league
"""
_GIVE_UP = """
    UPDATE webhook_delivery SET state = 'failed', next_at = NULL
     WHERE webhook = $1 AND state = 'waiting'
"""


class _Due(NamedTuple):
    """A message that is due, with everything that sending it needs."""

    id: UUID
    webhook: UUID
    league: UUID
    form: str
    url: bytes
    secret: bytes | None
    second_secret: bytes | None
    second_until: datetime | None
    body: str


class _Result(NamedTuple):
    """The result of an attempt."""

    at: datetime
    millis: int
    status: int | None
    error: str | None

    @property
    def succeeded(self) -> bool:
        """True if the receiver took the message."""
        return self.status in _SUCCESS


async def deliver(runtime: Runtime) -> None:
    """Deliver the messages that are due, until none is left or this turn is over."""
    outside = Outside(runtime.settings.webhook_allowed())
    loop = asyncio.get_running_loop()
    ends = loop.time() + _TURN_SECONDS
    under_way: dict[asyncio.Task[None], _Due] = {}
    try:
        while True:
            if loop.time() < ends:
                for due in await _due(runtime, list(under_way.values())):
                    under_way[asyncio.create_task(_attempt(runtime, outside, due))] = due
            if not under_way:
                return
            done, _ = await asyncio.wait(
                under_way, timeout=_LOOK_SECONDS, return_when=asyncio.FIRST_COMPLETED
            )
            for task in done:
                del under_way[task]
                task.result()
    finally:
        for task in under_way:
            task.cancel()
        await asyncio.gather(*under_way, return_exceptions=True)


async def _due(runtime: Runtime, under_way: list[_Due]) -> list[_Due]:
    rows = await runtime.pool.fetch(
        _DUE,
        runtime.clock.now(),
        [each.id for each in under_way],
        [each.webhook for each in under_way],
        UNDER_WAY_MAX,
        _ALL_MAX - len(under_way),
        [each.league for each in under_way],
    )
    return [_Due(**row) for row in rows]


async def _attempt(runtime: Runtime, outside: Outside, due: _Due) -> None:
    """Send a message once and record the result."""
    result = await _sent(runtime, outside, due)
    async with runtime.pool.acquire() as connection, connection.transaction():
        await _record(runtime, connection, due, result)


async def _sent(runtime: Runtime, outside: Outside, due: _Due) -> _Result:
    now, loop = runtime.clock.now(), asyncio.get_running_loop()
    began = loop.time()
    status = error = None
    try:
        keys = await runtime.writer.store.keys(due.league)
        url, body, headers = _request(keys, due, now)
        status = (await outside.post(url, body, headers, due.league.hex)).status
        if status not in _SUCCESS:
            error = "the answer was no success"
    except AddressRefused as refused:
        error = f"not allowed: {refused}"
    except TimeoutError:
        error = "no answer in time"
    except OSError:
        error = "no connection, or no answer in HTTP"
    except EventUnreadable:
        error = (
            "the address or the secret of the webhook cannot be read; set the address again, or "
            "make another secret"
        )
    return _Result(now, round((loop.time() - began) * 1000), status, error)


def _request(keys: LeagueKeys, due: _Due, now: datetime) -> tuple[str, bytes, dict[str, str]]:
    """Return the address, the body and the headers of an attempt."""
    url = _opened(keys, due, "url", due.url)
    headers = {"Content-Type": "application/json", "User-Agent": "Holotable-Webhooks"}
    if due.form == "discord" or due.secret is None:
        return url, discord_of(due.body), headers
    secrets = [_opened(keys, due, "secret", due.secret)]
    if due.second_secret is not None and due.second_until is not None and now < due.second_until:
        secrets.append(_opened(keys, due, "second_secret", due.second_secret))
    body = due.body.encode()
    message = identifier("dlv", due.id)
    return url, body, headers | signed(message, int(now.timestamp()), body, secrets)


def _opened(keys: LeagueKeys, due: _Due, column: str, box: bytes) -> str:
    return opened(keys, "webhook", due.webhook, column, box).decode()


async def _record(runtime: Runtime, connection: Driver, due: _Due, result: _Result) -> None:
    """
    Record an attempt, the next one, and the end of the webhook if it has failed too long.

    If the webhook has another address meanwhile, the result says nothing about it.
    """
    url: bytes | None = await connection.fetchval(_HELD, due.webhook)
    attempts: int | None = await connection.fetchval(_ATTEMPTS, due.id)
    if attempts is None:  # the webhook was deleted meanwhile
        return
    if result.succeeded:
        await connection.execute(_DELIVERED, due.id)
    else:
        # The delivery may have begun again from its first attempt.
        await connection.execute(_FAILED, due.id, _next(runtime, attempts, result.at))
    await connection.execute(_ATTEMPT, due.id, *result)
    if url != due.url:
        return
    if result.succeeded:
        await connection.execute(_WELL, due.webhook)
        return
    since: datetime = await connection.fetchval(_ILL, due.webhook, result.at)
    if result.status == _GONE:
        await _disable(connection, due, result.at, "the receiver answered 410 Gone")
    elif result.at - since >= FAILING_FOR:
        await _disable(connection, due, result.at, "every attempt failed for five days")


def _next(runtime: Runtime, attempts: int, now: datetime) -> datetime | None:
    """Return the instant of the next attempt, or None after the last."""
    if attempts >= len(DELAYS):
        return None
    share = int.from_bytes(runtime.entropy.bytes(2)) / 2**16
    return now + DELAYS[attempts] * (1 + JITTER * share)


async def _disable(connection: Driver, due: _Due, now: datetime, why: str) -> None:
    if await connection.fetchval(_DISABLE, due.webhook, now, why) is None:
        return
    await connection.execute(_GIVE_UP, due.webhook)
    name = identifier("whk", due.webhook)
    await operator_log.add(connection, [due.league], HOUSE, "webhook_disabled", name)
    _log.warning("a webhook was disabled", webhook=name, why=why)
