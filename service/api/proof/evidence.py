"""Signed heads of a league's log, proofs against them, and receipts of hands."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated
from uuid import UUID

import asyncpg
import msgspec
from litestar import Response
from msgspec import Meta

from engine.values import number_of, stream_of
from service.api.http.access.hands import Hand
from service.api.http.access.rights import AS_KNOWN, LeaguePlace
from service.api.http.declaring.queries import Query
from service.api.http.operations import operation
from service.api.http.reading.listing import Pages
from service.api.http.reading.paging import POSITION_END, Page
from service.api.http.shell import Shell
from service.api.http.writing.submitting import encoded
from service.base.drivers import Driver
from service.base.errors import LogIncomplete, NotSignedYet
from service.transparency import ledger

_KEYS = """
    SELECT published.verifier_key, published.at AS since, revoked.at AS revoked_at, revoked.reason
      FROM signer_key published
      LEFT JOIN signer_key revoked
        ON revoked.verifier_key = published.verifier_key AND revoked.event = 'revoked'
     WHERE published.event = 'published'
     ORDER BY published.verifier_key COLLATE "C"
"""
_HEADS = """
    SELECT epoch, size, root, note, signed_at FROM checkpoint
     WHERE league = $1 AND (epoch, size) < ($3, $4)
     ORDER BY epoch DESC, size DESC LIMIT $2
"""
_NEWEST = """
    SELECT epoch, size, root, note, signed_at FROM checkpoint
     WHERE league = $1
       AND epoch = coalesce((SELECT epoch FROM league_epoch WHERE league = $1), 0)
     ORDER BY size DESC LIMIT 1
"""
_EPOCHS = """
    SELECT epoch, operator, reason, size, opened_at FROM epoch_opening WHERE league = $1
     ORDER BY epoch
"""
_EPOCH_END = 2**31 - 1
_OF_HAND = """
    SELECT position, stream_version, type, hash FROM events
     WHERE league = $1 AND stream = $2 AND position BETWEEN $3 AND $4 ORDER BY position
"""

_Number = Annotated[int, Meta(ge=0)]
INDEX = Query("index", _Number, "The event's position in the league.", required=True)
SIZE = Query("size", _Number, "The size of the signed tree.", required=True)
OLD = Query("old", _Number, "The size of the older tree.", required=True)
NEW = Query("new", _Number, "The size of the newer tree.", required=True)


class SignerKey(msgspec.Struct, frozen=True, kw_only=True):
    """A public key of a signer, in the form ``name+id+key``. It may be revoked."""

    verifier_key: str
    """A C2SP signed-note verifier key."""

    since: datetime
    """The time at which the key was published."""

    revoked_at: datetime | None
    """The time at which the key was revoked, or null."""

    reason: str | None
    """The reason for the revocation, or null."""


class SignedHead(msgspec.Struct, frozen=True, kw_only=True):
    """A signed head of a league's tree. The note is a C2SP tlog-checkpoint with its signature."""

    epoch: int
    """The epoch of the league's log, 0 until an operator begins another."""

    size: int
    """The number of events under the head."""

    root: str
    """The root hash, in hexadecimal."""

    note: str
    """The whole note, with its signature."""

    signed_at: datetime
    """The time of the signature."""


class Epoch(msgspec.Struct, frozen=True, kw_only=True):
    """A new epoch, which an operator began because the league's log had lost events."""

    epoch: int
    """The number of the epoch. The first log of a league has epoch 0."""

    operator: str
    """The name that the operator gave."""

    reason: str
    """The reason that the operator gave."""

    size: int
    """
    The number of first events that are proven to be the same as before. Later events that older
    heads cover may be lost, or replaced by others.
    """

    opened_at: datetime
    """The time at which the epoch began."""


class Inclusion(msgspec.Struct, frozen=True, kw_only=True):
    """Proof that a leaf is at ``index`` in the tree of ``size`` leaves (RFC 6962, 2.1.1)."""

    index: int
    """The index of the leaf, from 0. It equals the event's position."""

    size: int
    """The number of leaves of the tree."""

    leaf: str
    """The leaf, in hexadecimal."""

    path: list[str]
    """The hashes from the leaf to the root, in hexadecimal."""


