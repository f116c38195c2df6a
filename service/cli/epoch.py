"""``holotable epoch``: open a new epoch of a league's log after events were lost."""

from uuid import UUID

import rich_click as click
from sqlalchemy.ext.asyncio import AsyncConnection

from engine.values import number_of
from service.base.drivers import Driver
from service.base.settings import Settings
from service.cli.common import DRY_RUN, USAGE, awaited, settings
from service.cli.deeds import NotDone, carried_out
from service.log.keys import driver_of
from service.log.read import last_position
from service.people import relocations
from service.transparency.signing import SignerAway, asking, last_head, origin_of
from service.transparency.tree import Frontier

_OPEN = "SELECT open_epoch($1, $2, $3, $4)"
_HEADS = "SELECT size, root FROM checkpoint WHERE league = $1"
_HASHES = "SELECT hash FROM events WHERE league = $1 AND position >= $2 ORDER BY position LIMIT $3"
_CHUNK = 10_000
_KNOWN = "SELECT 1 FROM key WHERE league = $1"


@click.group()
def epoch() -> None:
    """Open a new epoch of a league's log for its signer, after events were lost."""


@epoch.command("open")
@click.argument("league")
@click.option("--operator", required=True, metavar="NAME", help="Person who answers for it.")
@click.option("--reason", required=True, help="The loss and its cause.")
@DRY_RUN
def epoch_open(league: str, operator: str, reason: str, dry_run: bool) -> None:
    """Open the next epoch of LEAGUE, with the login of holotable_migrate. It cannot be undone."""
    awaited(open_epoch(settings(), league, operator, reason, dry_run=dry_run))


async def open_epoch(
    settings: Settings, league: str, operator: str, reason: str, *, dry_run: bool = False
) -> int:
    """
    Open a new epoch of a league's log. Return 2 if the league is unknown.

    If a signer is set, epochs that it has already signed before a restore are skipped. If the
    database has lost a whole league, only the signer knows it. Its next epoch has no event, and
    names the operator who answers for the loss.
    """

    async def work(connection: AsyncConnection) -> str:
        driver, number = await driver_of(connection), _number(league)
        signed = -1 if number is None else await _epoch_signed(settings, number)
        if number is None or (signed < 0 and not await driver.fetchval(_KNOWN, number)):
            raise NotDone(f"there is no league {league}", "look it up with GET /v1/leagues", USAGE)
        if not operator.strip() or not reason.strip():
            raise NotDone("the operator or the reason is empty", "give both", USAGE)
        await driver.execute("SELECT take_append_turn($1)", number)
        if (stage := await relocations.stage_of(driver, number)) is not None:
            step = f"open it in the cell where {league} lives, after `holotable league restore`"
            raise NotDone(f"{league} is {stage}: its log ends here as the other cell has it", step)
        until = signed + 1
        size = await last_position(driver, number) + 1
        proven = await _proven(driver, number)
        kept = size if proven is None else proven
        epoch = await driver.fetchval(_OPEN, number, operator, reason, kept)
        while epoch < until:
            epoch = await driver.fetchval(_OPEN, number, operator, reason, kept)
        said = f"epoch {epoch} of {league} opened by {operator} at {size} events"
        return said if kept == size else f"{said}, of which the first {kept} are proven the same"

    return await carried_out(settings, work, dry_run=dry_run)


async def _proven(driver: Driver, league: UUID) -> int | None:
    """
    Return the size of the largest signed head of any epoch that the log still has, or None.

    The events after it may differ from the signed ones, because an older copy was restored and play
    went on. Stored subtrees may be those of the lost log, so every hash is read again. Without a
    signed head there is no evidence.
    """
    found = await driver.fetch(_HEADS, league)
    heads = {(row["size"], row["root"]) for row in found}
    if not heads:
        return None
    sizes = {size for size, _ in heads}
    tree, proven = Frontier(), 0
    while rows := await driver.fetch(_HASHES, league, tree.size, _CHUNK):
        for (leaf,) in rows:
            tree.append(leaf)
            if tree.size in sizes and (tree.size, tree.root()) in heads:
                proven = tree.size
    return proven


def _number(league: str) -> UUID | None:
    try:
        return number_of(league) if league.startswith("lge_") else None
    except ValueError:
        return None


async def _epoch_signed(settings: Settings, league: UUID) -> int:
    """Return the highest epoch with a head from the signer, or -1 without a head or a signer."""
    async with asking(settings) as signer:
        if signer is None:
            return -1
        try:
            last = await last_head(signer, origin_of(league, 0))
        except SignerAway as away:
            raise ConnectionError(f"the signer at HOLOTABLE_SIGNER_URL: {away}") from away
    return int(last.origin.rpartition("/")[2]) if last.size else -1
