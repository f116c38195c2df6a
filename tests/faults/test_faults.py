"""
The engine gets one fault at a time, and the named test must catch it.

Every fault replaces a text that the engine contains exactly once, so none can rot unnoticed. Every
test that catches a fault also runs in this suite, where it passes on the sound engine.
"""

import re
from pathlib import Path

import pytest

from tests.faults.catalogue import FAULTS
from tests.faults.planting import ACCIDENTS, Fault, FaultRotten, against, run_test

FAULTS_MIN = 20
FAILED = 1
"""The exit code of pytest if tests ran and at least one failed."""


@pytest.mark.parametrize("fault", FAULTS, ids=[fault.name.replace(" ", "_") for fault in FAULTS])
def test_a_planted_fault_is_caught_by_the_test_that_is_named(fault: Fault, tmp_path: Path) -> None:
    code, printed = against(fault, run_test, fault.caught_by, output=tmp_path / "output")

    assert code == FAILED, f"no test noticed this fault: {fault.name}\n{printed}"
    assert f"FAILED {fault.caught_by}" in printed
    raised = "\n".join(re.findall(r"^E .*", printed, re.MULTILINE))
    assert not ACCIDENTS.search(raised), printed


def test_every_fault_is_its_own() -> None:
    """No two faults share a name or a change."""
    assert len(FAULTS) >= FAULTS_MIN
    assert len({fault.name for fault in FAULTS}) == len(FAULTS)
    assert len({(fault.file, fault.sound, fault.faulty) for fault in FAULTS}) == len(FAULTS)


def test_a_fault_that_no_longer_fits_is_rotten() -> None:
    """If the engine changes, a fault must not silently plant nothing."""
    rotten = Fault(name="none", file="hand/pots.py", sound="no such text", faulty="", caught_by="")

    with pytest.raises(FaultRotten):
        rotten.text()


def test_the_test_passes_with_nothing_planted(tmp_path: Path) -> None:
    """The way of planting alone makes no test fail."""
    unchanged = Fault(
        name="none",
        file="hand/pots.py",
        sound="def unmatched(",
        faulty="def unmatched(",
        caught_by="",
    )
    test = "tests/engine/hand/test_pots.py"

    code, printed = against(unchanged, run_test, test, output=tmp_path / "output")

    assert code == 0, printed
