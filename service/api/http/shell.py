"""The parts of the process that handlers use, assembled once in ``service.process.app.build``."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeVar

import asyncpg
from litestar import Request
from litestar.types import Scope
from sqlalchemy.ext.asyncio import AsyncEngine

from service.announcing.sandbox import Sandbox
from service.api.http.declaring.declaration import Operation
from service.api.http.declaring.doors import Doors
from service.api.http.following.joining import Joined
from service.api.http.following.news import News
from service.api.http.wire.crowding import PLACE
from service.api.http.wire.limiting import Limits
from service.api.http.wire.neighbours import Neighbours
from service.api.http.wire.observing import Seen
from service.api.http.wire.proxies import Proxies
from service.base.grouping import Grouped
from service.base.schema_range import SchemaRange
from service.base.settings import Settings
from service.director.runtime import Runtime
from service.people.guessing import Guesses
from service.people.idempotency import Refusals, Requests
from service.people.tokens import Principal
from service.projections.following.troubles import Troubles
from service.projections.reads.progress import Positions
from service.schedule.lengths import Simulated
from service.transparency.receipting import ReceiptIssuer

Value = TypeVar("Value")

# The framework's type parameters for user, token and state are not used.
Asked = Request[Any, Any, Any]
"""The type of the request that handlers take."""

_INDEXES_MAX = 4096

ENTERED = "entered"
"""The key in a request's state that marks staff who play in the tournament."""


@dataclass(slots=True)
class Shell:
    """The parts of the process, from its start to its stop."""

    settings: Settings
    runtime: Runtime
    engine: AsyncEngine
    """Connections to accounts and read models."""

    pool: asyncpg.Pool
    """Connections to the log."""

    schema: SchemaRange
    """The schemas on which this process runs."""

    tokens: Grouped[str, Principal | None]
    """Looks up the owners of tokens in the database."""

    names: Grouped[str, str | None]
    """Looks up the names of players in the database. A player without an account has none."""

    positions: Positions
    """Looks up the checkpoints of read models in the database."""

    news: News
    """Hands each event to its followers."""

    doors: Doors
    """The parts that an operator has closed."""

    joined: Joined
    """Looks up the leagues of players with open streams."""

    refusals: Refusals

    requests: Requests
    """The requests of the last seven days that append no events, for their retries."""

    guesses: Guesses
    """Failed sign-ins."""

    receipts: ReceiptIssuer

    sandbox: Sandbox | None
    """The sandbox league, or None if this installation has none."""

    proxies: Proxies
    """The proxies that may say which address a request comes from."""

    limits: Limits
    """The request limits of each client."""

    troubles: Troubles
    """The warnings that ``/readyz`` shows."""

    neighbours: Neighbours | None
    """The API processes of this machine, or None if this one looks for none."""

    stopping: asyncio.Event
    """Set at the first signal to stop. Open streams then end."""

    leagues: dict[str, str] = field(default_factory=dict)
    """The leagues of streams that were looked up. The league of a stream never changes."""

    members_asked: dict[str, datetime] = field(default_factory=dict)
    """The instant at which each league's members were last read from the log."""

    principals: dict[str, tuple[Principal, datetime]] = field(default_factory=dict)
    """Recently seen tokens, each with the instant until which it is valid without a new look-up."""

    called: dict[str, tuple[str, datetime]] = field(default_factory=dict)
    """Recently looked-up names of players, each with the instant until which it is believed."""

    evenings: Simulated = field(default_factory=Simulated)
    """Recent simulations of evenings."""

    replays: dict[str, bytes] = field(default_factory=dict)
    """Recent replays of public hands that are over, by their tags. They hold no names."""

    standing: dict[tuple[str, str], float] = field(default_factory=dict)
    """By projection and league, the event loop's time until which nobody waits for it."""

    waiting: int = 0
    """The number of reads that wait for projections."""

    asking: dict[str, asyncio.Task[Principal | None]] = field(default_factory=dict)
    """Look-ups of tokens in progress, one for each token."""

    # The type of the values differs from name to name, and `index` returns it.
    _indexes: dict[str, tuple[tuple[object, ...], dict[str, Any]]] = field(default_factory=dict)

    def index(
        self, name: str, items: tuple[object, ...], make: Callable[[], dict[str, Value]]
    ) -> dict[str, Value]:
        """Return ``make()``, cached under *name* until *items* is another tuple."""
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
    """Return the parts of the process that serves *request*."""
    found: Shell = request.scope["state"]["shell"]
    return found


def principal_of(request: Asked) -> Principal:
    """Return the caller. Only requests to open routes may have none."""
    found: Principal = request.scope["user"]
    return found


def client_address(request: Asked) -> str:
    """Return the client's address. Only trusted proxies can change it."""
    return shell_of(request).proxies.client_address(request.scope)


def operation_of(request: Asked) -> Operation:
    """Return the declaration of the request's route."""
    found: Operation = request.scope["state"]["operation"]
    return found


def number_in_path(request: Asked) -> str:
    """Return the request's ID, which answers and problems carry."""
    found: str = request.scope["state"]["request_id"]
    return found


def waits(scope: Scope) -> None:
    """Stop counting a request as under way. From now on it waits for news, as a stream does."""
    place = scope["state"].get(PLACE)  # a page of the console has no place
    if place is not None:
        place.leave()


def cut_off(scope: Scope) -> bool:
    """
    Return whether the stop of the process has cut off a request that has no answer yet.

    A page's own calls are not observed. The page answers for them.
    """
    seen: Seen | None = scope["state"].get("seen")
    shell: Shell = scope["state"]["shell"]
    return seen is not None and not seen.status and shell.stopping.is_set()
