"""
Texts for people in their language, by gettext.

English texts are the message ids. Each further language has a catalogue below ``service/locale``,
which pages and messages share. A process reads it once, from the ``.po`` file itself, so there are
no compiled files that could be older.
"""

from collections.abc import Callable, Mapping
from functools import cache
from gettext import GNUTranslations, NullTranslations
from io import BytesIO
from pathlib import Path
from typing import Final, Literal, get_args

from babel import negotiate_locale
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

Language = Literal["en", "de"]
"""A language that texts are written in."""

LANGUAGES: Final[tuple[Language, ...]] = get_args(Language)
"""Every language. The first is the one of the message ids."""

LOCALE: Final = Path(__file__).resolve().parents[1] / "locale"
"""The folder of the catalogues."""


def N_(text: str) -> str:  # noqa: N802 - the name that gettext's tools look for
    """Return *text*, which is translated where it is shown. The mark puts it in the catalogue."""
    return text


def filled(text: str, facts: Mapping[str, object], gettext: Callable[[str], str]) -> str:
    """
    Return a text of the catalogue with its gaps filled.

    Args:
        facts: The values of the gaps, by name. A value may be a text of the catalogue too.
        gettext: Translates a text, or is ``str`` for English.
    """
    if not facts:
        return gettext(text) if text else ""
    known = {name: str(fact) for name, fact in facts.items()}
    return gettext(text) % {name: fact and gettext(fact) for name, fact in known.items()}


class _Texts(GNUTranslations):
    """A catalogue that also finds the singular of a text with a plural, as later Pythons do."""

    def gettext(self, message: str) -> str:
        found = super().gettext(message)
        return self.ngettext(message, message, 1) if found == message else found


@cache
def texts(language: Language) -> NullTranslations:
    """Return the texts of *language*. Its ``gettext`` and ``ngettext`` find them."""
    if language == LANGUAGES[0]:
        return NullTranslations()
    compiled = BytesIO()
    with (LOCALE / language / "LC_MESSAGES" / "holotable.po").open("rb") as written:
        write_mo(compiled, read_po(written, locale=language))
    compiled.seek(0)
    return _Texts(compiled)


def language_of(accepted: str | None) -> Language:
    """Return the best language for an ``Accept-Language``, or the first one."""
    ranges = [each.partition(";") for each in (accepted or "").split(",")]
    wanted = sorted(ranges, key=lambda each: -_weight(each[2]))  # stable: the first of equals wins
    names = [name.strip() for name, _, more in wanted if _weight(more) > 0]
    found = negotiate_locale(names, LANGUAGES, sep="-")
    return next((each for each in LANGUAGES if each == found), LANGUAGES[0])


def _weight(parameters: str) -> float:
    """Return the weight of a language range from its parameters. It is 1 if they name none."""
    name, _, value = parameters.strip().partition("=")
    try:
        return float(value) if name.strip() == "q" else 1.0
    except ValueError:
        return 0.0
