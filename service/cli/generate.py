"""``holotable generate``: made-up seasons in a folder, for people who write a verifier."""

from collections.abc import Iterable
from pathlib import Path

import msgspec
import rich_click as click

from service.cli.common import out
from service.sandbox.generating.broken import Broken, broken
from service.sandbox.generating.seasons import made


@click.command()
@click.option("--seed", type=int, required=True, help="Seed; the same one gives the same bytes.")
@click.option(
    "--players", type=click.IntRange(3, 24), default=6, show_default=True, help="Number of players."
)
@click.option(
    "--chaos",
    type=click.FloatRange(0, 1),
    default=0.0,
    show_default=True,
    help="Degree of odd terms, players and events.",
)
@click.option(
    "--broken",
    "also_broken",
    is_flag=True,
    help="Also write broken bundles, and name the defect of each.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    default=None,
    help="Folder to write to.  [dim]default: season-SEED[/]",
)
def generate(seed: int, players: int, chaos: float, also_broken: bool, output: Path | None) -> None:
    """
    Write a made-up season as a bundle, for testing a verifier.

    The format is in api-spec/bundle.md.  The output depends on seed, players and chaos alone.
    [bold]--broken[/] also writes bundles with one defect each, and a list of them: file,
    defect, position, rule, and the exit code that a verifier should have.
    """
    folder = output or Path(f"season-{seed}")
    season = made(seed, players, chaos)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "season.bundle").write_bytes(b"".join(season.lines))
    key = season.key.verifier_key()
    (folder / "keys.txt").write_text(f"{key}\n", encoding="ascii")
    out.print(f"{folder / 'season.bundle'}: {len(season.rows)} events", markup=False)
    out.print(f"signed by {key}", markup=False)
    if also_broken:
        known = list(_kept(broken(season, f"{seed}/{players}/{chaos}"), folder / "broken"))
        index = msgspec.json.format(msgspec.json.encode(known), indent=1)
        (folder / "broken" / "index.json").write_bytes(index + b"\n")
        out.print(f"{folder / 'broken'}: {len(known)} broken bundles, see index.json", markup=False)


def _kept(bundles: Iterable[tuple[Broken, bytes]], folder: Path) -> Iterable[Broken]:
    folder.mkdir(exist_ok=True)
    for about, data in bundles:
        (folder / about.file).write_bytes(data)
        yield about
