"""
Extraction: find the texts of the program that a catalogue does not translate.

``python -m service.console.extracting`` prints them as entries. Write each into the part of the
catalogue that it belongs to, with its translation. A test fails while one is missing.
"""

import sys
from collections.abc import Iterator
from functools import cache
from io import BytesIO
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po, write_po

from service.api.http.problems.answers import catalogue
from service.base.languages import LANGUAGES, LOCALE, Language

ROOT = Path(__file__).resolve().parents[1]
_METHODS = [("**.py", "python"), ("**.html", "jinja2"), ("**.txt", "jinja2")]
_JINJA = {"silent": "false", "extensions": "jinja2.ext.do"}
_OPTIONS = {"**.html": _JINJA, "**.txt": _JINJA}
_KEYWORDS = {
    "_": None,
    "N_": None,
    "gettext": None,
    "ngettext": (1, 2),
    # The descriptions of audit faults, and the reasons that some of them give.
    "said": None,
    "EventUnreadable": None,
}


@cache
def every_text() -> Catalog:
    """Return every text of the program: in code, in templates, and the titles of problems."""
    found = Catalog(charset="utf-8")
    for _, _, message, _, _ in extract_from_dir(str(ROOT), _METHODS, _OPTIONS, keywords=_KEYWORDS):
        found.add(message)
    for _, title in catalogue().values():
        found.add(title)
    return found


def translated(language: Language) -> Catalog:
    """Return the catalogue of a language."""
    with (LOCALE / language / "LC_MESSAGES" / "holotable.po").open("rb") as written:
        return read_po(written, locale=language)


def missing(language: Language) -> Iterator[str | tuple[str, ...]]:
    """Yield the texts that a language does not translate."""
    known = translated(language)
    for message in every_text():
        found = known.get(message.id)
        strings = () if found is None else found.string
        whole = strings if isinstance(strings, str) else strings and all(strings)
        if message.id and not whole:
            yield message.id if isinstance(message.id, str) else tuple(message.id)


def unused(language: Language) -> Iterator[str | tuple[str, ...]]:
    """Yield the texts of a catalogue that the program does not have."""
    known = every_text()
    for message in translated(language):
        if message.id and known.get(message.id) is None:
            yield message.id if isinstance(message.id, str) else tuple(message.id)


def main() -> None:
    """Print missing texts as entries to fill in, and translations that are no longer used."""
    for language in LANGUAGES[1:]:
        entries = Catalog(locale=language)
        for each in missing(language):
            entries.add(each)
        buffer = BytesIO()
        write_po(buffer, entries, omit_header=True, width=0)
        sys.stdout.write(buffer.getvalue().decode())
        for text in unused(language):
            sys.stderr.write(f"{language}: nobody uses {text!r}\n")


if __name__ == "__main__":
    main()
