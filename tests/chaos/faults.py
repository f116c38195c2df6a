"""
The faults. Each takes the room and the dice, does its harm, and describes it.

A lasting fault also returns a function that ends it.
"""

import contextlib
import os
import shutil
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from random import Random
from typing import Final, NamedTuple

import psycopg
from amqp import AMQPError
from kombu.exceptions import KombuError

from service.base import migrations, revisions
from service.base.schema_range import of_code
from tests.chaos.room import SECOND, Room
from tests.service.tasks.due_work import CHAOS
from tests.service.upgrades.test_two_versions import ADDING
from tests.support.clocks import set_clock

STORM: Final = {"cut": 0.1, "swallowed": 0.15, "delayed": 0.2, "half_closed": 0.05}
STORM_OF_DATABASE: Final = {"cut": 0.02, "swallowed": 0.02, "delayed": 0.05, "half_closed": 0.0}
LEAPS: Final = (0.4, -0.4, 3.0, -3.0, 40.0, -40.0, 3600.0, -3600.0)
STEP_SECONDS: Final = 5.0
"""A smaller leap is believed at once and stays. A larger one is undone."""

_SEEN: Final = """
    SELECT pid FROM pg_stat_activity
     WHERE backend_type = 'client backend' AND usename LIKE 'holotable%%' ORDER BY pid
"""
_IN_WORK: Final = "SELECT task FROM job WHERE state = 'sent' ORDER BY task LIMIT 1"
_TASK_SECONDS: Final = 2.0
_MESSAGE_SECONDS: Final = 2.0


class Done(NamedTuple):
    """The report of a fault."""

    what: str
    """The part that was hit, for people to read."""

    undo: Callable[[], None] | None = None
    seconds: float = 0.0
    """The time after which *undo* is called."""


class Missed(Exception):
    """The fault found no target."""


Do = Callable[[Room, Random], Done]


@dataclass(frozen=True, slots=True)
class Fault:
    """A kind of fault. Its name is that in the counts."""

    name: str
    do: Do


def killing(part: str) -> Fault:
    """Return the fault that kills a part by SIGKILL."""

    def do(room: Room, _: Random) -> Done:
        pid = room.end(part)
        if pid is None:
            raise Missed(f"{part} is down")
        return Done(f"{part}, pid {pid}")

    return Fault(f"killed: {part}", do)


def children_of(pid: int | None) -> list[int]:
    """Return the children of a process."""
    found = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            fields = status.read_text().rpartition(") ")[2].split()
            if int(fields[1]) == pid and fields[0] != "Z":
                found.append(int(status.parent.name))
    return sorted(found)


def kill_child(room: Room, dice: Random) -> Done:
    """Kill one process of the worker."""
    children = children_of(room.pid("worker"))
    if not children:
        raise Missed("the worker has no process")
    child = dice.choice(children)
    _signal(child, signal.SIGKILL)
    return Done(f"pid {child}")


def kill_in_a_task(room: Room, dice: Random) -> Done:
    """Kill all processes of the worker as soon as a job is being done."""
    until = time.monotonic() + _TASK_SECONDS
    with room.asked() as connection:
        while time.monotonic() < until:
            row = connection.execute(_IN_WORK).fetchone()
            children = children_of(room.pid("worker"))
            if row is not None and children:
                for child in children:
                    _signal(child, signal.SIGKILL)
                return Done(f"at {row[0]}")
    raise Missed("no job was in work")


def terminate(room: Room, dice: Random) -> Done:
    """End one session of the database."""
    with room.asked() as connection:
        pid = dice.choice(_backends(connection))
        connection.execute("SELECT pg_terminate_backend(%s)", [pid])
    return Done(f"backend {pid}")


def terminate_all(room: Room, _: Random) -> Done:
    """End all of the service's sessions."""
    with room.asked() as connection:
        backends = _backends(connection)
        connection.execute("SELECT pg_terminate_backend(pid) FROM unnest(%s) pid", [backends])
    return Done(f"{len(backends)} backends")


