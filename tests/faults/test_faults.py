"""
Twenty rules are played wrongly, one at a time: the tests notice each, by name.

Every fault is a text that must stand in the engine exactly once, so that none can
rot unseen; and every test that catches one passes on the sound engine, for it is
part of this suite.
"""

import re
from pathlib import Path

import pytest

from tests.faults.catalogue import FAULTS
from tests.faults.planting import ACCIDENTS, Fault, FaultRotten, run

FAULTS_MIN = 20
FAILED = 1
"""What pytest exits with when tests ran and at least one failed."""


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS, ids=[fault.name.replace(" ", "_") for fault in FAULTS])
def test_a_planted_fault_is_caught_by_the_test_that_is_named(fault: Fault, tmp_path: Path) -> None:
    fault.plant(tmp_path)
    ran = run(tmp_path, fault.caught_by)

    assert ran.returncode == FAILED, f"nobody noticed that {fault.name}:\n{ran.stdout}"
    assert f"FAILED {fault.caught_by}" in ran.stdout
    raised = "\n".join(re.findall(r"^E .*", ran.stdout, re.MULTILINE))
    assert not ACCIDENTS.search(raised), ran.stdout


def test_every_fault_is_its_own() -> None:
    """Each has its own name and its own change."""
    assert len(FAULTS) >= FAULTS_MIN
    assert len({fault.name for fault in FAULTS}) == len(FAULTS)
    assert len({(fault.file, fault.sound, fault.faulty) for fault in FAULTS}) == len(FAULTS)


def test_a_fault_that_no_longer_fits_is_rotten(tmp_path: Path) -> None:
    """A change of the engine must not leave a fault behind that plants nothing."""
    rotten = Fault(name="none", file="hand/pots.py", sound="no such text", faulty="", caught_by="")

    with pytest.raises(FaultRotten):
        rotten.plant(tmp_path)


def test_the_test_passes_where_nothing_is_planted(tmp_path: Path) -> None:
    """It is the fault that makes it fail, not the copy."""
    unchanged = Fault(
        name="none",
        file="hand/pots.py",
        sound="def unmatched(",
        faulty="def unmatched(",
        caught_by="",
    )
    unchanged.plant(tmp_path)

    assert run(tmp_path, "tests/engine/hand/test_pots.py").returncode == 0
