"""Signed receipts, which prove that a command was accepted even if its events later disappear."""

from hashlib import sha256
from typing import Annotated
from uuid import UUID

import msgspec
from litestar import Response
from msgspec import Meta

from engine.values import number_of
from service.api.http.access.rights import AS_KNOWN, LeaguePlace, demand_also
from service.api.http.operations import operation
from service.api.http.reading.positions import plays_in
from service.api.http.shell import Shell
from service.api.http.writing.submitting import encoded
from service.base.documents import Json
from service.base.drivers import Driver
from service.base.errors import Forbidden, LogIncomplete, RequestMismatch, StreamNotFound
from service.bundles.lines import Event, event_line
from service.log.batch import event_id
from service.log.read import epoch_of, read_command, read_stream
from service.log.record import Metadata, Recorded
from service.people.tokens import Principal
from service.transparency.receipt import CommandReceipt, PromisedEvent


class ReceiptWanted(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """The command to sign a receipt for. The body of its request is optional."""

    command: Annotated[str, Meta(pattern="^[0-9a-f]{32}$")]
    """``Command-Id`` of the command's answer."""

    request: Json = None
    """The request's body as it was sent (any JSON). If it is given, the receipt proves it too."""


class SignedReceipt(msgspec.Struct, frozen=True, kw_only=True):
    """A signed receipt, with the events that it lists the hashes of."""

    note: str
    """A signed note (C2SP signed-note)."""

    events: list[Event]
    """
    The events in the form of bundle lines. The first event of each stream carries the hash before
    it.
    """


@operation(
    "POST", "/v1/leagues/{league_id:str}/receipts", "sign_receipt",
    "Get a signed receipt for one of the caller's accepted commands.",
    needs="read_league", scope="leagues:read", answer=SignedReceipt,
    problems=(
        "forbidden", "request_mismatch", "signer_away", "checkpoint_refused", "log_incomplete",
    ),
)  # fmt: skip
async def sign_receipt(
    principal: Principal, body: ReceiptWanted, place: Annotated[LeaguePlace, AS_KNOWN], shell: Shell
) -> Response[bytes]:
    """Sign the log's events of a command, for its actor or for an auditor who is not entered."""
    league = number_of(place.league)
    async with shell.pool.acquire() as connection:
        rows = await read_command(connection, league, event_id(UUID(hex=body.command), 0))
        epoch = await epoch_of(connection, league)
        previous = [await _before(connection, row, rows) for row in rows]
    if not rows:
        raise StreamNotFound("it does not exist, or you may not see it")
    about = rows[0].about()
    await _concerned(shell, principal, place, about)
    receipt = CommandReceipt(
        league=str(league),
        epoch=epoch,
        command=body.command,
        actor=about.actor,
        received_at=about.received_at,
        request=await _shown(shell, principal, league, about, body),
        events=tuple(
            PromisedEvent(
                position=row.position,
                stream=row.stream,
                version=row.stream_version,
                at=row.at,
                hash=row.hash,
            )
            for row in rows
        ),
    )
    note = await shell.receipts.signed(receipt)
    lines = [event_line(row, hash_) for row, hash_ in zip(rows, previous, strict=True)]
    return encoded(SignedReceipt(note=note, events=lines))


async def _concerned(
    shell: Shell, principal: Principal, place: LeaguePlace, about: Metadata
) -> None:
    """
    Check that the caller is the actor of the command, or an auditor who is not entered.

    Raises:
        StreamNotFound: For everybody else.
    """
    if about.actor == principal.account.player:
        return
    try:
        entered = await plays_in(shell, principal, place.league)
        demand_also(place.role, "audit_hands", entered=entered)
    except Forbidden as refused:
        raise StreamNotFound("it does not exist, or you may not see it") from refused


async def _shown(
    shell: Shell, principal: Principal, league: UUID, about: Metadata, body: ReceiptWanted
) -> bytes | None:
    """
    Return the digest of the given body, or None if no body is given.

    Raises:
        Forbidden: If the caller did not send the request. By trying bodies, they could find out
            hidden selections.
        RequestMismatch: If the body is not the one that was sent.
    """
    if body.request is None:
        return None
    if about.actor != principal.account.player:
        raise Forbidden("only the sender of a request may show it")
    canonical = msgspec.json.encode(body.request, order="sorted")
    keys = await shell.runtime.writer.store.keys(league)
    if keys.request_digest(canonical) != about.request_digest:
        raise RequestMismatch("this is not the request of that command")
    return sha256(canonical).digest()


async def _before(connection: Driver, row: Recorded, rows: list[Recorded]) -> bytes | None:
    """
    Return the hash of the previous event in the stream, or None if *rows* holds that event.

    Raises:
        LogIncomplete: If the previous event is missing.
    """
    version = row.stream_version - 1
    if version == 0 or any(
        (each.stream, each.stream_version) == (row.stream, version) for each in rows
    ):
        return None
    found = await read_stream(connection, row.league, row.stream, version - 1, 1)
    if not found or found[0].stream_version != version:
        raise LogIncomplete("the event before those of this command is missing from the log")
    return found[0].hash
