"""Comparing the signer's memory with the logs of the leagues."""

from uuid import UUID

import httpx

from engine.values import identifier
from service.base.drivers import Driver
from service.base.errors import LogIncomplete
from service.log.read import epoch_of, last_position
from service.transparency import ledger
from service.transparency.messages import Head
from service.transparency.signer import league_and_epoch
from service.transparency.signing import GIVEN_UP, last_heads, origin_of

_LEAGUES = """
    SELECT key.league, coalesce(relocation = 'released', false)
      FROM key LEFT JOIN append_turn USING (league) ORDER BY created_at
"""
_SIGNED = """
    SELECT league, epoch, size
      FROM key LEFT JOIN append_turn USING (league)
     CROSS JOIN LATERAL (SELECT epoch, size FROM checkpoint WHERE league = key.league
                          ORDER BY epoch DESC, size DESC LIMIT 1) AS newest
     WHERE relocation IS NULL OR relocation = 'packed' ORDER BY league
"""


async def memory_faults(connection: Driver, signer: httpx.AsyncClient) -> tuple[int, list[str]]:
    """
    Compare the signer's memory with every league's log, and find leagues that are gone.

    Returns:
        The number of leagues with a signed head, and one sentence for each league that differs.

    Raises:
        SignerAway: If the signer does not answer.
    """
    signed, faults = 0, []
    heads = await last_heads(signer)
    for league, released in await connection.fetch(_LEAGUES):
        head, epoch = heads.pop(league, None), await epoch_of(connection, league)
        if released:
            if head is not None and not _given_up(head):
                said = "it was released, and this signer would still sign for it: release it again"
                faults.append(f"{identifier('lge', league)}: {said}")
            continue
        if head is not None and league_and_epoch(head.origin)[1] >= epoch:
            signed += 1
            fault = await _contradiction(connection, league, origin_of(league, epoch), head)
            if fault is not None:
                faults.append(f"{identifier('lge', league)}: {fault}")
    for league, head in sorted(heads.items()):
        if _given_up(head):
            continue
        # Once its next epoch is open, an operator has answered for the loss.
        if league_and_epoch(head.origin)[1] >= await epoch_of(connection, league):
            said = f"{head.size} events were signed, and the database has no such league"
            faults.append(f"{identifier('lge', league)}: {said}")
    return signed, faults


async def forgotten(connection: Driver, signer: httpx.AsyncClient) -> list[str]:
    """
    Return the leagues with a signed head that the signer does not remember.

    Its memory was lost or brought back from a copy, and it would sign another log of these leagues.
    A league that came from another cell is one of them until its first head here. Once its next
    epoch is open, an operator has answered for the loss.

    Raises:
        SignerAway: If the signer does not answer.
    """
    # The signer remembers a head before the database has it. So the database is asked first.
    signed = await connection.fetch(_SIGNED)
    heads, found = await last_heads(signer), []
    for league, epoch, size in signed:
        head = heads.get(league)
        known = head is not None and (league_and_epoch(head.origin)[1], head.size) >= (epoch, size)
        if not known and await epoch_of(connection, league) == epoch:
            found.append(identifier("lge", league))
    return found


def _given_up(head: Head) -> bool:
    return league_and_epoch(head.origin)[1] == GIVEN_UP


async def _contradiction(connection: Driver, league: UUID, origin: str, last: Head) -> str | None:
    """
    Return the contradiction between a league's log and the last signed head, or None if they agree.
    """
    if _given_up(last):
        return "it was released to another cell, and this copy is from before: keep it suspended"
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
        return f"some of the {last.size} signed events are missing"
    if root != last.root:
        return f"the first {last.size} events are not those that were signed"
    return None
