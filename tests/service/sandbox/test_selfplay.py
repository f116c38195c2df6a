"""``holotable selfplay`` plays a bot in memory and reports its faults."""

import json
import sys
from pathlib import Path
from textwrap import dedent

import pytest
from click.testing import CliRunner, Result

from engine.rulesets import PRESETS
from service.base.shipped import ROOT
from service.cli.selfplay import selfplay
from service.sandbox.selfplay.match import Match
from service.sandbox.selfplay.players import BotUnusable, Candidate, Program, function_of

BOT = dedent(
    """
    import json
    import sys

    def choose(view):
        legal = {action["verb"]: action for action in view["legal"]}
        if "select" in legal:
            least = max(1, legal["select"]["cards_min"])
            return {"type": "select", "cards": view["me"]["cards"][:least]}
        for verb in ("improve", "stand", "check"):
            if verb in legal:
                return {"type": verb}
        return {"type": "fold"}

    def raising(view):
        return {"type": "raise_to", "amount": 1}

    def failing(view):
        raise ValueError("too hard")

    def no_action(view):
        return ["fold"]

    def unknown_member(view):
        return choose(view) | {"why": "a whim"}

    if __name__ == "__main__":
        for number, line in enumerate(sys.stdin):
            if sys.argv[1] == "ends" and number == 3:
                sys.exit(4)
            if sys.argv[1] == "sleeps" and number == 3:
                sys.stdin.read()
            print("?" if sys.argv[1] == "babbles" else json.dumps(choose(json.loads(line))))
    """
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "mybot.py"
    path.write_text(BOT, encoding="utf-8")
    return path


@pytest.mark.parametrize("ruleset", sorted(PRESETS))
def test_a_bot_plays_every_ruleset_without_a_server(file: Path, ruleset: str) -> None:
    match = Match(bot=Candidate(function_of(file, "choose"), 30), against=("calm",))

    played = match.play(ruleset, 1)
    report = match.report()

    assert played.games == 1
    assert played.hands > 1
    assert report.decisions > 1
    assert report.clean, report.examples


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("raising", "refused: wrong_phase"),
        ("failing", "ended"),
        ("no_action", "malformed"),
        ("unknown_member", "malformed"),
    ],
)
def test_a_decision_without_a_legal_action_is_reported_and_the_clock_answers(
    file: Path, name: str, fault: str
) -> None:
    match = Match(bot=Candidate(function_of(file, name), 30), against=("calm",))

    match.play("better_simple", 1)
    report = match.report()

    assert report.faults[fault] > 1
    assert sum(report.faults.values()) == report.decisions
    assert {each["phase"] for each in report.examples} >= {"select"}


@pytest.mark.parametrize(
    ("how", "fault"),
    [("plays", None), ("ends", "ended"), ("sleeps", "late"), ("babbles", "malformed")],
)
def test_a_program_reads_views_and_writes_actions_by_line(
    file: Path, how: str, fault: str | None
) -> None:
    """A program that ends or is late is started again."""
    program = Program(f"{sys.executable} {file} {how}", 0.2 if how == "sleeps" else 30)
    match = Match(bot=Candidate(program.ask, 30), against=("calm",))
    try:
        match.play("better_simple", 1)
    except BotUnusable:
        assert how in ("ends", "sleeps")
    finally:
        program.close()

    assert set(match.report().faults) == ({fault} if fault else set())


def test_the_bot_of_the_guide_plays_in_memory_as_it_stands(tmp_path: Path) -> None:
    """Its file is loaded as a module, and must not begin to play on a server."""
    guide = (ROOT / "docs/guides/write-a-bot.md").read_text(encoding="utf-8")
    file = tmp_path / "mybot.py"
    file.write_text(guide.partition("```python\n")[2].partition("```")[0], encoding="utf-8")
    match = Match(bot=Candidate(function_of(file, "choose"), 30), against=("calm",))

    match.play("halcyon_10", 1)

    assert match.report().clean


def test_in_a_game_without_chips_the_hands_won_decide(file: Path) -> None:
    match = Match(bot=Candidate(function_of(file, "choose"), 30), against=("steady",))

    played = match.play("official", 2)

    assert played.won < played.fair
    assert played.stacks < 1


def test_the_same_seed_deals_the_same_cards(file: Path) -> None:
    def played(seed: int) -> tuple[float, int]:
        match = Match(
            bot=Candidate(function_of(file, "choose"), 30), against=("steady",) * 2, seed=seed
        )
        found = match.play("better_simple", 1)
        return found.stacks, found.hands

    assert played(5) == played(5)
    assert len({played(seed) for seed in (5, 6, 7)}) > 1


def test_the_command_writes_a_report_and_exits_by_it(file: Path, tmp_path: Path) -> None:
    written = tmp_path / "report.json"

    def called(*arguments: str) -> Result:
        return CliRunner().invoke(selfplay, arguments)

    good = called(f"{file}:choose", "--hands", "20", "--json", str(written))
    bad = called(f"{file}:raising", "--hands", "1", "--against", "mixed")
    none = called(f"{tmp_path / 'none.py'}:choose")

    assert (good.exit_code, bad.exit_code, none.exit_code) == (0, 1, 2), bad.output
    assert "every decision got a legal action in time" in good.output
    assert json.loads(written.read_text())["played"][0]["hands"] >= 20
    assert "refused: wrong_phase" in bad.output
    assert "is not a Python file" in none.output
