"""The players of a game in memory: house bots, functions, and programs."""

import json
import os
import queue
import shlex
import subprocess
import threading
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Final

from service.base.documents import Document, Json
from service.sandbox.bots.betting import Temper
from service.sandbox.bots.player import choose
from service.sandbox.bots.strengths import STYLES, Strength
from service.sandbox.selfplay.game import Fault, NoAnswer

RESTARTS_MAX: Final = 10
"""A program that ends more often than this is not started again."""

_STOP_SECONDS: Final = 2.0

Function = Callable[[Document], Json]


class BotUnusable(Exception):
    """The bot cannot be loaded, or ends again and again. The text is one line for people."""


@dataclass(slots=True)
class HousePlayer:
    """A house bot."""

    strength: Strength
    name: str
    seed: int = 1

    def choose(self, view: Document) -> Document:
        """Return the action of a bot of this strength."""
        temper = Temper.of(self.name, self.seed)
        action = choose(view, temper, self.name, self.seed, STYLES[self.strength])
        if action is None:
            raise TypeError("nothing is asked of this seat")
        return action

    def told(self, fault: Fault) -> None:
        """Raise, because a house bot never does anything illegal."""
        raise TypeError(f"a house bot was refused: {fault}")


@dataclass(slots=True)
class Candidate:
    """
    The bot under test, with its answers.

    Args:
        ask: Returns the bot's answer to a view.
        seconds: The time for a decision.
    """

    ask: Function
    seconds: float
    took: list[float] = field(default_factory=list)
    """The seconds that each answer took."""

    faults: list[Fault] = field(default_factory=list)

    def choose(self, view: Document) -> Document:
        """Return the bot's action, or raise NoAnswer."""
        began = time.perf_counter()
        try:
            answer = self.ask(view)
        finally:
            took = time.perf_counter() - began
            self.took.append(took)
        if took > self.seconds:
            raise NoAnswer("late", f"the answer took {took:.1f} s, the decision {self.seconds:g} s")
        if not isinstance(answer, dict):
            raise NoAnswer("malformed", f"an action is a JSON object, not {type(answer).__name__}")
        return answer

    def told(self, fault: Fault) -> None:
        """Note a fault for the report."""
        self.faults.append(fault)


def function_of(path: Path, name: str) -> Function:
    """
    Return the function *name* of a Python file.

    Raises:
        BotUnusable: If the file or the function cannot be loaded.
    """
    spec = spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None or not path.is_file():
        raise BotUnusable(f"{path} is not a Python file")
    module = module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise BotUnusable(f"{path} cannot be loaded: {type(error).__name__}: {error}") from error
    function = vars(module).get(name)
    if not callable(function):
        raise BotUnusable(f"{path} has no function {name}")

    def ask(view: Document) -> Json:
        try:
            return function(view)
        except Exception as error:
            where = traceback.extract_tb(error.__traceback__)[-1]
            said = f"{type(error).__name__}: {error} (line {where.lineno} of {where.filename})"
            raise NoAnswer("ended", said) from error

    return ask


class Program:
    """
    A program that reads one view a line and writes one action a line.

    Args:
        command: The program and its arguments, as a shell would split them.
        seconds: The time for a decision. A program that is late is started again.
    """

    def __init__(self, command: str, seconds: float) -> None:
        self._command = shlex.split(command)
        self._seconds = seconds
        self._lines: queue.Queue[str | None] = queue.Queue()
        self._child: subprocess.Popen[str] | None = None
        self._starts = 0

    def ask(self, view: Document) -> Json:
        """
        Write *view* and return the program's answer.

        Raises:
            NoAnswer: If it ends or is late.
            BotUnusable: If it cannot be started, or ends again and again.
        """
        child = self._child or self._start()
        line: str | None = None
        try:
            if child.stdin is not None:
                child.stdin.write(json.dumps(view) + "\n")
                child.stdin.flush()
            line = self._lines.get(timeout=self._seconds)
        except BrokenPipeError:
            pass
        except queue.Empty:
            self.close()
            raise NoAnswer("late", f"no answer in {self._seconds:g} s") from None
        if line is None:
            code = child.wait()
            self.close()
            raise NoAnswer("ended", f"the program ended with code {code}")
        try:
            return json.loads(line)
        except ValueError:
            raise NoAnswer("malformed", f"a line is not JSON: {line.strip()[:80]}") from None

    def close(self) -> None:
        """End the program, if it runs."""
        child, self._child = self._child, None
        if child is None:
            return
        child.terminate()
        try:
            child.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()
        with suppress(BrokenPipeError):
            if child.stdin is not None:
                child.stdin.close()

    def _start(self) -> "subprocess.Popen[str]":
        self._starts += 1
        if self._starts > RESTARTS_MAX:
            raise BotUnusable(f"the program ended or was late {RESTARTS_MAX} times")
        try:
            child = subprocess.Popen(
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                env={**os.environ, "PYTHONUNBUFFERED": "1"},
            )
        except OSError as error:
            raise BotUnusable(f"{self._command[0]} cannot be started: {error.strerror}") from error
        lines = self._lines = queue.Queue()

        def read() -> None:
            if child.stdout is not None:
                with child.stdout as written:
                    for line in written:
                        lines.put(line)
            lines.put(None)

        threading.Thread(target=read, daemon=True).start()
        self._child = child
        return child
