"""Texts: every one that a reader may see has a translation."""

import ast
import re

import pytest

from service.base.languages import LANGUAGES, Language, texts
from service.console.extracting import ROOT, every_text, missing, translated, unused

_GAP = re.compile(r"%\(\w+\)s")
_CALLS = ("_", "N_", "gettext")
_INSIDE = re.compile(r"\{[^}\n]*(?:_|gettext)\(")


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


@pytest.mark.parametrize("language", LANGUAGES[1:])
def test_a_text_with_a_plural_is_translated_alone_too(language: Language) -> None:
    """One text may stand by itself on one page and with a number on another."""
    plurals = [each for each in translated(language) if not isinstance(each.id, str)]

    assert len(plurals) > 10
    for each in plurals:
        assert texts(language).gettext(each.id[0]) == each.string[0]


@pytest.mark.parametrize(
    ("word", "ours"),
    [
        (r"\bPots?\b", "Pott"),
        (r"\bRebuys?\b", "Nachkauf"),
        (r"\bShift\b(?<!Coruscant Shift)", "Verschieben"),
        (r"\bAbsprache", "Deal"),
        (r"\bTelefon", "Handy"),
        (r"\bLeitung\b", "Team"),
        (r"\bStufe\b", "Level"),
        (r"\b(zum|Zum|beim|Beim|dem|den|der) Start\b", "Beginn"),
    ],
)
def test_the_german_pages_call_a_thing_by_one_name(word: str, ours: str) -> None:
    said = [
        each
        for entry in translated("de")
        for each in ([entry.string] if isinstance(entry.string, str) else entry.string or [])
    ]

    assert any(ours in each for each in said)
    assert [each for each in said if re.search(word, each)] == []


def test_no_text_is_inside_a_formatted_string() -> None:
    """The extraction does not see it there, so nobody would miss its translation."""
    found = [
        f"{path}:{node.lineno}"
        for path in sorted(ROOT.rglob("*.py"))
        if _INSIDE.search(text := path.read_text(encoding="utf-8"))
        for outer in ast.walk(ast.parse(text))
        if isinstance(outer, ast.JoinedStr)
        for node in ast.walk(outer)
        if isinstance(node, ast.Call)
        and ast.unparse(node.func).endswith(_CALLS)
        and any(isinstance(each, ast.Constant) for each in node.args)
    ]

    assert found == []


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
