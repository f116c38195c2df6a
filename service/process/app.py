"""The composition root of the API process."""

import asyncio
import contextlib
import sys
from collections.abc import AsyncIterator
from types import FrameType
from typing import Any

import sqlalchemy as sa
import uvicorn
from litestar import Litestar
from litestar.datastructures import State
from litestar.enums import ScopeType
from litestar.types import Receive, Scope, Send

from service.api.front import Front
from service.api.http.authentication import require_token
from service.api.http.connections import Connections
from service.api.http.limiting import Limits
from service.api.http.news import News
from service.api.http.problems import AWAY, HANDLERS, Handlers, answer_away, answer_database
from service.api.http.proxies import Proxies
from service.api.http.requests import BoundedRequest
from service.api.http.serving import protocol_of
from service.api.http.shell import Shell
from service.api.openapi import openapi_document
from service.api.routes import ROUTES
from service.base.database import async_engine
from service.base.grouping import Grouped
from service.base.settings import Settings
from service.base.sources import SystemEntropy
from service.director.runtime import open_runtime, settle
from service.log.subscription import Subscription
from service.people.confidential_claims import seal_old
from service.people.guessing import Guesses
from service.people.idempotency import Refusals, Requests
from service.people.tokens import by_tokens
from service.projections.progress import positions
from service.projections.troubles import Troubles
from service.transparency.receipting import ReceiptIssuer

__all__ = ["build", "openapi_document", "run"]

SHUTDOWN_SECONDS = 5


class Application:
    """
    Litestar, wrapped in the parts that every answer needs, including those of unmatched routes.

    Each request gets an identifier, which its answer and its problem document carry. Private
    answers must not be cached.
    """

    def __init__(self, litestar: Litestar, handlers: Handlers, limits: Limits) -> None:
        self.litestar = litestar
        self.limits = limits
        self._front = Front(litestar, handlers, limits)
        self._entropy = SystemEntropy()

    @property
    def lifespan(self) -> Any:
        """Litestar's own lifespan, which tests enter by hand."""
        return self.litestar.lifespan

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        if scope["type"] != ScopeType.HTTP:
            await self._front(scope, receive, send)
            return
        scope["state"] = {
            **scope.get("state", {}),
            "request_id": str(self._entropy.uuid()),
            "shell": self.litestar.state.get("shell"),
        }
        await self._front(scope, receive, send)


class Server(uvicorn.Server):
    """
    A server that tells its application of the first signal, even during its start.

    Otherwise the server would wait for its streams, and the streams for their clients.

    Args:
      config: The server's configuration.
      stopping: Set when the signal comes.
    """

    def __init__(self, config: uvicorn.Config, stopping: asyncio.Event) -> None:
        super().__init__(config)
        self._stopping = stopping

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Tell the application, then stop as any server does."""
        asyncio.get_running_loop().call_soon_threadsafe(self._stopping.set)
        super().handle_exit(sig, frame)


def build(settings: Settings, stopping: asyncio.Event | None = None) -> Application:
    """
    Return the application. Nothing connects before its lifespan begins.

    Args:
      stopping: Ends streams, and the wait for a database, when it is set.
    """
    stopping = stopping or asyncio.Event()
    proxies = Proxies(settings.proxies())
    limits = Limits(settings, proxies)

    @contextlib.asynccontextmanager
    async def lifespan(app: Litestar) -> AsyncIterator[None]:
        async with _shell(settings, stopping, proxies, limits) as shell:
            app.state.shell = shell
            settle()
            yield
            stopping.set()

    handlers: dict[int | type[Exception], Any] = {**HANDLERS}
    handlers.update((each, answer_away) for each in AWAY)
    handlers[sa.exc.DBAPIError] = answer_database
    litestar = Litestar(
        route_handlers=list(ROUTES),
        guards=[require_token],
        exception_handlers=handlers,
        lifespan=[lifespan],
        openapi_config=None,
        logging_config=None,
        request_class=BoundedRequest,
        state=State(),
    )
    return Application(litestar, handlers, limits)


def run(settings: Settings) -> None:
    """Serve until a signal says to stop. Exit with 3 if the server never started."""
    stopping = asyncio.Event()
    config = uvicorn.Config(
        build(settings, stopping),
        host=settings.host,
        port=settings.port,
        log_level=settings.log_level,
        access_log=False,
        timeout_graceful_shutdown=SHUTDOWN_SECONDS,
        server_header=False,
        proxy_headers=False,  # service.api.http.proxies reads them, only from trusted proxies
        http=protocol_of(Connections(settings, Proxies(settings.proxies()))),
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
        news = News(runtime.writer, Subscription(settings.database_url), stopping)
        await news.start()
        stack.push_async_callback(news.aclose)
        refusals = Refusals(runtime.pool)
        stack.push_async_callback(refusals.aclose)
        receipts = ReceiptIssuer(settings.signer_url, runtime.pool)
        stack.push_async_callback(receipts.aclose)
        yield Shell(
            settings=settings,
            runtime=runtime,
            engine=engine,
            pool=runtime.pool,
            positions=positions(engine),
            tokens=Grouped(lambda texts: by_tokens(engine, texts, runtime.clock.now())),
            news=news,
            refusals=refusals,
            requests=Requests(*settings.secret_keys),
            guesses=Guesses(settings.secret_key, settings.failed_sign_ins),
            receipts=receipts,
            proxies=proxies,
            limits=limits,
            troubles=Troubles(runtime.pool),
            stopping=stopping,
        )
