"""The reader's language: texts from the catalogues, dates and numbers by CLDR."""

from dataclasses import dataclass
from functools import cache
from gettext import NullTranslations
from typing import Final

from babel import Locale

from service.base.languages import LANGUAGES, Language, language_of, texts

LANGUAGE_COOKIE = "holotable-language"
NAMES: Final[dict[Language, str]] = {"en": "English", "de": "Deutsch"}
"""Each language by its own name."""


@dataclass(frozen=True, slots=True)
class Spoken:
    """A language, with the functions that translate into it."""

    code: Language
    locale: Locale
    """Babel's rules for dates, numbers and money."""

    texts: NullTranslations

    def gettext(self, text: str) -> str:
        """Return *text* in this language, or unchanged if the catalogue does not have it."""
        return self.texts.gettext(text)

    def ngettext(self, one: str, many: str, number: int) -> str:
        """Return the form of a text for *number*, in this language."""
        return self.texts.ngettext(one, many, number)


@cache
def spoken(code: Language) -> Spoken:
    """Return a language."""
    return Spoken(code, Locale.parse(code), texts(code))


def best_language(chosen: str | None, accepted: str | None) -> Spoken:
    """Return the language that the reader chose, or else the best for an ``Accept-Language``."""
    known = next((each for each in LANGUAGES if each == chosen), None)
    return spoken(known or language_of(accepted))
