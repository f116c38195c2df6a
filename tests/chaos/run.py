"""One run: bots play, faults come, everything is ended, and the verdict follows."""

import asyncio
import contextlib
import shutil
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from random import Random
from typing import Any, Final

import httpx
import psycopg

from service.log.keys import Keys
from service.process.starting import StackFailed
from tests.chaos import verdict
from tests.chaos.faults import OF_PGMQ, OF_RABBIT, OFTEN, ONCE, Done, Fault, Missed
from tests.chaos.journal import Journal, Noting
from tests.chaos.people import PASSWORD, Night
from tests.chaos.proving import prove
from tests.chaos.rabbit import Broker
from tests.chaos.room import OPTIONS, SECOND, Room
from tests.support.clocks import set_clock

LEAGUES: Final = 2
DISK_BYTES: Final = 900 << 20
PAUSE_SECONDS: Final = (0.5, 3.0)
"""The least and the longest time between two faults."""

AGAIN_SECONDS: Final = 4.0
"""The time after which a migration is tried again."""

END_SECONDS: Final = 240.0
"""The time in which play must end after the last fault."""

QUIET_SECONDS: Final = 90.0
"""The time in which jobs and projections must then be done."""

PROVE_SECONDS: Final = 600.0
STAND_SECONDS: Final = 5.0
"""The time for which no part may end by itself, after everything else."""

UNDO_SECONDS: Final = 60.0
CLIENT_SECONDS: Final = 8.0
LOOK_SECONDS: Final = 0.05

Say = Callable[[str], None]


@dataclass(slots=True)
class Outcome:
    """The result of a run."""

    seed: int
    faults: Counter[str] = field(default_factory=Counter)
    missed: Counter[str] = field(default_factory=Counter)
    broken: list[str] = field(default_factory=list)
    """The faults that were found."""

    told: list[str] = field(default_factory=list)
    """Lines of the summary."""

    def text(self) -> str:
        """Return the summary."""
        lines = [f"seed {self.seed}: {sum(self.faults.values())} faults"]
        lines += [f"  {count:4} {name}" for name, count in sorted(self.faults.items())]
        if self.missed:
            lines.append(f"  hit nothing: {dict(sorted(self.missed.items()))}")
        lines += self.told
        lines += [f"BROKEN: {each}" for each in self.broken] or ["everything held"]
        return "\n".join(lines)


def run(
    folder: Path, seconds: float, seed: int, say: Say, fault: str | None = None, *,
    broker: Broker | None = None,
) -> Outcome:  # fmt: skip
    """
    Play for *seconds* under faults from *seed*, end everything, and judge.

    Args:
        folder: Gets data, logs and journal. It must be empty.
        say: Called with a description of each fault.
        fault: The name of a fault of the simulation, to be planted in both API processes.
        broker: RabbitMQ, if PGMQ is not the broker.
    """
    outcome = Outcome(seed)
    with _disk(folder / "disk") as disk:
        if not disk:
            outcome.told.append("no disk of its own could be mounted: the disk is never full")
        options = {**OPTIONS, "log_level": "info"}
        room = Room(folder / "disk", seed=seed, options=options, logs_in=folder, counts=Counter())
        room.broker = broker
        if fault is not None:
            room.planted = dict.fromkeys(("api", SECOND), fault)
        room.open_lines()
        journal = Journal(folder / "journal.jsonl")
        with room.sockets, room:
            nights = [Night(name=f"n{number}", known={}) for number in range(LEAGUES)]
            evening = _Evening(room, nights, journal)
            try:
                evening.begin()
                _disturb(room, evening, outcome, seconds, say)
                _finish(room, evening, outcome, say)
                _judge(room, evening, outcome)
            finally:
                evening.stop()
                outcome.faults.update(room.counts)
                outcome.told.append(f"started again: {dict(sorted(room.starts.items()))}")
                with contextlib.suppress(OSError):
                    shutil.copy(room.data / "cluster" / "server.log", folder / "postgres.log")
        if outcome.broken:
            shutil.copytree(folder / "disk", folder / "data", dirs_exist_ok=True)
    return outcome


class _Evening:
    """The players of all leagues, in the room's other thread."""

    def __init__(self, room: Room, nights: list[Night], journal: Journal) -> None:
        self.room = room
        self.nights = nights
        self.journal = journal
        self.known: dict[str, str] = {}
        self.http: httpx.AsyncClient | None = None
        self.closing = asyncio.Event()
        self.playing: Any = None

    def begin(self) -> None:
        """Sign everybody up, and let them play."""
        self.room.loop.run(self._gather(), 60)
        self.playing = self.room.loop.begin(self._play())

    async def _gather(self) -> None:
        noting = Noting(self.journal, self.known, lambda: self.room.ports, Random(self.room.seed))
        self.http = httpx.AsyncClient(
            transport=noting, base_url="http://127.0.0.1", timeout=CLIENT_SECONDS
        )
        for night in self.nights:
            night.http, night.known = self.http, self.known
            await night.gather()

    async def _play(self) -> None:
        await asyncio.gather(*(night.play_on(self.closing) for night in self.nights))

    def close(self) -> None:
        """Let no further tournament begin."""

        async def set_closing() -> None:
            self.closing.set()

        self.room.loop.run(set_closing())

    def stop(self) -> None:
        """End everything in the other thread."""
        if self.playing is not None:
            self.playing.cancel()
        self.room.loop.run(self._aclose(), 30)
        self.room.loop.stop()

    async def _aclose(self) -> None:
        if self.http is not None:
            await self.http.aclose()
        for line in self.room.lines.values():
            await line.aclose()


