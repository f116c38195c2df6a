"""
The processes of the simulated installation: APIs, workers, projectors, and their restarts.

The writer, the director, the duties, the search for jobs, the outcome of a job and the projections
are the service's own code. The loops around them are threads and sockets in the service. They are
written again here, like the broker and the line between client and API.
"""

import asyncio
from collections import deque
from collections.abc import Coroutine
from datetime import datetime, timedelta
from typing import Any, cast

from engine.coordination.aggregates import DECIDERS
from service.base import heartbeats
from service.base.settings import Settings
from service.director.beacon import Pulses
from service.director.runtime import Runtime
from service.log.writer import Writer
from service.projections.following.runner import Runner
from service.sandbox.generating.chance import Dice
from service.sandbox.generating.world import FIRST_DAY, SeededEntropy
from service.tasks import arming, child, jobs
from service.tasks.duties import DUTIES, SHORT
from tests.simulation.database import Chaos, Listener, Pool, Server, Way
from tests.simulation.loop import Process, SimulatedLoop
from tests.simulation.reads import Database
from tests.simulation.relations import Connection

SETTINGS = Settings(
    database_url="postgresql://nobody@nowhere/nothing",
    secret_key="0" * 32,
    lease_seconds=15,
    heartbeat_seconds=5,
    sweep_seconds=3,
)
LEASE = timedelta(seconds=SETTINGS.lease_seconds)
HEARTBEAT = timedelta(seconds=SETTINGS.heartbeat_seconds)


class Clock:
    """A process's reading of the database's clock, a little off."""

    def __init__(self, loop: SimulatedLoop, off: float = 0.0) -> None:
        self._loop = loop
        self._off = off

    def now(self) -> datetime:
        """Return the instant, to the millisecond."""
        return FIRST_DAY + timedelta(seconds=round(self._loop.time() + self._off, 3))


class Broker:
    """The queue of messages.

    It loses nothing by itself, and delivers nothing to ended processes.
    """

    def __init__(self) -> None:
        self._messages: deque[jobs.ClaimedJob] = deque()
        self._waiting: deque[tuple[Process, asyncio.Future[None]]] = deque()

    def send(self, job: jobs.ClaimedJob) -> None:
        """Take a message."""
        self._messages.append(job)
        while self._waiting:
            process, told = self._waiting.popleft()
            if process.alive and not told.done():
                told.set_result(None)
                return

    async def take(self, process: Process) -> jobs.ClaimedJob:
        """Return the next message, for *process*."""
        while not self._messages:
            told = asyncio.get_running_loop().create_future()
            self._waiting.append((process, told))
            await told
        return self._messages.popleft()


