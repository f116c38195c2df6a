"""From requests to commands: actor, idempotency key, decision and answer."""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any, cast, get_args
from uuid import UUID

import msgspec
from litestar import Response

from engine.coordination.aggregates import DECIDERS
from engine.league.roles import Capability, may
from engine.values import stream_of
from service.api.http.declaring.declaration import Needs
from service.api.http.reading.encoding import encoded
from service.api.http.reading.paging import position_token
from service.api.http.shell import (
    ENTERED,
    Asked,
    Shell,
    number_in_path,
    operation_of,
    principal_of,
    shell_of,
)
from service.api.http.writing.preconditions import expected_of
from service.base.errors import BadRequest
from service.base.uuids import uuid5
from service.director import season_ends
from service.log.writer import Order, Receipt, States, StreamEvents

__all__ = ["Order", "answer", "decide_one", "encoded", "order_of"]

NAMESPACE = UUID("5abacc00-0000-5000-8000-686f6c6f7461")
"""UUID namespace of command IDs. It never changes."""

_KEY_MAX = 255

_OF_OFFICES = frozenset(each for each in get_args(Capability) if not may("player", each))


def order_of(request: Asked, body: bytes, *, account: str | None = None) -> Order:
    """
    Return the order that this request makes.

    Args:
        body: The canonical bytes, which are equal for equal requests.
        account: The actor, if only the request itself makes the caller known.

    Raises:
        BadRequest: ``idempotency_key_required`` if the route needs a key and there is none, or
            ``idempotency_key_invalid``.
    """
    shell = shell_of(request)
    actor = account or principal_of(request).account.player
    rehearse = _rehearsal(request)
    key = key_of(request)
    if key is None:
        if operation_of(request).key_required:
            raise BadRequest(
                "idempotency_key_required", "this command needs the header Idempotency-Key"
            )
        key = shell.runtime.entropy.token()
    parts = msgspec.json.encode([actor, request.method, request.scope["path"], key])
    return Order(
        command_id=uuid5(NAMESPACE, hashlib.sha256(parts).hexdigest()),
        actor=actor,
        received_at=shell.now(),
        request=body,
        correlation_id=number_in_path(request),
        rehearse=rehearse,
        expected=expected_of(request, rehearse=rehearse),
        office=_office(operation_of(request).needs),
        entered=request.scope["state"].get(ENTERED, False),
    )


def _office(needs: Needs) -> Capability | None:
    """Return what a route needs if only an office gives it."""
    if needs in _OF_OFFICES:
        return cast(Capability, needs)
    return None


async def decide_one(
    shell: Shell, league: str, identifier: str, order: Order, commands: Sequence[msgspec.Struct]
) -> Receipt:
    """
    Decide *commands* on one aggregate, in order, and append their events together.

    If an event concerns a season, the season's own events join the same append.
    """
    stream = stream_of(identifier)
    decider = DECIDERS[stream.partition("-")[0]]

    async def decide(states: States) -> Sequence[StreamEvents]:
        state = (await states.load(stream)).state
        events: list[Any] = []  # the aggregate's decider knows their type
        for command in commands:
            caused, state = decider.carry_out(state, command)
            events.extend(caused)
        own = StreamEvents(stream, tuple(events), state)
        return [own, *await season_ends.told(states, events, order.received_at)]

    return await shell.runtime.writer.submit(league, order, decide)


def answer(
    receipt: Receipt,
    content: Mapping[str, object],
    status: int = 201,
    *,
    version_of: str | None = None,
) -> Response[bytes]:
    """
    Return the answer to an accepted command: *content* and its position in the log.

    An answer to a command with events has the header ``Command-Id``, which identifies the command
    for a signed receipt, and ``Min-Position``, which later requests may send to cover the command.

    Args:
        version_of: The stream to take the ``ETag`` from, its new version.
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
    if token is not None:
        headers["Min-Position"] = token
    return encoded({**content, "position": token}, status, headers)


def _rehearsal(request: Asked) -> bool:
    """
    Return whether the caller asks for a dry run.

    Raises:
        BadRequest: If the operation has no dry run, or the value is not a boolean.
    """
    if b"dry_run" not in request.scope["query_string"]:
        return False
    asked = request.query_params.get("dry_run")
    if asked in (None, "false"):
        return False
    if not operation_of(request).dry_run:
        raise BadRequest("dry_run_unsupported", "this operation has no dry run")
    if asked != "true":
        raise BadRequest("bad_request", "dry_run must be true or false")
    return True


def key_of(request: Asked) -> str | None:
    """
    Return the request's ``Idempotency-Key``, or None if it has none.

    Raises:
        BadRequest: ``idempotency_key_invalid``.
    """
    given = request.headers.get("idempotency-key")
    if given is None:
        return None
    if len(given) > 1 and given.startswith('"') and given.endswith('"'):
        given = given[1:-1]
    if not given or len(given) > _KEY_MAX or not given.isascii() or not given.isprintable():
        raise BadRequest(
            "idempotency_key_invalid", "the key is 1 to 255 printable ASCII characters"
        )
    return given
