"""The composition root of the API process."""

import asyncio
import contextlib
import errno
import socket
import sys
import time
from collections.abc import AsyncIterator
from functools import cache, partial
from importlib.metadata import version
from pathlib import Path
from traceback import format_exc
from types import FrameType
from typing import cast

import sqlalchemy as sa
import structlog
import uvicorn
from litestar import Litestar
from litestar.types import (
    HTTPScope,
    LifeSpanReceive,
    LifeSpanScope,
    LifeSpanSend,
    Receive,
    Scope,
    Send,
)

from service.announcing.sandbox import Sandbox
from service.api.front import Front
from service.api.http.access.authentication import changed, require_token
from service.api.http.declaring.doors import Doors
from service.api.http.declaring.paths import Paths
from service.api.http.following.joining import Joined
from service.api.http.following.news import News
from service.api.http.problems.answers import AWAY, HANDLERS, Handlers, answer_away, answer_database
from service.api.http.serving import protocol_of
from service.api.http.shell import Shell
from service.api.http.wire.connections import Connections
from service.api.http.wire.cors import Cors
from service.api.http.wire.edge import Edge
from service.api.http.wire.limiting import Limits
from service.api.http.wire.neighbours import Neighbours, kind_of
from service.api.http.wire.observing import Observer, Seen
from service.api.http.wire.proxies import Proxies
from service.api.http.wire.requests import BoundedRequest
from service.api.openapi import openapi_document
from service.api.openapi.pages import PAGES
from service.api.routes import ROUTES
from service.base import metrics, telemetry
from service.base.addresses import parts
from service.base.database import async_engine, is_coming
from service.base.grouping import Grouped
from service.base.health import Schema, beating
from service.base.memory import give_back_large
from service.base.ports import taken
from service.base.schema_range import of_code
from service.base.settings import Settings
from service.base.sources import SystemEntropy
from service.console.app import Console, serves
from service.director.runtime import RETRY_SECONDS, START_SECONDS, open_runtime, settle
from service.log.subscription import Subscription
from service.people.accounts import names_in_order
from service.people.confidential_claims import seal_old
from service.people.guessing import Guesses
from service.people.idempotency import Refusals, Requests
from service.people.tokens import by_tokens
from service.projections.following.troubles import Troubles
from service.projections.reads.progress import positions
from service.transparency.receipting import ReceiptIssuer
from service.transparency.signing import client_of

__all__ = ["build", "openapi_document", "run"]

SHUTDOWN_SECONDS = 5

_API = "/v1/"
_PLACE = ("host", "port", "dbname")

_log = structlog.get_logger(__name__)


HANDLED: Handlers = {
    **HANDLERS,
    **dict.fromkeys(AWAY, answer_away),
    sa.exc.DBAPIError: answer_database,
}
"""The handlers that answer an exception on any route."""


@cache
def _litestar() -> Litestar:
    """Return the routes. They know no settings, so every application of a process shares them."""
    return Litestar(
        route_handlers=[*ROUTES, *PAGES],
        guards=[require_token],
        exception_handlers=dict(HANDLED),
        openapi_config=None,
        logging_config=None,
        request_class=BoundedRequest,
    )


@cache
def _paths() -> Paths:
    """Return the paths of the routes, which every application of a process shares too."""
    return Paths((*ROUTES, *PAGES))


