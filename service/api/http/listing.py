"""Lists, page by page: every one has a limit, a stable order, and a cursor of its own."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import parse_qsl, urlencode

from litestar import Response

from engine.values import number_of
from service.api.http.paging import Page, limit_of, parts_of, token
from service.api.http.shell import Asked
from service.api.http.submitting import encoded
from service.base.errors import BadRequest

Item = TypeVar("Item")

# Each list has other types, which cursors are checked against as they are read.
Key = tuple[Any, ...]
"""The values that order a list, which say their types to :func:`listing`; no two items share."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """
    One list as one request pages through it.

    A cursor names the list with its filters, the league and epoch, how far the read
    model was when the page was read, and the key of the page's last item; so it fits
    no other list, and a list never goes back in time from page to page.
    """

    name: str
    league: str
    """Empty for what stands in no league."""

    epoch: int
    position: int
    """How far what is listed has to be at least; -1 where nothing is asked."""

    limit: int
    after: Key | None
    """Key of the last item that the client has."""

    def page(self, rows: Sequence[Item], key: Callable[[Item], Key]) -> Page[Item]:
        """Return the page that *rows* make: one more than the limit, if there is one more."""
        items = rows[: self.limit]
        follows = None if len(rows) <= self.limit else self.cursor(key(items[-1]))
        return Page(items=items, next_cursor=follows)

    def cut(
        self, rows: Sequence[Item], key: Callable[[Item], Key], *, descending: bool = False
    ) -> Page[Item]:
        """Return the page of a list that is known whole, in the order of *key*."""
        left = rows
        if self.after is not None:
            after, sign = self.after, -1 if descending else 1
            left = [row for row in rows if (key(row) > after) - (key(row) < after) == sign]
        return self.page(left[: self.limit + 1], key)

    def cursor(self, key: Key) -> str:
        """Return the token from which the next page goes on after *key*."""
        number = self.league and number_of(self.league).hex
        return token(number, self.epoch, self.position, self.name, *key)


def listing(
    request: Asked, name: str, *shapes: type, league: str = "", epoch: int = 0, position: int = -1
) -> Listing:
    """
    Return how *request* pages through the list *name*.

    Args:
        name: Of the list, its subject and its filters: a cursor fits this list only.
        shapes: Types of the key's members.
        epoch: The league's.
        position: As far as what is listed is known to be.

    Raises:
        BadRequest: ``invalid_cursor`` if the cursor is not of this list;
            ``validation_failed`` if the limit is no number.
    """
    limit, cursor = limit_of(request), request.query_params.get("cursor")
    after: Key | None = None
    if cursor is not None:
        number, since, seen, of, *key = parts_of(cursor, str, int, int, str, *shapes)
        if (number, of) != (league and number_of(league).hex, name):
            raise BadRequest("invalid_cursor", "the cursor belongs to another list")
        if since != epoch:
            raise BadRequest(
                "invalid_cursor", "the log has begun a new epoch; begin the list again"
            )
        position, after = max(position, seen), tuple(key)
    return Listing(
        name=name, league=league, epoch=epoch, position=position, limit=limit, after=after
    )


def listed(
    request: Asked, page: Page[Item], headers: dict[str, str] | None = None
) -> Response[bytes]:
    """Answer *page*; where there is a next one, the header ``Link`` leads to it (RFC 8288)."""
    from_here = dict(headers or {})
    if page.next_cursor is not None:
        asked = parse_qsl(request.scope["query_string"].decode("latin-1"), keep_blank_values=True)
        query = [(name, value) for name, value in asked if name != "cursor"]
        target = urlencode([*query, ("cursor", page.next_cursor)])
        from_here["Link"] = f'<{request.scope["path"]}?{target}>; rel="next"'
    return encoded(page, headers=from_here)
