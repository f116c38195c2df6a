"""``holotable structure suggest`` works without a database."""

import json

from engine.rulesets import resolve
from engine.rulesets.parts import Levels
from tests.service.cli.test_rulesets import holotable


def test_a_suggestion_shows_each_level_with_its_beginning_and_its_hands() -> None:
    done = holotable(
        "structure", "suggest", "--players", "12", "--stack", "1500", "--minutes", "90"
    )
    head, columns, first, second, *_, last = done.stdout.splitlines()
    assert done.returncode == 0, done.stderr
    assert head == "12 players with 1500 chips, about 90 minutes"
    assert columns.split() == ["level", "begins", "small", "big", "ante", "minutes", "hands"]
    assert first.split() == ["1", "0:00", "5", "15", "-", "7.5", "6"]
    assert second.split()[1] == "0:07"
    assert last.split()[5:] == ["stays", "-"]


def test_a_suggestion_can_be_taken_as_overrides() -> None:
    done = holotable(
        "structure", "suggest", "--players", "9", "--stack", "2000", "--minutes", "120",
        "--ruleset", "cantina", "--json",
    )  # fmt: skip
    ruleset = resolve("cantina", json.loads(done.stdout))
    assert isinstance(ruleset.escalation, Levels)
    assert ruleset.escalation.by == "clock"
    assert ruleset.starting_stack == 2000


def test_what_cannot_be_suggested_is_wrong_usage_with_a_reason() -> None:
    asked = ("--players", "9", "--stack", "10", "--minutes", "120")
    done = holotable("structure", "suggest", *asked)
    assert (done.returncode, done.stdout) == (2, "")
    assert "the stack must be at least 200 chips, in units of 5" in done.stderr
