"""A receiver of webhooks on loopback, and a worker that does the jobs of webhooks step by step."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import psycopg

from service.director.runtime import Runtime, open_runtime
from service.tasks.child import perform
from service.tasks.jobs import ClaimedJob
from service.tasks.ticker import Ticker
from tests.support.databases import TestDatabase

LOOPBACK = "127.0.0.0/8"


@dataclass
class Received:
    """A request that a receiver got."""

    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Receiver:
    """A server that keeps every request and answers with the next of its statuses."""

    port: int = 0
    got: list[Received] = field(default_factory=list)
    answers: list[int] = field(default_factory=list)
    """The statuses of the next answers. Without one, the answer is 204. 0 stands for no answer."""

    headers: str = ""
    """Further header lines of every answer, each with its line end."""

    let_go: asyncio.Event = field(default_factory=asyncio.Event)
    """Set to end the connections without an answer."""

    _news: asyncio.Condition = field(default_factory=asyncio.Condition)

    async def has(self, count: int) -> None:
        """Wait until *count* requests have arrived."""
        async with asyncio.timeout(20), self._news:
            await self._news.wait_for(lambda: len(self.got) >= count)

    @property
    def url(self) -> str:
        """The address of the receiver."""
        return f"http://127.0.0.1:{self.port}/hook"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one request and close the connection."""
        first, *lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        pairs = [line.partition(": ") for line in lines if line]
        headers = {name.lower(): value for name, _, value in pairs}
        body = await reader.readexactly(int(headers.get("content-length", "0")))
        async with self._news:
            self.got.append(Received(first.split(" ")[1], headers, body))
            self._news.notify_all()
        status = self.answers.pop(0) if self.answers else 204
        if status == 0:
            await self.let_go.wait()
        else:
            more = self.headers + "Content-Length: 0\r\nConnection: close\r\n\r\n"
            writer.write(f"HTTP/1.1 {status} Said\r\n{more}".encode())
            await writer.drain()
        writer.close()


@asynccontextmanager
async def receiving() -> AsyncIterator[Receiver]:
    """Yield a receiver that listens on loopback."""
    receiver = Receiver()
    server = await asyncio.start_server(receiver.serve, "127.0.0.1", 0)
    receiver.port = server.sockets[0].getsockname()[1]
    try:
        yield receiver
    finally:
        receiver.let_go.set()
        server.close()


class Worker:
    """A worker's ticker, and the duties that it sends, in this event loop."""

    def __init__(self, runtime: Runtime, ticker: Ticker, sent: list[ClaimedJob]) -> None:
        self.runtime = runtime
        self._ticker = ticker
        self._sent = sent

    async def work(self, *tasks: str) -> int:
        """Do the jobs of *tasks*, or of webhooks, until none is due. Return their number."""
        wanted, done = tasks or ("webhook.deliver",), 0
        while self._ticker.tick() or self._sent:
            mine = [job for job in self._sent if job.task in wanted]
            self._sent.clear()
            for job in mine:
                await perform(self.runtime, job.job_id, job.claim)
            done += len(mine)
        return done


@asynccontextmanager
async def working(
    database: TestDatabase, network: str | None = LOOPBACK, **changes: str | None
) -> AsyncIterator[Worker]:
    """Yield a worker that may reach *network*, with *changes* of its settings."""
    settings = database.settings("holotable_worker", webhook_networks=network, **changes)
    sent: list[ClaimedJob] = []
    ticker = Ticker(settings, sent.append)
    async with open_runtime(settings) as runtime:
        try:
            yield Worker(runtime, ticker, sent)
        finally:
            ticker.stop()


def due_now(database: TestDatabase) -> None:
    """Make every waiting delivery due at once."""
    with psycopg.connect(database.url("holotable_worker"), autocommit=True) as connection:
        connection.execute(
            "UPDATE webhook_delivery SET next_at = service_time() - interval '1 s'"
            " WHERE state = 'waiting'"
        )
