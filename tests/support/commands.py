"""``holotable`` on the command line of a stack, in its own Python or in a fork."""

import atexit
import functools
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryFile
from threading import Lock

from service.base.settings import environment
from service.process.supervisor import Stack
from tests.support.forking import MODULE

ROOT = Path(__file__).resolve().parents[2]
TIMEOUT_SECONDS = 30
STARTING_SECONDS = 180
"""The first command waits for all imports. If it gave up, every later one would fail too."""

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


def in_fork(arguments: tuple[str, ...], settings: Mapping[str, str]) -> Ended:
    """
    Run ``holotable`` with *arguments* and *settings* in a fork.

    The module and its process are real, but a second of imports is saved.
    """
    asked = json.dumps([arguments, _without_settings() | settings]).encode()
    answers, answering = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with answers, TemporaryFile() as output, TemporaryFile() as errors:
        with answering:
            files = [each.fileno() for each in (output, errors, answering)]
            socket.send_fds(_forks(), [asked], files)
        answers.settimeout(STARTING_SECONDS)
        process = int(answers.recv(64))
        answers.settimeout(TIMEOUT_SECONDS)
        try:
            code = int(answers.recv(64))
        except TimeoutError:
            os.killpg(process, signal.SIGKILL)
            raise
        output.seek(0)
        errors.seek(0)
        return Ended([MODULE, *arguments], code, output.read().decode(), errors.read().decode())


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
