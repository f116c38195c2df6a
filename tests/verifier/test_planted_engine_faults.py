"""
Rules are played wrongly in a copy of the engine: the verifier names each from a made-up season.

The season is made by that copy, as a house with a faulty engine would play it, and all in
it agrees, down to the signature; only the rules can tell.
"""

import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.faults.planting import ROOT, Fault
from tests.verifier.engine_faults import PLANTED, Planted
from tests.verifier.loading import verifier

FAULTS_MIN = 20


class Found(NamedTuple):
    status: int
    rules: frozenset[str]


def found(folder: Path) -> Found:
    """Return what the verifier says of the season in *folder*."""
    keys = [verifier.read_key(line) for line in (folder / "keys.txt").read_text().splitlines()]
    report = verifier.verify((folder / "season.bundle").read_bytes(), keys)
    assert report.authentic
    return Found(report.status(), frozenset(rule for _, rule, _ in report.differences))


def generate(engine: Path, folder: Path, season: tuple[int, int, float]) -> Found:
    """Make a season up by the engine below *engine*, and verify it."""
    seed, players, chaos = map(str, season)
    asked = ["generate", "--seed", seed, "--players", players, "--chaos", chaos]
    ran = subprocess.run(
        [
            sys.executable,
            "-P",
            "-B",
            "-c",
            "from service.cli.main import main; main()",
            *asked,
            "-o",
            folder,
        ],
        env=os.environ | {"PYTHONPATH": f"{engine}{os.pathsep}{ROOT}"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    return found(folder)


@cache
def sound(season: tuple[int, int, float], folder: Path) -> Found:
    """Return what the verifier says of the season as the engine plays it."""
    return generate(ROOT, folder, season)


@pytest.mark.slow
@pytest.mark.parametrize("planted", PLANTED, ids=[p.fault.name.replace(" ", "_") for p in PLANTED])
def test_a_fault_in_the_engine_is_named(
    planted: Planted, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    planted.fault.plant(tmp_path)
    shared = tmp_path_factory.getbasetemp() / "sound"

    without = sound(planted.season, shared / "-".join(map(str, planted.season)))
    played = generate(tmp_path, tmp_path / "season", planted.season)

    assert without.status != verifier.DIFFERENT, without.rules
    assert played.status == verifier.DIFFERENT
    assert planted.rule in played.rules


def test_every_fault_is_its_own() -> None:
    faults: list[Fault] = [each.fault for each in PLANTED]

    assert len(faults) >= FAULTS_MIN
    assert len({(each.file, each.sound, each.faulty) for each in faults}) == len(faults)
