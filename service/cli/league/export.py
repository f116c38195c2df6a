"""``holotable league export``: write an archive of a league."""

from datetime import datetime
from pathlib import Path

import rich_click as click

from engine.values import number_of
from service.base import drafts
from service.base.database import async_engine
from service.base.errors import NotCaughtUp, StreamNotFound, TextForged
from service.base.settings import Settings
from service.base.sources import service_now
from service.cli.common import NO, awaited, err, out, settings
from service.exports.archive import Taking, prepare, take
from service.exports.bundle import Archive
from service.people import operator_log


@click.command("export")
@click.argument("league_id", metavar="LEAGUE")
@click.argument("target", type=click.Path(path_type=Path))
def league_export(league_id: str, target: Path) -> None:
    """
    Write an archive of LEAGUE (lge_...) to the file or into the directory TARGET.

    The archive holds the log with every hash, signed heads, texts, names, and tables as CSV.
    Sealed values stay sealed.  Needs HOLOTABLE_DATABASE_URL with the login of holotable_api, and
    HOLOTABLE_SECRET_KEY.
    """
    awaited(export(settings(), league_id, target))


async def export(settings: Settings, league: str, target: Path) -> int:
    """Write an archive of *league*. Return 1 if it is not possible now, 2 if there is no league."""
    file = _file(target, league)
    if file is None:
        return _taken(target)
    engine = async_engine(settings.database_url, 2)
    try:
        taking = await prepare(engine, league)
        async with engine.begin() as connection:
            number = number_of(league)
            await operator_log.add(
                connection, [number], operator_log.operator(), "archive_taken", league
            )
            now = await service_now(connection)
        await _write(taking, file, now)
    except FileExistsError:
        return _taken(file)
    except (StreamNotFound, ValueError):
        err.print(
            f"there is no league {league}\n  next: look it up with GET /v1/leagues", markup=False
        )
        return 2
    except TextForged as error:
        err.print(f"{error.detail}\n  next: run `holotable audit {league}`", markup=False)
        return 1
    except NotCaughtUp as error:
        err.print(
            f"{error.detail}\n  next: check that `holotable project` is running", markup=False
        )
        return 1
    finally:
        await engine.dispose()
    out.print(f"{file}: {taking.until + 1} events")
    return 0


async def _write(taking: Taking, file: Path, now: datetime) -> None:
    """Write *file* for its owner only, because an archive names people."""
    with drafts.new_file(file) as draft, draft.open("wb") as opened:
        async for _ in take(taking, Archive(opened, now)):
            pass


def _file(target: Path, league: str) -> Path | None:
    """Return the file to write, or None if it exists already."""
    file = target / f"{league}.zip" if target.is_dir() else target
    return None if file.exists() else file


def _taken(file: Path) -> int:
    err.print(f"{file} exists already\n  next: give another file", markup=False)
    return NO
