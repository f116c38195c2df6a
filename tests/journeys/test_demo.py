"""The main task of a new user: ``holotable demo`` from start to end."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytestmark = [pytest.mark.long, pytest.mark.slow]

ROOT = Path(__file__).resolve().parents[2]
TIMEOUT_SECONDS = 480
"""Eight times the demo's own limit, for a machine that runs other tests as well."""

COUNTERS = (
    "side_pots",
    "odd_chips_carried",
    "levels_raised",
    "players_moved",
    "tables_broken",
    "deadlines_run_out",
    "seats_away",
    "hands_killed",
    "seats_back",
    "openings",
    "omissions",
)


def marked(name: str, value: str) -> list[str]:
    """Return the names of all living processes that inherited this environment variable."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            environment = (process / "environ").read_bytes().split(b"\0")
            if f"{name}={value}".encode() in environment:
                found.append((process / "comm").read_text(encoding="utf-8").strip())
        except (FileNotFoundError, PermissionError, ProcessLookupError):
            continue
    return found


class Night:
    """The output, files and exit code of one run of the demo."""

    def __init__(self, directory: Path) -> None:
        summary = directory / "summary.json"
        self.mark = str(directory)
        self.run = subprocess.run(
            [sys.executable, "-m", "service.cli.main", "demo", "--json", str(summary)],
            cwd=ROOT,
            env=os.environ | {"DEMO_MARK": self.mark, "TMPDIR": str(directory)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=TIMEOUT_SECONDS,
            check=False,
        )
        self.summary: dict[str, Any] = (
            json.loads(summary.read_text(encoding="utf-8")) if summary.exists() else {}
        )


@pytest.fixture(scope="module")
def night(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Night]:
    yield Night(tmp_path_factory.mktemp("n"))


def test_the_demo_ends_well(night: Night) -> None:
    """The demo plays a night, tells its story, audits it, and exits with success."""
    assert night.run.returncode == 0, night.run.stdout[-4000:]


@pytest.mark.parametrize("counter", COUNTERS)
def test_a_night_has_everything_that_makes_directing_hard(night: Night, counter: str) -> None:
    """A night has side pots, carry, levels, moves, breaks and an away player who returns."""
    assert night.summary["counters"][counter] > 0


def test_every_audit_of_the_night_passes(night: Night) -> None:
    """The audits decide every action again, draw every deal again, and verify every chain."""
    assert night.summary["passed"] is True


def test_the_night_is_verified_by_a_program_that_shares_nothing_with_ours(night: Night) -> None:
    """A verifier made from the documents alone replays the opened bundle of the season."""
    assert night.summary["proved"] is True
    assert "PASS: a given key signed the bundle, and nothing differs" in night.run.stdout


def test_the_night_is_signed_and_the_audit_builds_its_tree_again(night: Night) -> None:
    """The log holds a head of the league's tree, signed by a named key, with the audited root."""
    head, (audit,) = night.summary["head"], night.summary["audits"]
    (tree,) = [check for check in audit["checks"] if check["name"] == "tree"]
    assert 0 < head["size"] <= audit["events"]
    assert (tree["checked"] > 0, tree["failed"]) == (True, 0)
    assert f"root {head['root'][:16]}…, signed by holotable.local" in night.run.stdout


def test_the_house_refuses_no_legal_action(night: Night) -> None:
    """The bots play only actions that their view calls legal."""
    assert night.summary["refusals"] == []


def test_the_story_ends_with_the_final_hand_and_the_standings(night: Night) -> None:
    """The story lets a person follow the night."""
    final = night.run.stdout.partition("final hand")[2].partition("placings")[0]
    assert [word in final for word in ("posted: ", "dice: ", "pot 1 of ")] == [True] * 3
    assert "League standings" in night.run.stdout


def test_the_demo_leaves_no_process(night: Night) -> None:
    """A run ends every process that it started."""
    assert marked("DEMO_MARK", night.mark) == []
