"""``holotable generate``: made-up seasons into a folder."""

from collections.abc import Iterable
from pathlib import Path

import msgspec
from rich.console import Console

from service.sandbox.generating.broken import Broken, broken
from service.sandbox.generating.seasons import made

_out = Console(soft_wrap=True, highlight=False)


def write(seed: int, players: int, chaos: float, also_broken: bool, folder: Path) -> int:
    """
    Write the season of these numbers, its signer's key, and broken copies if they are wanted.

    Returns:
        0.
    """
    season = made(seed, players, chaos)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "season.bundle").write_bytes(b"".join(season.lines))
    key = season.key.verifier_key()
    (folder / "keys.txt").write_text(f"{key}\n", encoding="ascii")
    _out.print(f"{folder / 'season.bundle'}: {len(season.rows)} events", markup=False)
    _out.print(f"signed by {key}", markup=False)
    if also_broken:
        known = list(_kept(broken(season, f"{seed}/{players}/{chaos}"), folder / "broken"))
        index = msgspec.json.format(msgspec.json.encode(known), indent=1)
        (folder / "broken" / "index.json").write_bytes(index + b"\n")
        _out.print(
            f"{folder / 'broken'}: {len(known)} broken bundles, see index.json", markup=False
        )
    return 0


def _kept(bundles: Iterable[tuple[Broken, bytes]], folder: Path) -> Iterable[Broken]:
    folder.mkdir(exist_ok=True)
    for about, data in bundles:
        (folder / about.file).write_bytes(data)
        yield about