class Application:
    """
    The routes, wrapped in the parts that every answer needs, including those of unmatched routes.

    Each request gets an identifier, which its answer and its problem document carry. Private
    answers must not be cached.

    Attributes:
      limits: How much each client may ask.
      shell: The parts of the process. ``None`` until the start.
    """

    def __init__(
        self, settings: Settings, stopping: asyncio.Event, observer: Observer | None = None
    ) -> None:
        self._settings = settings
        self._observer = observer or Observer()
        self._stopping = stopping
        self._proxies = Proxies(settings.proxies())
        self.limits = Limits(settings, self._proxies)
        self.shell: Shell | None = None
        self._front = Front(_litestar(), HANDLED, self.limits)
        self._edge = Edge(self._front, _paths(), Cors(settings.origins()))
        self._console = Console(self._edge)
        self._entropy = SystemEntropy()

    def pool_size(self) -> tuple[int, int]:
        """Return how many connections to the log are open, and how many of them are idle."""
        pool = None if self.shell is None else self.shell.pool
        return (0, 0) if pool is None else (pool.get_size(), pool.get_idle_size())

    @contextlib.asynccontextmanager
    async def lifespan(self) -> AsyncIterator[None]:
        """Start the parts of the process, and stop them at the end of the block."""
        async with contextlib.AsyncExitStack() as stack:
            self.shell = await self._open(stack)
            if self._settings.neighbours is not None:
                answer = partial(self._front.answer_handed, self.shell)
                folder, kind = Path(self._settings.neighbours), _kind(self._settings)
                self.shell.neighbours = Neighbours(folder, kind, answer)
                await stack.enter_async_context(self.shell.neighbours.met())
            settle()
            yield
            self._stopping.set()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(SHUTDOWN_SECONDS):
                    await self._console.ended()
            self._observer.flush()

    async def _open(self, stack: contextlib.AsyncExitStack) -> Shell:
        """Make the parts of the process. If the database goes away meanwhile, start over."""
        loop = asyncio.get_running_loop()
        until = loop.time() + START_SECONDS
        while True:
            opened = _shell(self._settings, self._stopping, self._proxies, self.limits)
            try:
                return await stack.enter_async_context(opened)
            except Exception as error:
                if not is_coming(error) or self._stopping.is_set() or loop.time() >= until:
                    raise
                _log.warning("the start begins again", error=type(error).__name__)
                await asyncio.sleep(RETRY_SECONDS)

    async def __call__(
        self,
        scope: Scope | LifeSpanScope,
        receive: Receive | LifeSpanReceive,
        send: Send | LifeSpanSend,
    ) -> None:
        """Serve one connection, or the server's start and stop."""
        if scope["type"] == "lifespan":
            await self._live(cast(LifeSpanReceive, receive), cast(LifeSpanSend, send))
            return
        http = cast(HTTPScope, scope)
        began, seen = time.perf_counter(), Seen()
        request = telemetry.given_id(http["headers"]) or str(self._entropy.uuid())
        telemetry.REQUEST.set(request)  # the server gives each request a task of its own
        scope["state"] = {
            **scope.get("state", {}),
            "request_id": request,
            "shell": self.shell,
            "seen": seen,
        }
        served = self._console if _for_people(http) else self._edge
        try:
            await served(http, cast(Receive, receive), cast(Send, send))
        finally:
            seconds = time.perf_counter() - began
            self._observer.answered(seen, http["method"], http["path"], request, seconds)

    async def _live(self, receive: LifeSpanReceive, send: LifeSpanSend) -> None:
        """Start and stop when the server says so."""
        await receive()
        started = False
        try:
            async with self.lifespan():
                await send({"type": "lifespan.startup.complete"})
                started = True
                await receive()
        except BaseException:
            if started:
                await send({"type": "lifespan.shutdown.failed", "message": format_exc()})
            else:
                await send({"type": "lifespan.startup.failed", "message": format_exc()})
            raise
        await send({"type": "lifespan.shutdown.complete"})


def _kind(settings: Settings) -> str:
    """Return the name that processes with the same installation and code share."""
    database = {name: it for name, it in parts(settings.database_url).items() if name in _PLACE}
    told = [settings.secret_key, version("holotable"), of_code().head]
    return kind_of(*told, *(database.get(name, "") for name in _PLACE))


def _for_people(scope: HTTPScope) -> bool:
    """
    Return whether the console answers a path, and not the API.

    A path that neither knows gets a page if a browser asks, and a problem document otherwise.
    """
    path = scope["path"]
    if path.startswith(_API) or _paths().at(path) is not None:
        return False
    if serves(path):
        return True
    accept = next((value for name, value in scope["headers"] if name == b"accept"), b"")
    return b"text/html" in accept


