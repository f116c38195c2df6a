"""Twelve bots play two rounds and a final through the API, with one worker."""

from pathlib import Path

import pytest

from bench.crowd import OPTIONS, play
from service.process.supervisor import Stack

pytestmark = [pytest.mark.slow, pytest.mark.anyio]

BOTS = 12
STACK = 60
FORMAT = {
    "kind": "rounds",
    "rounds": 2,
    "seating": "swiss",
    "hands_per_round": 2,
    "cut": 4,
}


async def test_twelve_bots_play_two_rounds_and_a_final_of_four(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    terms = {
        "table_seats": 4,
        "starting_stack": STACK,
        "overrides": {"starting_stack": STACK},
        "format": FORMAT,
    }
    with Stack(tmp_path / "d", keep=True, durable=True, options=OPTIONS) as stack:
        crowd = await play((stack.url,), BOTS, terms)
        stack.check()
    with capsys.disabled():
        print(f"\n{crowd.line()}")
    assert crowd.tables == 3 + 3 + 1
    assert (crowd.timed.failed, crowd.timed.refused) == ([], [])
    places = sorted(each["place"] for each in crowd.finished["placings"])
    assert len(places) == BOTS
    # Two who bust in one hand with equal stacks share a place, and the next place is left out.
    assert places == [1 + sum(better < each for better in places) for each in places]
    assert crowd.audit["passed"], crowd.audit
    checked = {each["name"]: each["checked"] for each in crowd.audit["checks"]}
    assert checked["rounds"] > 0
    for name in ("api", "worker"):
        assert "Traceback" not in stack.log(name).read_text(encoding="utf-8")
