"""The changelog is for users: a part for each reader, and no history of repairs."""

import re
from pathlib import Path

TEXT = (Path(__file__).resolve().parents[2] / "CHANGELOG.md").read_text(encoding="utf-8")
VERSIONS = re.split(r"^## .*$", TEXT, flags=re.MULTILINE)[1:]

READERS = [
    "For organisers and players",
    "For client writers",
    "For operators",
    "For auditors",
]

VERSION_MAX = 3_000
"""Words of a version. A reader who upgrades reads one part of four."""

ENTRY_MAX = 80
"""Words of an entry. A guide explains the rest."""


def test_each_version_has_a_part_for_each_reader() -> None:
    """The policy of the API leads client writers to theirs by its name."""
    assert VERSIONS
    for version in VERSIONS:
        assert re.findall(r"^### (.*)$", version, re.MULTILINE) == READERS


def test_a_version_and_its_entries_are_short() -> None:
    for version in VERSIONS:
        assert len(version.split()) <= VERSION_MAX
        entries = re.findall(r"^- (.*)$", version, re.MULTILINE)
        assert [each[:60] for each in entries if len(each.split()) > ENTRY_MAX] == []
