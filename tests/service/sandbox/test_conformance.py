"""``holotable conformance`` passes good clients, and finds each fault of bad ones."""

import json
import sys
from pathlib import Path
from typing import get_args

import msgspec
import pytest
from click.testing import CliRunner

from engine.rulesets import PRESETS
from service.api.table.my_items import MyItem
from service.cli.conformance import conformance
from service.sandbox.conformance.exchange import Exchange
from service.sandbox.conformance.judging import CHECKS, Check, Report
from service.sandbox.conformance.scenes import STAGED, Scene
from service.sandbox.conformance.script import Part, Script, plan
from service.sandbox.conformance.wire import Server
from tests.service.sandbox.bots_with_faults import Bot, Fault, Wire

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[3]
TOKEN = "holo_pat_test"
RULESET = "better_simple"


def report_on(
    scenes: tuple[Scene, ...],
    *,
    wire: Wire = "ndjson",
    fault: Fault | None = None,
    seconds: float = 3.0,
) -> tuple[Report, Bot]:
    """Return the report about a bot, and the bot."""
    exchange = Exchange(TOKEN)
    server = Server("127.0.0.1", 0, exchange)
    with server.serving():
        bot = Bot(server.url, TOKEN, wire, fault)
        bot.start()
        script = Script(exchange, [Part(RULESET, scenes)], seconds, bot.ended, patience=2)
        report = script.run()
    bot.leave()
    return report, bot


def failed(report: Report) -> set[Check]:
    return {each.check for each in report.verdicts if each.passed is False}


def test_a_good_client_passes_every_situation() -> None:
    report, bot = report_on((*STAGED, "plain"))

    assert report.passed, report
    # A broken poll has no answer, so the next poll repeats the last cursor.
    assert {each.check for each in report.verdicts if each.passed} == set(CHECKS)
    assert report.decisions == len(STAGED) + 1
    assert report.rulesets[RULESET] == len(STAGED) - 1
    told = [each for each in bot.items if each["type"] != "weather"]
    for each in told:
        msgspec.convert(each, MyItem)
    assert {"tournament", "entry", "seat", "turn", "turn_closed"} <= {it["type"] for it in told}


@pytest.mark.parametrize("wire", get_args(Wire))
def test_a_good_client_comes_back_on_every_wire(wire: Wire) -> None:
    report, _ = report_on(("plain", "cut", "ends", "refused", "lost", "plain"), wire=wire)
    assert report.passed, report


FAULTS: dict[Fault, tuple[tuple[Scene, ...], Check]] = {
    "another key": (("plain", "lost", "plain"), "retries"),
    "no retry": (("plain", "lost", "plain"), "retries"),
    "hasty": (("plain", "busy", "plain"), "waits"),
    "stubborn": (("plain", "closed", "plain"), "gives_up"),
    "twice": (("plain", "double", "plain"), "once"),
    "forgetful": (("plain", "cut", "plain"), "resumes"),
    "backwards": (("plain", "plain", "plain", "cut", "plain", "cut", "plain"), "resumes"),
    "fragile": (("plain", "cut", "plain"), "reconnects"),
    "illegal": (("plain", "plain"), "legal"),
    "malformed": (("plain", "plain"), "legal"),
    "keyless": (("plain", "plain"), "key"),
    "one key": (("plain", "plain"), "key"),
    "sleepy": (("plain", "plain"), "in_time"),
    "confused": (("plain", "reorder", "plain"), "order"),
    "strict": (("plain", "unknown", "plain"), "unknown"),
    "endless": (("plain",), "stops"),
    "stranger": (("plain",), "connects"),
}
"""The situations in which each fault shows, and the check that finds it."""


@pytest.mark.parametrize("fault", FAULTS)
def test_each_fault_is_found(fault: Fault) -> None:
    scenes, check = FAULTS[fault]

    report, _ = report_on(scenes, fault=fault, seconds=0.8)

    assert check in failed(report), report
    assert not report.passed


def test_a_client_that_asks_again_and_again_is_found() -> None:
    report, _ = report_on(("plain", "quiet", "plain"), wire="poll", fault="restless")
    assert "patient" in failed(report)


def test_the_bot_of_the_guide_passes_in_all_rulesets(tmp_path: Path) -> None:
    guide = (ROOT / "docs/guides/write-a-bot.md").read_text(encoding="utf-8")
    code = guide.partition("```python\n")[2].partition("```")[0]
    for placeholder, name in {
        '"http://127.0.0.1:8000"': "HOLOTABLE_URL",
        '"Bearer holo_pat_..."': "HOLOTABLE_TOKEN",
    }.items():
        assert placeholder in code
        given = f'os.environ["{name}"]'
        code = code.replace(placeholder, given if "URL" in name else f'"Bearer " + {given}')
    bot, report = tmp_path / "bot.py", tmp_path / "report.json"
    bot.write_text(f"import os\n{code}", encoding="utf-8")

    run = CliRunner().invoke(conformance, ["--json", str(report), "--", sys.executable, str(bot)])

    assert run.exit_code == 0, run.output
    told = json.loads(report.read_text(encoding="utf-8"))
    assert set(told["rulesets"]) == set(PRESETS)
    assert all(told["rulesets"].values())
    assert [each["passed"] for each in told["verdicts"]] == [True] * len(CHECKS)


def test_a_program_that_ends_is_told_with_its_code() -> None:
    program = [sys.executable, "-c", "raise SystemExit(7)"]
    run = CliRunner().invoke(conformance, ["--ruleset", "spike", "--", *program])
    assert run.exit_code == 1
    assert "the program ended with code 7" in run.output


@pytest.mark.parametrize("arguments", [["--url", "https://x"], ["--", "/no/such/program"]])
def test_wrong_usage_is_told(arguments: list[str]) -> None:
    assert CliRunner().invoke(conformance, arguments).exit_code == 2


def test_every_situation_arises_in_a_whole_test() -> None:
    for rulesets in ([RULESET], sorted(PRESETS)):
        scenes = [scene for part in plan(rulesets) for scene in part.scenes]
        assert set(scenes) == set(STAGED)