class Installation:
    """
    One database, and the processes around it.

    Args:
        loop: The loop in which everything happens.
        seed: The source of every choice.
    """

    def __init__(self, loop: SimulatedLoop, seed: str) -> None:
        self.loop = loop
        self.seed = seed
        self.chaos = Chaos(Dice(f"{seed}/chaos"))
        self.clock = Clock(loop)
        self.server = Server(SeededEntropy(f"{seed}/boxes"), self.clock.now, loop)
        self.broker = Broker()
        self.apis: list[Api] = []
        self.lives = 0
        self._lives: list[Process] = []
        self._house = Process("house", mortal=False)
        self._clocks = Dice(f"{seed}/clocks")
        for number in (1, 2):
            api = Api(self, f"api-{number}")
            self.apis.append(api)
            self._keep(f"api-{number}", api.live)
            self._keep(f"worker-{number}", self._work)
        self._keep("projector", self._project)
        self.house(self._power())

    def house(self, work: Coroutine[Any, Any, None]) -> "asyncio.Task[None]":
        """Begin *work* that no crash ever ends: clients, the network, the power."""
        return self.loop.spawn(self._house, work)

    def runtime(self, process: Process) -> Runtime:
        """Return the tools of one life of a process."""
        self.lives += 1
        clock = Clock(self.loop, self._clocks.between(-200, 200) / 1000)
        writer = Writer(Way(self.server, self.chaos), DECIDERS, clock.now, connections=2)
        entropy = SeededEntropy(f"{self.seed}/entropy/{process.name}/{self.lives}")
        pool = cast("Any", Pool(self.server.relations, self.chaos))
        return Runtime(writer, clock, entropy, pool, SETTINGS, Pulses(None, clock))

    def _keep(self, name: str, live: Any) -> None:
        """Begin a process, and again a while after each end."""
        process = Process(name)
        self._lives.append(process)

        def again() -> None:
            self._lives.remove(process)
            self.server.listeners.pop(process, None)
            self.server.reads.abandon(process)
            self.loop.call_soon(self.loop.bury, process)
            self.house(self._later(name, live))

        process.died = again
        self.loop.spawn(process, live(process))

    async def _later(self, name: str, live: Any) -> None:
        await asyncio.sleep(0.2 + self.chaos.dice.below(4000) / 1000)
        self._keep(name, live)

    def close(self) -> None:
        """End everything, and discard what is left."""
        self.loop.crashes.every = None
        for process in [*self._lives, self._house]:
            process.died = _nothing
            process.end()
            self.loop.bury(process)
        self.server.reads.close()

    async def _power(self) -> None:
        """Take the database away now and then."""
        while True:
            await asyncio.sleep(20 + self.chaos.dice.below(40))
            if self.chaos.happens("database away", 0.5):
                self.chaos.away = True
                await asyncio.sleep(self.chaos.dice.below(120) / 10)
                self.chaos.away = False

    # Workers

    async def _work(self, process: Process) -> None:
        runtime = self.runtime(process)
        await runtime.writer.start()
        async with asyncio.TaskGroup() as group:
            group.create_task(self._tick(runtime))
            for _ in range(2):
                group.create_task(self._perform(process, runtime))

    async def _tick(self, runtime: Runtime) -> None:
        """Do the same as ``service.tasks.ticker.Ticker``."""
        connection = cast("Any", Connection(self.server.relations))
        away, next_beat = True, runtime.clock.now()
        while True:
            await asyncio.sleep(SETTINGS.tick_milliseconds / 1000)
            try:
                await self.chaos.reach()
            except OSError:
                away = True
                continue
            now = runtime.clock.now()
            if away or now >= next_beat:
                if heartbeats.beat_now(connection, "worker", HEARTBEAT, returning=away):
                    jobs.release(connection, SHORT)
                    arming.wake_all(connection, now)
                away, next_beat = False, now + HEARTBEAT
            await self.chaos.pause(0.01)
            arming.follow(connection, now, SETTINGS)
            await self.chaos.pause(0.01)
            for job in jobs.claim(connection, LEASE, tasks=tuple(DUTIES), now=now):
                await self._send(job)

    async def _send(self, job: jobs.ClaimedJob) -> None:
        await self.chaos.pause(0.01)
        if not self.chaos.happens("message lost", 0.02):
            self.broker.send(job)
        if self.chaos.happens("message doubled", 0.02):
            self.broker.send(job)

    async def _perform(self, process: Process, runtime: Runtime) -> None:
        """Do the same as ``service.tasks.child.Child``: one job at a time, within its lease."""
        while True:
            job = await self.broker.take(process)
            await self.chaos.pause()
            try:
                async with asyncio.timeout(SETTINGS.lease_seconds):
                    await child.perform(runtime, job.job_id, job.claim)
            except Exception as error:  # noqa: BLE001 - a child takes the next job after any error
                self.loop.note("job failed", job.task, type(error).__name__)

    # Projectors

    async def _project(self, process: Process) -> None:
        database = Database(self.server.reads, self.chaos.reach, process)
        listener = self.server.listeners[process] = Listener(self.chaos)
        await listener.start()
        await Runner(cast("Any", database)).follow(asyncio.Event(), listener)


class Api:
    """
    One API process, over all its lives.

    Args:
        house: The installation.
        name: Its name.
    """

    def __init__(self, house: Installation, name: str) -> None:
        self._house = house
        self.name = name
        self.process: Process | None = None
        self.runtime: Runtime | None = None

    async def live(self, process: Process) -> None:
        """Serve until the end of this life, and beat meanwhile."""
        self.process, self.runtime = process, None
        runtime = self._house.runtime(process)
        await runtime.writer.start()
        await self._house.chaos.pause(0.5)
        self.runtime = runtime
        away = True
        while True:
            try:
                await heartbeats.beat(runtime.pool, "api", HEARTBEAT, returning=away)
                away = False
            except OSError:
                away = True
            await asyncio.sleep(0.25 if away else SETTINGS.heartbeat_seconds)

    def serve(self, work: Any, answer: "asyncio.Future[Any]") -> None:
        """Begin to answer a request, if this process lives. Otherwise there is no answer."""
        process, runtime = self.process, self.runtime
        if process is None or runtime is None or not process.alive:
            return
        self._house.loop.spawn(process, self._answer(work, runtime, answer))

    async def _answer(self, work: Any, runtime: Runtime, answer: "asyncio.Future[Any]") -> None:
        told: Any
        try:
            told = await work(runtime)
        except Exception as error:  # noqa: BLE001 - the client is told of any error
            told = error
        chaos = self._house.chaos
        await chaos.pause()
        if not chaos.happens("answer lost", 0.03) and not answer.done():
            answer.set_result(told)


def _nothing() -> None:
    """Do nothing at the end of a life."""
