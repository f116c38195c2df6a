"""The examples in the guide to points work as written."""

import re
from pathlib import Path
from typing import Any

from engine.kit.rng import master_commitment
from engine.season.lots import drawn
from engine.season.points import FORMULA_NAMES
from engine.season.presets import PRESETS
from engine.season.values import PointsFormula
from engine.values import number_of
from tests.engine.season.seasons import MASTER
from tests.engine.tournament.floor import SEASON, player

ROOT = Path(__file__).parents[3]
GUIDE = (ROOT / "docs" / "guides" / "points.md").read_text(encoding="utf-8")
RECOMPUTING = (ROOT / "api-spec" / "recomputing.md").read_text(encoding="utf-8")


def test_the_lines_in_the_guide_repeat_a_lot() -> None:
    """The lines need only the standard library."""
    (source,) = re.findall(r"```python\n(.*?)```", GUIDE, re.DOTALL)
    stranger: dict[str, Any] = {}
    exec(source, stranger)
    draw = drawn([player(number) for number in range(9)], master=MASTER, number=3)
    commitment = master_commitment(number_of(SEASON), "lots", bytes.fromhex(MASTER))
    lot = {
        "number": draw.number,
        "candidates": list(draw.candidates),
        "order": list(draw.order),
    }

    stranger["check"](SEASON, commitment, MASTER, lot)


def test_the_guide_names_every_preset_and_every_name_of_a_formula() -> None:
    said = set(re.findall(r"`([a-z0-9_]+)`", GUIDE))

    assert PRESETS.keys() | FORMULA_NAMES <= said


def test_whoever_computes_again_finds_the_text_of_every_preset() -> None:
    texts = {
        name: each.points.text
        for name, each in PRESETS.items()
        if isinstance(each.points, PointsFormula)
    }
    said = dict(re.findall(r"^\| `([a-z0-9_]+)` \| `([^`]+)`", RECOMPUTING, re.MULTILINE))

    assert len(texts) > 10
    assert {name: said.get(name) for name in texts} == texts
