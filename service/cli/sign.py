"""What an operator does about signatures: open an epoch, revoke a key, see what is wrong."""

from typing import Any
from uuid import UUID

import asyncpg
import httpx
from rich.console import Console

from engine.values import identifier, number_of
from service.base.database import asyncpg_dsn
from service.base.errors import LogIncomplete
from service.base.settings import Settings
from service.log.read import epoch_of, last_position
from service.transparency import ledger
from service.transparency.messages import Head
from service.transparency.signing import SignerAway, asking, last_head, origin_of

_OPEN = "SELECT raise_epoch($1, $2, $3)"
_KNOWN = "SELECT 1 FROM key WHERE league = $1"
_LEAGUES = "SELECT league FROM key ORDER BY created_at"
_KEYS = """
    SELECT verifier_key, event, at, reason FROM signer_key ORDER BY verifier_key, at
"""
_REVOKE = """
    INSERT INTO signer_key (verifier_key, event, reason)
    SELECT verifier_key, 'revoked', $2 FROM signer_key
     WHERE verifier_key = $1 AND event = 'published'
    ON CONFLICT DO NOTHING RETURNING at
"""

_out = Console(soft_wrap=True, highlight=False)
_err = Console(stderr=True, soft_wrap=True, highlight=False)


async def open_epoch(settings: Settings, league: str, operator: str, reason: str) -> int:
    """
    Begin a league's log anew for the signer, after events were lost; 2 if there is no such league.

    If a signer is set, epochs it has signed already (a restore forgot them) are passed over.
    """
    connection = await asyncpg.connect(asyncpg_dsn(settings.database_url))
    try:
        number = _number(league)
        if number is None or not await connection.fetchval(_KNOWN, number):
            _err.print(f"no league {league}\n  next: look it up with GET /v1/leagues")
            return 2
        if not operator.strip() or not reason.strip():
            _err.print("an operator and a reason have names\n  next: say who opens it and why")
            return 2
        until = await _epoch_signed(settings, number) + 1
        epoch = await connection.fetchval(_OPEN, number, operator, reason)
        while epoch < until:
            epoch = await connection.fetchval(_OPEN, number, operator, reason)
        size = await last_position(connection, number) + 1
    finally:
        await connection.close()
    _out.print(f"epoch {epoch} of {league} opened by {operator} at {size} events")
    return 0


def _number(league: str) -> UUID | None:
    try:
        return number_of(league) if league.startswith("lge_") else None
    except ValueError:
        return None


async def _epoch_signed(settings: Settings, league: UUID) -> int:
    """Return the highest epoch in which the signer has signed a head; -1 for none, or no signer."""
    async with asking(settings) as signer:
        if signer is None:
            return -1
        try:
            last = await last_head(signer, origin_of(league, 0))
        except SignerAway as away:
            raise ConnectionError(f"the signer at HOLOTABLE_SIGNER_URL: {away}") from away
    return int(last.origin.rpartition("/")[2]) if last.size else -1


async def print_keys(settings: Settings) -> int:
    """Print every public key with what became of it."""
    connection = await asyncpg.connect(asyncpg_dsn(settings.database_url))
    try:
        rows = await connection.fetch(_KEYS)
    finally:
        await connection.close()
    for row in rows:
        reason = f": {row['reason']}" if row["reason"] else ""
        _out.print(
            f"{row['verifier_key']}  {row['event']} {row['at']:%Y-%m-%d %H:%M:%S}{reason}",
            markup=False,
        )
    return 0


async def revoke(settings: Settings, key: str, reason: str) -> int:
    """Revoke a public key; 1 if it was never published or is revoked already."""
    connection = await asyncpg.connect(asyncpg_dsn(settings.database_url))
    try:
        at = await connection.fetchval(_REVOKE, key, reason)
    finally:
        await connection.close()
    if at is None:
        _err.print("no such key, or revoked already\n  next: see `holotable signer keys`")
        return 1
    _out.print(f"revoked {key}", markup=False)
    return 0


async def memory_faults(connection: Any, signer: httpx.AsyncClient) -> tuple[int, list[str]]:
    """
    Compare what the signer remembers with every league's log.

    Returns:
        How many leagues have a signed head; what does not hold, one sentence a league.

    Raises:
        SignerAway: If the signer does not answer.
    """
    signed, faults = 0, []
    for (league,) in await connection.fetch(_LEAGUES):
        origin = origin_of(league, await epoch_of(connection, league))
        last = await last_head(signer, origin)
        signed += bool(last.size)
        fault = await contradiction(connection, league, origin, last)
        if fault is not None:
            faults.append(f"{identifier('lge', league)}: {fault}")
    return signed, faults


async def contradiction(connection: Any, league: UUID, origin: str, last: Head) -> str | None:
    """Return in what a league's log contradicts the last head that was signed; None if it holds."""
    if last.origin != origin:
        return f"the signer has signed {last.origin} already, the log says {origin}"
    size = await last_position(connection, league) + 1
    if size < last.size:
        return (
            f"{last.size} events were signed, the log has {size}: "
            "it was cut or restored from an old copy"
        )
    try:
        root = await ledger.root_at(connection, league, last.size)
    except LogIncomplete:
        return f"of the {last.size} events that were signed some are missing"
    if root != last.root:
        return f"the first {last.size} events are not those that were signed"
    return None
