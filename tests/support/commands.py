"""``holotable`` on the command line of a stack, in its own Python or in a fork."""

import atexit
import functools
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from threading import Lock
from typing import IO

from service.base.settings import environment
from service.process.supervisor import Stack
from tests.support.forking import MODULE

ROOT = Path(__file__).resolve().parents[2]
TIMEOUT_SECONDS = 150
"""For a command that hangs. With much other work, a sound one has taken half a minute."""

STARTING_SECONDS = 180
"""The first command waits for all imports. If it timed out, every later one would fail too."""

_one_at_a_time = Lock()

Ended = subprocess.CompletedProcess[str]


def in_own_python(arguments: tuple[str, ...], settings: Mapping[str, str]) -> Ended:
    """Run ``holotable`` with *arguments* and *settings* as an operator does."""
    return subprocess.run(
        [sys.executable, "-m", MODULE, *arguments],
        cwd=ROOT,
        env=_without_settings() | settings,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_SECONDS,
        check=False,
    )


@dataclass
class Begun:
    """A command that runs in a fork. A test stops it, kills it or waits for it."""

    arguments: tuple[str, ...]
    process: int
    """Its process id. Its children are in a process group of the same number."""

    _answers: socket.socket
    _output: IO[bytes]
    _errors: IO[bytes]

    def kill(self, number: signal.Signals = signal.SIGKILL) -> None:
        """Send a signal to the command alone."""
        os.kill(self.process, number)

    def kill_all(self, number: signal.Signals = signal.SIGKILL) -> None:
        """Send a signal to the command and its children."""
        os.killpg(self.process, number)

    def end(self) -> Ended:
        """Wait for the end of the command."""
        self._answers.settimeout(TIMEOUT_SECONDS)
        try:
            code = int(self._answers.recv(64))
        except TimeoutError:
            self.kill_all()
            raise
        self._output.seek(0)
        self._errors.seek(0)
        said = self._output.read().decode(), self._errors.read().decode()
        return Ended([MODULE, *self.arguments], code, *said)


@contextmanager
def begun(arguments: tuple[str, ...], settings: Mapping[str, str]) -> Iterator[Begun]:
    """Begin ``holotable`` with *arguments* and *settings* in a fork."""
    asked = json.dumps([arguments, _without_settings() | settings]).encode()
    answers, answering = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with answers, TemporaryFile() as output, TemporaryFile() as errors:
        with answering:
            files = [each.fileno() for each in (output, errors, answering)]
            socket.send_fds(_forks(), [asked], files)
        answers.settimeout(STARTING_SECONDS)
        yield Begun(arguments, int(answers.recv(64)), answers, output, errors)


def in_fork(arguments: tuple[str, ...], settings: Mapping[str, str]) -> Ended:
    """
    Run ``holotable`` with *arguments* and *settings* in a fork.

    The module and its process are real, but a second of imports is saved.
    """
    with begun(arguments, settings) as command:
        return command.end()


def holotable(
    stack: Stack,
    process: str,
    *arguments: str,
    run: Callable[[tuple[str, ...], Mapping[str, str]], Ended] = in_fork,
    **changes: str,
) -> Ended:
    """
    Run ``holotable`` with the settings that *process* has in *stack*, updated by *changes*.

    A fork does not show that a command imports everything it needs. For each command, one test
    says ``run=in_own_python``.
    """
    return run(arguments, environment(stack.settings(process)) | changes)


def _without_settings() -> dict[str, str]:
    return {name: it for name, it in os.environ.items() if not name.startswith("HOLOTABLE_")}


def _forks() -> socket.socket:
    """Return the socket of the process that forks. It is started once."""
    with _one_at_a_time:
        return _started()


@functools.cache
def _started() -> socket.socket:
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.support.forking", str(theirs.fileno())],
            cwd=ROOT,
            env=_without_settings(),
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def end() -> None:
        ours.close()
        process.wait(TIMEOUT_SECONDS)

    atexit.register(end)
    return ours
