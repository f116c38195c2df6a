"""Names in the order of a phone book, searched for on any keyboard, and shown whole."""

import unicodedata

_ALONE = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i"}
)
"""Letters that Unicode does not divide into a plain letter and its mark."""


def plain(name: str) -> str:
    """
    Return *name* in small letters without marks.

    >>> plain("Ömer"), plain("Łukasz Groß")
    ('omer', 'lukasz gross')
    """
    divided = unicodedata.normalize("NFKD", name.casefold())
    letters = (each for each in divided if not unicodedata.combining(each))
    return "".join(letters).translate(_ALONE)


def by_name(name: str | None) -> tuple[bool, str, str]:
    """
    Return the sort key of a name. Ä stands beside A, and somebody without a name at the end.

    >>> sorted(["Zoe", None, "Ömer", "omar", "Åsa", "Anna"], key=by_name)
    ['Anna', 'Åsa', 'omar', 'Ömer', 'Zoe', None]
    """
    return name is None, plain(name or ""), name or ""


def holds(name: str | None, wanted: str) -> bool:
    """
    Return whether *name* holds the text *wanted*, in capitals or not, with marks or without.

    >>> holds("Ömer", "omer"), holds("Ömer", "ÖM"), holds("Ömer", "´"), holds(None, "")
    (True, True, False, True)
    """
    found, letters = name or "", plain(wanted).strip()
    return wanted.casefold() in found.casefold() or (letters != "" and letters in plain(found))


_KEPT = "\t\u200c\u200d"
"""Tabs between columns, and joiners, which some names need."""


def legible(text: str) -> str:
    """
    Return *text* with the numbers of its characters that show nothing or turn others around.

    >>> legible("Leia" + chr(0x202E))
    'Leia(U+202E)'
    """
    return "".join(f"(U+{ord(each):04X})" if _hides(each) else each for each in text)


def _hides(sign: str) -> bool:
    kind = unicodedata.category(sign)
    return sign not in _KEPT and (kind[0] == "C" or kind in ("Zl", "Zp"))
