"""
The API processes of one machine. One of them answers for each league.

The processes find each other in a folder that only their user can enter. Each has a socket there.
Each league has one process that answers for its tables, and the others hand it their requests. So
one process decides in whole batches. No other process has to fold its events, or decides on an old
copy.

Nothing relies on this. Two processes may both answer for a league; the log then decides, as it does
between machines. A neighbour that ends or stalls costs a short wait. Its requests are then answered
here, and the log knows the commands that it had carried out.
"""

import asyncio
import hashlib
import os
import stat
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final, cast

import msgspec
import structlog

from service.api.http.wire.frames import Answered, Frames, Handed
from service.base import metrics
from service.base.settings import SettingsInvalid

_BEAT_SECONDS: Final = 0.1
_SILENT_BEATS: Final = 5
"""A neighbour that owes an answer may miss this many beats."""

_LOOK_SECONDS: Final = 1.0

FOLDER_MAX: Final = 72
"""The longest path of a folder in bytes. The path of a socket in it has at most 107."""

_ANSWERED = metrics.HANDED.labels("answered")
_GONE = metrics.HANDED.labels("gone")

_handed = msgspec.msgpack.Decoder(Handed)
_answered = msgspec.msgpack.Decoder(Answered)
_encode = msgspec.msgpack.Encoder().encode

Headers = list[tuple[bytes, bytes]]
"""The headers of a request, as its client sent them."""

Serve = Callable[[Handed], Awaitable[Answered]]
"""Answers a request that a neighbour has handed on. After an exception the neighbour answers it."""

_log = structlog.get_logger(__name__)


class Neighbour(Frames):
    """
    Another process, which answers requests.

    Args:
        left: Called when the neighbour has gone or stalls.
    """

    def __init__(self, left: Callable[[], None]) -> None:
        super().__init__()
        self._left = left
        self._waiting: dict[int, asyncio.Future[Answered | None]] = {}
        self._asked = 0
        self._silent = 0
        self.greeted = asyncio.Event()
        """Set by its first message. A stalled process accepts connections too."""

    async def ask(
        self, method: str, path: str, request: str, headers: Headers, body: bytes
    ) -> Answered | None:
        """Return the answer to a request, or None if the process has gone or stalls."""
        if self.out is None:
            return None
        self._asked = number = self._asked + 1
        if not self._waiting:
            self._silent = 0
        answer: asyncio.Future[Answered | None] = asyncio.get_running_loop().create_future()
        self._waiting[number] = answer
        self.say(_encode(Handed(number, method, path, request, headers, body)))
        try:
            found = await answer
        finally:
            self._waiting.pop(number, None)
        (_ANSWERED if found is not None else _GONE).inc()
        return found

    def hear(self, message: bytes) -> None:
        """Take an answer or a heartbeat."""
        self._silent = 0
        self.greeted.set()
        if message:
            answered = _answered.decode(message)
            waiting = self._waiting.get(answered.number)
            if waiting is not None and not waiting.done():
                waiting.set_result(answered)

    def beat(self) -> None:
        """Give up the process if it owes answers and has been silent for too long."""
        self._silent += 1
        # Beats are counted, not seconds. So messages that arrived while this process itself stalled
        # are read first.
        if self._waiting and self._silent > _SILENT_BEATS:
            _log.warning("a neighbour stands still", requests=len(self._waiting))
            self.hang_up()
            self._gone()

    def connection_lost(self, error: Exception | None) -> None:
        """Have the open requests answered elsewhere."""
        super().connection_lost(error)
        self._gone()

    def _gone(self) -> None:
        self.out = None
        for waiting in self._waiting.values():
            if not waiting.done():
                waiting.set_result(None)
        self._left()


