"""From a request to a command: whose it is, under which key, and what its answer says."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import msgspec
from litestar import Response

from engine.coordination.aggregates import DECIDERS
from engine.values import stream_of
from service.api.http.paging import position_token
from service.api.http.shell import (
    Asked,
    Shell,
    number_in_path,
    operation_of,
    principal_of,
    shell_of,
)
from service.base.errors import BadRequest
from service.base.uuids import uuid5
from service.director import season_ends
from service.log.writer import Command, Entry, Receipt, States

NAMESPACE = UUID("5abacc00-0000-5000-8000-686f6c6f7461")
"""Of command ids; fixed for ever."""

_KEY_MAX = 255


@dataclass(frozen=True, slots=True)
class Order:
    """A request that changes something."""

    command_id: UUID
    actor: str
    command: Command

    def new_id(self, number: int) -> UUID:
        """Return the command's own identifier *number*: a retry finds what it made."""
        return uuid5(self.command_id, f"id/{number}")


def order_of(request: Asked, body: bytes, *, account: str | None = None) -> Order:
    """
    Return the command this request is.

    Args:
        body: Canonical bytes: the same for the same request.
        account: Who asks, where the request is what makes them known.

    Raises:
        BadRequest: ``idempotency_key_required``, where the route declares so, or
            ``idempotency_key_invalid``.
    """
    shell = shell_of(request)
    actor = account or principal_of(request).account.player
    rehearse = _rehearsal(request)
    key = _key(request)
    if key is None:
        if operation_of(request).key_required:
            raise BadRequest(
                "idempotency_key_required", "this command needs the header Idempotency-Key"
            )
        key = shell.runtime.entropy.token()
    parts = msgspec.json.encode([actor, request.method, request.scope["path"], key])
    command_id = uuid5(NAMESPACE, hashlib.sha256(parts).hexdigest())
    command = Command(
        command_id=command_id,
        actor=actor,
        received_at=shell.now(),
        request=body,
        correlation_id=number_in_path(request),
        rehearse=rehearse,
    )
    return Order(command_id, actor, command)


async def decide_one(
    shell: Shell, league: str, identifier: str, order: Order, commands: Sequence[msgspec.Struct]
) -> Receipt:
    """
    Have *commands* decided by one aggregate, one after the other, in one append.

    A season notes in the same append what is announced for it.
    """
    stream = stream_of(identifier)
    decider = DECIDERS[stream.partition("-")[0]]

    async def decide(states: States) -> Sequence[Entry]:
        state = (await states.load(stream)).state
        events: list[Any] = []  # one aggregate's; its decider says which
        for command in commands:
            caused, state = decider.carry_out(state, command)
            events.extend(caused)
        own = Entry(stream, tuple(events), state)
        return [own, *await season_ends.told(states, events, order.command.received_at)]

    return await shell.runtime.writer.submit(league, order.command, decide)


def answer(
    receipt: Receipt,
    content: Mapping[str, object],
    status: int = 201,
    *,
    version_of: str | None = None,
) -> Response[bytes]:
    """
    Return the answer to an accepted command: *content* and where it stands in the log.

    What has appended carries ``Command-Id``, under which a signed receipt can be had.

    Args:
        version_of: The stream whose new version is the ``ETag``.
    """
    position = receipt.last_position
    headers: dict[str, str] = {}
    if receipt.duplicate:
        headers["Idempotent-Replayed"] = "true"
    versions = [each.version for each in receipt.recorded if each.stream == version_of]
    if versions:
        headers["ETag"] = f'"{versions[-1]}"'
    if position is not None:
        headers["Command-Id"] = receipt.command_id.hex
    token = None if position is None else position_token(receipt.league, receipt.epoch, position)
    return encoded({**content, "position": token}, status, headers)


def _rehearsal(request: Asked) -> bool:
    """Return whether ``?dry_run=true`` is asked; only of operations that know how."""
    if b"dry_run" not in request.scope["query_string"]:
        return False
    asked = request.query_params.get("dry_run")
    if asked in (None, "false"):
        return False
    if not operation_of(request).dry_run:
        raise BadRequest("dry_run_unsupported", "this operation has no dry run")
    if asked != "true":
        raise BadRequest("bad_request", "dry_run is true or false")
    return True


class _Answer(Response[bytes]):
    """JSON that needs nothing of what the framework looks for in what it is given."""

    def __init__(self, content: bytes, status: int, headers: dict[str, str]) -> None:
        self.content = content
        self.status_code = status
        self.headers = headers
        self.media_type = "application/json"
        self.encoding = "utf-8"
        self.background = None
        self.cookies = []
        self.response_type_encoders = {}


def encoded(
    content: object, status: int = 200, headers: dict[str, str] | None = None
) -> Response[bytes]:
    """Return *content* as JSON."""
    return _Answer(msgspec.json.encode(content), status, headers or {})


def _key(request: Asked) -> str | None:
    given = request.headers.get("idempotency-key")
    if given is None:
        return None
    if len(given) > 1 and given.startswith('"') and given.endswith('"'):
        given = given[1:-1]
    if not given or len(given) > _KEY_MAX or not given.isascii() or not given.isprintable():
        raise BadRequest("idempotency_key_invalid", "the key is 1 to 255 printable characters")
    return given
