"""What every handler works with, wired once in ``service.process.app.build``."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeVar

import asyncpg
from litestar import Request
from sqlalchemy.ext.asyncio import AsyncEngine

from service.api.http.declaration import Operation
from service.api.http.limiting import Limits
from service.api.http.news import News
from service.api.http.proxies import Proxies
from service.base.grouping import Grouped
from service.base.settings import Settings
from service.director.runtime import Runtime
from service.people.guessing import Guesses
from service.people.idempotency import Refusals, Requests
from service.people.tokens import Principal
from service.projections.progress import Positions
from service.projections.troubles import Troubles
from service.transparency.receipting import ReceiptIssuer

Value = TypeVar("Value")

# The types of user, token and state are the framework's to name; none is used.
Asked = Request[Any, Any, Any]
"""A request as handlers take it."""

_INDEXES_MAX = 4096


@dataclass(slots=True)
class Shell:
    """The process's parts; lives from start to stop."""

    settings: Settings
    runtime: Runtime
    engine: AsyncEngine
    """Accounts and read models."""

    pool: asyncpg.Pool
    """The log, for feeds."""

    tokens: Grouped[str, Principal | None]
    """Asks the database whose tokens are."""

    positions: Positions
    """Asks the database how far read models have come."""

    news: News
    """Hands each event to those who follow it."""

    refusals: Refusals

    requests: Requests
    """What was asked in the last seven days, for retries of what appends nothing."""

    guesses: Guesses
    """Sign-ins that failed."""

    receipts: ReceiptIssuer

    proxies: Proxies
    """Whose word about a client's address is believed."""

    limits: Limits
    """How much each client may do."""

    troubles: Troubles
    """What readiness warns of."""

    stopping: asyncio.Event
    """Set at the first signal to stop; streams end themselves then."""

    leagues: dict[str, str] = field(default_factory=dict)
    """League of each stream asked for; it never changes."""

    members_asked: dict[str, datetime] = field(default_factory=dict)
    """When the log was last asked who belongs to a league."""

    principals: dict[str, tuple[Principal, datetime]] = field(default_factory=dict)
    """Recently seen tokens, and until when they may be believed unasked."""

    asking: dict[str, asyncio.Task[Principal | None]] = field(default_factory=dict)
    """Tokens that the database is being asked about; one question at a time for each."""

    # Each name has its own type of value, which `index` gives back.
    _indexes: dict[str, tuple[tuple[object, ...], dict[str, Any]]] = field(default_factory=dict)

    def index(
        self, name: str, items: tuple[object, ...], make: Callable[[], dict[str, Value]]
    ) -> dict[str, Value]:
        """Return what *make* makes of *items*, made once for each new tuple that *name* has."""
        known = self._indexes.get(name)
        if known is None or known[0] is not items:
            if len(self._indexes) >= _INDEXES_MAX:
                self._indexes.clear()
            known = self._indexes[name] = (items, make())
        return known[1]

    def now(self) -> datetime:
        """Return the present instant by the database's clock."""
        return self.runtime.clock.now()


def shell_of(request: Asked) -> Shell:
    """Return the process's parts."""
    found: Shell = request.scope["state"]["shell"]
    return found


def principal_of(request: Asked) -> Principal:
    """Return who asks; there always is someone where a route is not open."""
    found: Principal = request.scope["user"]
    return found


def client_address(request: Asked) -> str:
    """Return the address of the client that sent *request*, through trusted proxies only."""
    return shell_of(request).proxies.client_address(request.scope)


def operation_of(request: Asked) -> Operation:
    """Return what the route of this request declares."""
    found: Operation = request.scope["state"]["operation"]
    return found


def number_in_path(request: Asked) -> str:
    """Return this request's own number, which answers and problems carry."""
    found: str = request.scope["state"]["request_id"]
    return found