class _Caller(Frames):
    """A process that hands requests to this one."""

    def __init__(self, at: "Neighbours") -> None:
        super().__init__()
        self._at = at
        self._owed = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Greet the process."""
        super().connection_made(transport)
        if self.out is not None:
            self._at.callers.add(self)
            self.say()

    def connection_lost(self, error: Exception | None) -> None:
        """Forget the process. Its open requests are still carried out."""
        super().connection_lost(error)
        self._at.callers.discard(self)

    def pause_writing(self) -> None:
        """Take no further requests while the process does not take its answers."""
        if self.out is not None:
            cast(asyncio.Transport, self.out).pause_reading()

    def resume_writing(self) -> None:
        """Take requests again."""
        if self.out is not None:
            cast(asyncio.Transport, self.out).resume_reading()

    def hear(self, message: bytes) -> None:
        """Begin to answer a request."""
        handed = _handed.decode(message)
        self._owed += 1
        task = asyncio.create_task(self._answer(handed))
        self._at.answering.add(task)
        task.add_done_callback(self._at.answering.discard)

    async def _answer(self, handed: Handed) -> None:
        try:
            self.say(_encode(await self._at.serve(handed)))
        except Exception:  # noqa: BLE001
            # An answer that never came would keep its client waiting for ever. Without this
            # connection the other process answers by itself.
            _log.exception("a request that was handed on has no answer")
            self.hang_up()
        finally:
            self._owed -= 1

    def beat(self) -> None:
        """Send a heartbeat to the process, if it waits for an answer."""
        if self._owed:
            self.say()


class Neighbours:
    """
    The processes of this machine, including this one.

    Args:
        folder: The folder of the sockets.
        kind: A name that only processes of this installation and version share.
        serve: Answers requests of other processes.
    """

    def __init__(self, folder: Path, kind: str, serve: Serve) -> None:
        self._folder = folder
        self._kind = kind
        self._name = f"{kind}-{os.urandom(8).hex()}"
        self._known: dict[str, Neighbour] = {}
        self.serve = serve
        self.callers: set[_Caller] = set()
        self.answering: set[asyncio.Task[None]] = set()
        """The requests of other processes that are under way here."""

    @property
    def number(self) -> int:
        """The number of other processes that are known."""
        return len(self._known)

    def at(self, league: str) -> Neighbour | None:
        """Return the process that answers for *league*, or None for this process."""
        if not self._known:
            return None
        name = max((self._name, *self._known), key=lambda each: rank(each, league))
        return self._known.get(name)

    @asynccontextmanager
    async def met(self) -> AsyncIterator[None]:
        """
        Answer neighbours and look for new ones, for the length of the block.

        Raises:
            SettingsInvalid: If others may enter the folder.
        """
        _demand_own(self._folder)
        loop = asyncio.get_running_loop()
        path, new = self._folder / self._name, self._folder / f".{self._name}"
        server = await loop.create_unix_server(lambda: _Caller(self), new)
        new.rename(path)  # a process that finds a socket without a listener removes it
        running = [asyncio.create_task(self._beat()), asyncio.create_task(self._look())]
        try:
            yield
        finally:
            path.unlink(missing_ok=True)
            server.close()
            for each in (*self.callers, *self._known.values()):
                each.hang_up()
            running += self.answering
            for task in running:
                task.cancel()
            await asyncio.gather(*running, return_exceptions=True)

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(_BEAT_SECONDS)
            for each in (*self.callers, *self._known.values()):
                each.beat()

    async def _look(self) -> None:
        """Connect to the processes whose sockets appear in the folder."""
        while True:
            try:
                for path in self._folder.glob(f"{self._kind}-*"):
                    if path.name not in self._known and path.name != self._name:
                        await self._meet(path)
            except OSError as error:  # nothing would restart this loop
                _log.warning("the search for neighbours failed", error=str(error))
            await asyncio.sleep(_LOOK_SECONDS)

    async def _meet(self, path: Path) -> None:
        loop = asyncio.get_running_loop()
        neighbour = Neighbour(lambda: self._part(path.name, neighbour))
        try:
            async with asyncio.timeout(_BEAT_SECONDS * _SILENT_BEATS):
                await loop.create_unix_connection(lambda: neighbour, str(path))
                await neighbour.greeted.wait()
        except ConnectionRefusedError:  # it has ended without closing the connection
            _forget(path)
        except (OSError, TimeoutError) as error:
            _log.info("a neighbour does not greet", error=type(error).__name__)
        else:
            if neighbour.out is not None:
                self._known[path.name] = neighbour
        finally:
            if path.name not in self._known:
                neighbour.hang_up()

    def _part(self, name: str, neighbour: Neighbour) -> None:
        if self._known.get(name) is neighbour:
            del self._known[name]


def kind_of(*parts: str) -> str:
    """Return a name for processes with equal *parts*. The name does not reveal the parts."""
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def rank(name: str, league: str) -> bytes:
    """Return the rank of a process for a league.

    If a process joins or leaves, only its leagues move.
    """
    return hashlib.blake2b(f"{name} {league}".encode(), digest_size=8).digest()


def _forget(path: Path) -> None:
    path.unlink(missing_ok=True)


def _demand_own(folder: Path) -> None:
    if len(os.fsencode(folder)) > FOLDER_MAX:
        raise SettingsInvalid(f"HOLOTABLE_NEIGHBOURS: more than {FOLDER_MAX} bytes: {folder}")
    try:
        found = folder.stat()
    except OSError as error:
        raise SettingsInvalid(f"HOLOTABLE_NEIGHBOURS: {error.strerror}: {folder}") from error
    alone = found.st_uid == os.getuid() and not stat.S_IMODE(found.st_mode) & 0o077
    if not stat.S_ISDIR(found.st_mode) or not alone:
        raise SettingsInvalid(
            f"HOLOTABLE_NEIGHBOURS: {folder} must be a folder that only its user can enter (0700)"
        )
