"""
Feeds of events: what one viewer reads of a stream or of a league.

An item holds the public part of an event, and the hidden values that its viewer may open.
No event is left out.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import msgspec
from litestar.response import ServerSentEventMessage

from engine.kit.audiences import Reader
from engine.league.state import Created
from engine.values import stream_of
from service.api.http.following.news import Follower, Told
from service.api.http.reading.paging import parts_of, token
from service.api.http.shell import Shell
from service.base.errors import BadRequest, EventUnreadable
from service.log.codec import MALFORMED, openings_for
from service.log.event_sets import NEWEST, downcast, version_in
from service.log.keys import LeagueKeys
from service.log.record import Recorded, league_number
from service.log.upcasters import upcast

_NOTHING = msgspec.Raw(b"{}")


class FeedItem(msgspec.Struct, kw_only=True):
    """One event, with the hidden values that the viewer may open."""

    cursor: str
    """Continue after this event with ``Last-Event-ID`` or ``after``."""

    id: str
    """The event's identifier, a UUID."""

    stream: str
    """The stream of the aggregate that the event belongs to."""

    version: int
    """The number of the event in its stream, from 1."""

    type: str
    """The type of the event. Clients ignore types that they do not know."""

    schema_version: int
    """The version of the schema of ``data``."""

    at: datetime
    """The instant at which the event was stored, by the server's clock."""

    data: msgspec.Raw
    """The event itself, by the schema of its type. Empty if the viewer may not read it."""

    opened: dict[str, Any] = {}  # sealed values have any type
    """Hidden values that the viewer may open, by RFC 6901 pointer into ``data``."""

    salts: dict[str, str] = {}
    """The salts of the opened values, in hexadecimal, by the pointers of ``opened``."""


def _shown(row: Recorded, version: int) -> msgspec.Raw:
    """Return the ``data`` of an event in the schema *version*."""
    if row.schema_version == version:
        return msgspec.Raw(row.data)
    try:
        document = upcast(row.type, row.schema_version, msgspec.json.decode(row.data))
        document = downcast(row.type, document, version)
    except MALFORMED as error:
        raise EventUnreadable("a stored event cannot be read", type=row.type) from error
    return msgspec.Raw(msgspec.json.encode(document, order="sorted"))


def item_of(
    row: Recorded,
    cursor: str,
    reader: Reader,
    keys: LeagueKeys,
    folded: bool = True,
    events: int = NEWEST,
) -> FeedItem:
    """
    Return the feed item of *row*, with the values that *reader* may open.

    Args:
        folded: False for a voided event, which keeps its place but shows no data.
        events: The set of event versions to show.
    """
    schema_version = version_in(events, row.type) if folded else row.schema_version
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
        data=_shown(row, schema_version) if readable else _NOTHING,
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
    events: int = NEWEST
    """The set of event versions that the viewer has pinned."""

    async def read(self, after: int, limit: int) -> list[Recorded]:
        """Return up to *limit* events after *after*: a version, or a position in a league."""
        store, number = self.shell.runtime.writer.store, league_number(self.league)
        if self.stream is None:
            return await store.league(number, after, limit)
        return await store.stream(number, self.stream, after, limit)

    async def end(self) -> int:
        """Return the place of the feed's newest event, or the beginning if there is none."""
        store, number = self.shell.runtime.writer.store, league_number(self.league)
        if self.stream is None:
            found = (await store.ends((number,))).get(number)
            return -1 if found is None else found[0]
        head = await store.head(number, self.stream)
        return 0 if head is None else head[0]

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
        audience = (self.stream, self.epoch, reader, self.events)
        made = told.views.get(audience)
        if made is None:
            item = self._item(told, keys)
            data = msgspec.json.encode(item).decode()
            message = ServerSentEventMessage(id=item.cursor, event=item.type, data=data)
            made = told.views[audience] = message.encode()
        return made

    def _item(self, told: Told, keys: LeagueKeys) -> FeedItem:
        cursor = self.cursor(told.row)
        return item_of(told.row, cursor, self.reader, keys, told.folded, self.events)

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

    async def news(self, after: int, seconds: float) -> int:
        """
        Wait for an event after *after*, for at most *seconds* or until the process stops.

        Returns:
            The place of the newest event that came, or *after* if none came.
        """
        loop = asyncio.get_running_loop()
        until = loop.time() + seconds
        with self.shell.news.following(self.league, self.stream) as follower:
            while not (found := await self.next(follower, after, 1)):
                left = until - loop.time()
                if left <= 0 or self.shell.stopping.is_set():
                    return after
                await follower.wait(left)
            return self.place(found[-1].row)
