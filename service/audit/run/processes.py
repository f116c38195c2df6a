"""
An audit's units in processes of their own, side by side.

A child is told the plan and then one unit at a time, on its standard input, a line each; on
its standard output it says in JSON lines how far it is, what it found, or why it stopped.
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
from service.base.database import ROOT

CHILD = "service.process.auditing"
Heard = Callable[[int, int], Awaitable[None]]
"""Told the number of a unit and how much of it is done."""

_LINE_MAX = 1 << 30
"""A part may be long; whoever writes it is our own child."""

_AWAY = 3


class Stopped(msgspec.Struct, frozen=True):
    """Why a child ends before its work does, as its keeper is told."""

    code: int
    why: str
    step: str


class Answer(msgspec.Struct, frozen=True, omit_defaults=True):
    """One line of a child: exactly one of these."""

    weight: int | None = None
    """How much of the unit is done."""

    part: Part | None = None
    stopped: Stopped | None = None


class UnitStopped(Exception):
    """A process has ended without what its unit found."""

    def __init__(self, stopped: Stopped) -> None:
        super().__init__(stopped.why)
        self.stopped = stopped


async def in_processes(plan: Plan, count: int, told: Told) -> list[Part]:
    """
    Do the units of *plan* in *count* processes, each the next one as soon as it is free.

    They read their settings from the environment, as this process did.

    Args:
        told: Told how much of the plan's weight is done.

    Returns:
        What each unit found, in the order of the plan.

    Raises:
        UnitStopped: If a process ended; all others are ended too.
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
            # It only reads: there is nothing that it would have to end in order.
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
        start_new_session=True,  # Ctrl-C reaches us, and we end it
        preexec_fn=dying_with(os.getpid(), signal.SIGKILL),
    )


async def _send(process: Process, line: bytes) -> None:
    if process.stdin is not None:
        # Whoever has ended does not listen; that it ended is heard where it is to answer.
        with suppress(ConnectionError):
            process.stdin.write(line + b"\n")
            await process.stdin.drain()


async def _done(process: Process, number: int, heard: Heard) -> Part:
    """Return what the unit found that *process* was told of last."""
    while process.stdout is not None and (line := await process.stdout.readline()):
        if not line.endswith(b"\n"):
            break  # it was ended while it spoke
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
        raise UnitStopped(Stopped(_AWAY, why, "ask again, with fewer --jobs if memory was short"))
    why = f"a process of the audit broke with status {code}"
    raise UnitStopped(Stopped(1, why, "what it said stands above; report it"))


def _leaves(group: ExceptionGroup[Exception]) -> Iterator[Exception]:
    for each in group.exceptions:
        yield from _leaves(each) if isinstance(each, ExceptionGroup) else (each,)