class Consistency(msgspec.Struct, frozen=True, kw_only=True):
    """Proof that a tree of ``new`` leaves begins with the ``old`` leaves (RFC 6962, 2.1.2)."""

    old: int
    """The number of leaves of the older tree."""

    new: int
    """The number of leaves of the newer tree."""

    path: list[str]
    """The hashes of the proof, in hexadecimal."""


class ProvenEvent(msgspec.Struct, frozen=True, kw_only=True):
    """Proof that one event is in a signed tree."""

    index: int
    """The index of the event in the league's tree, from 0. It equals its position."""

    version: int
    """The number of the event in its stream."""

    type: str
    """The type of the event."""

    leaf: str
    """The leaf of the event, in hexadecimal."""

    path: list[str]
    """The hashes from the leaf to the root, in hexadecimal."""


class HandReceipt(msgspec.Struct, frozen=True, kw_only=True):
    """All events of one hand, with proofs that they are in one signed head."""

    hand: str
    head: SignedHead
    """The signed head that all proofs lead to."""

    events: list[ProvenEvent]
    """The events of the hand, in order."""


@operation(
    "GET", "/v1/signers", "list_signers", "List the public keys of the signers.",
    needs="anyone", answer=Page[SignerKey], problems=("invalid_cursor",),
)  # fmt: skip
async def list_signers(shell: Shell, pages: Pages) -> Response[bytes]:
    """List every key ever published. A revoked key has the time and reason."""
    rows = await shell.pool.fetch(_KEYS)
    keys = [SignerKey(**row) for row in rows]
    return pages.answer(pages.listing("signers", str).cut(keys, lambda it: (it.verifier_key,)))


@operation(
    "GET", "/v1/leagues/{league_id:str}/checkpoints", "list_checkpoints",
    "List a league's signed heads, newest first.",
    needs="read_league", scope="leagues:read",
    answer=Page[SignedHead], problems=("invalid_cursor",),
)  # fmt: skip
async def list_checkpoints(
    place: Annotated[LeaguePlace, AS_KNOWN], shell: Shell, pages: Pages
) -> Response[bytes]:
    """List signed heads, so that clients can compare them with heads they saw before."""
    paged = await pages.live(place.league, f"checkpoints {place.id}", int, int)
    before = paged.after or (_EPOCH_END, POSITION_END)
    rows = await shell.pool.fetch(_HEADS, number_of(place.league), paged.limit + 1, *before)
    page = paged.page([_head(row) for row in rows], lambda each: (each.epoch, each.size))
    return pages.answer(page)


@operation(
    "GET", "/v1/leagues/{league_id:str}/epochs", "list_epochs",
    "List the epochs of a league's log, with their operators and reasons.",
    needs="read_league", scope="leagues:read", answer=Page[Epoch],
    problems=("invalid_cursor",),
)  # fmt: skip
async def list_epochs(
    place: Annotated[LeaguePlace, AS_KNOWN], shell: Shell, pages: Pages
) -> Response[bytes]:
    """List the epochs, for clients with a head of an older epoch. Most leagues have none."""
    rows = await shell.pool.fetch(_EPOCHS, number_of(place.league))
    paged = await pages.live(place.league, f"epochs {place.id}", int)
    return pages.answer(paged.cut([Epoch(**row) for row in rows], lambda each: (each.epoch,)))


@operation(
    "GET", "/v1/leagues/{league_id:str}/proofs/inclusion", "prove_inclusion",
    "Prove that an event is in a signed tree.",
    needs="read_league", scope="leagues:read", answer=Inclusion,
    problems=("validation_failed", "not_signed_yet", "log_incomplete"),
)  # fmt: skip
async def prove_inclusion(
    place: Annotated[LeaguePlace, AS_KNOWN],
    shell: Shell,
    index: Annotated[int, INDEX],
    size: Annotated[int, SIZE],
) -> Response[bytes]:
    """Prove one leaf. Its index is the event's position in the league."""
    await _demand_signed(shell, place, size)
    if index >= size:
        raise INDEX.refused("Expected an index below size")
    league, pool = number_of(place.league), shell.pool
    async with pool.acquire() as connection:
        leaf = await ledger.range_hash(connection, league, index, index + 1)
        path = await ledger.inclusion(connection, league, index, size)
    return encoded(Inclusion(index=index, size=size, leaf=leaf.hex(), path=_hex(path)))


