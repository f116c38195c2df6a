"""Whole lists, which the API gives page by page."""

from typing import TypeVar

from service.api.http.reading.paging import Page
from service.console.asking import Ask

Item = TypeVar("Item")

LIMIT = 200
PAGES_MAX = 20
"""So a page of people shows at most 4000 of them, and asks no further."""


async def everything(
    ask: Ask, path: str, shape: type[Page[Item]], **query: str | None
) -> list[Item]:
    """Return all items of a list, page by page."""
    found: list[Item] = []
    cursor: str | None = None
    for _ in range(PAGES_MAX):
        part = await ask.api.get(path, shape, limit=LIMIT, cursor=cursor, **query)
        found += part.items
        cursor = part.next_cursor
        if cursor is None:
            break
    return found
