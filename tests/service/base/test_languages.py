"""Texts are found in the language that a person asks for, and each has a translation."""

import pytest
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po

from service.base.languages import LANGUAGES, LOCALE, language_of, texts


@pytest.mark.parametrize(
    ("accepted", "language"),
    [
        (None, "en"),
        ("", "en"),
        ("de", "de"),
        ("de-AT,de;q=0.9,en;q=0.8", "de"),
        ("fr, en;q=0.5, de;q=0.7", "de"),
        ("de;q=0, en", "en"),
        ("de;q=loud", "en"),
        ("xx-YY-zz, *;q=0.1", "en"),
    ],
)
def test_the_language_is_the_best_of_those_that_are_asked_for(
    accepted: str | None, language: str
) -> None:
    assert language_of(accepted) == language


@pytest.mark.parametrize("language", LANGUAGES[1:])
def test_a_catalogue_is_whole_and_keeps_every_placeholder(language: str) -> None:
    with (LOCALE / language / "LC_MESSAGES" / "holotable.po").open("rb") as written:
        read = read_po(written, locale=language)
    for message in read:
        if message.id:
            assert message.string, message.id
            assert not message.fuzzy, message.id
            assert not list(message.check(read)), message.id


def test_english_texts_are_the_message_ids() -> None:
    assert texts("en").gettext("Anything at all") == "Anything at all"


def test_every_text_of_a_notice_is_in_every_catalogue() -> None:
    found = [
        each
        for folder in ("notices", "api/me")
        for each in extract_from_dir(
            str(LOCALE.parent / folder), [("**.py", "python")], keywords={"N_": None}
        )
    ]
    wanted = {text for _, _, text, *_ in found if isinstance(text, str)}
    assert len(wanted) > 20
    for language in LANGUAGES[1:]:
        with (LOCALE / language / "LC_MESSAGES" / "holotable.po").open("rb") as written:
            known = {each.id for each in read_po(written, locale=language)}
        assert wanted - known == set()
