"""
News of leagues: each event is read once for all of its followers in this process.

A league with followers has one channel. The channel wakes only for its own league, reads on from
its last position, and hands each event to the followers of its stream.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Hashable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from uuid import UUID

from engine.league.state import Created
from engine.values import stream_of
from service.api.http.following.watching import Watch, begun, keys_of, watching, woken
from service.base.errors import EventUnreadable, StoreUnavailable
from service.log.canonical import NO_HASH
from service.log.read import CHUNK
from service.log.record import Disconnected, Recorded, league_number
from service.log.subscription import Subscription
from service.log.writer import Writer

_log = logging.getLogger(__name__)

POLL_SECONDS = 2.0
"""Time between two checks of all channels for events that no notification announced."""

QUEUE_MAX = 200
"""Most events that wait for one follower. A slower follower reads on from the log."""

_EXPECTED = (Disconnected, StoreUnavailable, EventUnreadable)


@dataclass(slots=True, eq=False)
class Told:
    """An event, with the views of it that have been made so far."""

    row: Recorded
    folded: bool
    """True unless a repair has voided the event."""

    views: dict[Hashable, bytes] = field(default_factory=dict)
    """The views by everything they depend on: audience, place, epoch."""


class Follower:
    """
    A request that follows a stream, or a whole league if *stream* is None.

    Args:
        started: Set once the channel has a position. It offers all later events.
        stopping: Set when the process stops, so that no follower goes on waiting.
    """

    def __init__(self, stream: str | None, started: asyncio.Event, stopping: asyncio.Event) -> None:
        self.stream = stream
        self.behind = True
        """True if the follower has missed events and must read the log from its own cursor."""

        self._started = started
        self._stopping = stopping
        self._queue: deque[Told] = deque()
        self._woken = asyncio.Event()
        self._error: Exception | None = None

    async def resume(self) -> None:
        """
        Start queueing all later events. A read of the log after this call leaves no gap before
        them.

        Raises:
            StoreUnavailable: If the channel has no position in time.
            Exception: The error that ended the channel.
        """
        await begun(self._started)
        self.take()
        self.behind = False

    def take(self) -> list[Told]:
        """
        Return the queued events and empty the queue.

        Raises:
            Exception: The error that ended the channel.
        """
        if self._error is not None:
            raise self._error.with_traceback(None)
        taken = list(self._queue)
        self._queue.clear()
        self._woken.clear()
        return taken

    async def wait(self, seconds: float) -> bool:
        """Wait until there may be something to take. Return False after *seconds*."""
        return await woken(self._woken, self._stopping, seconds)

    def offer(self, told: Told) -> None:
        """Queue *told*. If the queue is full, drop the queue and mark the follower as behind."""
        if not self.behind:
            if len(self._queue) >= QUEUE_MAX:
                self._queue.clear()
                self.behind = True
            else:
                self._queue.append(told)
        self._woken.set()

    def wake(self, error: Exception | None = None) -> None:
        """End the follower's wait, with the *error* that ended its channel."""
        self._error = error
        self._woken.set()


