"""``holotable projections``: rebuild read models, or compare them with the log."""

import rich_click as click

from service.base.settings import Settings
from service.cli.common import awaited, err, out, settings
from service.cli.progress import progress_bar
from service.director.runtime import settle
from service.projections.rebuild import compare as compare_models
from service.projections.rebuild import rebuild as rebuild_models


@click.group()
def projections() -> None:
    """Rebuild read models from the log, or compare them with it."""


@projections.command("rebuild")
@click.argument("name", default="all")
def projections_rebuild(name: str) -> None:
    """
    Build read model NAME (or all) anew from the first event, with a progress bar.

    NAME is one of members, tournaments, tables, hands, standings, records, ratings, disputes,
    openings.
    """
    awaited(rebuild(settings(), name))


@projections.command("compare")
@click.argument("name", default="all")
def projections_compare(name: str) -> None:
    """Compare read model NAME (or all) row by row with one built anew; 1 if they differ."""
    awaited(compare(settings(), name))


async def rebuild(settings: Settings, name: str) -> int:
    """Build a read model anew; 1 if a league could not be built whole."""
    settle()
    with progress_bar() as bar:
        task = bar.add_task(f"rebuilding {name}", total=None)
        broken = await rebuild_models(
            settings, name, lambda done, total: bar.update(task, completed=done, total=total)
        )
    out.print(f"rebuilt {name}")
    for each in broken:
        err.print(
            f"{each.league}: {each.name} stands before position {each.position}: {each.reason}",
            markup=False,
        )
    if broken:
        err.print("  next: repair these leagues; the projector goes on by itself then")
    return 1 if broken else 0


async def compare(settings: Settings, name: str) -> int:
    """Compare a read model with one built anew; 1 if they differ."""
    differences = await compare_models(settings, name)
    for difference in differences:
        out.print(str(difference))
    out.print(f"{name}: {len(differences)} differences")
    return 1 if differences else 0
