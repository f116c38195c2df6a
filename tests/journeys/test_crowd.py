"""Sixty bots at ten tables play to the end, through two API processes and one worker."""

from pathlib import Path

import pytest

from bench.crowd import OPTIONS, SEATS, another_api, play
from service.process.supervisor import Stack

pytestmark = [pytest.mark.long, pytest.mark.slow, pytest.mark.anyio]

BOTS = 60
STACK = 60


async def test_sixty_bots_play_to_the_end_through_two_processes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    terms = {"starting_stack": STACK, "overrides": {"starting_stack": STACK}}
    stack = Stack(tmp_path / "d", keep=True, durable=True, options=OPTIONS)
    with stack, another_api(stack, tmp_path / "api2.log") as second:
        crowd = await play((stack.url, second), BOTS, terms)
        stack.check()
    with capsys.disabled():
        print(f"\n{crowd.line()}")
    assert crowd.tables == BOTS // SEATS
    assert crowd.timed.failed == []
    assert crowd.timed.refused == []
    places = sorted(each["place"] for each in crowd.finished["placings"])
    assert (places[0], len(places)) == (1, BOTS)
    assert crowd.audit["passed"], crowd.audit
    for log in (stack.log("api"), tmp_path / "api2.log", stack.log("worker")):
        assert "Traceback" not in log.read_text(encoding="utf-8")
