"""Random tables of every variant, from fixed seeds, with counts of what they cover."""

import pytest

from tests.properties.soak import soak
from tests.properties.variants import VARIANTS

SEED = 2_026


@pytest.mark.parametrize("steps", [10_000, pytest.param(80_000, marks=pytest.mark.long)])
def test_no_step_breaks_a_promise(steps: int, capsys: pytest.CaptureFixture[str]) -> None:
    """The docstring of ``soak`` lists the checks of each step. A failure names its table."""
    tally = soak(seed=SEED, steps=steps)

    with capsys.disabled():
        print(f"\n{tally}")
    assert tally.steps >= steps
    assert min(tally.variants[name] for name in VARIANTS) > steps // len(VARIANTS) // 2
    assert steps < 80_000 or set(range(2, 13)) <= set(tally.seats)