def _disturb(room: Room, evening: _Evening, outcome: Outcome, seconds: float, say: Say) -> None:
    """Start one fault after the other. Each comes once before any comes again."""
    dice, began = Random(room.seed), time.monotonic()
    undo: list[tuple[float, Fault, Done]] = []
    often = (*OFTEN, *(OF_PGMQ if room.broker is None else OF_RABBIT))
    deck = dice.sample(often, len(often))
    once, following = began + seconds / 3, began + 1.0
    try:
        while (now := time.monotonic()) < began + seconds:
            room.tend()
            _undo(undo, now)
            if evening.playing.done():
                evening.playing.result()
            if now < following:
                time.sleep(LOOK_SECONDS)
                continue
            fault = ONCE if now >= once else deck.pop()
            hit = _do(room, dice, fault, outcome, undo, f"{now - began:6.1f} s", say)
            if fault is ONCE:  # an operator would also try again
                once = float("inf") if hit else now + AGAIN_SECONDS
            if not deck:
                deck = dice.sample(often, len(often))
            following = time.monotonic() + dice.uniform(*PAUSE_SECONDS)
    finally:
        if not _tend_until(room, lambda: not _undo(undo, float("inf")), UNDO_SECONDS):
            outcome.broken.append(f"not undone: {[fault.name for _, fault, _ in undo]}")


def _do(
    room: Room, dice: Random, fault: Fault, outcome: Outcome, undo: list[Any], at: str, say: Say
) -> bool:
    """Start a fault. Return whether it hit anything."""
    try:
        done = fault.do(room, dice)
    except (Missed, psycopg.Error) as missed:  # another fault has taken the database away
        outcome.missed[fault.name] += 1
        say(f"{at}  {fault.name}: hit nothing ({str(missed).strip().splitlines()[0]})")
        return False
    outcome.faults[fault.name] += 1
    say(f"{at}  {fault.name}: {done.what}")
    if done.undo is not None:
        undo.append((time.monotonic() + done.seconds, fault, done))
    return True


def _undo(undo: list[tuple[float, Fault, Done]], now: float) -> int:
    """
    End the faults that are due. Return the number of those that remain.

    If another fault keeps the server away, that one has to end first, so the end is tried again.
    """
    for each in tuple(undo):
        if each[0] <= now and each[2].undo is not None:
            with contextlib.suppress(psycopg.Error):
                each[2].undo()
                undo.remove(each)
    return len(undo)


def _set_right(room: Room) -> bool:
    """Set the database's clock to its final value. Return False while the database is away."""
    try:
        set_clock(room.superuser, timedelta(seconds=room.clock))
    except psycopg.Error:
        return False
    return True


def _finish(room: Room, evening: _Evening, outcome: Outcome, say: Say) -> None:
    """End all faults, and wait until the last tournaments have been played to their end."""
    say("no more faults")
    room.calm()
    evening.close()
    _tend_until(room, lambda: _set_right(room), UNDO_SECONDS)
    if not _tend_until(room, evening.playing.done, END_SECONDS):
        open_ = {night.name: night.tournaments[-1:] for night in evening.nights}
        outcome.broken.append(f"play did not end within {END_SECONDS:.0f} s: {open_}")
        return
    evening.playing.result()
    say("all tournaments are over")


def _tend_until(room: Room, ready: Callable[[], bool], seconds: float) -> bool:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        room.tend()
        if ready():
            return True
        time.sleep(LOOK_SECONDS)
    return False


