"""Lines between clients and servers that cut, drop, delay and half-close their traffic."""

import asyncio
import contextlib
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Final

CHUNK: Final = 4096
DELAY_SECONDS: Final = 0.3
SILENT_SECONDS: Final = 2.0
"""The time for which a client waits when its answer was dropped."""


@dataclass(slots=True)
class Weather:
    """
    The probability of each fault for one chunk on a line.

    Args:
        dice: The source of every choice.
        name: The name of the line in the counts.
        counts: Counts the faults.
    """

    dice: Random
    name: str
    counts: Counter[str]
    cut: float = 0.0
    """The connection ends in the middle of a chunk."""

    swallowed: float = 0.0
    """A chunk of an answer is dropped, and nothing follows it."""

    delayed: float = 0.0
    half_closed: float = 0.0
    """The client's side ends after a chunk, and the answer is still read."""

    def set(self, *, cut: float, swallowed: float, delayed: float, half_closed: float) -> None:
        """Change the weather."""
        self.cut, self.swallowed = cut, swallowed
        self.delayed, self.half_closed = delayed, half_closed

    def calm(self) -> None:
        """From now on let everything through."""
        self.set(cut=0.0, swallowed=0.0, delayed=0.0, half_closed=0.0)

    def happens(self, what: str) -> bool:
        """Draw whether a fault happens now, and count it."""
        found = self.dice.random() < getattr(self, what)
        if found:
            self.counts[f"{self.name} {what.replace('_', '-')}"] += 1
        return found


@dataclass(slots=True)
class Line:
    """
    A line on a port of its own that leads to *target*.

    Args:
        target: Returns the port of the server at the moment of a connection.
    """

    weather: Weather
    target: Callable[[], int]
    port: int = 0
    _server: asyncio.Server | None = None
    _open: set[asyncio.Task[None]] = field(default_factory=set)

    async def start(self) -> None:
        """Listen on a free port."""
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]

    async def aclose(self) -> None:
        """End all connections."""
        if self._server is not None:
            self._server.close()
        for task in tuple(self._open):
            task.cancel()
        await asyncio.gather(*self._open, return_exceptions=True)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        if task is not None:
            self._open.add(task)
            task.add_done_callback(self._open.discard)
        with contextlib.suppress(OSError, asyncio.CancelledError):
            try:
                far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self.target())
            except OSError:
                writer.transport.abort()  # the client's connection fails as the server's did
                return
            try:
                await self._carry(reader, writer, far_reader, far_writer)
            finally:
                writer.transport.abort()
                far_writer.transport.abort()

    async def _carry(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        far_reader: asyncio.StreamReader,
        far_writer: asyncio.StreamWriter,
    ) -> None:
        there = asyncio.create_task(self._pump(reader, far_writer, answers=False))
        back = asyncio.create_task(self._pump(far_reader, writer, answers=True))
        try:
            # The server may still answer a client that has closed its sending side, but not the
            # reverse.
            await asyncio.wait((there, back), return_when=asyncio.FIRST_COMPLETED)
            if there.done() and there.result():
                await back
            elif back.done():
                await writer.drain()
        finally:
            for task in (there, back):
                task.cancel()
            await asyncio.gather(there, back, return_exceptions=True)

    async def _pump(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, answers: bool
    ) -> bool:
        """Carry one direction to its end. Return whether the other direction may go on."""
        weather = self.weather
        while data := await reader.read(CHUNK):
            if weather.happens("delayed"):
                await asyncio.sleep(weather.dice.random() * DELAY_SECONDS)
            if weather.happens("cut"):
                writer.write(data[: len(data) // 2])
                await writer.drain()
                return False
            if answers and weather.happens("swallowed"):
                await asyncio.sleep(weather.dice.random() * SILENT_SECONDS)
                return False
            writer.write(data)
            await writer.drain()
            if not answers and weather.happens("half_closed"):
                break
        if writer.can_write_eof():
            writer.write_eof()
        return True
