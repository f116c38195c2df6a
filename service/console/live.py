"""
``/live``: one stream for each page. It reports that something changed, and no values.

The page then asks for its parts, which everybody may do who can read the page. So a stream that
stays open too long leaks only that something changed. A stranger is also told the tags of the
parts, as :mod:`service.console.telling` says.
"""

import asyncio
import re
from collections.abc import AsyncIterator, Mapping
from collections.abc import Set as AbstractSet
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import lru_cache

import msgspec
from litestar.response import ServerSentEventMessage, Stream

from engine.values import stream_of
from service.api.http.access.authentication import believed
from service.api.http.access.rights import league_of
from service.api.http.following.watching import Fresh, Watch
from service.api.http.shell import Shell, client_address, shell_of
from service.api.me.accounts import Me
from service.api.table.streaming import (
    ENDINGS,
    EVENT_STREAM,
    OPENING,
    PING,
    PING_SECONDS,
    STREAM_HEADERS,
    STREAM_SECONDS,
    CountedStream,
    demand_outage,
)
from service.base.errors import ServiceError
from service.console.asking import Ask
from service.console.calling import Problem
from service.console.declaring import page
from service.console.telling import Shown, shown_by

MINE = "me"
"""The topic of everything about the reader: turns, seats, places, disputes."""

PLANS = "plans"
"""The topic of the reader's leagues and evenings, without what is played at the tables."""

_FLOOR = "floor:"
_TABLE = "table-"
_NAMING = ("plr_", "trn_")
"""Keys of a watch for events in other streams that name a subject of this one."""

_OF_LEAGUE = ("tournament", "season", "dispute")
"""The categories that a league's pages show: evenings, standings, the queue of disputes."""

TOPICS_MAX = 40
_SCREEN = "screen:"
_TOPIC = re.compile(
    r"(?:(?:lge|trn|tbl|ssn|dsp)_|floor:trn_)[0-9a-f]{32}|me|plans|screen:holo_scr_[0-9a-f]{64}"
)
_ROUTES = {
    "lge": "leagues", "trn": "tournaments", "tbl": "tables", "ssn": "seasons", "dsp": "disputes",
}  # fmt: skip
_PUBLIC = {
    "lge": "leagues/{}", "trn": "tournaments/{}", "ssn": "seasons/{}/standings",
}  # fmt: skip
"""The API path that a stranger must be able to read to follow a subject, by kind."""

_TOGETHER_SECONDS = 0.1
"""Changes within this time are reported together."""


_BEGUN = ServerSentEventMessage(data="{}", event="begun").encode()
"""The first item: the server watches now, and the page asks once for what it may have missed."""

_ENDINGS: tuple[type[Exception], ...] = (*ENDINGS, ServiceError, Problem)


class Changed(msgspec.Struct, omit_defaults=True):
    """One item of the stream."""

    topic: str
    version: int
    part: str = ""
    """The address of a part that the page shows."""

    tag: str = ""
    """The tag that this part has now."""


class _Table(msgspec.Struct):
    id: str


class _Tables(msgspec.Struct):
    """The part of a tournament that its floor needs."""

    tables: tuple[_Table, ...] = ()


class _OnScreen(_Tables):
    """The part of a screen's answer that the stream needs."""

    tournament: str = ""


def screen_topic(key: str) -> str:
    """Return the topic of the clock that a screen key opens."""
    return f"{_SCREEN}{key}"


_Keys = set[tuple[str, str]]
"""Keys to watch, each with its league."""


@dataclass(slots=True)
class _Topics:
    """The topics of one stream of changes, each with the keys that it watches."""

    found: dict[str, _Keys] = field(default_factory=dict)

    def leagues(self) -> dict[str, set[str]]:
        """Return the keys to watch, by league."""
        leagues: dict[str, set[str]] = {}
        for league, key in set().union(*self.found.values()):
            leagues.setdefault(league, set()).add(key)
        return leagues

    def about(self, league: str, stream: str) -> set[str]:
        """
        Return the topics that news of *stream* concern.

        A watch reports the stream, not the key that it was watched by. An event that names the
        reader may stand in any stream but a table's.
        """
        naming = () if stream.startswith(_TABLE) else _NAMING
        category = stream.partition("-")[0]
        return {
            topic
            for topic, keys in self.found.items()
            for owner, key in keys
            if owner == league and (key in (stream, category) or key.startswith(naming))
        }