class Server(uvicorn.Server):
    """
    A server that notifies its application of the first signal, even during its start.

    Otherwise the server would wait for its streams, and the streams for their clients.

    Args:
      config: The server's configuration.
      stopping: Set when the signal comes.
    """

    def __init__(self, config: uvicorn.Config, stopping: asyncio.Event) -> None:
        super().__init__(config)
        self._stopping = stopping

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start to serve. If the port is taken, say by whom."""
        try:
            await super().startup(sockets)
        except SystemExit as ended:
            cause = ended.__context__
            if isinstance(cause, OSError) and cause.errno == errno.EADDRINUSE:
                _log.error(taken(self.config.port))
            raise

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Notify the application, then stop as any server does."""
        asyncio.get_running_loop().call_soon_threadsafe(self._stopping.set)
        super().handle_exit(sig, frame)


def build(
    settings: Settings, stopping: asyncio.Event | None = None, observer: Observer | None = None
) -> Application:
    """
    Return the application. Nothing connects before its lifespan begins.

    Args:
      stopping: Ends streams, and the wait for a database, when it is set.
      observer: Writes the access log.
    """
    return Application(settings, stopping or asyncio.Event(), observer)


def run(settings: Settings) -> None:
    """Serve until a signal says to stop. Exit with 3 if the server never started."""
    give_back_large()
    observer = Observer(telemetry.configure(settings, "api"))
    metrics.serve(settings.metrics_address, ready=Schema(settings.database_url))
    stopping = asyncio.Event()
    application = build(settings, stopping, observer)
    connections = Connections(settings, Proxies(settings.proxies()))
    metrics.STREAMS.set_function(lambda: application.limits.streams.number)
    metrics.CONNECTIONS.set_function(lambda: connections.number)
    metrics.POOL.labels("open").set_function(lambda: application.pool_size()[0])
    metrics.POOL.labels("idle").set_function(lambda: application.pool_size()[1])
    config = uvicorn.Config(
        application,
        host=settings.host,
        port=settings.port,
        log_level=settings.log_level,
        log_config=None,  # its lines take the form of ours
        access_log=False,  # ours names operations, because a path may hold a secret
        timeout_graceful_shutdown=SHUTDOWN_SECONDS,
        server_header=False,
        proxy_headers=False,  # service.api.http.wire.proxies reads them, only from trusted proxies
        http=protocol_of(connections, application.limits.crowd),
        ws="none",
        timeout_keep_alive=settings.keep_alive_seconds,
    )
    server = Server(config, stopping)
    server.run()
    if not server.started:
        sys.exit(3)


@contextlib.asynccontextmanager
async def _shell(
    settings: Settings, stopping: asyncio.Event, proxies: Proxies, limits: Limits
) -> AsyncIterator[Shell]:
    async with contextlib.AsyncExitStack() as stack:
        runtime = await stack.enter_async_context(open_runtime(settings, "api", stopping))
        engine = async_engine(settings.database_url, settings.database_connections)
        stack.push_async_callback(engine.dispose)
        async with engine.begin() as connection:
            await seal_old(connection, runtime.writer.store.keys)
        doors = Doors(runtime.pool, runtime.later)
        await doors.look()
        news = News(
            runtime.writer, Subscription(settings.database_url, doors=doors.heard), stopping
        )
        await news.start()
        stack.push_async_callback(news.aclose)
        shell = Shell(
            settings=settings,
            runtime=runtime,
            engine=engine,
            pool=runtime.pool,
            schema=of_code(),
            positions=positions(engine),
            tokens=Grouped(lambda texts: by_tokens(engine, texts, runtime.clock.now())),
            names=Grouped(lambda players: names_in_order(engine, players)),
            news=news,
            doors=doors,
            joined=Joined(engine),
            refusals=Refusals(runtime.pool),
            requests=Requests(*settings.secret_keys),
            guesses=Guesses(settings.secret_key, settings.failed_sign_ins),
            receipts=ReceiptIssuer(client_of(settings), runtime.pool),
            sandbox=Sandbox(runtime) if settings.sandbox else None,
            proxies=proxies,
            limits=limits,
            troubles=Troubles(runtime.pool),
            neighbours=None,
            stopping=stopping,
        )
        of_database = (shell.refusals, shell.receipts, shell.tokens, shell.names, shell.positions)
        # A look-up may have lost its last request, and the engine closes only idle connections.
        for part in (*of_database, shell.joined):
            stack.push_async_callback(part.aclose)
        doors.person = partial(changed, shell)
        await stack.enter_async_context(beating("the event loop"))
        yield shell
