"""The journal of commands and answers, which the verdict reads."""

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Final
from uuid import UUID

import httpx
import msgspec

from service.api.http.reading.paging import parts_of
from service.api.http.writing.submitting import NAMESPACE
from service.base.uuids import uuid5

MAYBE: Final = ("store_unavailable",)
"""Refusals after which the log may still hold the command."""

NOTHING_DONE: Final = frozenset(
    {"overloaded", "too_many_requests", "too_many_connections", "schema_unsupported"}
)


@dataclass(frozen=True, slots=True)
class Place:
    """A place in the log that a client was told."""

    league: str
    epoch: int
    position: int


@dataclass(slots=True)
class Command:
    """One command, over all its attempts."""

    command_id: UUID
    path: str
    sent: int = 0
    told: Place | None = None
    """The position of the last event, once a client was told that the command was accepted."""

    refused: str | None = None
    """The code of the refusal, if it was final."""

    answered: bool = False
    """True if a client knows the outcome."""

    def line(self) -> str:
        """Return the command as one line for people and programs."""
        return json.dumps(msgspec.to_builtins(self))


@dataclass(slots=True)
class Journal:
    """
    All commands with a key, and every answer that contradicts another.

    Args:
        file: Gets a line for each answer, for a person who examines a failed run.
    """

    file: Path | None = None
    commands: dict[UUID, Command] = field(default_factory=dict)
    answers: Counter[str] = field(default_factory=Counter)
    """The number of answers with each status or code, and of attempts without an answer."""

    wrong: list[str] = field(default_factory=list)
    """Answers that contradict an earlier one, and defects."""

    def asked(self, actor: str, method: str, path: str, key: str) -> Command:
        """Note that a command is sent. It may be a repetition."""
        parts = msgspec.json.encode([actor, method, path, key])
        command_id = uuid5(NAMESPACE, sha256(parts).hexdigest())
        command = self.commands.setdefault(command_id, Command(command_id, path))
        command.sent += 1
        return command

    def accepted(self, command: Command, said: str | None, position: str | None) -> None:
        """Note that a client was told its command is accepted."""
        command.answered = True
        if said is None or position is None:
            return  # a command without events
        place = Place(*parts_of(position, str, int, int))
        if UUID(said) != command.command_id:
            self.wrong.append(f"{command.path}: {command.command_id} was answered as {said}")
        if command.told is not None and command.told != place:
            self.wrong.append(f"{command.command_id} was at {command.told}, and then at {place}")
        if command.refused is not None:
            self.wrong.append(f"{command.command_id} was {command.refused}, and then accepted")
        command.told = place
        self._write(command)

    def refusal(self, command: Command, code: str) -> None:
        """Note that a client was told its command is refused."""
        if code in MAYBE or code in NOTHING_DONE:
            return  # the client will ask again
        if command.told is not None:
            self.wrong.append(f"{command.command_id} was accepted, and then refused as {code}")
        command.refused, command.answered = code, True
        self._write(command)

    def defect(self, what: str) -> None:
        """Note an answer that no client may ever get."""
        self.wrong.append(what)

    def acknowledged(self) -> list[Command]:
        """Return the commands that clients were told are accepted."""
        return [each for each in self.commands.values() if each.told is not None]

    def _write(self, command: Command) -> None:
        if self.file is not None:
            with self.file.open("a", encoding="utf-8") as lines:
                lines.write(f"{command.line()}\n")


class Noting(httpx.AsyncBaseTransport):
    """
    Sends each attempt over a line drawn at random, and notes every answer to a command.

    Args:
        journal: The journal that gets the answers.
        known: The player of each header ``Authorization``.
        ports: The ports of the lines at the moment.
        dice: Draws the line.
    """

    def __init__(
        self,
        journal: Journal,
        known: Mapping[str, str],
        ports: Callable[[], Sequence[int]],
        dice: Random,
    ) -> None:
        self._journal = journal
        self._known = known
        self._ports = ports
        self._dice = dice
        self._inner = httpx.AsyncHTTPTransport(limits=httpx.Limits(max_connections=200))

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request once."""
        actor = self._known.get(request.headers.get("authorization", ""))
        key = request.headers.get("idempotency-key")
        request.url = request.url.copy_with(port=self._dice.choice(self._ports()))
        command = None
        if key is not None and actor is not None:
            command = self._journal.asked(actor, request.method, request.url.path, key)
        try:
            response = await self._inner.handle_async_request(request)
            response.request = request
            if request.headers.get("accept") != "text/event-stream":
                await response.aread()
        except httpx.TransportError as error:
            self._journal.answers[type(error).__name__] += 1
            raise
        if command is not None or response.status_code >= 400:
            await self._note(command, request, response)
        return response

    async def aclose(self) -> None:
        """Close the connections."""
        await self._inner.aclose()

    async def _note(
        self, command: Command | None, request: httpx.Request, response: httpx.Response
    ) -> None:
        if response.status_code < 400:
            self._journal.answers[str(response.status_code)] += 1
            if command is not None:
                headers = response.headers
                self._journal.accepted(
                    command, headers.get("command-id"), headers.get("min-position")
                )
            return
        text = (await response.aread()).decode(errors="replace")
        try:
            code = str(json.loads(text)["code"])
        except (ValueError, KeyError, TypeError):
            code = "not a problem document"
        self._journal.answers[f"{response.status_code} {code}"] += 1
        if response.status_code == 500 or code == "not a problem document":
            self._journal.defect(f"{request.method} {request.url.path}: {text[:300]}")
        elif command is not None:
            self._journal.refusal(command, code)
