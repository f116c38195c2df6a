"""
Feeds of events: pulled as pages, or pushed as server-sent events.

An item holds the public part of an event, and the hidden values that its viewer may open.
No event is left out. A waiting reader holds no database connection, because the league's channel
wakes it.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Annotated, Any

import msgspec
from litestar import Response
from litestar.response import ServerSentEventMessage, Stream

from engine.kit.audiences import Reader
from engine.league.roles import STAFF, Role
from engine.league.state import Created
from engine.values import EntrantId, stream_of
from service.api.http.access import (
    AS_KNOWN,
    LeaguePlace,
    Place,
    TablePlace,
    TournamentPlace,
    belong,
    entrant_of,
    tournament_of_table,
)
from service.api.http.authentication import require_token
from service.api.http.news import Follower, Told
from service.api.http.operations import operation
from service.api.http.paging import limit_of, parts_of, token, wait_of
from service.api.http.queries import AFTER, LIMIT, WAIT
from service.api.http.shell import Asked, Shell, principal_of, shell_of
from service.api.http.submitting import encoded
from service.api.table.streaming import (
    ENDINGS,
    EVENT_STREAM,
    OPENING,
    PING,
    PING_SECONDS,
    STREAM_HEADERS,
    STREAM_SECONDS,
    Counted,
)
from service.base.errors import (
    BadRequest,
    EventUnreadable,
    Forbidden,
    StreamNotFound,
    Unauthenticated,
)
from service.log.codec import MALFORMED, openings_for
from service.log.keys import LeagueKeys
from service.log.record import Recorded, league_number
from service.log.upcasters import current_version, upcast
from service.people.tokens import Principal

_log = logging.getLogger(__name__)

_NOTHING = msgspec.Raw(b"{}")

READ_EVENTS = 200
"""Most events in one read of the log while a stream catches up."""

_FORMS = ("application/json", EVENT_STREAM)


class FeedItem(msgspec.Struct, kw_only=True):
    """One event, with the hidden values that the viewer may open."""

    cursor: str
    id: str
    stream: str
    version: int
    type: str
    schema_version: int
    at: datetime
    data: msgspec.Raw
    opened: dict[str, Any] = {}  # sealed values have any type
    """Hidden values that the viewer may open, by RFC 6901 pointer into ``data``."""

    salts: dict[str, str] = {}
    """The salts of the opened values, in hexadecimal, by the pointers of ``opened``."""


class FeedPage(msgspec.Struct, kw_only=True):
    """
    A page of a feed. ``next_cursor`` is null when the page ends with the newest event.

    To read later events, continue after the last item's ``cursor``.
    """

    items: Sequence[FeedItem]
    next_cursor: str | None
    more: bool


def _current(row: Recorded, version: int) -> msgspec.Raw:
    """Return the ``data`` of an event, upcast to the current schema *version*."""
    if row.schema_version == version:
        return msgspec.Raw(row.data)
    try:
        document = upcast(row.type, row.schema_version, msgspec.json.decode(row.data))
    except MALFORMED as error:
        raise EventUnreadable("a stored event cannot be read", type=row.type) from error
    return msgspec.Raw(msgspec.json.encode(document, order="sorted"))


def item_of(
    row: Recorded, cursor: str, reader: Reader, keys: LeagueKeys, folded: bool = True
) -> FeedItem:
    """
    Return the feed item of *row*, with the values that *reader* may open.

    Args:
        folded: False for a voided event, which keeps its place but shows no data.
    """
    schema_version = current_version(row.type) if folded else row.schema_version
    readable = folded and reader.reads(row.type)
    opened = openings_for(row, reader.audiences, keys) if readable and reader.audiences else {}
    return FeedItem(
        cursor=cursor,
        id=str(row.event_id),
        stream=row.stream,
        version=row.stream_version,
        type=row.type,
        schema_version=schema_version,
        at=row.at,
        data=_current(row, schema_version) if readable else _NOTHING,
        opened={pointer: value for pointer, (_, value) in opened.items()},
        salts={pointer: salt for pointer, (salt, _) in opened.items()},
    )


@dataclass(frozen=True, slots=True)
class Feed:
    """One viewer's feed of a stream, or of the whole league if ``stream`` is None."""

    shell: Shell
    league: str
    stream: str | None
    epoch: int
    reader: Reader

    async def read(self, after: int, limit: int) -> list[Recorded]:
        """Return up to *limit* events after *after*: a version, or a position in a league."""
        store, number = self.shell.runtime.writer.store, league_number(self.league)
        if self.stream is None:
            return await store.league(number, after, limit)
        return await store.stream(number, self.stream, after, limit)

    async def items(self, rows: Sequence[Recorded]) -> list[FeedItem]:
        """Return the viewer's feed items for *rows*, in the same order."""
        keys = await self._keys()
        return [self._item(told, keys) for told in await self._told(rows)]

    async def messages(self, news: Sequence[Told]) -> list[bytes]:
        """Return *news* as server-sent events. Readers with the same view share one encoding."""
        keys = await self._keys()
        return [self._message(told, keys) for told in news]

    def _message(self, told: Told, keys: LeagueKeys) -> bytes:
        # An event without hidden values looks the same to every entrant.
        reader = self.reader
        if told.row.sealed is None:
            reader = msgspec.structs.replace(reader, entrant=None)
        audience = (self.stream, self.epoch, reader)
        made = told.views.get(audience)
        if made is None:
            item = self._item(told, keys)
            data = msgspec.json.encode(item).decode()
            message = ServerSentEventMessage(id=item.cursor, event=item.type, data=data)
            made = told.views[audience] = message.encode()
        return made

    def _item(self, told: Told, keys: LeagueKeys) -> FeedItem:
        return item_of(told.row, self.cursor(told.row), self.reader, keys, told.folded)

    async def _keys(self) -> LeagueKeys:
        return await self.shell.runtime.writer.store.keys(league_number(self.league))

    async def _told(self, rows: Sequence[Recorded]) -> list[Told]:
        writer = self.shell.runtime.writer
        state = (await writer.load(self.league, stream_of(self.league), fresh=False)).state
        away = state.voided if isinstance(state, Created) else ()
        return [Told(row, row.position not in away) for row in rows]

    def place(self, row: Recorded) -> int:
        """Return the place of *row* in this feed: its version, or its position in a league."""
        return row.position if self.stream is None else row.stream_version

    def cursor(self, row: Recorded) -> str:
        """Return the cursor with which a reader continues after *row*."""
        return token(self.stream or self.league, self.epoch, self.place(row))

    def after(self, text: str | None) -> int:
        """
        Return the place that the cursor *text* marks, or the beginning without a cursor.

        Raises:
            BadRequest: If the cursor is malformed, or belongs to another feed or epoch.
        """
        if text is None:
            return -1 if self.stream is None else 0
        name, epoch, place = parts_of(text, str, int, int)
        if name != (self.stream or self.league):
            raise BadRequest("invalid_cursor", "the cursor belongs to another feed")
        if epoch != self.epoch:
            # Events before the cursor may be lost, and others may have their versions now.
            raise BadRequest("invalid_cursor", "the log has begun a new epoch; read the feed again")
        return int(place)

    async def next(self, follower: Follower, after: int, limit: int) -> list[Told]:
        """Return the events after *after*, from the log if *follower* is behind."""
        if not follower.behind:
            return [told for told in follower.take() if self.place(told.row) > after]
        await follower.resume()
        rows = await self.read(after, limit)
        if len(rows) == limit:
            follower.behind = True
        return await self._told(rows)

    async def news(self, after: int, seconds: float) -> None:
        """Wait for an event after *after*, for at most *seconds* or until the process stops."""
        loop = asyncio.get_running_loop()
        until = loop.time() + seconds
        with self.shell.news.following(self.league, self.stream) as follower:
            while not await self.next(follower, after, 1):
                left = until - loop.time()
                if left <= 0 or self.shell.stopping.is_set():
                    return
                await follower.wait(left)


