"""
The verifier names each planted fault of the engine from a generated season.

A process with the fault in its engine generates the season, just as a house with a faulty engine
would play it. Everything in it agrees, down to the signature, so only the rules can show the fault.
"""

import importlib
import sys
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.faults.planting import Fault, against
from tests.verifier.engine_faults import PLANTED, Planted, Season
from tests.verifier.loading import verifier

FAULTS_MIN = 20


class Found(NamedTuple):
    status: int
    rules: frozenset[str]


def found(folder: Path) -> Found:
    """Return the verifier's findings for the season in *folder*."""
    keys = [verifier.read_key(line) for line in (folder / "keys.txt").read_text().splitlines()]
    report = verifier.verify((folder / "season.bundle").read_bytes(), keys)
    assert report.authentic
    return Found(report.status(), frozenset(rule for _, rule, _ in report.differences))


def generate(*arguments: str) -> int:
    """Run ``holotable generate``. Its modules are imported with the fault in place."""
    sys.argv = ["holotable", "generate", *arguments]
    importlib.import_module("service.cli.main").main()
    return 0


def season_of(fault: Fault | None, season: Season, folder: Path) -> Found:
    """Generate a season with *fault* in the engine, and verify it."""
    folder.mkdir(parents=True)
    seed, players, chaos = map(str, season)
    asked = ("--seed", seed, "--players", players, "--chaos", chaos, "-o", str(folder / "season"))
    code, printed = against(fault, generate, *asked, output=folder / "output")
    assert code == 0, printed
    return found(folder / "season")


@cache
def sound(season: Season, folder: Path) -> Found:
    """Return the verifier's findings for the season of the unchanged engine."""
    return season_of(None, season, folder)


@pytest.mark.slow
@pytest.mark.parametrize("planted", PLANTED, ids=[p.fault.name.replace(" ", "_") for p in PLANTED])
def test_a_fault_in_the_engine_is_named(
    planted: Planted, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    shared = tmp_path_factory.getbasetemp() / "sound"

    without = sound(planted.season, shared / "-".join(map(str, planted.season)))
    played = season_of(planted.fault, planted.season, tmp_path / "faulty")

    assert without.status != verifier.DIFFERENT, without.rules
    assert played.status == verifier.DIFFERENT
    assert planted.rule in played.rules


def test_every_fault_is_its_own() -> None:
    faults: list[Fault] = [each.fault for each in PLANTED]

    assert len(faults) >= FAULTS_MIN
    assert len({(each.file, each.sound, each.faulty) for each in faults}) == len(faults)
