"""Every rule that the engine names at a table has a title, and links lead to its sentence."""

import ast
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engine.rulesets.presets import PRESETS
from service.api.http.declaring.rule_names import NAMES
from service.console.rules.titles import ALONE, TITLES

ENGINE = Path(__file__).resolve().parents[3] / "engine"
Serving = Callable[..., Any]


def test_every_rule_named_at_a_table_has_a_title_and_no_other() -> None:
    named = {
        node.value
        for folder in ("table", "hand", "coordination", "rulesets")
        for path in (ENGINE / folder).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Constant) and node.value in NAMES
    }
    assert len(named) > 80
    assert named | {ALONE} == set(TITLES)


@pytest.mark.anyio
async def test_each_rule_of_a_rules_page_can_be_linked_to_once(serving: Serving) -> None:
    async with serving() as console:
        browser = console.browser()
        for preset in PRESETS:
            page = (await browser.get(f"/rules/{preset}")).text
            numbers = [each.partition('"')[0] for each in page.split(' id="rule-')[1:]]
            assert len(numbers) > 10
            assert len(numbers) == len(set(numbers))