@operation(
    "GET", "/v1/leagues/{league_id:str}/proofs/consistency", "prove_consistency",
    "Prove that a signed tree begins with all leaves of an older one.",
    needs="read_league", scope="leagues:read", answer=Consistency,
    problems=("validation_failed", "not_signed_yet", "log_incomplete"),
)  # fmt: skip
async def prove_consistency(
    place: Annotated[LeaguePlace, AS_KNOWN],
    shell: Shell,
    old: Annotated[int, OLD],
    new: Annotated[int, NEW],
) -> Response[bytes]:
    """Prove that the first ``old`` events have not changed in the ``new`` tree."""
    await _demand_signed(shell, place, new)
    if not 0 < old <= new:
        raise OLD.refused("Expected a number from 1 to new")
    async with shell.pool.acquire() as connection:
        path = await ledger.consistency(connection, number_of(place.league), old, new)
    return encoded(Consistency(old=old, new=new, path=_hex(path)))


@operation(
    "GET", "/v1/hands/{hand_id:str}/receipt", "read_receipt",
    "Read every event of a hand, with proofs against the newest signed head.",
    needs="read_league", scope="leagues:read", answer=HandReceipt,
    problems=("not_signed_yet", "log_incomplete"),
)  # fmt: skip
async def read_receipt(hand: Hand, shell: Shell) -> Response[bytes]:
    """Prove a whole hand with one signature. Another league's hand is reported as missing."""
    head = await _newest(shell, hand.league)
    if head is None or head.size <= hand.last_position:
        raise NotSignedYet(
            "no signed head covers the whole hand yet; try again later",
            size=head.size if head else 0,
        )
    league = number_of(hand.league)
    async with shell.pool.acquire() as pooled:
        events = await pooled.fetch(
            _OF_HAND, league, stream_of(hand.table), hand.first_position, hand.last_position
        )
        if not _whole(events, hand.last_position):
            raise LogIncomplete("events of this hand are missing from the log")
        proven = [await _proven(pooled, league, event, head.size) for event in events]
    return encoded(HandReceipt(hand=hand.hand, head=head, events=proven))


def _whole(events: Sequence[asyncpg.Record], last_position: int) -> bool:
    """Return True if the last event is there and no version before it is missing."""
    if not events or events[-1]["position"] != last_position:
        return False
    versions = [each["stream_version"] for each in events]
    return versions == list(range(versions[0], versions[0] + len(versions)))


async def _proven(
    connection: Driver, league: UUID, event: asyncpg.Record, size: int
) -> ProvenEvent:
    path = await ledger.inclusion(connection, league, event["position"], size)
    return ProvenEvent(
        index=event["position"],
        version=event["stream_version"],
        type=event["type"],
        leaf=event["hash"].hex(),
        path=_hex(path),
    )


async def _newest(shell: Shell, league: str) -> SignedHead | None:
    """Return the newest head of the current epoch. Older heads may cover lost events."""
    row = await shell.pool.fetchrow(_NEWEST, number_of(league))
    return None if row is None else _head(row)


def _head(row: asyncpg.Record) -> SignedHead:
    return SignedHead(**{**row, "root": row["root"].hex()})


async def _demand_signed(shell: Shell, place: LeaguePlace, size: int) -> None:
    """Raise ``NotSignedYet`` if no signed head is as large as *size*."""
    head = await _newest(shell, place.league)
    signed = head.size if head else 0
    if size > signed:
        raise NotSignedYet("no signed head is that large yet; try again later", size=signed)


def _hex(hashes: list[bytes]) -> list[str]:
    return [each.hex() for each in hashes]
