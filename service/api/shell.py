"""What every handler works with, wired once in ``service.app.build``."""

import asyncio
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

import asyncpg
from litestar import Request
from sqlalchemy.ext.asyncio import AsyncEngine

from service.accounts import Principal
from service.api.news import News
from service.desk import Desk
from service.settings import Settings

Asked = Request[Any, Any, Any]
"""A request as handlers take it."""


@dataclass(slots=True)
class Shell:
    """The process's parts; lives from start to stop."""

    settings: Settings
    desk: Desk
    engine: AsyncEngine
    """Accounts and read models."""

    pool: asyncpg.Pool
    """The log, for feeds."""

    news: News
    """Wakes those who wait for events."""

    stopping: asyncio.Event
    """Set at the first signal to stop; streams end themselves then."""

    leagues: dict[str, str] = field(default_factory=dict)
    """League of each stream asked for; it never changes."""

    principals: dict[str, tuple[Principal, datetime]] = field(default_factory=dict)
    """Recently seen tokens, and until when they may be believed unasked."""

    def now(self) -> datetime:
        """Return the present instant by the database's clock."""
        return self.desk.clock.now()


def shell_of(request: Asked) -> Shell:
    """Return the process's parts."""
    found: Shell = request.app.state.shell
    return found


def principal_of(request: Asked) -> Principal:
    """Return who asks; there always is someone where a route is not open."""
    found: Principal = request.scope["user"]
    return found


def number_in_path(request: Asked) -> UUID:
    """Return this request's own number, which answers and problems carry."""
    found: UUID = request.scope["state"]["request_id"]
    return found
