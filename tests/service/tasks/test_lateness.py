"""Every kind of task states the meaning of its lateness, in the code and in the guide."""

import re

import pytest

from service.base.shipped import ROOT
from service.tasks.duties import DUTIES, PLAY, Duty, award_points

GUIDE = (ROOT / "docs" / "guides" / "operating-time.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| `([a-z_.]+)` \| (\w+) \| (.+) \|$", re.M)


def test_the_guide_says_of_every_task_what_the_code_says() -> None:
    told = {task: (kind, meaning) for task, kind, meaning in ROW.findall(GUIDE)}
    assert told == {task: (duty.late.kind, duty.late.meaning) for task, duty in DUTIES.items()}
    assert all(meaning.endswith(".") for _, meaning in told.values())


def test_a_task_that_does_not_say_what_lateness_means_cannot_be_declared() -> None:
    with pytest.raises(TypeError, match="late"):
        Duty(PLAY, award_points)  # type: ignore[call-arg]
