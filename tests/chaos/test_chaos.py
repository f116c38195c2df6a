"""A short run under all faults."""

from pathlib import Path

import pytest

from tests.chaos.run import run

pytestmark = [pytest.mark.long, pytest.mark.slow]

SECONDS = 60.0
SEED = 11


def test_a_minute_of_faults_breaks_no_promise(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    outcome = run(tmp_path, SECONDS, SEED, lambda _: None)
    with capsys.disabled():
        print(f"\n{outcome.text()}")
    assert outcome.broken == []
    assert sum(outcome.faults.values()) > 20
