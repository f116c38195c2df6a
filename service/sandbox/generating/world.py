"""
The world of a generated season: its own virtual time, seeded entropy, and log in memory.

Everything else runs as in the service. Time passes only while all tasks wait, and all draws follow
from one seed. Therefore the same seed gives the same bytes, and no real time is spent waiting.
"""

import asyncio
import selectors
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Executor
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from selectors import SelectorKey
from typing import Any, NamedTuple, TypeVar, TypeVarTuple, Unpack, cast
from uuid import UUID

from engine.coordination.aggregates import DECIDERS
from engine.values import TextId, TextRef, identifier
from service.base.settings import Settings
from service.base.sources import Entropy
from service.base.uuids import uuid4_of
from service.director.beacon import Pulses
from service.director.runtime import Runtime
from service.log.keys import LeagueKeys
from service.log.memory import MemoryStore
from service.log.writer import Writer
from service.people.texts import SALT_BYTES, digest_of
from service.sandbox.generating.chance import Dice

_Ts = TypeVarTuple("_Ts")
_Result = TypeVar("_Result")

FIRST_DAY = datetime(2026, 1, 2, 18, tzinfo=UTC)
"""The instant at which virtual time starts in every generated season."""

_TOKEN_BYTES = 32
_WORDS = "As seen at the table."


class Stalled(Exception):
    """All tasks wait although the season is not over."""


class VirtualLoop(asyncio.SelectorEventLoop):
    """An event loop that never waits. Its clock leaps to the next instant at which work is due."""

    def __init__(self) -> None:
        self._passed = 0.0
        super().__init__(_Leaping(self))

    def time(self) -> float:
        """Return the seconds of virtual time that have passed."""
        return self._passed

    def run_in_executor(
        self,
        executor: Executor | None,
        func: Callable[[Unpack[_Ts]], _Result],
        *args: *_Ts,
    ) -> asyncio.Future[_Result]:
        """Run *func* at once, because a thread would know no virtual time."""
        done: asyncio.Future[_Result] = self.create_future()
        try:
            done.set_result(func(*args))
        except Exception as error:  # noqa: BLE001 - the caller awaits it
            done.set_exception(error)
        return done

    def leap(self, seconds: float) -> None:
        """Advance virtual time by *seconds*."""
        self._passed += seconds


class _Leaping(selectors.SelectSelector):
    """A selector that watches nothing, because no input ever comes from outside."""

    def __init__(self, loop: VirtualLoop) -> None:
        super().__init__()
        self._loop = loop

    def select(self, timeout: float | None = None) -> list[tuple[SelectorKey, int]]:
        if timeout is None:
            raise Stalled("everybody waits for somebody else")
        self._loop.leap(max(timeout, 0.0))
        return []


class VirtualClock:
    """A clock that shows the virtual time of the running loop."""

    def now(self) -> datetime:
        """Return the present instant in UTC, to the millisecond."""
        passed = round(asyncio.get_running_loop().time(), 3)
        return FIRST_DAY + timedelta(seconds=passed)


class SeededEntropy:
    """Entropy that follows from a seed. It is predictable, as generated seasons have no secrets."""

    def __init__(self, seed: str) -> None:
        self._dice = Dice(seed)

    def bytes(self, count: int) -> bytes:
        """Return *count* bytes."""
        return self._dice.bytes(count)

    def uuid(self) -> UUID:
        """Return a version 4 UUID."""
        return uuid4_of(self.bytes(16))

    def token(self) -> str:
        """Return 32 bytes in lower-case hexadecimal."""
        return self.bytes(_TOKEN_BYTES).hex()


class Text(NamedTuple):
    """A text that an event of a generated season names."""

    number: UUID
    salt: bytes
    body: str


class SeededStore(MemoryStore):
    """A log in memory that seals values with keys and IVs from the seed, and keeps its texts."""

    def __init__(self, entropy: SeededEntropy) -> None:
        super().__init__()
        self._entropy = entropy
        self._made: dict[UUID, LeagueKeys] = {}
        self.texts: list[Text] = []

    async def keys(self, league: UUID) -> LeagueKeys:
        """Return a league's keys, made at the first call."""
        if league not in self._made:
            draw = self._entropy
            self._made[league] = LeagueKeys(league, draw.uuid(), draw.bytes(32), draw.bytes)
        return self._made[league]

    def invent_text(self, entropy: Entropy) -> TextRef:
        """Keep an invented text, its name and salt drawn from *entropy*, and return a reference."""
        made = Text(entropy.uuid(), entropy.bytes(SALT_BYTES), _WORDS)
        self.texts.append(made)
        digest = digest_of(made.salt, made.body).hex()
        return TextRef(text=TextId(identifier("txt", made.number)), digest=digest)


class _NoDatabase:
    """A placeholder for the connection pool. It holds no rows, and any other use is an error."""

    async def fetch(self, *asked: object) -> list[object]:
        """Return no rows. No outage was ever noted, for instance."""
        return []

    async def fetchrow(self, *asked: object) -> None:
        """Return no row. No process was ever silent, for instance."""

    async def close(self) -> None:
        """Do nothing, because no connection is open."""


def store_of(runtime: Runtime) -> SeededStore:
    """Return the store of a generated season's runtime."""
    return cast("SeededStore", runtime.writer.store)


@asynccontextmanager
async def open_world(seed: str) -> AsyncIterator[Runtime]:
    """Open a runtime over an empty log. All its draws follow from *seed*."""
    entropy, clock = SeededEntropy(f"{seed}/entropy"), VirtualClock()
    writer = Writer(SeededStore(SeededEntropy(f"{seed}/boxes")), DECIDERS, clock.now)
    await writer.start()
    settings = Settings(database_url="postgresql://nobody@nowhere/nothing", secret_key="0" * 32)
    pool, beacon = cast("Any", _NoDatabase()), Pulses(None, clock)
    runtime = Runtime(writer, clock, entropy, pool, settings, beacon)
    try:
        yield runtime
    finally:
        await runtime.aclose()
        await writer.aclose()
