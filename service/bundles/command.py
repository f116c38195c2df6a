"""``holotable bundle``: a bundle into a file."""

import sys
from pathlib import Path

from rich.console import Console

from service.bundles.lines import Kind
from service.bundles.writing import AUDITOR, PUBLIC, bundle
from service.database import async_engine, pool
from service.errors import NotOver, NotSignedYet, StreamNotFound
from service.keys import Keys
from service.settings import Settings

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
    try:
        async with engine.connect() as connection:
            keys = Keys(settings.secret_key)
            lines = await bundle(connection, reading, keys, kind, subject, viewer)
    except (StreamNotFound, ValueError, KeyError):
        _err.print(f"there is no {kind} {subject}\n  next: look it up with the API")
        return 2
    except (NotOver, NotSignedYet) as error:
        _err.print(f"{error.detail}\n  next: ask again later")
        return 1
    finally:
        await reading.close()
        await engine.dispose()
    _keep(lines, output or f"{subject}.bundle")
    return 0


def _keep(lines: list[bytes], output: str) -> None:
    if output == "-":
        sys.stdout.buffer.writelines(lines)
        return
    Path(output).write_bytes(b"".join(lines))
    _err.print(f"{output}: {len(lines)} lines, {sum(map(len, lines))} bytes")
