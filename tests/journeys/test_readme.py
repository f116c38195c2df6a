"""The README's instructions for new users, run unchanged."""

import json
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from service.process.supervisor import Stack
from service.sandbox.demo.standing import organiser_token

ROOT = Path(__file__).resolve().parents[2]
TIMEOUT_SECONDS = 60
EXPORT = re.compile(r"^export HOLO=.*\n", re.MULTILINE)


def transcript() -> str:
    """Return the README's block that makes a league and ends with a dealt hand."""
    blocks = re.findall(r"```sh\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.S)
    found = [block for block in blocks if EXPORT.search(block)]
    assert len(found) == 1
    return str(found[0])


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    directory = tmp_path_factory.mktemp("r") / "d"
    options = {"worker_processes": 1, "log_level": "warning"}
    with Stack(directory, keep=False, durable=False, options=options) as running:
        yield running


def test_the_transcript_ends_with_a_dealt_hand(stack: Stack) -> None:
    """A reader who copies the block sees cards, dice, pots and legal actions."""
    told = {"HOLO": stack.url, "TOKEN": organiser_token(stack)}
    run = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", EXPORT.sub("", transcript())],
        env=os.environ | told,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_SECONDS,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    answers = run.stdout.replace("}{", "}\n{").splitlines()
    table = json.loads(answers[-1])
    assert (table["hand_number"], table["my_turn"]) == (1, True), table
    assert len(table["me"]["cards"]) == 5, table
    assert table["target"] is not None, table
    assert sum(pot["chips"] for pot in table["pots"]) == 15, table
    assert [action["verb"] for action in table["legal"]] == ["select"], table
