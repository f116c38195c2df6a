"""
Who asks: bearer tokens, checked before anything else is looked at.

One guard at the application closes every route that does not declare itself
open, so that a forgotten declaration costs a 401 and never a leak.
"""

import asyncio
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from litestar.connection import ASGIConnection
from litestar.handlers import BaseRouteHandler

from service.api.http.declaration import Operation
from service.api.http.shell import Shell
from service.base.errors import Unauthenticated, scopes_missing
from service.people.tokens import Principal, well_formed

Connection = ASGIConnection[Any, Any, Any, Any]
"""The framework's; what it knows of users and sessions is not used here."""

BELIEVED_FOR = timedelta(seconds=5)
"""How long a revoked token may still work in another process."""

_CACHED_MAX = 10_000


async def require_token(connection: Connection, handler: BaseRouteHandler) -> None:
    """
    Put the principal into the scope.

    Raises:
        Unauthenticated: Without a good token, unless the route is open.
        Forbidden: If the token lacks the route's scope.
    """
    operation = handler.opt.get("operation")
    if operation is None and connection.scope.get("method") == "OPTIONS":
        return  # the framework's own: it says which methods there are, and nothing else
    await authenticate(connection, operation if isinstance(operation, Operation) else None)


async def authenticate(connection: Connection, described: Operation | None) -> None:
    """Put the principal into the scope; raises what :func:`require_token` raises."""
    connection.scope["state"]["operation"] = described
    header = connection.headers.get("authorization")
    if header is None:
        if described is not None and described.open:
            return
        raise Unauthenticated("a bearer token is needed")
    kind, _, text = header.partition(" ")
    shell: Shell = connection.scope["state"]["shell"]
    principal = None
    if kind.lower() == "bearer":
        text = text.strip()
        principal = _believed(shell, text) or await _principal(shell, text)
    if principal is None:
        raise Unauthenticated("the token is unknown, expired or revoked")
    scope = described.scope if described is not None else "admin"
    if scope is not None and scope not in principal.scopes:
        raise scopes_missing(scope)
    connection.scope["user"] = principal


def forget(shell: Shell, principal: Principal) -> None:
    """Stop believing every token of the caller at once, in this process."""
    forget_person(shell, principal.account.number)


def forget_person(shell: Shell, person: UUID) -> None:
    """Stop believing every token of a person at once, in this process."""
    for text in [
        text for text, (known, _) in shell.principals.items() if known.account.number == person
    ]:
        del shell.principals[text]
    # What the database is being asked now may still be answered as it was before.
    shell.asking.clear()


def _believed(shell: Shell, text: str) -> Principal | None:
    """Return whose token this was a moment ago."""
    known = shell.principals.get(text)
    return known[0] if known is not None and shell.now() < known[1] else None


async def _principal(shell: Shell, text: str) -> Principal | None:
    if not well_formed(text):
        return None
    asking = shell.asking.get(text)
    if asking is None:
        asking = shell.asking[text] = asyncio.create_task(_ask(shell, text, shell.now()))
    # Whoever gives up must not give up for all who ask the same.
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
