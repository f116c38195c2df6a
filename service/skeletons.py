"""
Names that a reader takes for one another: the skeletons of UTS 39.

The look-alikes are Unicode's (``confusables.txt``), as ``confusable_homoglyphs`` packs them.
Its list has no rule for small capitals, and letters with a stroke or a hook: they are taken
for the Latin letter that their Unicode name says.  Names are compared and never refused for
the scripts they mix.
"""

import re
import unicodedata
from collections.abc import Iterable
from functools import cache, lru_cache
from importlib.resources import files

import msgspec

_LATIN = re.compile(
    r"LATIN (?:SMALL |CAPITAL )?LETTER (?:SMALL CAPITAL |DOTLESS |SCRIPT )?([A-Z])(?: WITH .+)?"
)
_DIGITS = str.maketrans("01", "ol")
_DIRECTION = "\u200e"
"""A mark that the list sets around signs of scripts that run from right to left."""


class Taken:
    """
    Names that nobody else comes in under.

    Args:
        names: None is nobody's.

    >>> "dırector" in Taken(["Director"]), "Лея" in Taken(["Leia"])
    (True, False)
    """

    def __init__(self, names: Iterable[str | None]) -> None:
        known = [each for each in names if each is not None]
        self._readings = frozenset[str]().union(*map(_readings, known))
        self._seen = {
            _seen(written) for each in known for written in (each, each.upper(), each.lower())
        }

    def __contains__(self, name: str) -> bool:
        """Return whether *name* reads like one of these names."""
        return not self._readings.isdisjoint(_readings(name)) or _seen(name) in self._seen


def _readings(name: str) -> frozenset[str]:
    """
    Return how *name* reads without case, accents, spaces and punctuation.

    Letters become the Latin ones they look like, as they are written and in lower case: the
    capital of a Greek ν looks like N.
    """
    return frozenset(
        _kept("".join(map(_latin, _kept(each)))).casefold() for each in (name, name.casefold())
    )


def _seen(name: str) -> str:
    """Return the skeleton of UTS 39 with case kept, where I is l, and m is rn."""
    return "".join(_prototypes().get(sign, sign) for sign in _kept(name))


def _kept(name: str) -> str:
    """Return the letters, digits and vowel signs of *name*; all of it if there are none."""
    plain = unicodedata.normalize("NFKD", name)
    return "".join(sign for sign in plain if sign.isalnum() or _spells(sign)) or plain


def _spells(sign: str) -> bool:
    """Return whether *sign* is a mark that is no accent, as a vowel sign of Devanagari."""
    return unicodedata.category(sign)[0] == "M" and 1 != unicodedata.combining(sign) < 200


@lru_cache(maxsize=4096)
def _latin(sign: str) -> str:
    """Return the Latin letters that *sign* looks like, else its prototype."""
    if sign.isascii():
        return sign.translate(_DIGITS)
    prototype = _prototypes().get(sign, sign)
    for each in (prototype, _prototypes().get(sign.upper(), sign)):
        letters = "".join(map(_letter, _kept(each)))
        if letters.isascii():
            return letters
    return prototype


def _letter(sign: str) -> str:
    found = _LATIN.fullmatch(unicodedata.name(sign, ""))
    return found[1].lower() if found is not None else sign


@cache
def _prototypes() -> dict[str, str]:
    """Return what each sign of the list stands for."""
    listed = msgspec.json.decode(
        files("confusable_homoglyphs").joinpath("confusables.json").read_bytes(),
        type=dict[str, list[dict[str, str]]],
    )
    near = {
        sign.strip(_DIRECTION): [each["c"].strip(_DIRECTION) for each in others]
        for sign, others in listed.items()
    }
    found = {}
    for sign, others in near.items():
        # A sign stands for one prototype, and a prototype is near all that stand for it.
        if len(sign) == len(others) == 1:
            other = others[0]
            pair = len(other) == len(near[other]) == 1
            found[sign] = min(sign, other) if pair else other
    return found
