"""``holotable archive``: a finished season as files that still verify in years."""

from collections.abc import AsyncIterator, Mapping
from hashlib import file_digest
from importlib.metadata import version
from pathlib import Path

import msgspec
import rich_click as click

from engine.kit.audiences import AUDITOR, PUBLIC
from engine.values import identifier, stream_of
from service.base import drafts
from service.base.database import async_engine, pool
from service.base.errors import LogIncomplete, NotOver, NotSignedYet, StreamNotFound
from service.base.settings import Settings
from service.base.sources import service_now
from service.bundles import writing
from service.bundles.writing import Wanted
from service.cli.common import awaited, err, out, settings
from service.log.addresses import league_of_stream
from service.log.keys import Keys
from service.people import operator_log

_CLOSED = """
    SELECT EXISTS (SELECT FROM events WHERE league = $1 AND stream = $2 AND type = 'season_closed')
"""
_KEYS = "SELECT DISTINCT verifier_key FROM signer_key WHERE event = 'published' ORDER BY 1"

BUNDLE = "season.bundle"
KEYS = "signers.txt"
MANIFEST = "manifest.json"


@click.group()
def archive() -> None:
    """Copy a finished season into files that still verify in years. Nothing is deleted."""


@archive.command("season")
@click.argument("season", metavar="SEASON")
@click.argument("target", type=click.Path(file_okay=False, path_type=Path))
@click.option(
    "--viewer",
    type=click.Choice([PUBLIC, AUDITOR]),
    default=PUBLIC,
    show_default=True,
    help="Viewer whose openings the bundle holds: everybody, or an auditor.",
)
def archive_season(season: str, target: Path, viewer: str) -> None:
    """
    Write SEASON (ssn_...), which must be closed, into a new folder in TARGET.

    The folder holds the bundle of the season, the signers' public keys and a manifest.
    api-spec/verifier/verify.py checks it without a server.  Needs HOLOTABLE_DATABASE_URL with the
    login of holotable_audit, and HOLOTABLE_SECRET_KEY.
    """
    awaited(write(settings(), season, target, viewer))


async def write(told: Settings, season: str, target: Path, viewer: str) -> int:
    """Write the folder. Return 1 if it is not possible now, 2 if there is no such season."""
    engine, reading = async_engine(told.database_url, 2), await pool(told.database_url, 1)
    folder = target / season
    try:
        if not season.startswith("ssn_"):
            raise StreamNotFound(season)
        league = await league_of_stream(reading, stream_of(season))
        if league is None:
            raise StreamNotFound(season)
        if not await reading.fetchval(_CLOSED, league, stream_of(season)):
            err.print(f"{season} is not closed\n  next: close it, or use `holotable bundle season`")
            return 1
        if folder.exists():
            err.print(f"{folder} exists already\n  next: give another folder", markup=False)
            return 1
        wanted = Wanted(kind="season", subject=season, viewer=viewer)
        lines = await writing.bundle(engine, reading, Keys(*told.secret_keys), wanted)
        async with engine.begin() as connection:
            # This is recorded before the first card is read, so nobody can see a card without a
            # record.
            by = operator_log.operator()
            await operator_log.add(connection, [league], by, "season_archived", season)
            now = await service_now(connection)
        keys = [row["verifier_key"] for row in await reading.fetch(_KEYS)]
        about = {
            "season": season,
            "league": identifier("lge", league),
            "viewer": viewer,
            "taken_at": now,
        }
        with drafts.new_folder(folder) as draft:
            await _fill(draft, lines, keys, about)
    except FileExistsError:
        err.print(f"{folder} exists already\n  next: give another folder", markup=False)
        return 1
    except (StreamNotFound, ValueError):
        err.print(f"there is no season {season}\n  next: look it up with the API", markup=False)
        return 2
    except (NotOver, NotSignedYet, LogIncomplete) as error:
        err.print(f"{error.detail}\n  next: try again later", markup=False)
        return 1
    finally:
        await reading.close()
        await engine.dispose()
    out.print(f"{folder}: {(folder / BUNDLE).stat().st_size} bytes", markup=False)
    return 0


async def _fill(
    folder: Path, lines: AsyncIterator[bytes], keys: list[str], about: Mapping[str, object]
) -> None:
    """Write the bundle, the keys that it is checked with, and the manifest of both."""
    with (folder / BUNDLE).open("wb") as file:
        async for line in lines:
            file.write(line)
    (folder / KEYS).write_text("".join(f"{key}\n" for key in keys), encoding="ascii")
    manifest = {
        "archive": "holotable/season/1",
        **about,
        "holotable": version("holotable"),
        "sha256": {name: _sha256(folder / name) for name in (BUNDLE, KEYS)},
    }
    text = msgspec.json.format(msgspec.json.encode(manifest), indent=2)
    (folder / MANIFEST).write_bytes(text + b"\n")


def _sha256(file: Path) -> str:
    with file.open("rb") as opened:
        return file_digest(opened, "sha256").hexdigest()