def _judge(room: Room, evening: _Evening, outcome: Outcome) -> None:
    """Start audits, wait until everything is quiet, and check everything."""
    reports = room.loop.begin(_audited(evening))
    if not _tend_until(room, reports.done, QUIET_SECONDS):
        outcome.broken.append("the worker did not audit the leagues in time")
        reports.cancel()
    else:
        outcome.broken += reports.result()
    if not _tend_until(room, lambda: _quiet(room), QUIET_SECONDS):
        outcome.broken.append(f"jobs or projections are not done: {_left(room)}")
    _standing(room, outcome)
    keys = Keys(room.settings("audit").secret_key)
    try:
        # In another loop than that of the lines, so that no part waits for its database meanwhile.
        proved = asyncio.run(asyncio.wait_for(prove(room, keys), PROVE_SECONDS))
    except TimeoutError:
        outcome.broken.append(f"the logs could not be proved in {PROVE_SECONDS:.0f} s")
        return
    outcome.broken += proved.broken
    outcome.broken += verdict.unfaithful(evening.journal, proved.logs)
    there, lost = verdict.unanswered(evening.journal, proved.logs)
    secrets = room.secrets() | {"a password": PASSWORD}
    secrets |= {f"a token of {player}": its.split()[1] for its, player in evening.known.items()}
    outcome.broken += verdict.spilt(room.logs(), secrets)
    outcome.broken += room.loop.run(_readings(evening), 120)
    found = verdict.tracebacks(room.logs())
    outcome.broken += [f"{name} holds {count} tracebacks" for name, count in found.items()]
    ended = sum((night.ended for night in evening.nights), Counter())
    events = sum(len(rows) for rows in proved.logs.values())
    answers = dict(sorted(evening.journal.answers.items()))
    refused = sum((night.refused for night in evening.nights), Counter())
    outcome.told += [
        f"tournaments: {dict(ended)}; events: {events}",
        (
            f"commands: {len(evening.journal.commands)}, of these acknowledged "
            f"{len(evening.journal.acknowledged())}, refused "
            f"{sum(each.refused is not None for each in evening.journal.commands.values())}, "
            f"without an answer {there} in the log and {lost} not"
        ),
        f"answers: {answers}",
        f"refused to players: {dict(sorted(refused.items()))}",
    ]


async def _audited(evening: _Evening) -> list[str]:
    """Have the worker audit each league. Return the faults that it found."""
    found = []
    for night in evening.nights:
        path = f"/v1/leagues/{night.league}/audits"
        operation = (await night.insist(night.host, path, {}, "audit"))["operation"]
        while True:
            shown = await night.host.get(f"/v1/operations/{operation}")
            if shown["result"] is not None:
                break
            await asyncio.sleep(0.3)  # an operation has no feed
        if not shown["result"]["passed"]:
            found.append(f"the worker's audit of {night.league}: {shown['result']}")
    return found


async def _readings(evening: _Evening) -> list[str]:
    found = [each for night in evening.nights for each in await night.seen()]
    if not any(each.cursors for night in evening.nights for each in night.readings.values()):
        found.append("no reader of a feed saw anything")  # an empty league has nothing to audit
    return found


_LEFT: Final = """
    SELECT task, state, count(*), max(last_error) FROM job
     WHERE state = 'dead' OR state = 'sent' OR state = 'ready' AND due_at <= service_time()
     GROUP BY 1, 2
     UNION ALL
    SELECT 'projection ' || name, coalesce('stopped at ' || broken_at, 'behind'), count(*), NULL
      FROM reads.checkpoint done
      JOIN (SELECT 'lge_' || replace(league::text, '-', '') AS league, max(position) AS last
              FROM events GROUP BY 1) it USING (league)
     WHERE done.position < it.last OR broken_at IS NOT NULL
     GROUP BY 1, 2
     UNION ALL
    SELECT 'quarantine of ' || consumer, reason, count(*), NULL FROM quarantine GROUP BY 1, 2
"""


def _left(room: Room) -> list[Any]:
    with room.asked() as connection:
        return connection.execute(_LEFT).fetchall()


def _quiet(room: Room) -> bool:
    try:
        return not _left(room)
    except psycopg.Error:
        return False


def _standing(room: Room, outcome: Outcome) -> None:
    """Check that every part keeps running by itself, and answers."""
    before = {part: room.pid(part) for part in (*room.children, "postmaster")}
    until = time.monotonic() + STAND_SECONDS
    while time.monotonic() < until:
        time.sleep(LOOK_SECONDS)
    after = {part: room.pid(part) for part in before}
    outcome.broken += [
        f"{part} does not stay up"
        for part, pid in after.items()
        if pid is None or pid != before[part]
    ]
    for name, port in {"api": room.port, "api2": room.second_port}.items():
        with contextlib.suppress(httpx.HTTPError):
            if httpx.get(f"http://127.0.0.1:{port}/readyz", timeout=5).status_code == 200:
                continue
        outcome.broken.append(f"{name} is not ready")
    try:
        httpx.get(f"{room.signer_url}/key", timeout=5).raise_for_status()
    except httpx.HTTPError as error:
        outcome.broken.append(f"the signer does not answer: {error}")


@contextmanager
def _disk(path: Path) -> Iterator[bool]:
    """Mount a small disk at *path* if possible, and yield whether that worked."""
    path.mkdir(mode=0o700)
    asked = ["mount", "-t", "tmpfs", "-o", f"size={DISK_BYTES},mode=700", "holotable", str(path)]
    try:
        mounted = subprocess.run(asked, check=False, capture_output=True).returncode == 0
    except FileNotFoundError:
        mounted = False
    try:
        yield mounted
    finally:
        if mounted:
            subprocess.run(["umount", "-l", str(path)], check=True)


__all__ = ["Outcome", "StackFailed", "run"]
