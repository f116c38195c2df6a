"""``holotable rulesets`` works without a database."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from engine.rulesets import PRESETS, preset, ruleset_hash

ROOT = Path(__file__).resolve().parents[3]


def rulesets(*arguments: str) -> subprocess.CompletedProcess[str]:
    return holotable("rulesets", *arguments)


def holotable(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command without any ``HOLOTABLE_`` setting."""
    inherited = {name: it for name, it in os.environ.items() if not name.startswith("HOLOTABLE_")}
    return subprocess.run(
        [sys.executable, "-m", "service.cli.main", *arguments],
        cwd=ROOT,
        env=inherited,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )


def test_the_list_names_every_preset_with_its_hash() -> None:
    listed = rulesets("list")
    assert listed.returncode == 0, listed.stderr
    rows = {line.split()[0]: line.split()[-1] for line in listed.stdout.splitlines()[1:]}
    assert rows == {name: ruleset_hash(preset(name)) for name in PRESETS}


def test_a_preset_is_shown_whole() -> None:
    shown = json.loads(rulesets("show", "cantina").stdout)
    assert shown["hash"] == ruleset_hash(preset("cantina"))
    assert shown["ruleset"]["escalation"]["inc"] == {"2": 5, "3": 3, "4": 2, "*": 1}


@pytest.mark.parametrize(
    ("other", "code", "said"),
    [
        ("holo", 1, 'discard: "with_selection" -> "at_shift"'),
        ("halcyon_10", 0, ""),
        ("sabacc", 2, ""),
    ],
)
def test_two_presets_are_compared(other: str, code: int, said: str) -> None:
    compared = rulesets("diff", "halcyon_10", other)
    assert compared.returncode == code, compared.stderr
    assert (compared.stdout.splitlines() or [""])[0] == said
    if code == 2:
        assert "next: see `holotable rulesets list`" in compared.stderr
