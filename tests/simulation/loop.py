"""
The loop of the simulation: virtual time, processes that can die at any await, and a trace.

Each task belongs to the process in which it was made. Before a task goes on, the loop counts a
step, notes it in the trace, and may end the task's process there. After ``kill -9`` nothing of a
process runs any more. It is the same here: its tasks do not go on, and none of their ``finally``
blocks is executed.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine, Generator
from contextlib import suppress
from contextvars import Context, ContextVar
from hashlib import blake2b
from types import TracebackType
from typing import Any

from service.sandbox.generating.chance import Dice
from service.sandbox.generating.world import VirtualLoop

LAST = 60
"""The steps of a trace that are kept as text."""


class Process:
    """
    One life of a process.

    Args:
        name: The name of the process. The next life has the same name.
        mortal: True if the simulation may end it.
    """

    def __init__(self, name: str, *, mortal: bool = True) -> None:
        self.name = name
        self.mortal = mortal
        self.alive = True
        self.died: Callable[[], None] = lambda: None
        """Called at the end of this life."""

        self.tasks: list[asyncio.Task[Any]] = []
        self.coroutines: list[Coroutine[Any, Any, Any]] = []

    def end(self) -> None:
        """End this life at once, in the middle of its work."""
        if self.alive:
            self.alive = False
            self.died()


_HERE: ContextVar[Process | None] = ContextVar("process", default=None)


class Crashes:
    """
    The choice of the steps at which a process ends.

    Args:
        every: The average number of steps between two ends. None ends nothing.
    """

    def __init__(self, dice: Dice, every: int | None) -> None:
        self._dice = dice
        self.every = every
        self.count = 0
        self._left = self._gap()

    def here(self) -> bool:
        """Return whether the process ends before this step."""
        if self.every is None:
            return False
        self._left -= 1
        if self._left > 0:
            return False
        self._left = self._gap()
        self.count += 1
        return True

    def _gap(self) -> int:
        return self._dice.between(1, 2 * self.every) if self.every else 0


class SimulatedLoop(VirtualLoop):
    """
    A loop that never waits, and whose every step follows from a seed.

    Args:
        crashes: Chooses the steps at which a process ends.
    """

    def __init__(self, crashes: Crashes) -> None:
        super().__init__()
        self.crashes = crashes
        self.steps = 0
        self.last: deque[str] = deque(maxlen=LAST)
        self._hash = blake2b(digest_size=16)
        self.set_task_factory(self._make)

    @property
    def trace(self) -> str:
        """The hash of all steps so far, in hexadecimal."""
        return self._hash.hexdigest()

    def note(self, *facts: object) -> None:
        """Add *facts* to the trace."""
        line = " ".join(map(str, (self.steps, f"{self.time():.3f}", *facts)))
        self.last.append(line)
        self._hash.update(line.encode())

    def spawn(
        self, process: Process, work: Coroutine[Any, Any, Any], context: Context | None = None
    ) -> asyncio.Task[Any]:
        """Begin *work* in *process*."""
        there = Context() if context is None else context
        there.run(_HERE.set, process)
        return self.create_task(work, context=there)

    def bury(self, process: Process) -> None:
        """Close the tasks of a process that has ended. Nothing that they still do has an effect."""
        for coroutine in process.coroutines:
            # A ``finally`` that awaits ignores GeneratorExit. It no longer belongs to any process.
            with suppress(BaseException):
                coroutine.close()
        process.coroutines.clear()
        process.tasks.clear()

    def _asyncgen_finalizer_hook(self, _generator: object) -> None:
        """Do nothing, because the moment of garbage collection does not follow from the seed."""

    def _make(
        self,
        _loop: asyncio.AbstractEventLoop,
        work: Generator[Any, None, Any] | Coroutine[Any, Any, Any],
        context: Context | None = None,
    ) -> asyncio.Task[Any]:
        process = _HERE.get() if context is None else context.get(_HERE)
        assert asyncio.iscoroutine(work)
        if process is None:
            return asyncio.Task(work, loop=self, context=context)
        stepped = _Stepped(self, process, work)
        task = asyncio.Task(stepped, loop=self, context=context)
        task._log_destroy_pending = False  # type: ignore[attr-defined] # its process may end
        process.tasks.append(task)
        process.coroutines.append(work)
        if len(process.tasks) > 500:
            left = [
                pair
                for pair in zip(process.tasks, process.coroutines, strict=True)
                if not pair[0].done()
            ]
            process.tasks = [each for each, _ in left]
            process.coroutines = [each for _, each in left]
        return task


class _Stepped(Coroutine[Any, Any, Any]):
    """A coroutine that counts its steps, and stops for ever when its process has ended."""

    def __init__(
        self, loop: SimulatedLoop, process: Process, inner: Coroutine[Any, Any, Any]
    ) -> None:
        self._loop = loop
        self._process = process
        self._inner = inner
        self._name = getattr(inner, "__qualname__", type(inner).__name__)

    def send(self, value: Any) -> Any:
        """Go on by one step."""
        return self._inner.send(value) if self._goes_on() else self._for_ever()

    def throw(
        self,
        kind: Any,
        value: BaseException | object = None,
        traceback: TracebackType | None = None,
    ) -> Any:
        """Go on by one step, with an error."""
        if not self._goes_on():
            return self._for_ever()
        error = kind if isinstance(kind, BaseException) else value
        assert isinstance(error, BaseException)
        return self._inner.throw(error)

    def close(self) -> None:
        """Do nothing. The loop closes the coroutines of a process itself."""

    def __await__(self) -> Generator[Any, Any, Any]:
        return self._inner.__await__()

    def _goes_on(self) -> bool:
        process = self._process
        if not process.alive:
            return False
        loop = self._loop
        loop.steps += 1
        loop.note(process.name, self._name)
        if process.mortal and loop.crashes.here():
            loop.note(process.name, "ends")
            process.end()
            return False
        return True

    def _for_ever(self) -> asyncio.Future[None]:
        """Return an awaitable that never completes, in the form that a task expects."""
        never = self._loop.create_future()
        never._asyncio_future_blocking = True
        return never