@page("/live", open=True)
async def live(ask: Ask) -> Stream:
    """Follow the topics in the query."""
    if ask.request.scope["state"]["head"]:
        raise Problem(405, {"code": "method_not_allowed"})  # the stream of changes never ends
    asked = ask.query("topics").split(",")[: TOPICS_MAX + 1]
    wanted = list(dict.fromkeys(each for each in asked if each))
    if not wanted or len(wanted) > TOPICS_MAX or not all(map(_TOPIC.fullmatch, wanted)):
        raise Problem(400, {"code": "bad_request"})
    shell = shell_of(ask.request)
    topics = _Topics({topic: await _keys(ask, shell, topic) for topic in wanted})
    return CountedStream(
        lambda: _held(ask, shell),
        _messages(ask, shell, topics, shown_by(ask)),
        headers={**STREAM_HEADERS, "Cache-Control": "private, no-store"},
        media_type=EVENT_STREAM,
    )


async def _keys(ask: Ask, shell: Shell, topic: str) -> _Keys:
    """
    Return the keys that a topic watches now, if the reader may read its subject.

    Raises:
        Problem: If the API does not show it to the reader.
    """
    if topic in (MINE, PLANS):
        return _own_keys(await ask.api.get("/v1/me", Me), tables=topic == MINE)
    if topic.startswith(_SCREEN):
        seen = await ask.api.get("/v1/screen", _OnScreen, key=topic.removeprefix(_SCREEN))
        return await _with_tables(shell, seen.tournament, seen)
    identifier = topic.removeprefix(_FLOOR)
    kind = identifier[:3]
    route = f"{_ROUTES[kind]}/{identifier}"
    try:
        shown = await ask.api.get(f"/v1/{route}", _Tables)
    except Problem:
        if kind not in _PUBLIC:
            raise
        shown = await ask.api.get(f"/v1/public/{_PUBLIC[kind].format(identifier)}", _Tables)
    if topic != identifier:
        return await _with_tables(shell, identifier, shown)
    stream = stream_of(identifier)
    league = await league_of(shell, stream)
    further = {"trn": (identifier,), "lge": _OF_LEAGUE}.get(kind, ())
    return {(league, stream), *((league, each) for each in further)}


async def _with_tables(shell: Shell, tournament: str, shown: _Tables) -> _Keys:
    """Return a tournament and every open table of it."""
    stream = stream_of(tournament)
    league = await league_of(shell, stream)
    return {(league, stream), *((league, stream_of(each.id)) for each in shown.tables)}


def _own_keys(me: Me, *, tables: bool) -> _Keys:
    """Return everything of the reader: leagues, tournaments, and the *tables* with their turns."""
    keys = {(each.id, key) for each in me.leagues for key in (me.id, stream_of(each.id))}
    for seat in me.seats:
        keys |= {(seat.league, seat.tournament), (seat.league, stream_of(seat.tournament))}
        if tables and seat.table is not None:
            keys.add((seat.league, stream_of(seat.table)))
    return keys


async def _messages(
    ask: Ask, shell: Shell, topics: _Topics, shown: Shown | None
) -> AsyncIterator[bytes]:
    loop = asyncio.get_running_loop()
    until = loop.time() + STREAM_SECONDS
    known = believed(shell, ask.api.token)
    player = "" if known is None else known.account.player
    looked: set[str] = set()
    with (
        shell.news.watching() as watch,
        shell.joined.held(player),
        shell.doors.watched(lambda: watch.wake("")),
    ):
        closed = _closed(shell, topics)
        try:
            for league, keys in topics.leagues().items():
                await watch.begin(league, keys)
            # A table may have opened before the watch began.
            grown: dict[str, _Keys] = {each: set() for each in topics.found if _grows(each)}
            await _follow(ask, shell, topics, watch, grown)
            yield OPENING
            yield _BEGUN  # changes from here on are reported
            while loop.time() < until and not shell.stopping.is_set():
                heard = await watch.wait(PING_SECONDS)
                if await _joined(shell, topics, player, looked):
                    # News never includes a league that was not watched.
                    own = {MINE, PLANS} & topics.found.keys()
                    await _follow(ask, shell, topics, watch, {each: set() for each in own})
                    for topic in own:
                        yield _told(topic, 0)
                if not heard:
                    yield PING
                    continue
                if closed != (now := _closed(shell, topics)):
                    closed = now  # no event reports it, and every part may show it
                    for topic in topics.found:
                        yield _told(topic, 0)
                await asyncio.sleep(_TOGETHER_SECONDS)
                news = watch.take()
                await _follow(ask, shell, topics, watch, _grown(news, topics))
                changed = _changed(news, topics)
                part, tag = await _tagged(ask, shown if changed else None)
                for topic, version in changed.items():
                    yield _told(topic, version, part, tag)
        except _ENDINGS as error:
            demand_outage(error)
            return  # the page connects again, and then gets the reason


