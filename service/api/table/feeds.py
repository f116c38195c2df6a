"""
Routes of feeds: pulled as pages, pushed as server-sent events, or taken away as a history.

A waiting reader holds no database connection, because the league's channel wakes it.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Annotated, NamedTuple

import msgspec
from litestar import Response
from litestar.response import Stream

from engine.kit.audiences import Reader
from engine.league.roles import STAFF, Role
from engine.values import EntrantId
from service.api.http.access.authentication import require_token
from service.api.http.access.rights import (
    AS_KNOWN,
    LeaguePlace,
    Place,
    TablePlace,
    TournamentPlace,
    belong,
)
from service.api.http.access.viewers import entrant_of, tournament_of_table
from service.api.http.declaring.by import By
from service.api.http.declaring.declaration import JSON
from service.api.http.declaring.queries import After, Limit, Wait
from service.api.http.following.news import Follower
from service.api.http.operations import operation
from service.api.http.reading.event_versions import Events
from service.api.http.shell import Asked, Shell, principal_of, shell_of, waits
from service.api.http.writing.submitting import encoded
from service.api.table.feed import Feed, FeedItem
from service.api.table.histories import lines_of
from service.api.table.streaming import (
    ENDINGS,
    EVENT_STREAM,
    NDJSON,
    OPENING,
    PING,
    PING_SECONDS,
    STREAM_HEADERS,
    STREAM_SECONDS,
    CountedStream,
    demand_outage,
    media_of,
)
from service.base.errors import Forbidden, StreamNotFound, Unauthenticated
from service.people.tokens import Principal

_log = logging.getLogger(__name__)

READ_EVENTS = 200
"""Most events in one read of the log while a stream catches up."""


class FeedPage(msgspec.Struct, kw_only=True):
    """
    A page of a feed. ``next_cursor`` is null when the page ends with the newest event.

    To read later events, continue after the last item's ``cursor``.
    """

    items: Sequence[FeedItem]
    """The events, oldest first."""

    next_cursor: str | None
    """The cursor for the next page, or null if the page ends with the newest event."""

    more: bool
    """True if there are more events now."""


class Asking(NamedTuple):
    """The query of a feed, and the set of event versions to show."""

    after: str | None
    limit: int
    wait: int
    events: int


async def asking(after: After, limit: Limit, wait: Wait, events: Events) -> Asking:
    """Return the query of a request for a feed."""
    return Asking(after, limit, wait, events)


AskingBy = Annotated[Asking, By(asking)]
_FORMS = (JSON, EVENT_STREAM, NDJSON)
_ABOUT = (
    "As `application/x-ndjson` it answers the whole history after `after`: a first line of the "
    "type `begin`, a line for each event, and a last line of the type `end` with `count`, `cursor` "
    "and the `sha256` of the events' lines. A history without its last line was cut off. A request "
    "that waits counts as a stream."
)


@operation(
    "GET", "/v1/tables/{table_id:str}/events", "follow_table",
    "Read a table's events as pages, as a stream of events, or whole as lines of JSON.",
    needs="read_league", scope="leagues:read", answer=FeedPage, streams=True, produces=_FORMS,
    about=_ABOUT,
    problems=("invalid_cursor", "too_many_streams", "event_version_unknown"),
)  # fmt: skip
async def follow_table(
    request: Asked,
    place: Annotated[TablePlace, AS_KNOWN],
    asked: AskingBy,
    principal: Principal,
    shell: Shell,
) -> Response[bytes] | Stream:
    """Answer a table's feed, with the hidden values that the caller's entrant may open."""
    tournament = await tournament_of_table(shell, place)
    viewer = entrant_of(tournament, principal.account.player)
    return await _answer(request, asked, place, place.stream, viewer)


@operation(
    "GET", "/v1/tournaments/{tournament_id:str}/events", "follow_tournament",
    "Read a tournament's events as pages, as a stream of events, or whole as lines of JSON.",
    needs="read_league", scope="leagues:read", answer=FeedPage, streams=True, produces=_FORMS,
    about=_ABOUT,
    problems=("invalid_cursor", "too_many_streams", "event_version_unknown"),
)  # fmt: skip
async def follow_tournament(
    request: Asked, place: Annotated[TournamentPlace, AS_KNOWN], asked: AskingBy
) -> Response[bytes] | Stream:
    """Answer a tournament's feed, without hidden values."""
    return await _answer(request, asked, place, place.stream, None)


@operation(
    "GET", "/v1/leagues/{league_id:str}/events", "follow_league",
    "Read every event of a league, in order of position, without hidden values.",
    needs="read_league", scope="leagues:read", answer=FeedPage, streams=True, produces=_FORMS,
    about=_ABOUT,
    problems=("invalid_cursor", "too_many_streams", "event_version_unknown"),
)  # fmt: skip
async def follow_league(
    request: Asked, place: Annotated[LeaguePlace, AS_KNOWN], asked: AskingBy
) -> Response[bytes] | Stream:
    """Answer a league's feed, without hidden values."""
    return await _answer(request, asked, place, None, None)


async def _answer(
    request: Asked,
    asked: Asking,
    place: Place[msgspec.Struct],
    stream: str | None,
    viewer: EntrantId | None,
) -> Response[bytes] | Stream:
    shell, league = shell_of(request), place.league
    reader = Reader(staff=place.role in STAFF, entrant=viewer)
    epoch = await shell.runtime.writer.epoch(league)
    feed = Feed(shell, league, stream, epoch, reader, asked.events)
    media = media_of(request)
    held = partial(shell.limits.streams.held, principal_of(request))
    if media == EVENT_STREAM:
        after = feed.after(request.headers.get("last-event-id") or asked.after)
        messages = _messages(request, feed, after)
        return CountedStream(held, messages, media_type=EVENT_STREAM, headers=STREAM_HEADERS)
    after = feed.after(asked.after)
    if media == NDJSON:
        lines = lines_of(feed, after, partial(_may_follow, request, feed, fresh=False))
        return CountedStream(held, lines, media_type=NDJSON, headers=STREAM_HEADERS)
    if asked.wait:
        with held():
            waits(request.scope)
            await feed.news(after, asked.wait)
        role = await _still_allowed(request, league)
        # The caller may have lost an office during the wait.
        feed = replace(feed, reader=Reader(staff=role in STAFF, entrant=viewer))
    rows = await feed.read(after, asked.limit + 1)
    items = await feed.items(rows[: asked.limit])
    more = len(rows) > asked.limit
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
        demand_outage(error)
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
