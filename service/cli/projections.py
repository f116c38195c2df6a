"""``holotable projections``: rebuild read models, or compare them with the log."""

import rich_click as click
from sqlalchemy.ext.asyncio import AsyncConnection

from service.base.settings import Settings
from service.cli.common import DRY_RUN, NO, awaited, err, out, settings
from service.cli.progress import progress_bar
from service.director.runtime import settle
from service.people import operator_log
from service.projections.rebuilding.comparing import compare as compare_models
from service.projections.rebuilding.rebuild import extents
from service.projections.rebuilding.rebuild import rebuild as rebuild_models


@click.group()
def projections() -> None:
    """Rebuild read models from the log, or compare them with it."""


@projections.command("rebuild")
@click.argument("name", default="all")
@DRY_RUN
def projections_rebuild(name: str, dry_run: bool) -> None:
    """
    Rebuild the read model NAME, or all, from the first event.

    NAME is one of members, tournaments, tables, hands, standings, records, ratings, disputes,
    openings.
    """
    awaited(rebuild(settings(), name, dry_run=dry_run))


@projections.command("compare")
@click.argument("name", default="all")
def projections_compare(name: str) -> None:
    """Compare the read model NAME, or all, with a new one. Exit with 1 if they differ."""
    awaited(compare(settings(), name))


async def rebuild(settings: Settings, name: str, *, dry_run: bool = False) -> int:
    """Rebuild a read model. Return 1 if it is incomplete for a league."""
    if dry_run:
        return await _tell_extents(settings, name)
    settle()
    with progress_bar() as bar:
        task = bar.add_task(f"rebuilding {name}", total=None)
        broken = await rebuild_models(
            settings,
            name,
            lambda done, total: bar.update(task, completed=done, total=total),
            _record,
        )
    out.print(f"rebuilt {name}")
    for each in broken:
        err.print(
            f"{each.league}: {each.name} stopped before position {each.position}: {each.reason}",
            markup=False,
        )
    if broken:
        err.print("  next: repair these leagues; then the projector continues by itself")
    return NO if broken else 0


async def _record(connection: AsyncConnection, name: str) -> None:
    by = operator_log.operator()
    await operator_log.add(connection, [None], by, "read_models_rebuilt", name)


async def _tell_extents(settings: Settings, name: str) -> int:
    for each in await extents(settings, name):
        out.print(
            f"dry run, nothing was done: {each.name}: {each.rows} rows would be made again from "
            f"{each.events} events of {each.leagues} leagues",
            markup=False,
        )
    out.print("  next: `holotable projections compare` says which rows differ", markup=False)
    return 0


async def compare(settings: Settings, name: str) -> int:
    """Compare a read model with a new one. Return 1 if they differ."""
    differences = await compare_models(settings, name)
    for difference in differences:
        out.print(str(difference))
    out.print(f"{name}: {len(differences)} differences")
    return 1 if differences else 0
