"""
A player's stream: everything that concerns one player at all tables, on one connection.

A turn carries the view, the legal actions and the deadline. So a bot needs one request for each
decision: the one that answers it.
"""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import nullcontext
from functools import partial
from typing import Annotated

import msgspec
from litestar import Response
from litestar.response import ServerSentEventMessage, Stream

from service.api.http.access.authentication import require_token
from service.api.http.declaring.queries import After, Limit, Query, Wait
from service.api.http.operations import operation
from service.api.http.shell import Asked, Shell, principal_of, shell_of, waits
from service.api.http.writing.submitting import encoded
from service.api.table.my_following import HAND_OVER, Following
from service.api.table.my_items import MyItem, MyItems
from service.api.table.my_telling import Telling
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
from service.api.table.told import InLeague, told_of
from service.base.errors import Forbidden, Unauthenticated
from service.people.tokens import Principal

OnlyLeague = Annotated[str | None, Query("league", str, "Send only items of this league.")]

OFFERS_SECONDS = 5.0
"""Shortest time between two looks at the open offers of one stream."""

_BLANK = b"\n"
"""An empty line. Readers of NDJSON skip it."""

_log = logging.getLogger(__name__)


@operation(
    "GET", "/v1/me/stream", "follow_me",
    "Follow the caller's turns, seats, moves and offers at all tables as one stream.",
    needs="account", scope="tables:play", answer=MyItem, streams=True,
    produces=(EVENT_STREAM, NDJSON), problems=("invalid_cursor", "too_many_streams"),
    about=(
        "It begins with the present state, or with the changes since the cursor in "
        "`Last-Event-ID` or `after`. Then comes the item `caught_up`, and then news. An open turn "
        "comes again on each new connection. A stream lives for five minutes at most."
    ),
)  # fmt: skip
async def follow_me(
    request: Asked, after: After, only: OnlyLeague, shell: Shell, principal: Principal
) -> Stream:
    """Stream server-sent events, or lines of JSON if the request accepts those."""
    told = _known(request.headers.get("last-event-id") or after, only)
    media = media_of(request)
    held = partial(shell.limits.streams.held, principal)
    messages = _messages(request, only, told, lines=media == NDJSON)
    return CountedStream(held, messages, media_type=media, headers=STREAM_HEADERS)


@operation(
    "GET", "/v1/me/turns", "read_my_turns",
    "Read the items of the caller's stream as a page, or wait for them.",
    needs="account", scope="tables:play", answer=MyItems,
    problems=("invalid_cursor", "too_many_streams"),
    about="A request that waits counts as a stream.",
)  # fmt: skip
async def read_my_turns(
    request: Asked,
    after: After,
    wait: Wait,
    limit: Limit,
    only: OnlyLeague,
    shell: Shell,
    principal: Principal,
) -> Response[bytes]:
    """Answer the items after the cursor. Without one, answer the present state."""
    told, until = _known(after, only), asyncio.get_running_loop().time() + wait
    held = shell.limits.streams.held(principal) if wait else nullcontext()
    with held, shell.news.watching((HAND_OVER,)) as watch:
        following = Following(shell, principal, watch, only, told)
        await following.begin()
        telling = Telling(following, told, again=False)
        while True:
            items = await _up_to(telling, limit + 1, shell)
            left = until - asyncio.get_running_loop().time()
            if items or left <= 0 or shell.stopping.is_set():
                break
            waits(request.scope)
            await watch.wait(left)
            await require_token(request, request.route_handler)
            await following.refresh()
    more = len(items) > limit
    page = MyItems(
        items=tuple(items[:limit]),
        next_cursor=items[limit - 1].cursor if more else None,
        more=more,
    )
    return encoded(page)


def _known(cursor: str | None, only: str | None) -> dict[str, InLeague]:
    """Return the reader's knowledge, without leagues that the request leaves out."""
    told = told_of(cursor)
    return {each: known for each, known in told.items() if only in (None, each)}


async def _up_to(telling: Telling, most: int, shell: Shell) -> list[MyItem]:
    items: list[MyItem] = []
    while len(items) < most:
        item = await telling.next(shell.now())
        if item is None:
            break
        items.append(item)
    return items


async def _messages(
    request: Asked, only: str | None, told: dict[str, InLeague], *, lines: bool
) -> AsyncIterator[bytes]:
    yield _BLANK if lines else OPENING
    try:
        async for item in _items(request, only, told):
            if item is None:
                yield _BLANK if lines else PING
            else:
                yield _line(item) if lines else _event(item)
    except (Unauthenticated, Forbidden):
        return  # the token ended, and the next request with it gets the problem
    except ENDINGS as error:
        demand_outage(error)
        _log.warning("a player's stream ended: %s", type(error).__name__)


async def _items(
    request: Asked, only: str | None, told: dict[str, InLeague]
) -> AsyncIterator[MyItem | None]:
    """Yield the items of a stream, and None as a heartbeat."""
    shell, loop = shell_of(request), asyncio.get_running_loop()
    end, principal = loop.time() + STREAM_SECONDS, principal_of(request)
    player = principal.account.player
    with shell.news.watching((HAND_OVER,)) as watch, shell.joined.held(player):
        following = Following(shell, principal, watch, only, told)
        await following.begin()
        telling, caught_up = Telling(following, told, again=True), False
        looked = loop.time()
        while loop.time() < end and not shell.stopping.is_set():
            item = await telling.next(shell.now())
            if item is not None:
                yield item
            elif not caught_up:
                caught_up = True
                yield telling.caught_up(shell.now())
            elif not await watch.wait(PING_SECONDS):
                yield None
            await require_token(request, request.route_handler)
            await following.look_for_leagues()
            await following.refresh()
            if loop.time() >= looked + OFFERS_SECONDS:
                looked = loop.time()
                await following.look_at_offers()


def _event(item: MyItem) -> bytes:
    data = msgspec.json.encode(item).decode()
    kind = type(item).__struct_config__.tag
    return ServerSentEventMessage(id=item.cursor, event=str(kind), data=data).encode()


def _line(item: MyItem) -> bytes:
    return msgspec.json.encode(item) + b"\n"