def crash_backend(room: Room, dice: Random) -> Done:
    """Kill the process of a session. The server then restarts itself."""
    with room.asked() as connection:
        pid = dice.choice(_backends(connection))
    _signal(pid, signal.SIGKILL)
    return Done(f"backend {pid}")


def kill_postmaster(room: Room, dice: Random) -> Done:
    """Crash the whole server."""
    pid, number = room.pid("postmaster"), dice.choice((signal.SIGKILL, signal.SIGQUIT))
    if pid is None:
        raise Missed("the server is down")
    _signal(pid, number)
    return Done(f"{number.name}, pid {pid}")


def storm(*lines: str, strength: dict[str, float]) -> Do:
    """Return the fault that makes lines fail for some seconds."""

    def do(room: Room, dice: Random) -> Done:
        for name in lines:
            room.weather[name].set(**strength)

        def undo() -> None:
            for name in lines:
                room.weather[name].calm()

        seconds = dice.uniform(2, 6)
        return Done(f"for {seconds:.1f} s", undo, seconds)

    return do


def disturb_messages(room: Room, dice: Random) -> Done:
    """Make the broker lose every third message for a while, and deliver the others twice."""
    broker = room.superuser_of_broker
    with room.asked(broker) as connection:
        known = connection.execute("SELECT to_regclass('public.chaos') IS NOT NULL").fetchone()
        if known is None or not known[0]:
            connection.execute(CHAOS.encode())
        connection.execute("ALTER TABLE pgmq.q_play ENABLE TRIGGER chaos")

    def undo() -> None:
        with room.asked(broker) as connection:
            connection.execute("ALTER TABLE pgmq.q_play DISABLE TRIGGER chaos")

    seconds = dice.uniform(4, 8)
    return Done(f"for {seconds:.1f} s", undo, seconds)


def close_broker(room: Room, dice: Random) -> Done:
    """Stop the broker for some seconds."""
    name = f'"{room.name}_broker"'
    with room.asked() as connection:
        connection.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false")
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s",
            [f"{room.name}_broker"],
        )

    def undo() -> None:
        with room.asked() as connection:
            connection.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true")

    seconds = dice.uniform(2, 6)
    return Done(f"for {seconds:.1f} s", undo, seconds)


def restart_broker(room: Room, dice: Random) -> Done:
    """Kill RabbitMQ, and start it again after some seconds."""
    if room.broker is None or room.broker.ended():
        raise Missed("the broker is down")
    room.resting.add("broker")
    pid, seconds = room.broker.kill(), dice.uniform(0, 6)
    return Done(f"pid {pid} for {seconds:.1f} s", lambda: room.resting.discard("broker"), seconds)


def disturb_queue(room: Room, _: Random) -> Done:
    """Lose a third of the messages that wait in RabbitMQ, and double the others."""
    if room.broker is None or room.broker.ended():
        raise Missed("the broker is down")
    try:
        lost, doubled = room.broker.disturb(_MESSAGE_SECONDS)
    except (OSError, AMQPError, KombuError) as error:  # it is starting
        raise Missed(f"the broker does not answer: {type(error).__name__}") from error
    if not lost + doubled:
        raise Missed("no message waited")
    return Done(f"{lost} and {doubled}")


def leap(room: Room, dice: Random) -> Done:
    """Set the database's clock. A small step stays, a large one is undone."""
    step = dice.choice(LEAPS)
    set_clock(room.superuser, timedelta(seconds=room.clock + step))
    if abs(step) < STEP_SECONDS:
        room.clock += step
        return Done(f"by {step:+} s")

    def undo() -> None:
        set_clock(room.superuser, timedelta(seconds=room.clock))

    seconds = dice.uniform(3, 10)
    return Done(f"by {step:+} s for {seconds:.1f} s", undo, seconds)


def fill_disk(room: Room, dice: Random) -> Done:
    """Fill the disk on which the database and the signer write."""
    if not os.path.ismount(room.data):
        raise Missed("the data have no disk of their own")
    ballast = room.data / "ballast"
    free = os.statvfs(room.data)
    with ballast.open("wb") as file:
        size = free.f_bavail * free.f_frsize
        with contextlib.suppress(OSError):  # the server has used some of it meanwhile
            os.posix_fallocate(file.fileno(), 0, size)
        with contextlib.suppress(OSError):
            while True:
                os.write(file.fileno(), bytes(4096))

    def undo() -> None:
        ballast.unlink(missing_ok=True)

    seconds = dice.uniform(2, 6)
    return Done(f"{size >> 20} MiB for {seconds:.1f} s", undo, seconds)


