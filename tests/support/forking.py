"""
``python -m tests.support.forking SOCKET``: run commands of ``holotable`` in forks of this process.

This process imports the modules of all commands once. Each request on the socket names the
arguments and the environment of a command, and brings three open files: the command's output, its
errors, and a socket for the answer. The first answer is the fork's process id, the second its exit
code. The fork is a session of its own and runs ``service.cli.main`` as ``python -m`` does.
"""

import gc
import importlib
import json
import os
import pkgutil
import runpy
import select
import socket
import sys
from contextlib import suppress
from dataclasses import dataclass
from typing import Self

import service.cli

MODULE = "service.cli.main"
REQUEST_BYTES_MAX = 1 << 17

IMPORTED_LATE = ("service.process.failures",)
"""Modules that a command imports when it runs. Without them here, every fork would import them."""


@dataclass(frozen=True)
class Request:
    """A command to run, with open files that belong to the receiver."""

    arguments: list[str]
    environment: dict[str, str]
    output: int
    errors: int
    answers: socket.socket

    @classmethod
    def receive(cls, requests: socket.socket) -> Self | None:
        """Wait for the next request, and return it. ``None`` if there will be no more."""
        message, files, _, _ = socket.recv_fds(requests, REQUEST_BYTES_MAX, 3)
        if not message:
            return None
        arguments, environment = json.loads(message)
        output, errors, answers = files
        return cls(arguments, environment, output, errors, socket.socket(fileno=answers))

    def close(self) -> None:
        """Close the files, except the socket for the answer."""
        os.close(self.output)
        os.close(self.errors)


def import_commands() -> None:
    """Import the modules of all commands, without garbage collection."""
    gc.disable()
    found = (each.name for each in pkgutil.walk_packages(service.cli.__path__, "service.cli."))
    for name in (*found, *IMPORTED_LATE):
        if name != MODULE:
            importlib.import_module(name)
    gc.enable()
    gc.freeze()


def serve(requests: socket.socket) -> Request | None:
    """
    Fork this process for each request, and answer with the exit code of each fork.

    Returns:
      In a fork, its request. ``None`` in this process, once there are no more requests.
    """
    running: dict[int, tuple[int, socket.socket]] = {}
    ready = select.poll()
    ready.register(requests, select.POLLIN)
    while True:
        for number, _ in ready.poll():
            if number in running:
                process, answers = running.pop(number)
                ready.unregister(number)
                os.close(number)
                code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
                with answers, suppress(BrokenPipeError):
                    answers.send(str(code).encode())
            elif (request := Request.receive(requests)) is None:
                return None
            elif (process := os.fork()) == 0:
                for each in running:
                    os.close(each)
                return request
            else:
                request.close()
                request.answers.send(str(process).encode())
                ended = os.pidfd_open(process)
                running[ended] = process, request.answers
                ready.register(ended, select.POLLIN)


def run(request: Request) -> None:
    """Run the command of *request*. Its end is the end of this process."""
    os.setsid()
    request.answers.close()
    os.dup2(request.output, sys.stdout.fileno())
    os.dup2(request.errors, sys.stderr.fileno())
    request.close()
    os.environ.clear()
    os.environ.update(request.environment)
    sys.argv[1:] = request.arguments
    runpy.run_module(MODULE, run_name="__main__", alter_sys=True)


def main(requests: socket.socket) -> None:
    """Serve until the other end of *requests* is closed."""
    import_commands()
    with requests:
        request = serve(requests)
    if request is not None:
        run(request)


if __name__ == "__main__":
    main(socket.socket(fileno=int(sys.argv[1])))
