"""``holotable bundle``: evidence in one file, which anybody can check."""

import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import IO

import rich_click as click
from asyncpg import Pool
from sqlalchemy.ext.asyncio import AsyncEngine

from engine.kit.audiences import AUDITOR, PUBLIC
from service.base import drafts
from service.base.database import async_engine, pool
from service.base.errors import LogIncomplete, NotOver, NotSignedYet, StreamNotFound
from service.base.settings import Settings
from service.bundles import writing
from service.bundles.gathering import located
from service.bundles.lines import Kind
from service.bundles.writing import Wanted
from service.cli.common import awaited, err, settings
from service.log.keys import Keys
from service.people import operator_log


@click.command()
@click.argument("kind", type=click.Choice(["hand", "tournament", "season"]))
@click.argument("subject", metavar="ID")
@click.option(
    "-o",
    "--output",
    default=None,
    help="File to write, or - for stdout.  [dim]default: ID.bundle[/]",
)
@click.option(
    "--viewer",
    default="public",
    show_default=True,
    help="Viewer whose openings it holds: public, an ent_..., or auditor for all.",
)
def bundle(kind: Kind, subject: str, output: str | None, viewer: str) -> None:
    """
    Write a hand, a tournament or a season into one file, with everything that proves it.

    The format is in api-spec/bundle.md.  api-spec/verifier/verify.py checks a bundle alone.
    The staff log records every bundle except public ones.  Needs HOLOTABLE_DATABASE_URL with the
    login of holotable_audit, and HOLOTABLE_SECRET_KEY.
    """
    awaited(write(settings(), kind, subject, viewer, output))


async def write(
    settings: Settings, kind: Kind, subject: str, viewer: str, output: str | None
) -> int:
    """Write a bundle and print its size. Return 1 if it is not possible now, 2 for a wrong name."""
    if viewer not in (PUBLIC, AUDITOR) and not viewer.startswith("ent_"):
        err.print(f"there is no viewer {viewer}\n  next: use public, auditor or an ent_…")
        return 2
    engine = async_engine(settings.database_url, 2)
    reading = await pool(settings.database_url, 1)
    wanted = Wanted(kind=kind, subject=subject, viewer=viewer)
    try:
        lines = await _found(engine, reading, Keys(*settings.secret_keys), wanted)
        if lines is None:
            err.print(f"there is no {kind} {subject}\n  next: look it up with the API")
            return 2
        await _keep(lines, output or f"{subject}.bundle")
    except (NotOver, NotSignedYet, LogIncomplete) as error:
        err.print(f"{error.detail}\n  next: try again later")
        return 1
    finally:
        await reading.close()
        await engine.dispose()
    return 0


async def _found(
    engine: AsyncEngine, reading: Pool, keys: Keys, wanted: Wanted
) -> AsyncIterator[bytes] | None:
    """Return a bundle's lines. First record the operator, if the bundle holds others' cards."""
    try:
        lines = await writing.bundle(engine, reading, keys, wanted)
        if wanted.viewer != PUBLIC:
            async with engine.begin() as connection:
                league, _ = await located(connection, reading, wanted.kind, wanted.subject)
                by = operator_log.operator()
                await operator_log.add(connection, [league], by, "bundle_taken", wanted.subject)
    except (StreamNotFound, ValueError, KeyError):
        return None
    return lines


async def _keep(lines: AsyncIterator[bytes], output: str) -> None:
    """Write the file completely, or not at all."""
    if output == "-":
        await _into(sys.stdout.buffer, lines)
        return
    # Only for the owner of the file: the viewer may be an auditor, who sees all cards.
    with drafts.new_file(Path(output), replace=True) as draft, draft.open("wb") as file:
        count = await _into(file, lines)
        size = file.tell()
    err.print(f"{output}: {count} lines, {size} bytes")


async def _into(file: IO[bytes], lines: AsyncIterator[bytes]) -> int:
    count = 0
    async for line in lines:
        file.write(line)
        count += 1
    return count
