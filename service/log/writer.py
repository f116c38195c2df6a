"""
The writer decides waiting commands in turn and commits them as one batch per league.

There is no batching timer. Each batch holds the commands that arrived during the previous commit.
Each command is decided when its batch is formed, on the states that the commands before it leave.
Commands of one process therefore never conflict with each other.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime, timedelta
from uuid import UUID

import structlog

from engine.decider import AnyDecider
from engine.values import Stream
from service.base import metrics
from service.base.errors import StoreUnavailable
from service.log.answers import Answers
from service.log.batch import Attempt, Former, Receipt, RecordedEvent
from service.log.codec import Codec
from service.log.orders import Decide, Order, States, StreamEvents
from service.log.others import Others
from service.log.own_writes import LogPosition, OwnWrites
from service.log.record import (
    Append,
    DatedAhead,
    Disconnected,
    Outcome,
    StatementFailed,
)
from service.log.rehearsal import Rehearsed, rehearse
from service.log.states import Loaded, State, StateCache
from service.log.store import Store
from service.log.waiting import League, Leagues, Waiting, begin, refuse, requests_of

__all__ = [
    "Decide", "Loaded", "Order", "Receipt", "RecordedEvent", "States", "StreamEvents", "Writer",
]  # fmt: skip

_APPENDS_MAX = 500
_EVENTS_MAX = 2_000
_BYTES_MAX = 1_000_000

_BEGINNING = datetime(1970, 1, 1, tzinfo=UTC)
_SLIGHTLY = timedelta(seconds=1)
PATIENCE_SECONDS = 10.0
"""The time for which an append of unknown outcome is repeated."""

_PAUSE_SECONDS = 0.2
_LAG_SECONDS = 60.0
"""The time for which a process remembers that the log's clock was behind."""

_log = structlog.get_logger(__name__)