@operation(
    "GET", "/v1/tables/{table_id:str}/events", "follow_table",
    "Read a table's events as pages, or as a stream with Accept: text/event-stream.",
    needs="read_league", scope="leagues:read", answer=FeedPage, query=(AFTER, LIMIT, WAIT),
    produces=_FORMS, streams=True,
    problems=("invalid_cursor", "too_many_streams"),
)  # fmt: skip
async def follow_table(
    request: Asked, place: Annotated[TablePlace, AS_KNOWN], principal: Principal
) -> Response[bytes] | Stream:
    """Answer a table's feed, with the hidden values that the caller's entrant may open."""
    tournament = await tournament_of_table(request, place)
    viewer = entrant_of(tournament, principal.account.player)
    return await _answer(request, place, place.stream, viewer)


@operation(
    "GET", "/v1/tournaments/{tournament_id:str}/events", "follow_tournament",
    "Read a tournament's events as pages, or as a stream with Accept: text/event-stream.",
    needs="read_league", scope="leagues:read", answer=FeedPage, query=(AFTER, LIMIT, WAIT),
    produces=_FORMS, streams=True,
    problems=("invalid_cursor", "too_many_streams"),
)  # fmt: skip
async def follow_tournament(
    request: Asked, place: Annotated[TournamentPlace, AS_KNOWN]
) -> Response[bytes] | Stream:
    """Answer a tournament's feed, without hidden values."""
    return await _answer(request, place, place.stream, None)