def take_connections(room: Room, dice: Random) -> Done:
    """Take every connection that the server still offers."""
    held = ExitStack()
    taken = 0
    with contextlib.suppress(psycopg.OperationalError):
        while True:
            held.enter_context(contextlib.closing(psycopg.connect(room.superuser)))
            taken += 1
    seconds = dice.uniform(3, 8)
    return Done(f"{taken} for {seconds:.1f} s", held.close, seconds)


def freeze(room: Room, dice: Random) -> Done:
    """Stop a process of the service or of the server for some seconds."""
    part = dice.choice((*room.children, "worker's process", "postmaster", "server's process"))
    if part == "worker's process":
        pids = children_of(room.pid("worker"))
    elif part == "server's process":
        pids = children_of(room.pid("postmaster"))
    else:
        pids = [pid for pid in (room.pid(part),) if pid is not None]
    if not pids:
        raise Missed(f"{part} is down")
    pid, seconds = dice.choice(pids), dice.uniform(1, 8)
    # This runs in a thread of its own, because this one may come to wait for the frozen process.
    thaw = threading.Timer(seconds, _signal, (pid, signal.SIGCONT))
    thaw.start()
    _signal(pid, signal.SIGSTOP)
    return Done(f"{part} for {seconds:.1f} s", thaw.join, seconds)


def upgrade(room: Room, _: Random) -> Done:
    """Migrate to the newer version, and from now on run it in one API process and the worker."""
    folder = room.data.parent / "newer"
    head = of_code().head
    shutil.copytree(revisions.FOLDER, folder)
    (folder / "versions/9001_adding.py").write_text(ADDING.replace("{head}", head))
    with _knowing(folder):
        url = room._url("holotable_migrate", room.name)
        try:
            migrations.migrate(f"{url}?connect_timeout=2")
        except Exception as error:
            shutil.rmtree(folder)
            raise Missed(f"the migration failed: {error}") from error
    for part in (SECOND, "worker"):
        room.newer[part] = folder
        if (pid := room.pid(part)) is not None:
            _signal(pid, signal.SIGTERM)
    return Done("one API process and the worker")


@contextmanager
def _knowing(folder: Path) -> Iterator[None]:
    before, revisions.FOLDER = revisions.FOLDER, folder
    try:
        yield
    finally:
        revisions.FOLDER = before


def _backends(connection: psycopg.Connection) -> list[int]:
    found = [row[0] for row in connection.execute(_SEEN).fetchall()]
    if not found:
        raise Missed("nobody is connected")
    return found


def _signal(pid: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)


OFTEN: Final = (
    killing("api"),
    killing(SECOND),
    killing("worker"),
    killing("project"),
    killing("signer"),
    killing("bots"),
    Fault("killed: a worker's process", kill_child),
    Fault("killed: in a task", kill_in_a_task),
    Fault("session ended", terminate),
    Fault("all sessions ended", terminate_all),
    Fault("killed: a backend", crash_backend),
    Fault("killed: postmaster", kill_postmaster),
    Fault("storm to the API", storm("api", SECOND, strength=STORM)),
    Fault("storm to the database", storm("database", strength=STORM_OF_DATABASE)),
    Fault("clock leapt", leap),
    Fault("disk full", fill_disk),
    Fault("connections taken", take_connections),
    Fault("frozen", freeze),
    Fault("frozen", freeze),
)
"""The faults that are repeated, with either broker."""

OF_PGMQ: Final = (
    Fault("messages lost and doubled", disturb_messages),
    Fault("broker away", close_broker),
)
OF_RABBIT: Final = (
    Fault("messages lost and doubled", disturb_queue),
    Fault("killed: broker", restart_broker),
)

ONCE: Final = Fault("newer version", upgrade)
