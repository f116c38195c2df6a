"""
The sending of notices: at most once, whatever happens to this process.

A notice is recorded as begun before it is handed over. If the process dies after that, nobody
knows whether the receiver took it, so it is never sent again. Everything before that, and every
refusal of the receiver, leads to another attempt.
"""

import asyncio
from datetime import timedelta
from typing import Final

import structlog

from service.base.pools import MAILING
from service.director.runtime import GONE, Runtime
from service.notices import outbox, resets
from service.notices.composing import Composer, Mail
from service.notices.outbox import Due
from service.notices.smtp import Away, NeverTaken, NotKnown, NotTaken, Post
from service.people.sealed_addresses import AddressKeys

_TURN_SECONDS: Final = 20.0
_AWAY_FOR: Final = timedelta(minutes=1)
_AT_ONCE: Final = 50

_log = structlog.get_logger(__name__)


async def send(runtime: Runtime) -> None:
    """Send the notices that are due, until none is, or this turn is over."""
    keys = AddressKeys(*runtime.settings.secret_keys)
    async with runtime.pool.acquire() as connection, connection.transaction():
        await resets.answer_requests(connection, keys, runtime.clock.now())
    if runtime.settings.smtp_url is not None and runtime.settings.mail_from is not None:
        post = Post(runtime.settings.smtp_url, runtime.settings.mail_from)
        try:
            await _send_mail(runtime, post, Composer(runtime, keys))
        finally:
            post.close()


async def _send_mail(runtime: Runtime, post: Post, composer: Composer) -> None:
    ends = asyncio.get_running_loop().time() + _TURN_SECONDS
    while found := await outbox.due(runtime.pool, "mail", runtime.clock.now(), _AT_ONCE):
        for due in found:
            if asyncio.get_running_loop().time() >= ends:
                return
            mail = await _composed(runtime, composer, due)
            if mail is not None and not await _mail(runtime, post, due, mail):
                return


async def _composed(runtime: Runtime, composer: Composer, due: Due) -> Mail | None:
    """Return the mail, or None if it is not sent. Then its record says why."""
    try:
        mail = await composer.mail(due)
    except GONE:
        raise
    except Exception as error:  # noqa: BLE001
        # A notice that cannot be made must not hold back the others.
        _log.exception("a notice could not be made", notice=str(due.id), kind=due.kind)
        await outbox.refuse(runtime.pool, due.id, type(error).__name__)
        return None
    if mail is None:
        await outbox.drop(runtime.pool, due.id, "nobody wants it any more")
    return mail


async def _mail(runtime: Runtime, post: Post, due: Due, mail: Mail) -> bool:
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
