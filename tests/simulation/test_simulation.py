"""The service as a whole, simulated from seeds, and faults planted in it."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.faults.planting import ACCIDENTS, ROOT, against
from tests.faults.planting import simulate as simulate_with
from tests.simulation.faults import FAULTS, Glue
from tests.simulation.soak import Tally, simulate

SEED = 2_026
STEPS = 10_000
HUNT = "150000"
"""The steps after which a planted fault counts as not found. Most need a tenth."""


@pytest.fixture(scope="module")
def tally() -> Tally:
    return simulate(SEED, STEPS)


def test_nothing_that_goes_wrong_breaks_a_promise(
    tally: Tally, capsys: pytest.CaptureFixture[str]
) -> None:
    """``tests/simulation/checks.py`` lists the promises. A failure names its seed."""
    with capsys.disabled():
        print(f"\n{tally}")
    assert tally.steps >= STEPS
    assert tally.evenings > 0
    assert tally.crashes > 5
    assert {"answer lost", "request lost", "request doubled", "wake-up lost"} <= set(tally.faults)
    assert min(tally.events, tally.acknowledged, tally.views) > 30


def test_a_seed_gives_the_same_trace_in_another_interpreter(tally: Tally) -> None:
    """Neither the order of a set nor an address in memory may change a step."""
    asked = ["-m", "tests.simulation.soak", "--seed", str(SEED), "--steps", str(STEPS)]
    again = subprocess.run(
        [sys.executable, *asked, "--each", str(STEPS)],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
        env=os.environ | {"PYTHONHASHSEED": "7"},
        timeout=120,
    )

    assert f"trace {tally.trace}" in again.stdout
    assert f"seed {SEED}: {tally.steps} steps" in again.stdout


def test_another_seed_gives_another_trace(tally: Tally) -> None:
    assert simulate(SEED + 1, 1).trace != tally.trace


@pytest.mark.parametrize(
    "fault",
    [
        pytest.param(
            fault,
            id=fault.name.replace(" ", "_"),
            marks=() if fault.quick else (pytest.mark.long,),
        )
        for fault in FAULTS
    ],
)
def test_a_planted_fault_is_found(fault: Glue, tmp_path: Path) -> None:
    """The message gives the seed and the number of steps."""
    hunt = ("--seed", str(fault.seed), "--steps", HUNT, "--each", "15000")
    code, printed = against(fault, simulate_with, *hunt, output=tmp_path / "output")
    last = printed.strip().splitlines()[-1]

    assert code == 1, f"the simulation did not notice: {fault.name}\n{last}"
    assert fault.found in last
    assert not ACCIDENTS.search(last), last
    assert re.search(r"--seed \d+ --steps \d+ failed at step \d+", last)


@pytest.mark.long
def test_a_failing_seed_fails_at_the_same_step_again(tmp_path: Path) -> None:
    fault = FAULTS[1]
    hunt = ("--seed", str(fault.seed), "--steps", HUNT, "--each", "15000")
    printed = [
        against(fault, simulate_with, *hunt, output=tmp_path / f"output-{number}")[1]
        for number in range(2)
    ]

    assert printed[0].splitlines()[-60:] == printed[1].splitlines()[-60:]
    assert "failed at step" in printed[0]
