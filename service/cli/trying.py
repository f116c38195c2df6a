"""Trying it: a league night by bots, or a stack that stays."""

import sys
from pathlib import Path
from typing import Any

import rich_click as click

from service.cli.loading import owner, server


def known_ruleset(
    _context: click.Context, _option: click.Parameter, name: str | None
) -> str | None:
    """Return *name* if it is a ruleset's; wrong usage if not."""
    presets: dict[str, Any] = owner("engine.rulesets:PRESETS")
    if name is not None and name not in presets:
        raise click.BadParameter(f"there is no ruleset {name}; there are {', '.join(presets)}")
    return name


@click.command()
@click.option(
    "--players",
    type=click.IntRange(4, 60),
    default=12,
    show_default=True,
    help="Bots at each tournament.",
)
@click.option(
    "--ruleset",
    default=None,
    callback=known_ruleset,
    help="One ruleset for every tournament.  [dim]default: better, then cantina[/]",
)
@click.option("--seed", type=click.IntRange(0), default=4, show_default=True, help="Of the cards.")
@click.option(
    "--tournaments",
    type=click.IntRange(1, 12),
    default=2,
    show_default=True,
    help="Played one after the other, for one season.",
)
@click.option("--keep", is_flag=True, help="Leave the data and say where they are.")
@click.option(
    "--json",
    "summary",
    type=click.Path(dir_okay=False, path_type=Path),
    default=None,
    help="Write what was counted, audited and won.",
)
def demo(
    players: int,
    ruleset: str | None,
    seed: int,
    tournaments: int,
    keep: bool,
    summary: Path | None,
) -> None:
    """
    Play a whole league night with bots, print its story, audit every hand.

    Starts a PostgreSQL (or uses that of HOLOTABLE_DATABASE_URL), the API, the projections
    and a Celery worker of its own and stops them all.  The same [bold]--seed[/] gives the
    same cards for the same tournament, table and hand.
    """
    options = owner("service.sandbox.demo.options:Options")(
        players=players,
        ruleset=ruleset,
        seed=seed,
        tournaments=tournaments,
        keep=keep,
        summary=summary,
        server=server(),
    )
    sys.exit(owner("service.cli.play_demo:run")(options))


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Where the API listens.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8000,
    show_default=True,
    help="Of the API; 0 takes a free one.",
)
@click.option(
    "--data",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path(".holotable"),
    show_default=True,
    help="Where the log lives; a restart with the same directory goes on where it was.",
)
def up(host: str, port: int, data: Path) -> None:
    """
    Run the whole stack until it is stopped (Ctrl-C).

    HOLOTABLE_DATABASE_URL, with a superuser's login, replaces the PostgreSQL it would start.
    """
    sys.exit(owner("service.sandbox.demo.standing:stay")(data.resolve(), host, port, server()))
