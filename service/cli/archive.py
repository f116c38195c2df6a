"""An owner's or operator's side of archives: writing one to disk, checking one."""

from datetime import datetime
from pathlib import Path

from rich.console import Console

from engine.values import number_of
from service.base.database import async_engine
from service.base.errors import NotCaughtUp, StreamNotFound, TextForged
from service.base.settings import Settings
from service.base.sources import service_now
from service.exports.archive import Taking, prepare, take
from service.exports.bundle import Archive
from service.exports.checking import check_archive
from service.people import operator_log

_out = Console(soft_wrap=True, highlight=False)
_err = Console(stderr=True, soft_wrap=True, highlight=False)


async def export(settings: Settings, league: str, target: Path) -> int:
    """Write *league*'s archive to a file or into a directory; 1 if it cannot be now, 2 if never."""
    file = _file(target, league)
    if file is None:
        _err.print(f"{target} is there already\n  next: name another file", markup=False)
        return 1
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
    except (StreamNotFound, ValueError):
        _err.print(f"no league {league}\n  next: look it up with GET /v1/leagues", markup=False)
        return 2
    except TextForged as error:
        _err.print(f"{error.detail}\n  next: run `holotable audit {league}`", markup=False)
        return 1
    except NotCaughtUp as error:
        _err.print(f"{error.detail}\n  next: is `holotable project` running?", markup=False)
        return 1
    finally:
        await engine.dispose()
    _out.print(f"{file}: {taking.until + 1} events")
    return 0


async def _write(taking: Taking, file: Path, now: datetime) -> None:
    """Write to a draft beside *file*, which appears when it is whole."""
    draft = file.with_name(f"{file.name}.part")
    try:
        with draft.open("wb") as opened:
            async for _ in take(taking, Archive(opened, now)):
                pass
        draft.replace(file)
    finally:
        draft.unlink(missing_ok=True)


def _file(target: Path, league: str) -> Path | None:
    """Return where to write; None if something stands there."""
    file = target / f"{league}.zip" if target.is_dir() else target
    return None if file.exists() else file


def check(file: Path, key: Path | None) -> int:
    """Check an archive by itself and say what was found; 1 if anything does not hold."""
    keys = () if key is None else tuple(key.read_text(encoding="ascii").split())
    found = check_archive(file, keys)
    for fault in found.faults:
        _err.print(f"does not hold: {fault}", markup=False)
    if not found.holds:
        return 1
    _out.print(
        f"holds: {found.events} events of {found.streams} streams, {found.heads} signed heads, "
        f"{found.texts} texts, root {found.root}"
    )
    return 0