class Writer:
    """
    The one object in a process that makes every append.

    Args:
      store: PostgreSQL's, or the one in memory.
      deciders: By category.
      now: The store's clock, which dates the events.
      revision: The code's revision, for the metadata.
      connections: The number of batches under way at once, each for another league.
      streams_kept: The number of states kept between commands.
      waiting: The number of commands that may wait in one league. The house's own do not count,
          because they finish what players have begun.
      patience: Replaces :data:`PATIENCE_SECONDS`.
    """

    def __init__(
        self,
        store: Store,
        deciders: Mapping[str, AnyDecider],
        now: Callable[[], datetime],
        *,
        revision: str = "0",
        connections: int = 8,
        streams_kept: int = 4096,
        waiting: int = 1_000,
        patience: float | None = None,
    ) -> None:
        self._store = store
        self._codec = Codec(deciders)
        self._cache = StateCache(store, self._codec, streams_kept)
        self._others = Others(store, self._cache)
        self._answers = Answers(store, self._codec)
        self._former = Former(self._codec, self._cache, now, revision)
        self._leagues = Leagues()
        self._queue: asyncio.Queue[League] = asyncio.Queue()
        self._connections = connections
        self._waiting = waiting
        self._patience = PATIENCE_SECONDS if patience is None else patience
        self._servers: list[asyncio.Task[None]] = []
        self._lag_timer: asyncio.TimerHandle | None = None
        self.measure: Callable[[], Awaitable[None]] | None = None
        """Measures the log's clock. Called when the log refuses an event as dated ahead."""

        self.grown: Callable[[UUID, int], None] | None = None
        """Called with a league and its last position after this process's own appends to it."""

        self.own = OwnWrites()
        """The last write of each actor through this writer."""

    @property
    def store(self) -> Store:
        """The log behind this writer."""
        return self._store

    @property
    def codec(self) -> Codec:
        """The codec for this log's events."""
        return self._codec

    async def start(self) -> None:
        """Begin to serve. This does not fail when the database is away."""
        await self._store.start()
        self._servers = [
            asyncio.create_task(self._serve(), name=f"writer-{number}")
            for number in range(self._connections)
        ]

    async def aclose(self) -> None:
        """Stop, and answer the waiting commands with ``StoreUnavailable``."""
        if self._lag_timer is not None:
            self._lag_timer.cancel()
        for server in self._servers:
            server.cancel()
        await asyncio.gather(*self._servers, return_exceptions=True)
        for league in self._leagues:
            for item in league.waiting:
                refuse(item, StoreUnavailable("the service is stopping"))
            league.waiting.clear()
        await self._store.aclose()

    async def submit(self, league: str, order: Order, decide: Decide) -> Receipt:
        """
        Decide *order* in its turn, append its events, and return their positions.

        Args:
          decide: Called once per attempt, with states as of its turn. It must have
            no side effects and draw nothing that differs between attempts.

        Raises:
          CommandRejected: As *decide* refused it, on states that still hold.
          IdempotencyKeyReused: If the same command was accepted with another request.
          StoreUnavailable: If the database is away. The command may have been kept:
            send it again to find out.
          Overloaded: If too many commands wait in the league. Nothing was done.
          Rehearsed: With the events it would cause, if *order* is a rehearsal.
        """
        known = self._leagues.of(league)
        if order.rehearse:
            raise await self._rehearse(known, order, decide)
        item = known.enter(order, decide, self._waiting)
        self._enqueue(known)
        receipt = await item.answer
        if receipt.last_position is not None:
            self.own.note(order.actor, league, LogPosition(receipt.epoch, receipt.last_position))
        return receipt

    async def _rehearse(self, league: League, order: Order, decide: Decide) -> Rehearsed:
        try:
            await self._know_epoch(league)
            found = await rehearse(self._codec, self._cache, league.number, order, decide)
        except Disconnected as error:
            raise StoreUnavailable("the database is not available") from error
        found.league = league.name
        return found

    async def load(self, league: str, stream: Stream[State], fresh: bool = True) -> Loaded[State]:
        """
        Return a stream's state outside any command.

        Args:
          fresh: True to compare with the log. Otherwise this process's copy is enough.

        Raises:
          StoreUnavailable: If the database is away.
        """
        if not fresh and (found := self.known(league, stream)) is not None:
            return found
        known = self._leagues.of(league)
        try:
            await self._know_epoch(known)
            return await self._cache.load(known.number, stream, fresh=fresh)
        except Disconnected as error:
            raise StoreUnavailable("the database is not available") from error

    def known(self, league: str, stream: Stream[State]) -> Loaded[State] | None:
        """Return this process's copy of a stream's state, or None if it has none."""
        known = self._leagues.of(league)
        return None if known.epoch is None else self._cache.known(known.number, stream)

    async def epoch(self, league: str) -> int:
        """Return a league's epoch as this process last read it."""
        known = self._leagues.of(league)
        try:
            return await self._know_epoch(known)
        except Disconnected as error:
            raise StoreUnavailable("the database is not available") from error

    def _enqueue(self, league: League) -> None:
        if not league.queued and league.waiting:
            league.queued = True
            self._queue.put_nowait(league)

    async def _know_epoch(self, league: League) -> int:
        if league.epoch is None:
            league.epoch = await self._store.epoch(league.number)
        return league.epoch

    async def _serve(self) -> None:
        while True:
            league = await self._queue.get()
            taken: list[Waiting] = []
            try:
                await self._serve_batch(league, taken)
            except Disconnected as error:
                self._cache.forget(league.number)
                for item in taken:
                    refuse(item, StoreUnavailable("the database is not available"), error)
            except asyncio.CancelledError:
                for item in taken:
                    refuse(item, StoreUnavailable("the service is stopping"))
                raise
            except Exception as error:  # noqa: BLE001
                # If the task of a league died, the league would wait for ever. So the task logs
                # every error of the store and every defect, raises it in all requests of the batch,
                # and drops the cached states.
                _log.exception("batch_failed", league=league.name, requests=requests_of(taken))
                self._cache.forget(league.number)
                for item in taken:
                    refuse(item, error)
            finally:
                league.queued = False
                self._enqueue(league)

    async def _serve_batch(self, league: League, taken: list[Waiting]) -> None:
        """Form a batch of waiting commands, send it, and answer each of them."""
        league.take(taken, _APPENDS_MAX)  # from here on a failure answers these
        epoch = await self._know_epoch(league)
        async with self._others.turn(league):
            league.take(taken, _APPENDS_MAX)  # arrived while this process waited for its turn
            begin(taken)
            attempts = await self._form(league, taken)
            if not attempts:
                return
            metrics.BATCH.observe(len(attempts))
            decided = [attempt for _, attempt in attempts]
            outcome, broken = await self._send(league, epoch, decided)
        if outcome.epoch != epoch:
            league.epoch, league.latest = outcome.epoch, None
            self._cache.forget(league.number)
            league.put_back([item for item, _ in attempts])
            return
        again: list[Waiting] = []
        for index, (item, attempt) in enumerate(attempts):
            if index in broken:
                self._cache.suspect(league.number, attempt.streams)
                refuse(item, broken[index])
            elif index in outcome.duplicates:
                self._cache.suspect(league.number, attempt.streams)
                await self._answers.again(league, item, attempt, outcome.duplicates[index])
            elif index in outcome.failed:
                self._others.overtook(league, item, attempt)
                again.append(item)
            else:
                self._cache.keep(league.number, attempt.left)
                league.latest = max(league.latest or _BEGINNING, attempt.at or _BEGINNING)
                self._answers.kept(league, item, attempt, outcome.first[index], duplicate=False)
        self._others.kept(league, outcome.first, decided)
        if events := sum(len(decided[index].events) for index in outcome.first):
            metrics.EVENTS.inc(events)
            last = min(outcome.first.values()) + events - 1
            self._store.wake(league.number, last)
            if self.grown is not None:
                self.grown(league.number, last)
        league.put_back(again)

    async def _form(self, league: League, taken: list[Waiting]) -> list[tuple[Waiting, Attempt]]:
        """Decide in turn. Commands over the caps and repeated ones wait for the next batch."""
        keys = await self._store.keys(league.number)
        turn = self._former.turn(league.number, keys, league.latest or _BEGINNING)
        attempts: list[tuple[Waiting, Attempt]] = []
        commands: set[UUID] = set()
        left_out: list[Waiting] = []
        for item in taken:
            full = turn.events >= _EVENTS_MAX or turn.bytes >= _BYTES_MAX
            if full or item.order.command_id in commands:
                left_out.append(item)
                continue
            commands.add(item.order.command_id)
            try:
                attempts.append((item, await turn.attempt(item.order, item.decide)))
            except Disconnected:
                raise
            except Exception as error:  # noqa: BLE001
                # Deciding runs the submitter's code. Its refusal or defect is raised where it was
                # submitted, and must not fail the other commands.
                refuse(item, error)
        for item in left_out:
            taken.remove(item)
        league.waiting.extendleft(reversed(left_out))
        return attempts

    async def _send(
        self, league: League, epoch: int, attempts: list[Attempt]
    ) -> tuple[Outcome, dict[int, Exception]]:
        """Send a batch. If its statement fails, send each append alone, in order."""
        appends = [attempt.append for attempt in attempts]
        try:
            return await self._insist(league, epoch, appends), {}
        except DatedAhead:
            await self._measure_lag(league)
            return Outcome(epoch, failed=set(range(len(appends)))), {}
        except StatementFailed as error:
            if len(appends) == 1:
                return Outcome(epoch), {0: error}
            _log.warning(
                "a batch failed and is sent one by one", league=league.name, error=str(error),
                appends=len(appends),
            )  # fmt: skip
        total = Outcome(epoch)
        broken: dict[int, Exception] = {}
        for index, append in enumerate(appends):
            try:
                one = await self._insist(league, epoch, [append], checked=True)
            except DatedAhead:
                await self._measure_lag(league)
                total.failed.add(index)
                continue
            except StatementFailed as error:
                broken[index] = error
                continue
            if one.epoch != epoch:
                total.failed |= set(range(index, len(appends)))
                league.epoch = one.epoch
                self._cache.forget(league.number)
                break
            if one.first:
                total.first[index] = one.first[0]
            elif one.duplicates:
                total.duplicates[index] = one.duplicates[0]
            else:
                total.failed.add(index)
        return total, broken

    async def _insist(
        self, league: League, epoch: int, appends: list[Append], checked: bool = False
    ) -> Outcome:
        """Repeat a call until its outcome is known. Event identifiers make that harmless."""
        loop = asyncio.get_running_loop()
        until = loop.time() + self._patience
        pause = 0.02
        while True:
            try:
                with metrics.COMMIT_SECONDS.time():
                    return await self._store.append(league.number, epoch, appends, checked)
            except Disconnected:
                if loop.time() + pause > until:
                    raise
                await asyncio.sleep(pause)
                pause = min(2 * pause, 1.0)

    async def _measure_lag(self, league: League) -> None:
        """Learn how far the log's clock is behind this process's clock, because it was set back."""
        if self.measure is not None:
            await self.measure()
        there, league.latest = await self._store.time(league.number)
        if there is None:
            return
        self._former.behind = max(self._former.now() - there, timedelta())
        if self._former.behind < _SLIGHTLY:
            # Commands on their way name instants that are seconds ahead at most.
            self._former.behind = timedelta()
            await asyncio.sleep(_PAUSE_SECONDS)
            return
        if self._lag_timer is not None:
            self._lag_timer.cancel()
        loop = asyncio.get_running_loop()
        self._lag_timer = loop.call_later(_LAG_SECONDS, self._forget_lag)
        _log.warning("the log's clock is behind this process's", by=str(self._former.behind))

    def _forget_lag(self) -> None:
        self._former.behind = timedelta()

    def latest(self, league: str) -> datetime:
        """Return the instant of a league's last event, as far as this process knows."""
        return self._leagues.of(league).latest or _BEGINNING
