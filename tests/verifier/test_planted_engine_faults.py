"""
The verifier names each planted fault of the engine from a generated season.

A process with the fault in its engine generates the season, just as a house with a faulty engine
would play it. Everything in it agrees, down to the signature, so only the rules can show the fault.
"""

from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from service.sandbox.generating.seasons import made
from tests.faults.planting import Fault, against, generate
from tests.verifier.engine_faults import PLANTED, Planted, Season
from tests.verifier.loading import verifier

FAULTS_MIN = 20


class Found(NamedTuple):
    status: int
    rules: frozenset[str]


def found(bundle: bytes, key: str) -> Found:
    """Return the verifier's findings for the season in *bundle*, which *key* has signed."""
    report = verifier.verify(bundle, [verifier.read_key(key)])
    assert report.authentic
    return Found(report.status(), frozenset(rule for _, rule, _ in report.differences))


def season_of(fault: Fault, season: Season, folder: Path) -> Found:
    """Generate a season with *fault* in the engine, and verify it."""
    seed, players, chaos = map(str, season)
    asked = ("--seed", seed, "--players", players, "--chaos", chaos, "-o", str(folder / "season"))
    code, printed = against(fault, generate, *asked, output=folder / "output")
    assert code == 0, printed
    written = folder / "season"
    return found((written / "season.bundle").read_bytes(), (written / "keys.txt").read_text())


@cache
def sound(season: Season) -> Found:
    """Return the verifier's findings for the season of the unchanged engine."""
    it = made(*season)
    return found(b"".join(it.lines), it.key.verifier_key())


@pytest.mark.slow
@pytest.mark.parametrize("planted", PLANTED, ids=[p.fault.name.replace(" ", "_") for p in PLANTED])
def test_a_fault_in_the_engine_is_named(planted: Planted, tmp_path: Path) -> None:
    without = sound(planted.season)
    played = season_of(planted.fault, planted.season, tmp_path)

    assert without.status != verifier.DIFFERENT, without.rules
    assert played.status == verifier.DIFFERENT
    assert planted.rule in played.rules


def test_every_fault_is_its_own() -> None:
    faults: list[Fault] = [each.fault for each in PLANTED]

    assert len(faults) >= FAULTS_MIN
    assert len({(each.file, each.sound, each.faulty) for each in faults}) == len(faults)
