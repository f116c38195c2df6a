"""Texts: every one that a reader may see has a translation."""

import ast
import re

import pytest

from service.base.languages import LANGUAGES, Language
from service.console.extracting import ROOT, every_text, missing, translated, unused

_GAP = re.compile(r"%\(\w+\)s")


@pytest.mark.parametrize("language", LANGUAGES[1:])
def test_every_text_is_translated(language: Language) -> None:
    """``python -m service.console.extracting`` prints the missing entries."""
    assert list(missing(language)) == []
    assert list(unused(language)) == []


def test_texts_are_found_in_code_in_templates_and_among_problems() -> None:
    found = every_text()

    assert found.get("You are on the list.") is not None
    assert found.get("Skip to the content") is not None
    assert found.get("Every place is taken") is not None


@pytest.mark.parametrize("language", LANGUAGES[1:])
def test_a_translation_has_the_gaps_of_its_text(language: Language) -> None:
    for entry in translated(language):
        if isinstance(entry.id, str) and entry.id:
            assert sorted(_GAP.findall(entry.string)) == sorted(_GAP.findall(entry.id)), entry.id


def test_every_description_of_a_fault_is_a_text_of_the_catalogue() -> None:
    """
    The types prove that the checks take only a ``Said``.

    So it is enough that ``said`` makes each of them, from a literal that the catalogue finds.
    """
    described = 0
    for path in sorted((ROOT / "audit").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
                continue
            assert node.func.id != "Said" or path.name == "said.py", f"{path}:{node.lineno}"
            if node.func.id == "said":
                assert isinstance(node.args[0], ast.Constant), f"{path}:{node.lineno}"
                assert every_text().get(node.args[0].value) is not None
                described += 1
    assert described > 150
