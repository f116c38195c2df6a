"""``holotable league fixtures``: the recurring tournaments of a season."""

import sys
from pathlib import Path

import rich_click as click

from service.cli.common import FILE
from service.cli.league.asking import KEY, TOKEN, key_or_new, print_answer, print_list


@click.command("fixtures")
@click.argument("url")
@click.argument("season")
@click.option("--plan", type=FILE, default=None, help="File with a recurrence to plan, as JSON.")
@KEY
@TOKEN
def league_fixtures(url: str, season: str, plan: Path | None, key: str | None, token: Path) -> None:
    """List the recurring tournaments of SEASON, one JSON a line, or plan a new one."""
    if key and plan is None:
        raise click.UsageError("--key is only for --plan: a list needs no key")
    path = f"seasons/{season}/fixtures"
    if plan is None:
        sys.exit(print_list(url, path, token))
    sys.exit(print_answer(url, path, token, plan.read_bytes(), key_or_new(key)))