class Channel:
    """The events of one league, read for as long as it has followers."""

    def __init__(self, writer: Writer, league: UUID, ended: Callable[["Channel"], None]) -> None:
        self.started = asyncio.Event()
        self.end: tuple[int, bytes] = (-1, NO_HASH)
        """Position and hash of the last event that was read."""

        self._writer = writer
        self._number = league
        self._league = f"lge_{league.hex}"
        self._ended = ended
        self._news = asyncio.Event()
        self._heard = -1
        """The last position that a wake-up named since the last read. It is not trusted."""

        self._followers: dict[str | None, set[Follower]] = {}
        self._watches: dict[str, set[Watch]] = {}
        """The watches by the keys that they watch here."""

    @property
    def followed(self) -> bool:
        """True if the channel has a follower or a watch."""
        return bool(self._followers or self._watches)

    def add(self, follower: Follower) -> None:
        """Offer all later events of its stream to *follower*."""
        self._followers.setdefault(follower.stream, set()).add(follower)

    def remove(self, follower: Follower) -> None:
        """Offer *follower* nothing more. Without followers the channel ends."""
        rest = self._followers[follower.stream]
        rest.discard(follower)
        if not rest:
            del self._followers[follower.stream]
        self._end_unless_followed()

    def watch(self, keys: AbstractSet[str], watch: Watch) -> None:
        """Notify *watch* of later events under *keys*."""
        for key in keys:
            self._watches.setdefault(key, set()).add(watch)

    def unwatch(self, keys: AbstractSet[str], watch: Watch) -> None:
        """Stop notifying *watch* about *keys*. With nobody left the channel ends."""
        for key in keys:
            rest = self._watches[key]
            rest.discard(watch)
            if not rest:
                del self._watches[key]
        self._end_unless_followed()

    def wake(self, position: int) -> None:
        """Make the channel read on, unless it has read *position* or is about to."""
        if position > max(self.end[0], self._heard):
            self._heard = position
            self._news.set()

    def read_again(self) -> None:
        """Make the channel read on. It fails if the log has changed behind it."""
        self._news.set()

    def wake_followers(self, error: Exception | None = None) -> None:
        """End the wait of all followers, with the *error* that ended the channel."""
        for followers in self._followers.values():
            for follower in followers:
                follower.wake(error)
        for watch in set().union(*self._watches.values()):
            watch.wake(self._league, error)

    def _end_unless_followed(self) -> None:
        if not self.followed:
            self._ended(self)
            self._news.set()

    def fail(self, error: Exception) -> None:
        """
        End the channel. Its followers raise *error*, and their clients reconnect to another
        channel.
        """
        self._ended(self)
        self.wake_followers(error)
        self.started.set()

    async def run(self) -> None:
        """Read and hand out events until there is no follower left."""
        try:
            ends = await self._writer.store.ends((self._number,))
            self.end = ends.get(self._number, self.end)
            await self._voided(())
            self.started.set()
            while self.followed:
                await self._news.wait()
                self._news.clear()
                await self._read_on()
                self._heard = self.end[0]
        except Exception as error:  # noqa: BLE001 - raised in each follower instead
            # One task reads for all followers, so nobody waits for this task itself.
            shown = None if isinstance(error, _EXPECTED) else error
            _log.warning("a channel ended: %s", type(error).__name__, exc_info=shown)
            self.fail(error)

    async def _read_on(self) -> None:
        while self.followed:
            position, last = self.end
            # Read the last event again: after a failover its position may hold another.
            rows = await self._writer.store.league(self._number, max(position - 1, -1), CHUNK)
            full = len(rows) == CHUNK
            if position >= 0:
                if not rows or rows[0].hash != last:
                    raise StoreUnavailable("the log has changed since the last read")
                rows = rows[1:]
            if not rows:
                return
            self._tell(rows, await self._voided(rows))
            self.end = (rows[-1].position, rows[-1].hash)
            if not full:
                return

    async def _voided(self, rows: Sequence[Recorded]) -> Sequence[int]:
        """
        Return the voided positions, from a state of the league that includes *rows*.

        Followers check membership in this process's copy of that state. So no event reaches anybody
        removed by an earlier event.
        """
        stream = stream_of(self._league)
        latest = max((row.stream_version for row in rows if row.stream == stream), default=0)
        known = self._writer.known(self._league, stream)
        # Before the first rows, this copy may be older than the channel's position.
        fresh = not rows or known is None or known.version < latest
        state = (await self._writer.load(self._league, stream, fresh)).state
        return state.voided if isinstance(state, Created) else ()

    def _tell(self, rows: Sequence[Recorded], voided: Sequence[int]) -> None:
        of_all = self._followers.get(None, ())
        for row in rows:
            if followers := (*self._followers.get(row.stream, ()), *of_all):
                told = Told(row, row.position not in voided)
                for follower in followers:
                    follower.offer(told)
            for key in keys_of(row) if self._watches else ():
                for watch in self._watches.get(key, ()):
                    watch.tell(self._league, row)


class News:
    """
    The channels of one process.

    Args:
        subscription: Reports the leagues that have new events.
        stopping: Set when the process stops.
    """

    def __init__(self, writer: Writer, subscription: Subscription, stopping: asyncio.Event) -> None:
        self._writer = writer
        self._subscription = subscription
        self._stopping = stopping
        self._channels: dict[UUID, Channel] = {}
        self._running: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        """Start listening and polling. This process's own appends are heard at once."""
        self._writer.grown = self._grown
        await self._subscription.start()
        for work, name in ((self._listen, "news"), (self._poll, "news-poll"), (self._end, "end")):
            self._run(asyncio.create_task(work(), name=name))

    async def aclose(self) -> None:
        """Stop listening and polling."""
        running = tuple(self._running)
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
        await self._subscription.aclose()

    @contextmanager
    def following(self, league: str, stream: str | None) -> Iterator[Follower]:
        """Follow *stream*, or the whole of *league* if *stream* is None."""
        channel = self._channel(league)
        follower = Follower(stream, channel.started, self._stopping)
        channel.add(follower)
        try:
            yield follower
        finally:
            channel.remove(follower)

    def watching(self, keeping: Sequence[str] = ()) -> AbstractContextManager[Watch]:
        """Open a watch of streams in several leagues, which keeps the events of some types."""
        return watching(self._channel, self._stopping, keeping)

    def _channel(self, league: str) -> Channel:
        number = league_number(league)
        channel = self._channels.get(number)
        if channel is None:

            def ended(one: Channel) -> None:
                if self._channels.get(number) is one:
                    del self._channels[number]

            channel = self._channels[number] = Channel(self._writer, number, ended)
            self._run(asyncio.create_task(channel.run(), name=f"news-{number.hex}"))
        return channel

    def _run(self, task: asyncio.Task[None]) -> None:
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    def _grown(self, league: UUID, position: int) -> None:
        channel = self._channels.get(league)
        if channel is not None:
            channel.wake(position)

    async def _listen(self) -> None:
        while True:
            for league, position in (await self._subscription.heard()).items():
                self._grown(league, position)

    async def _poll(self) -> None:
        while True:
            await asyncio.sleep(POLL_SECONDS)
            asked = [(league, each) for league, each in self._channels.items()
                     if each.started.is_set()]  # fmt: skip
            if not asked:
                continue
            try:
                ends = await self._writer.store.ends([league for league, _ in asked])
            except Exception as error:  # noqa: BLE001 - raised in each follower instead
                # One loop polls for every league, and nothing would start it again.
                _log.warning("channels were not polled: %s", type(error).__name__)
                for _, channel in asked:
                    channel.fail(error)
                continue
            for league, channel in asked:
                if ends.get(league) != channel.end:
                    channel.read_again()

    async def _end(self) -> None:
        await self._stopping.wait()
        for channel in self._channels.values():
            channel.wake_followers()
