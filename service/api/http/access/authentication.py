"""
Authentication by bearer token, before anything else in a request is looked at.

One guard on the application closes every route that does not declare itself open. So a forgotten
declaration leads to a 401 and not to a leak.
"""

import asyncio
from datetime import datetime, timedelta
from functools import partial
from typing import Any
from uuid import UUID

from litestar.connection import ASGIConnection
from litestar.handlers import BaseRouteHandler

from service.api.http.declaring.declaration import Operation
from service.api.http.shell import Shell
from service.base.errors import Unauthenticated, scopes_missing
from service.people.tokens import Principal, well_formed

Connection = ASGIConnection[Any, Any, Any, Any]  # handler, user, session and state
"""The framework's connection. Its support for users and sessions is not used."""

BELIEVED_FOR = timedelta(seconds=5)
"""The longest time for which a revoked token may still work in another process."""

_CACHED_MAX = 10_000


async def require_token(connection: Connection, handler: BaseRouteHandler) -> None:
    """
    Authenticate the caller and put the principal into the scope.

    Raises:
        Unauthenticated: If the request carries no valid token, unless the route is open.
        Forbidden: If the token lacks the route's scope.
    """
    operation = handler.opt.get("operation")
    if operation is None and connection.scope.get("method") == "OPTIONS":
        return  # answered by the framework, which only lists the methods of the path
    await authenticate(connection, operation if isinstance(operation, Operation) else None)


async def authenticate(connection: Connection, described: Operation | None) -> None:
    """Put the principal into the scope. Raises the errors of :func:`require_token`."""
    connection.scope["state"]["operation"] = described
    shell: Shell = connection.scope["state"]["shell"]
    if described is not None:
        shell.doors.demand_service(described)
    if described is not None and described.public:
        return  # its answer is the same for every caller, and a cache may repeat it
    if connection.headers.get("authorization") is None:
        if described is not None and described.open:
            return
        raise Unauthenticated("a bearer token is needed")
    principal = await _caller(connection, shell)
    scope = described.scope if described is not None else "admin"
    if scope is not None and scope not in principal.scopes:
        raise scopes_missing(scope)
    connection.scope["user"] = principal


async def demand_still(connection: Connection) -> None:
    """
    Refuse a request whose token has ended since it was authenticated.

    A client may take its time over a body. What the token could do when the headers came does not
    count when the body is whole.

    Raises:
        Unauthenticated: If the token has been revoked, or has expired.
    """
    if "user" in connection.scope:
        connection.scope["user"] = await _caller(connection, connection.scope["state"]["shell"])


async def _caller(connection: Connection, shell: Shell) -> Principal:
    kind, _, text = connection.headers.get("authorization", "").partition(" ")
    text = text.strip()
    found = None
    if kind.lower() == "bearer":
        found = believed(shell, text) or await _principal(shell, text)
    if found is None:
        raise Unauthenticated("the token is unknown, expired or revoked")
    return found


def forget(shell: Shell, principal: Principal) -> None:
    """Make this process look up every token of the caller again."""
    forget_person(shell, principal.account.number)


def forget_person(shell: Shell, person: UUID) -> None:
    """Make this process look up every token of a person again, and the name."""
    shell.called.pop(f"plr_{person.hex}", None)
    for text in [
        text for text, (known, _) in shell.principals.items() if known.account.number == person
    ]:
        del shell.principals[text]
    # Look-ups in progress may still return the old answer.
    shell.asking.clear()


def changed(
    shell: Shell, person: UUID | None, ended: bool, *, again: timedelta = BELIEVED_FOR
) -> None:
    """
    Look up again everything about a person that another process has changed.

    Args:
        person: None for everybody.
        ended: True to end the person's streams too.
        again: After this time the streams are ended once more, because a request that was admitted
            before the change may open one after it.
    """
    if person is None:
        shell.principals.clear()
        shell.called.clear()
        shell.asking.clear()
        return
    forget_person(shell, person)
    if ended:
        end = partial(shell.limits.streams.end, person)
        end()
        asyncio.get_running_loop().call_later(again.total_seconds(), end)


def believed(shell: Shell, text: str | None) -> Principal | None:
    """Return the token's owner if there is a token and its last look-up is recent enough."""
    known = None if text is None else shell.principals.get(text)
    return known[0] if known is not None and shell.now() < known[1] else None


async def _principal(shell: Shell, text: str) -> Principal | None:
    if not well_formed(text):
        return None
    asking = shell.asking.get(text)
    if asking is None:
        asking = shell.asking[text] = asyncio.create_task(_ask(shell, text, shell.now()))
    # Shielded, because other requests may wait for the same look-up.
    return await asyncio.shield(asking)


async def _ask(shell: Shell, text: str, now: datetime) -> Principal | None:
    try:
        found = await shell.tokens.of(text)
        shell.limits.remember(text, found)
        if found is not None and shell.asking.get(text) is asyncio.current_task():
            if len(shell.principals) >= _CACHED_MAX:
                shell.principals.clear()
            shell.principals[text] = (found, min(now + BELIEVED_FOR, found.expires_at))
        return found
    finally:
        if shell.asking.get(text) is asyncio.current_task():
            del shell.asking[text]