@operation(
    "GET", "/v1/leagues/{league_id:str}/events", "follow_league",
    "Read every event of a league, in order of position, without hidden values.",
    needs="read_league", scope="leagues:read", answer=FeedPage, query=(AFTER, LIMIT, WAIT),
    produces=_FORMS, streams=True,
    problems=("invalid_cursor", "too_many_streams"),
)  # fmt: skip
async def follow_league(
    request: Asked, place: Annotated[LeaguePlace, AS_KNOWN]
) -> Response[bytes] | Stream:
    """Answer a league's feed, without hidden values."""
    return await _answer(request, place, None, None)


async def _answer(
    request: Asked, place: Place[msgspec.Struct], stream: str | None, viewer: EntrantId | None
) -> Response[bytes] | Stream:
    shell, league = shell_of(request), place.league
    reader = Reader(staff=place.role in STAFF, entrant=viewer)
    feed = Feed(shell, league, stream, await shell.runtime.writer.epoch(league), reader)
    query = request.query_params
    given = query.get("after")
    if EVENT_STREAM in request.headers.get("accept", ""):
        after = feed.after(request.headers.get("last-event-id") or given)
        held = partial(shell.limits.streams.held, principal_of(request))
        messages = _messages(request, feed, after)
        return Counted(held, messages, media_type=EVENT_STREAM, headers=STREAM_HEADERS)
    after, limit, wait = feed.after(given), limit_of(request), wait_of(request)
    if wait:
        await feed.news(after, wait)
        role = await _still_allowed(request, league)
        # The caller may have lost an office during the wait.
        feed = replace(feed, reader=Reader(staff=role in STAFF, entrant=viewer))
    rows = await feed.read(after, limit + 1)
    items = await feed.items(rows[:limit])
    more = len(rows) > limit
    follows = items[-1].cursor if more else None
    return encoded(FeedPage(items=items, next_cursor=follows, more=more))


async def _still_allowed(request: Asked, league: str, *, fresh: bool = True) -> Role:
    """
    Check the caller again: tokens expire, and members leave, while a request waits.

    Args:
        fresh: True to read the caller's role from the log, not from this process's copy.

    Raises:
        Unauthenticated: If the token is no longer valid.
        Forbidden: If the token lacks the scope.
        StreamNotFound: If the caller no longer belongs to the league.
    """
    await require_token(request, request.route_handler)
    return await belong(request, league, fresh=fresh)


async def _may_follow(request: Asked, feed: Feed, *, fresh: bool) -> bool:
    """Return True if the caller may still read *feed* and has not joined or left the staff."""
    try:
        role = await _still_allowed(request, feed.league, fresh=fresh)
    except (Unauthenticated, Forbidden, StreamNotFound):
        return False
    return (role in STAFF) == feed.reader.staff


async def _messages(request: Asked, feed: Feed, after: int) -> AsyncIterator[bytes]:
    yield OPENING
    shell = feed.shell
    try:
        with shell.news.following(feed.league, feed.stream) as follower:
            async for message in _news_for(request, feed, follower, after):
                yield message
    except ENDINGS as error:
        # Streams end now and then. The client reconnects, and then gets the problem.
        _log.warning("a stream ended: %s", type(error).__name__)


async def _news_for(
    request: Asked, feed: Feed, follower: Follower, after: int
) -> AsyncIterator[bytes]:
    loop = asyncio.get_running_loop()
    until = loop.time() + STREAM_SECONDS
    while loop.time() < until and not feed.shell.stopping.is_set():
        # The log may be ahead of the channel and of this process's copy of the league.
        from_log = follower.behind
        news = await feed.next(follower, after, READ_EVENTS)
        if news:
            if not await _may_follow(request, feed, fresh=from_log):
                return
            for told, message in zip(news, await feed.messages(news), strict=True):
                after = feed.place(told.row)
                yield message
        elif not await follower.wait(PING_SECONDS):
            if not await _may_follow(request, feed, fresh=False):
                return
            yield PING
