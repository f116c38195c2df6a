"""
Names that a reader may confuse: the skeletons of UTS 39.

The look-alikes are Unicode's (``confusables.txt``), as ``confusable_homoglyphs`` packs them. That
list has no rule for small capitals or for letters with a stroke or a hook. These count as the Latin
letter in their Unicode name. Names are only compared. Mixed scripts alone are no reason for a
refusal.
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
_LISTED = {
    "3": "\u0969\u0ae9\u2c9c\u2cc4\U0001d206",
    "6": "\u03ec\u2cdc",
    "7": "\U0001d212",
    "B": "\u2c82",
    "C": "\u03f9\U0001f74c",
    "E": "\u22ff",
    "F": "\U0001d213",
    "L": "\U0001d22a",
    "P": "\u2cce",
    "R": "\U0001d216",
    "T": "\u22a4\u27d9\U0001f768",
    "U": "\u222a\u22c3",
    "V": "\U0001d20d",
    "X": "\u166d\u2573",
    "a": "\u237a",
    "c": "\u03f2\u1004\u105a",
    "e": "\u212e",
    "f": "\u017f",
    "i": "\u02db\u037a\u0582\u2373\u2c93",
    "l": "|\u04cf\u05c0\u2223\u23fd\uffe8",
    "o": "\u03ed\u17e0",
    "p": "\u00fe\u01bf\u03f8\u2374\u2ccf",
    "s": "\u0d1f",
    "v": "\u2228\u22c1",
    "w": "\u0448\u2cbd",
    "x": "\u00d7\u166e\u292b\u292c\u2a2f",
    "AR": "\U0001f707",
    "MB": "\U0001f76b",
    "QE": "\U0001f700",
    "VB": "\U0001f76c",
    "ll": "\u2016\u2225",
    "lt": "\u20b6",
    "oo": "\u221e",
    "sss": "\U0001f75c",
}
"""
Signs by the letters they stand for in Unicode's ``confusables.txt`` 17.0.0 (2025-07-22).

The dependency packs an older list, or the sign changes under normalisation, or it is no letter.
"""

_LETTERS = str.maketrans({sign: letters for letters, signs in _LISTED.items() for sign in signs})

_DIRECTION = "\u200e"
"""A mark that the list sets around signs of scripts that run from right to left."""


class Taken:
    """
    Names that nobody else may use.

    Args:
      names: The names. None stands for no name.

    >>> "dırector" in Taken(["Director"]), "Лея" in Taken(["Leia"])
    (True, False)
    """

    def __init__(self, names: Iterable[str | None]) -> None:
        known = [form for each in names if each is not None for form in _forms(each)]
        self._readings = frozenset[str]().union(*map(_readings, known))
        self._seen = {
            _seen(written) for each in known for written in (each, each.upper(), each.lower())
        }

    def __contains__(self, name: str) -> bool:
        """Return whether *name* reads like one of these names."""
        return any(
            not self._readings.isdisjoint(_readings(form)) or _seen(form) in self._seen
            for form in _forms(name)
        )


def _forms(name: str) -> frozenset[str]:
    """Return *name* itself, and *name* with letters in place of signs that look like them."""
    return frozenset((name, name.translate(_LETTERS)))


def _readings(name: str) -> frozenset[str]:
    """
    Return the readings of *name* without case, accents, spaces and punctuation.

    Letters become the Latin letters they look like, both as written and in lower case: the capital
    of a Greek ν looks like N.
    """
    return frozenset(
        _kept("".join(map(_latin, _kept(each)))).casefold() for each in (name, name.casefold())
    )


def _seen(name: str) -> str:
    """Return the skeleton of UTS 39 with case kept. In it I equals l, and m equals rn."""
    return "".join(_prototypes().get(sign, sign) for sign in _kept(name))


def _kept(name: str) -> str:
    """Return the letters, digits and vowel signs of *name*, or all of it if it has none."""
    plain = unicodedata.normalize("NFKD", name)
    return "".join(sign for sign in plain if sign.isalnum() or _spells(sign)) or plain


def _spells(sign: str) -> bool:
    """Return whether *sign* is a mark but not an accent, such as a vowel sign of Devanagari."""
    return unicodedata.category(sign)[0] == "M" and 1 != unicodedata.combining(sign) < 200


@lru_cache(maxsize=4096)
def _latin(sign: str) -> str:
    """Return the Latin letters that *sign* looks like, or its prototype."""
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
    """Return the prototype of each sign in the list."""
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
        # A sign stands for one prototype. A prototype is near all the signs that stand for it.
        if len(sign) == len(others) == 1:
            other = others[0]
            pair = len(other) == len(near[other]) == 1
            found[sign] = min(sign, other) if pair else other
    return found
