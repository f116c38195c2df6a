"""
Sending notices: at most once, whatever happens to this process.

A notice is recorded as begun before it is handed over. If the process dies after that, nobody knows
whether the receiver took it, so it is never sent again. A failure before that, or a refusal by the
receiver, leads to another attempt.

Mail and push messages do not wait for each other. Several push messages are under way at a time,
but few to each person, so a slow address delays only the messages of its owner.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from contextlib import closing
from datetime import timedelta
from typing import Final, TypeVar

import structlog

from engine.values import identifier
from service.base.errors import EventUnreadable, StoreUnavailable
from service.base.outside import Outside
from service.base.pools import MAILING
from service.director.runtime import GONE, Runtime
from service.notices import browsers, outbox, push, resets
from service.notices.composing import Composer, Mail, Pushed, Quiet
from service.notices.making import make_notices
from service.notices.outbox import Due
from service.notices.smtp import Away, NeverTaken, NotKnown, NotTaken, SmtpSession
from service.people.sealed_addresses import AddressKeys

_TURN_SECONDS: Final = 20.0
_AWAY_FOR: Final = timedelta(minutes=1)
_AT_ONCE: Final = 50
_PUSHES_AT_ONCE: Final = 16
_PUSHES_OF_ONE: Final = 2
"""The most messages under way to the browsers of one person."""

_Made = TypeVar("_Made", Mail, Pushed)

_log = structlog.get_logger(__name__)


async def send(runtime: Runtime) -> None:
    """Send the notices that are due, until none is left or this turn is over."""
    keys, settings = AddressKeys(*runtime.settings.secret_keys), runtime.settings
    ends = asyncio.get_running_loop().time() + _TURN_SECONDS
    async with runtime.pool.acquire() as connection, connection.transaction():
        await resets.answer_requests(connection, keys, runtime.clock.now())
    await make_notices(runtime)
    composer = Composer(runtime, keys)
    channels = []
    if settings.smtp_url is not None and settings.mail_from is not None:
        post = SmtpSession(settings.smtp_url, settings.mail_from)
        channels.append(_send_mail(runtime, post, composer, ends))
    if settings.push_key is not None:
        channels.append(_send_pushes(runtime, keys, composer, ends))
    for end in await asyncio.gather(*channels, return_exceptions=True):
        if isinstance(end, BaseException):
            raise end


async def _send_mail(runtime: Runtime, post: SmtpSession, composer: Composer, ends: float) -> None:
    with closing(post):
        while found := await outbox.due(runtime.pool, "mail", runtime.clock.now(), _AT_ONCE):
            for due in found:
                if asyncio.get_running_loop().time() >= ends:
                    return
                mail = await _composed(runtime, composer.mail, due)
                if mail is not None and not await _mail(runtime, post, due, mail):
                    return


async def _send_pushes(
    runtime: Runtime, keys: AddressKeys, composer: Composer, ends: float
) -> None:
    outside = Outside(runtime.settings.webhook_allowed())

    async def one(due: Due) -> None:
        pushed = await _composed(runtime, composer.push, due)
        if pushed is not None:
            await _push(runtime, keys, outside, due, pushed)

    under_way: dict[asyncio.Task[None], Due] = {}
    try:
        while True:
            while len(under_way) < _PUSHES_AT_ONCE and asyncio.get_running_loop().time() < ends:
                found = await _next_pushes(runtime, list(under_way.values()))
                if not found:
                    break
                under_way |= {asyncio.create_task(one(due)): due for due in found}
            if not under_way:
                return
            done, _ = await asyncio.wait(under_way, return_when=asyncio.FIRST_COMPLETED)
            for each in done:
                del under_way[each]
                each.result()
    finally:
        # Each notice is finished and recorded, even if another fails. So none stays begun.
        await asyncio.gather(*under_way, return_exceptions=True)


async def _next_pushes(runtime: Runtime, under_way: Sequence[Due]) -> list[Due]:
    """Return messages for the free places, at most one for each person."""
    busy = Counter(due.account for due in under_way if due.account is not None)
    found = await outbox.due(
        runtime.pool,
        "push",
        runtime.clock.now(),
        _PUSHES_AT_ONCE - len(under_way),
        without=[due.id for due in under_way],
        nobody_of=[account for account, number in busy.items() if number >= _PUSHES_OF_ONE],
    )
    return list({due.account: due for due in reversed(found)}.values())


async def _composed(
    runtime: Runtime, compose: Callable[[Due], Awaitable[_Made | None]], due: Due
) -> _Made | None:
    """Return the message to send, or None after recording why it is not sent now."""
    try:
        made = await compose(due)
    except (StoreUnavailable, *GONE):
        raise
    except Quiet as quiet:
        await outbox.put_off(runtime.pool, due.id, quiet.until)
        return None
    except Exception as error:  # noqa: BLE001
        # A notice that cannot be made must not hold back the others.
        _log.exception("a notice could not be made", notice=str(due.id), kind=due.kind)
        await outbox.refuse(runtime.pool, due.id, type(error).__name__)
        return None
    if made is None:
        await outbox.drop(runtime.pool, due.id, "nobody wants it any more")
    return made


async def _mail(runtime: Runtime, post: SmtpSession, due: Due, mail: Mail) -> bool:
    """Hand over one mail and record the result. Return False if the server is away."""
    pool, now = runtime.pool, runtime.clock.now()
    try:
        await MAILING.run(None, post.address, mail.recipient)
        if not await outbox.begin(pool, due.id, now):
            return True
        await MAILING.run(None, post.hand_over, mail.message)
    except Away as error:
        _log.warning("the mail server is away", error=str(error))
        await outbox.put_all_off(pool, "mail", now, now + _AWAY_FOR)
        return False
    except NeverTaken as error:
        await outbox.refuse(pool, due.id, str(error))
    except NotTaken as error:
        await outbox.try_again(pool, due, str(error), now)
    except NotKnown as error:
        _log.warning("a mail was handed over, and no answer came", error=str(error))
        await outbox.unknown(pool, due.id, str(error))
    else:
        await outbox.sent(pool, due.id)
    return True


async def _push(
    runtime: Runtime, keys: AddressKeys, outside: Outside, due: Due, pushed: Pushed
) -> None:
    """Send one push message and record the result."""
    pool, settings, now = runtime.pool, runtime.settings, runtime.clock.now()
    browser = due.target
    try:
        target = None if browser is None else await browsers.target_of(pool, keys, browser, now)
    except EventUnreadable as error:
        _log.warning("the address of a browser cannot be read", notice=str(due.id), why=str(error))
        await outbox.refuse(pool, due.id, str(error))
        return
    if browser is None or target is None or due.account is None:
        await outbox.drop(pool, due.id, "the browser is gone")
        return
    if not await outbox.begin(pool, due.id, now):
        return
    try:
        await push.push(
            outside,
            target,
            pushed.message,
            key=settings.push_key or "",
            contact=settings.push_contact or "",
            now=now,
            ends_at=due.ends_at,
            urgent=pushed.urgent,
            client=identifier("plr", due.account),
        )
    except push.PushFailed as error:
        await outbox.refuse(pool, due.id, str(error))
        await browsers.failed(pool, browser, gone=isinstance(error, push.PushGone))
    except push.PushLater as error:
        await outbox.try_again(pool, due, str(error), now)
        await browsers.failed(pool, browser, gone=False)
    except push.PushUnknown as error:
        await outbox.unknown(pool, due.id, str(error))
        await browsers.failed(pool, browser, gone=False)
    else:
        await outbox.sent(pool, due.id)
        await browsers.succeeded(pool, browser)
