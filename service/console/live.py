"""
``/live``: one stream a page, which says what has changed and never what is new.

The page then asks for its parts, as anybody may who can read the page. So a stream that is open too
long can leak nothing but a version.
"""

import asyncio
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field

import msgspec
from litestar.response import ServerSentEventMessage, Stream

from engine.values import stream_of
from service.api.http.access import league_of
from service.api.http.authentication import believed
from service.api.http.shell import Shell, client_address, shell_of
from service.api.http.watching import Fresh, Watch
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
from service.base.errors import ServiceError
from service.console.asking import Ask
from service.console.calling import Problem
from service.console.declaring import page

MINE = "me"
"""The topic of everything about the reader: turns, seats, places, disputes."""

TOPICS_MAX = 40
_TOPIC = re.compile(r"(?:(lge|trn|tbl|ssn|dsp)_|floor:(trn)_)[0-9a-f]{32}|me")
_ROUTES = {
    "lge": "leagues", "trn": "tournaments", "tbl": "tables", "ssn": "seasons", "dsp": "disputes",
}  # fmt: skip
_PUBLIC = {
    "lge": "leagues/{}", "trn": "tournaments/{}", "ssn": "seasons/{}/standings",
}  # fmt: skip
"""What a stranger must be able to read to follow a public league, by kind."""

_TOGETHER_SECONDS = 0.1
"""Changes within this time are told as one."""


_ENDINGS: tuple[type[Exception], ...] = (*ENDINGS, ServiceError, Problem)


class Changed(msgspec.Struct):
    """One item of the stream."""

    topic: str
    version: int


class _Tables(msgspec.Struct):
    """The part of a tournament that its floor needs."""

    class Table(msgspec.Struct):
        id: str

    tables: tuple[Table, ...] = ()


@dataclass(slots=True)
class _Topics:
    """The topics of one stream: which streams of the log each is about."""

    leagues: dict[str, dict[str, set[str]]] = field(default_factory=dict)
    """The topics by key to watch, by league."""

    def add(self, league: str, key: str, topic: str) -> None:
        self.leagues.setdefault(league, {}).setdefault(key, set()).add(topic)

    def about(self, league: str, stream: str) -> set[str]:
        """
        Return the topics that news of *stream* concern.

        A watch tells the stream and not the key that it was watched by. An event that names the
        reader stands in a stream that is no key itself.
        """
        keys = self.leagues.get(league, {})
        return keys.get(stream) or set().union(
            *(topics for key, topics in keys.items() if key.startswith(("plr_", "trn_")))
        )


@page("/live", open=True)
async def live(ask: Ask) -> Stream:
    """Follow the topics in the query."""
    if ask.request.scope["state"]["head"]:
        raise Problem(405, {"code": "method_not_allowed"})  # it would never end
    asked = ask.query("topics").split(",")[: TOPICS_MAX + 1]
    wanted = list(dict.fromkeys(each for each in asked if each))
    if not wanted or len(wanted) > TOPICS_MAX or not all(map(_TOPIC.fullmatch, wanted)):
        raise Problem(400, {"code": "bad_request"})
    topics, shell = _Topics(), shell_of(ask.request)
    for topic in wanted:
        await _authorised(ask, shell, topics, topic)
    return Counted(
        lambda: _held(ask, shell),
        _messages(ask, shell, topics, wanted),
        headers={**STREAM_HEADERS, "Cache-Control": "private, no-store"},
        media_type=EVENT_STREAM,
    )


async def _authorised(ask: Ask, shell: Shell, topics: _Topics, topic: str) -> None:
    """
    Add a topic, if the reader may read what it is about.

    Raises:
        Problem: If the API does not show it to the reader.
    """
    if topic == MINE:
        me = await ask.me()
        for each in me.leagues:
            topics.add(each.id, me.id, topic)
        return
    identifier = topic.removeprefix("floor:")
    kind = identifier[:3]
    route = f"{_ROUTES[kind]}/{identifier}"
    try:
        shown = await ask.api.get(f"/v1/{route}", _Tables)
    except Problem:
        if kind not in _PUBLIC:
            raise
        shown = await ask.api.get(f"/v1/public/{_PUBLIC[kind].format(identifier)}", _Tables)
    stream = stream_of(identifier)
    league = await league_of(shell, stream)
    topics.add(league, stream, topic)
    if topic != identifier:
        for table in shown.tables:
            topics.add(league, stream_of(table.id), topic)
    elif kind == "trn":
        topics.add(league, identifier, topic)


async def _messages(
    ask: Ask, shell: Shell, topics: _Topics, wanted: list[str]
) -> AsyncIterator[bytes]:
    loop = asyncio.get_running_loop()
    until = loop.time() + STREAM_SECONDS
    with shell.news.watching() as watch:
        try:
            for league, keys in topics.leagues.items():
                await watch.begin(league, keys.keys())
            yield OPENING
            while loop.time() < until and not shell.stopping.is_set():
                if not await watch.wait(PING_SECONDS):
                    yield PING
                    continue
                await asyncio.sleep(_TOGETHER_SECONDS)
                news = watch.take()
                for changed in _changed(news, topics):
                    yield ServerSentEventMessage(
                        data=msgspec.json.encode(changed).decode(), event="changed"
                    ).encode()
                streams = {each for league in news.values() for each in league}
                grown = [each for each in wanted if _tournament_of(each) in streams]
                await _follow_floors(ask, shell, topics, watch, grown)
        except _ENDINGS:
            return  # the page connects again, and is then told the reason


def _changed(news: Mapping[str, Mapping[str, Fresh]], topics: _Topics) -> list[Changed]:
    newest: dict[str, int] = {}
    for league, streams in news.items():
        for stream, fresh in streams.items():
            for topic in topics.about(league, stream):
                newest[topic] = max(newest.get(topic, 0), fresh.version)
    return [Changed(topic, version) for topic, version in newest.items()]


def _tournament_of(topic: str) -> str | None:
    """Return the stream of the tournament whose floor *topic* is, or None for other topics."""
    tournament = topic.removeprefix("floor:")
    return None if tournament == topic else stream_of(tournament)


async def _follow_floors(
    ask: Ask, shell: Shell, topics: _Topics, watch: Watch, floors: list[str]
) -> None:
    """Watch the tables that have opened on *floors* meanwhile."""
    for topic in floors:
        await _authorised(ask, shell, topics, topic)
    if floors:
        for league, keys in topics.leagues.items():
            watch.follow(league, keys.keys())


def _held(ask: Ask, shell: Shell) -> AbstractContextManager[None]:
    """Count the stream for its reader, or for the address of a stranger."""
    known = None if ask.session is None else believed(shell, ask.session.secret)
    return shell.limits.streams.held(known or client_address(ask.request))
