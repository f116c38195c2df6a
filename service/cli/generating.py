"""Seasons made up by chance, for whoever writes a verifier."""

import sys
from pathlib import Path

import rich_click as click

from service.cli.loading import owner


@click.command()
@click.option("--seed", type=int, required=True, help="The same seed gives the same bytes.")
@click.option(
    "--players", type=click.IntRange(3, 24), default=6, show_default=True, help="How many play."
)
@click.option(
    "--chaos",
    type=click.FloatRange(0, 1),
    default=0.0,
    show_default=True,
    help="How odd terms, players and events are.",
)
@click.option("--broken", is_flag=True, help="Write broken ones too, each with its defect named.")
@click.option(
    "-o",
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    default=None,
    help="Folder to write to; else season-SEED.",
)
def generate(seed: int, players: int, chaos: float, broken: bool, output: Path | None) -> None:
    """
    Write a season that was never played as a bundle, to try a verifier on.

    Its format is api-spec/bundle.md; what is written follows from the three numbers
    alone.  With [bold]--broken[/] it also writes bundles with one defect each, and a
    list of them: file, defect, position, rule, and what a verifier should end with.
    """
    folder = output or Path(f"season-{seed}")
    sys.exit(owner("service.cli.generate_season:write")(seed, players, chaos, broken, folder))
