"""
Running an audit's units in processes of their own, side by side.

A child reads the plan from its standard input, and then one unit at a time, each on a line
of its own. On standard output it writes JSON lines: its progress, a finished part, or the
reason why it stopped.
"""

import asyncio
import os
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress

import msgspec

from service.audit.run.plan import Plan
from service.audit.run.units import Part, Told
from service.base.children import dying_with
from service.base.shipped import ROOT

CHILD = "service.process.auditing"
Heard = Callable[[int, int], Awaitable[None]]
"""Called with the number of a unit and the weight of it that is done."""

_LINE_MAX = 1 << 30
"""Bytes of one line. A part may be long, and its writer is our own child."""

_AWAY = 3


class Stopped(msgspec.Struct, frozen=True):
    """The reason why a child ended before its work did, as its parent is told."""

    code: int
    why: str
    step: str


class Answer(msgspec.Struct, frozen=True, omit_defaults=True):
    """One line from a child. Exactly one member is set."""

    weight: int | None = None
    """The weight of the unit that is done."""

    part: Part | None = None
    stopped: Stopped | None = None


class UnitStopped(Exception):
    """A process ended before it returned the part of its unit."""

    def __init__(self, stopped: Stopped) -> None:
        super().__init__(stopped.why)
        self.stopped = stopped


async def in_processes(plan: Plan, count: int, told: Told) -> list[Part]:
    """
    Perform the units of *plan* in *count* processes. Each takes the next unit when it is free.

    The children read their settings from the environment, as this process did.

    Args:
        told: Called with the weight of the plan that is done.

    Returns:
        The part of each unit, in the order of the plan.

    Raises:
        UnitStopped: If a process ended. All others are ended too.
    """
    units = iter(range(len(plan.units)))
    parts: dict[int, Part] = {}
    done: dict[int, int] = {}

    async def heard(number: int, weight: int) -> None:
        done[number] = weight
        await told(sum(done.values()))

    async def work() -> None:
        process = await _started()
        try:
            await _send(process, msgspec.json.encode(plan))
            for number in units:
                await _send(process, b"%d" % number)
                parts[number] = await _done(process, number, heard)
        finally:
            # The process only reads, so it can be killed at any time.
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()

    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(min(count, len(plan.units))):
                group.create_task(work())
    except ExceptionGroup as several:
        raise next(_leaves(several)) from several
    return [parts[number] for number in range(len(plan.units))]


async def _started() -> Process:
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", CHILD),
        cwd=ROOT,
        stdin=PIPE,
        stdout=PIPE,
        limit=_LINE_MAX,
        start_new_session=True,  # Ctrl-C reaches only this process, which ends the child
        preexec_fn=dying_with(os.getpid(), signal.SIGKILL),
    )


async def _send(process: Process, line: bytes) -> None:
    if process.stdin is not None:
        # A process that has ended does not read. Its end is noticed when its answer is read.
        with suppress(ConnectionError):
            process.stdin.write(line + b"\n")
            await process.stdin.drain()


async def _done(process: Process, number: int, heard: Heard) -> Part:
    """Return the part of the last unit that was sent to *process*."""
    while process.stdout is not None and (line := await process.stdout.readline()):
        if not line.endswith(b"\n"):
            break  # the process was ended in the middle of a line
        answer = msgspec.json.decode(line, type=Answer)
        if answer.part is not None:
            return answer.part
        if answer.stopped is not None:
            raise UnitStopped(answer.stopped)
        if answer.weight is not None:
            await heard(number, answer.weight)
    code = await process.wait()
    if code < 0:
        why = f"a process of the audit was killed by signal {-code}"
        raise UnitStopped(Stopped(_AWAY, why, "try again, with fewer --jobs if memory was short"))
    why = f"a process of the audit failed with status {code}"
    raise UnitStopped(Stopped(1, why, "report the output above"))


def _leaves(group: ExceptionGroup[Exception]) -> Iterator[Exception]:
    for each in group.exceptions:
        yield from _leaves(each) if isinstance(each, ExceptionGroup) else (each,)