def _closed(shell: Shell, topics: _Topics) -> tuple[bool, AbstractSet[str]]:
    """Return what an operator has closed to the readers of *topics*."""
    return shell.doors.maintenance is not None, shell.doors.suspended & topics.leagues().keys()


async def _joined(shell: Shell, topics: _Topics, player: str, looked: set[str]) -> bool:
    """
    Return whether the reader has joined a league that is not watched yet.

    A league is *looked* for once: while the read model lags, it names leagues that the reader left.
    Once it names a league no longer, the reader may join it again.
    """
    if not player or not {MINE, PLANS} & topics.found.keys():
        return False
    named = await shell.joined.of(player)
    looked &= named
    found = named - topics.leagues().keys() - looked
    looked |= found
    return bool(found)


async def _tagged(ask: Ask, shown: Shown | None) -> tuple[str, str]:
    """Return the address of a part with its tag, or nothing."""
    tag = None if shown is None else await shown.tag(ask)
    return ("", "") if shown is None or tag is None else (shown.address, tag)


@lru_cache(maxsize=256)
def _told(topic: str, version: int, part: str = "", tag: str = "") -> bytes:
    """Return one item. Everybody who follows the same page is sent the same bytes."""
    data = msgspec.json.encode(Changed(topic, version, part, tag)).decode()
    return ServerSentEventMessage(data=data, event="changed").encode()


def _changed(news: Mapping[str, Mapping[str, Fresh]], topics: _Topics) -> Mapping[str, int]:
    """Return the topics that *news* concern, each with the newest version."""
    newest: dict[str, int] = {}
    for league, streams in news.items():
        for stream, fresh in streams.items():
            for topic in topics.about(league, stream):
                newest[topic] = max(newest.get(topic, 0), fresh.version)
    return newest


def _grows(topic: str) -> bool:
    """Return whether *topic* gains keys as tables open and seats are drawn."""
    return topic in (MINE, PLANS) or topic.startswith((_FLOOR, _SCREEN))


def _grown(news: Mapping[str, Mapping[str, Fresh]], topics: _Topics) -> dict[str, _Keys]:
    """
    Return the topics that may watch other tables now, each with the streams that had news.

    A hand in play opens no table and draws no seat.
    """
    grown: dict[str, _Keys] = {}
    for league, streams in news.items():
        for stream in streams:
            for topic in topics.about(league, stream):
                if _grows(topic) and not stream.startswith(_TABLE):
                    grown.setdefault(topic, set()).add((league, stream))
    return grown


async def _follow(
    ask: Ask, shell: Shell, topics: _Topics, watch: Watch, grown: Mapping[str, _Keys]
) -> None:
    """
    Also watch the present keys of the topics in *grown*.

    The streams with their news are watched too, because the read models may not know them yet.
    """
    for topic, streams in grown.items():
        topics.found[topic] |= streams | await _keys(ask, shell, topic)
    if grown:
        for league, keys in topics.leagues().items():
            watch.follow(league, keys)


def _held(ask: Ask, shell: Shell) -> AbstractContextManager[asyncio.Event]:
    """Count the stream against its reader's limit, or against a stranger's address."""
    known = believed(shell, ask.api.token)
    return shell.limits.streams.held(known or client_address(ask.request))
