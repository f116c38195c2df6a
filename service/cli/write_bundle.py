"""``holotable bundle``: a bundle into a file."""

import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import IO

from asyncpg import Pool
from rich.console import Console
from sqlalchemy.ext.asyncio import AsyncEngine

from engine.kit.audiences import AUDITOR, PUBLIC
from service.base.database import async_engine, pool
from service.base.errors import LogIncomplete, NotOver, NotSignedYet, StreamNotFound
from service.base.settings import Settings
from service.bundles.gathering import located
from service.bundles.lines import Kind
from service.bundles.writing import Wanted, bundle
from service.log.keys import Keys
from service.people import operator_log

_err = Console(stderr=True, soft_wrap=True, highlight=False)


async def write(
    settings: Settings, kind: Kind, subject: str, viewer: str, output: str | None
) -> int:
    """Write a bundle and say how large it is; 1 if it cannot be made now, 2 for a wrong name."""
    if viewer not in (PUBLIC, AUDITOR) and not viewer.startswith("ent_"):
        _err.print(f"{viewer} is no viewer\n  next: say public, auditor or an ent_…")
        return 2
    engine = async_engine(settings.database_url, 2)
    reading = await pool(settings.database_url, 1)
    wanted = Wanted(kind=kind, subject=subject, viewer=viewer)
    try:
        lines = await _found(engine, reading, Keys(*settings.secret_keys), wanted)
        if lines is None:
            _err.print(f"there is no {kind} {subject}\n  next: look it up with the API")
            return 2
        await _keep(lines, output or f"{subject}.bundle")
    except (NotOver, NotSignedYet, LogIncomplete) as error:
        _err.print(f"{error.detail}\n  next: ask again later")
        return 1
    finally:
        await reading.close()
        await engine.dispose()
    return 0


async def _found(
    engine: AsyncEngine, reading: Pool, keys: Keys, wanted: Wanted
) -> AsyncIterator[bytes] | None:
    """Return a bundle's lines; before one is read, keep who takes others' cards away."""
    try:
        async with engine.begin() as connection:
            lines = await bundle(connection, reading, keys, wanted)
            if wanted.viewer != PUBLIC:
                league, _ = await located(connection, reading, wanted.kind, wanted.subject)
                by = operator_log.operator()
                await operator_log.add(connection, [league], by, "bundle_taken", wanted.subject)
    except (StreamNotFound, ValueError, KeyError):
        return None
    return lines


async def _keep(lines: AsyncIterator[bytes], output: str) -> None:
    """Write a file that is whole or not there at all."""
    if output == "-":
        await _into(sys.stdout.buffer, lines)
        return
    target = Path(output)
    draft = target.with_name(f"{target.name}.new")
    with draft.open("wb") as file:
        count = await _into(file, lines)
        size = file.tell()
    draft.replace(target)
    _err.print(f"{output}: {count} lines, {size} bytes")


async def _into(file: IO[bytes], lines: AsyncIterator[bytes]) -> int:
    count = 0
    async for line in lines:
        file.write(line)
        count += 1
    return count
