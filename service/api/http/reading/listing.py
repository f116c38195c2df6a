"""Paged lists. Every list has a limit, a stable order and its own cursors."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Protocol, TypeVar
from urllib.parse import parse_qsl, urlencode

from litestar import Response

from engine.values import number_of
from service.api.http.declaring.by import By
from service.api.http.declaring.queries import Cursor, Limit
from service.api.http.reading.encoding import encoded
from service.api.http.reading.paging import Page, parts_of, token
from service.api.http.shell import Asked, shell_of
from service.base.errors import BadRequest

Item = TypeVar("Item")


class Made(Protocol):
    """A listed thing with an identifier and the time at which it was made."""

    id: str
    created_at: datetime


_Made = TypeVar("_Made", bound=Made)

# The types differ from list to list. Reading a cursor checks them.
Key = tuple[Any, ...]
"""The values that order a list. The list names their types. No two items share a key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """
    One list, as one request pages through it.

    A cursor names the list with its filters, the league and the epoch. It also holds the position
    of the read model when the page was read, and the key of the page's last item. So it fits no
    other list, and no page is older than the page before it.
    """

    name: str
    league: str
    """Empty for a list outside any league."""

    epoch: int
    position: int
    """The position that the read model must have reached, or -1 for any."""

    limit: int
    after: Key | None
    """Key of the last item that the client has, or None for the first page."""

    def page(self, rows: Sequence[Item], key: Callable[[Item], Key]) -> Page[Item]:
        """Return the page for *rows*. One row above the limit means that another page follows."""
        items = rows[: self.limit]
        follows = None if len(rows) <= self.limit else self.cursor(key(items[-1]))
        return Page(items=items, next_cursor=follows)

    def cut(
        self, rows: Sequence[Item], key: Callable[[Item], Key], *, descending: bool = False
    ) -> Page[Item]:
        """Return the next page of a complete list that is sorted by *key*."""
        left = rows
        if self.after is not None:
            after, sign = self.after, -1 if descending else 1
            left = [row for row in rows if (key(row) > after) - (key(row) < after) == sign]
        return self.page(left[: self.limit + 1], key)

    def newest(self, items: Sequence[_Made]) -> Page[_Made]:
        """Return the next page of a complete list, the newest first. Its key has two strings."""

        def key(each: _Made) -> Key:
            return (each.created_at.isoformat(), each.id)

        return self.cut(sorted(items, key=key, reverse=True), key, descending=True)

    def cursor(self, key: Key) -> str:
        """Return the token for the page that follows *key*."""
        number = self.league and number_of(self.league).hex
        return token(number, self.epoch, self.position, self.name, *key)


@dataclass(frozen=True, slots=True, kw_only=True)
class Paging:
    """The part of a list that a request asks for."""

    request: Asked
    limit: int
    after: str | None
    """The cursor of the page before, or None for the first page."""

    def listing(
        self, name: str, *shapes: type, league: str = "", epoch: int = 0, position: int = -1
    ) -> Listing:
        """
        Return the list *name* as this request pages through it.

        Args:
            name: The name of the list, with its subject and filters. A cursor fits only this list.
            shapes: Types of the key's members.
            epoch: The league's epoch.
            position: The position that the listed data is known to have reached.

        Raises:
            BadRequest: ``invalid_cursor`` if the cursor does not belong to this list.
        """
        after: Key | None = None
        if self.after is not None:
            number, since, seen, of, *key = parts_of(self.after, str, int, int, str, *shapes)
            if (number, of) != (league and number_of(league).hex, name):
                raise BadRequest("invalid_cursor", "the cursor belongs to another list")
            if since != epoch:
                raise BadRequest(
                    "invalid_cursor", "the log has begun a new epoch; begin the list again"
                )
            position, after = max(position, seen), tuple(key)
        return Listing(
            name=name, league=league, epoch=epoch, position=position, limit=self.limit, after=after
        )

    async def live(self, league: str, name: str, *shapes: type) -> Listing:
        """Return the list *name* of an aggregate. It is always up to date."""
        epoch = await shell_of(self.request).runtime.writer.epoch(league)
        return self.listing(name, *shapes, league=league, epoch=epoch)

    def answer(self, page: Page[Item], headers: dict[str, str] | None = None) -> Response[bytes]:
        """Answer with *page*. If another page follows, the header ``Link`` names it (RFC 8288)."""
        from_here = dict(headers or {})
        if page.next_cursor is not None:
            scope = self.request.scope
            asked = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
            query = [(name, value) for name, value in asked if name != "cursor"]
            target = urlencode([*query, ("cursor", page.next_cursor)])
            from_here["Link"] = f'<{scope["path"]}?{target}>; rel="next"'
        return encoded(page, headers=from_here)


async def _paging(request: Asked, limit: Limit, cursor: Cursor) -> Paging:
    return Paging(request=request, limit=limit, after=cursor)


Pages = Annotated[Paging, By(_paging)]
"""Annotation of a handler's parameter. The route then takes ``limit`` and ``cursor``."""
