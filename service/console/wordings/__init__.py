"""
The API's words for what is wrong with a command, as a person would say them.

A refusal's ``detail`` holds a :data:`engine.errors.Wording`, in English and with the names of the
API's members. Each one has a row here, with a text of the catalogue.
"""

import re
from collections.abc import Iterator, Mapping
from functools import cache

from service.console.languages import Spoken
from service.console.wordings.evenings import EVENINGS
from service.console.wordings.people import PEOPLE
from service.console.wordings.results import RESULTS
from service.console.wordings.rulesets import RULESETS
from service.console.wordings.seasons import SEASONS

WORDINGS: Mapping[str, str] = {**EVENINGS, **RESULTS, **PEOPLE, **SEASONS, **RULESETS}
"""
A text by the API's wording. The gaps of a wording stand for what the API fills in.

Of two rows that fit, the first is meant.
"""

_GAP = re.compile(r"%\\\((\w+)\\\)s")


def worded(wording: str, language: Spoken) -> str:
    """Return one of the API's wordings in the reader's language, or nothing if it has no row."""
    return next(_fitting(wording, language), "")


def _fitting(wording: str, language: Spoken) -> Iterator[str]:
    for pattern, text in _patterns():
        found = pattern.fullmatch(wording)
        if found is not None:
            yield language.gettext(text) % found.groupdict()


@cache
def _patterns() -> tuple[tuple[re.Pattern[str], str], ...]:
    """Return the rows, each with the pattern of its wording."""
    return tuple(
        (re.compile(_GAP.sub(r"(?P<\1>.+)", re.escape(wording))), text)
        for wording, text in WORDINGS.items()
    )
