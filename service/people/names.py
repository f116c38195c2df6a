"""
The rules for names of people and things.

They are a short form of PRECIS (RFC 8264, and RFC 8266 for nicknames), with the standard library's
Unicode. Only new names are checked. Stored names stay as they are.
"""

import unicodedata

NO_INSTANT = r"^(?!\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?([+-]\d\d:\d\d)?$)"
"""
The pattern of names that the log takes.

The log refuses a text that looks like an instant in a form other than its own.
"""

_BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0")
"""Letters, marks and symbols that show nothing."""

_VIRAMA = 9
"""The combining class of the sign after which a joiner changes a letter's shape."""

_JOINERS = "\u200c\u200d"
_PRESENTATION = {ord("\ufe0e"): None, ord("\ufe0f"): None}
"""Selectors that phones add to symbols."""

_REFUSED = {
    "Cc": "a control character",
    "Cf": "an invisible or direction-changing character",
    "Cs": "a lone surrogate",
    "Co": "a private character",
    "Cn": "an unassigned character",
    "Zl": "a line break",
    "Zp": "a line break",
}
_SHOWN = "LNPS"
"""Major categories that can be seen on their own."""


def folded(name: str) -> str:
    """
    Return the form of *name* by which two spellings count as the same.

    >>> folded(" Han  SOLO ")
    'han solo'
    """
    return " ".join(name.casefold().split())


def named(name: str) -> str:
    """
    Return *name* in its stored form: composed (NFC), with single plain spaces.

    Raises:
      ValueError: If the name holds a forbidden character, which the message names.

    >>> named(" Han  Solo ")
    'Han Solo'
    >>> named("Leia" + chr(0x202E))
    Traceback (most recent call last):
    ValueError: a name must not hold an invisible or direction-changing character (U+202E)
    """
    plain = name.translate(_PRESENTATION)
    for index, sign in enumerate(plain):
        wrong = _REFUSED.get(unicodedata.category(sign))
        if sign in _JOINERS and index and unicodedata.combining(plain[index - 1]) == _VIRAMA:
            continue
        if sign in _BLANK or 0xE0100 <= ord(sign) <= 0xE01EF or 0xFE00 <= ord(sign) <= 0xFE0F:
            wrong = "an invisible character"
        if wrong is not None:
            raise ValueError(f"a name must not hold {wrong} (U+{ord(sign):04X})")
    if not any(unicodedata.category(sign)[0] in _SHOWN for sign in plain):
        raise ValueError("a name needs at least one letter, digit or symbol")
    return unicodedata.normalize("NFC", " ".join(plain.split()))
