"""Texts: every one that a reader may see has a translation."""

import pytest

from service.base.languages import LANGUAGES, Language
from service.console.extracting import every_text, missing, unused


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
