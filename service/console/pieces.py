"""
Long lists, of which a page sends a piece, so that it appears at once at any size.

A list in a live part begins in the page, and the part has all of it: the part comes as soon as the
page listens, and without scripts by a link. A list outside a part is divided into pages.
"""

from collections.abc import Sequence
from typing import Generic, TypeVar
from urllib.parse import parse_qsl, urlencode

import msgspec

from service.console.asking import Ask

PART = "part"
ALL = "all"
PAGE = "page"

Item = TypeVar("Item")


class Piece(msgspec.Struct, Generic[Item], frozen=True, kw_only=True):
    """The shown lines of a list, and the address of the rest."""

    shown: Sequence[Item]
    first: int
    """The number of the first one that is shown, from 1."""

    size: int
    """The number of all."""

    whole: str = ""
    """The address with all of them, or nothing if they are shown."""

    before: str = ""
    """The address of the page before this one, if there is one."""

    after: str = ""

    @property
    def last(self) -> int:
        """The number of the last one that is shown."""
        return self.first + len(self.shown) - 1


def beginning(ask: Ask, items: Sequence[Item], most: int) -> Piece[Item]:
    """
    Return what a page shows of a list in a live part: at most the first *most*, and a part all.

    A page that shows a refused form again has all of them, because the refused form may belong to
    any line.
    """
    asked = ask.query(PART) or ask.query(ALL) or ask.failure is not None
    if asked or len(items) <= most:
        return Piece(shown=items, first=1, size=len(items))
    return Piece(shown=items[:most], first=1, size=len(items), whole=_with(ask, ALL, 1))


def page_of(ask: Ask, items: Sequence[Item], most: int) -> Piece[Item]:
    """
    Return the page of a list that the address asks for, of *most* lines.

    A page that shows a refused form again has all of them, because the refused form may belong to
    any line.
    """
    if ask.failure is not None or len(items) <= most:
        return Piece(shown=items, first=1, size=len(items))
    pages, asked = -(-len(items) // most), ask.query(PAGE)
    number = min(int(asked[:9]) if asked.isdecimal() else 1, pages) or 1
    return Piece(
        shown=items[(number - 1) * most : number * most],
        first=(number - 1) * most + 1,
        size=len(items),
        before=_with(ask, PAGE, number - 1) if number > 1 else "",
        after=_with(ask, PAGE, number + 1) if number < pages else "",
    )


def _with(ask: Ask, name: str, value: int) -> str:
    """Return the address of the page that is shown, with a parameter in its query."""
    path, _, query = ask.address.partition("?")
    rest = [each for each in parse_qsl(query) if each[0] not in (name, PART)]
    return f"{path}?{urlencode([*rest, (name, value)])}"
