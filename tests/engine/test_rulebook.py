"""Every rule the engine names stands in the rulebook."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
TABLE = [
    *(ROOT / "engine" / "table").glob("*.py"),
    *(ROOT / "engine" / "games").glob("*.py"),
    ROOT / "engine" / "dice.py",
    ROOT / "engine" / "betting.py",
    ROOT / "engine" / "pots.py",
    ROOT / "engine" / "rng.py",
    ROOT / "engine" / "showdown.py",
    ROOT / "engine" / "tournament" / "levels.py",
]
PREFIXES = (
    "absence|betting|cards|clock|dice|forced|generator|levels|pots|selection|showdown|ties"
    "|traditional"
)
SLUG = re.compile(rf"[\"`]((?:{PREFIXES})\.[a-z_]+)[\"`]")


def test_every_rule_that_decides_stands_in_the_rulebook() -> None:
    rulebook = (ROOT / "docs" / "rulebook.md").read_text(encoding="utf-8")
    known = set(re.findall(r"^\| [0-9.]+ \| `([a-z_.]+)` ", rulebook, re.M))
    named = {slug for path in TABLE for slug in SLUG.findall(path.read_text(encoding="utf-8"))}
    assert named
    assert named <= known, sorted(named - known)
