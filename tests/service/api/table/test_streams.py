"""An event is read once for all its followers, and reaches each of them exactly once."""

import asyncio
import random
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack
from typing import Any
from uuid import UUID

import pytest
import sqlalchemy as sa

from engine.values import number_of
from service.api.http.following import news, watching
from service.api.table import feeds
from service.base.errors import StoreUnavailable
from service.log.store import PostgresStore
from tests.service.api.conftest import ANY, PASSWORD
from tests.service.api.table.test_commands import turn
from tests.service.api.table.test_feeds import everything
from tests.support.streams import PATIENCE_SECONDS, following

pytestmark = pytest.mark.anyio

MANY = {"token_streams": 500, "account_streams": 500}


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], list[str]]]:
    """
    Return a function that lists the log's reads for a league, without those of commands.

    Channels do not poll during the test, and followers wait for one however long it takes.
    """
    seen: list[tuple[str, Any]] = []
    real = PostgresStore._read

    async def noting(self: Any, ask: Any, *what: Any) -> Any:
        first = what[0]
        leagues = first if isinstance(first, list | tuple) else [first]
        for league in {each if isinstance(each, UUID) else each[0] for each in leagues}:
            seen.append((ask.__name__, league))
        return await real(self, ask, *what)

    monkeypatch.setattr(PostgresStore, "_read", noting)
    monkeypatch.setattr(news, "POLL_SECONDS", 3600)
    monkeypatch.setattr(watching, "START_SECONDS", 3600)

    def of(league: str) -> list[str]:
        found = sorted(name for name, number in seen if number == number_of(league))
        seen.clear()
        return found

    yield of


async def happen(owner: Any, league: str) -> None:
    """Append one event to a league's own stream."""
    answer = await owner.post(f"/v1/leagues/{league}/invitations", {})
    assert answer.status_code == 201, answer.text


async def test_of_streams_that_are_asked_for_at_once_no_more_are_opened_than_may_be(
    serving,
) -> None:
    async with serving(token_streams=3) as api, AsyncExitStack() as opened:
        owner, league = await api.league()
        path = f"/v1/leagues/{league}/events"
        asked = [
            await opened.enter_async_context(following(api.app, path, owner.headers))
            for _ in range(12)
        ]
        for each in asked:
            await each.until_begun()
        assert sorted(each.status or 0 for each in asked) == [200] * 3 + [429] * 9
        for each in asked:
            if each.status == 200:
                await each.until(1)
                assert not each.ended.is_set()
        await opened.aclose()  # a closed stream no longer counts
        async with following(api.app, path, owner.headers) as stream:
            await stream.until(1)


async def test_nobody_waits_for_ever_for_a_channel_that_does_not_begin(monkeypatch) -> None:
    monkeypatch.setattr(watching, "START_SECONDS", 0)
    with pytest.raises(StoreUnavailable):
        await news.Follower(None, asyncio.Event(), asyncio.Event()).resume()


async def test_an_event_costs_200_followers_of_its_league_one_read_and_other_leagues_none(
    serving, asked
) -> None:
    async with serving(**MANY) as api, AsyncExitStack() as opened:
        (owner, busy), (other, quiet) = await api.league(), await api.league()
        path = f"/v1/leagues/{quiet}/events"
        before = await everything(other, path)

        async def follow(count: int) -> list[Any]:
            made = [
                await opened.enter_async_context(following(api.app, path, other.headers))
                for _ in range(count)
            ]
            for each in made:
                await each.until(len(before))
            return made

        streams = await follow(1)
        asked(quiet)
        await happen(other, quiet)
        await streams[0].until(len(before) + 1)
        for_one = asked(quiet)
        assert for_one.count("read_league") == 1

        before = await everything(other, path)
        streams += await follow(199)
        mine = await opened.enter_async_context(
            following(api.app, f"/v1/leagues/{busy}/events", owner.headers)
        )
        asked(quiet)
        told = len(await everything(owner, f"/v1/leagues/{busy}/events"))
        await happen(owner, busy)
        await mine.until(told + 1)
        assert asked(quiet) == []
        assert all(len(each.items) == len(before) for each in streams)

        await happen(other, quiet)
        for each in streams:
            await each.until(len(before) + 1)
        assert asked(quiet) == for_one


async def test_tokens_of_all_followers_are_asked_about_together(serving) -> None:
    async with serving() as api, AsyncExitStack() as opened:
        owner, league = await api.league()
        path, shell = f"/v1/leagues/{league}/events", api.app.shell
        known = {"login": owner.login, "password": PASSWORD, "scopes": ["tokens:manage"]}
        known["scopes"] += ["leagues:read"]
        root = (await api.http.post("/v1/tokens", json=known)).json()["token"]
        streams = []
        for _ in range(20):
            child = await api.http.post(
                "/v1/tokens",
                json={"scopes": ["leagues:read"]},
                headers={"Authorization": f"Bearer {root}"},
            )
            headers = {"Authorization": f"Bearer {child.json()['token']}"}
            streams.append(await opened.enter_async_context(following(api.app, path, headers)))
        before = len(await everything(owner, path))
        for each in streams:
            await each.until(before)

        asked: list[str] = []

        def note(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
            if "token.hash" in statement:
                asked.append(statement)

        sa.event.listen(shell.engine.sync_engine, "before_cursor_execute", note)
        shell.principals.clear()
        await happen(owner, league)
        for each in streams:
            await each.until(before + 1)
        # The owner's command reads once. All followers together read once or twice.
        assert 1 <= len(asked) <= 3


async def test_an_event_of_a_table_wakes_no_follower_of_another_table(serving, asked) -> None:
    async with serving() as api:
        _, league, _, _, table = await api.playing()
        shell = api.app.shell
        streams = {name: f"table-{number_of(name).hex}" for name in (table, "tbl_" + "0" * 32)}
        with (
            shell.news.following(league, streams.pop(table)) as here,
            shell.news.following(league, *streams.values()) as elsewhere,
        ):
            await here.resume()
            await elsewhere.resume()
            asked(league)
            number = number_of(league)
            last = (await shell.runtime.writer.store.ends([number]))[number]
            channel = shell.news._channels[number]
            # Let the channel read the events of the first hand again.
            channel.end = (0, (await shell.runtime.writer.store.league(number, -1, 1))[0].hash)
            channel.read_again()
            assert await here.wait(PATIENCE_SECONDS)
            assert {told.row.stream for told in here.take()} == {here.stream}
            assert not elsewhere.take() and not elsewhere._woken.is_set()
            assert channel.end == last


async def test_a_slow_follower_is_dropped_to_the_log_and_misses_nothing(
    serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(news, "QUEUE_MAX", 3)
    async with serving() as api:
        owner, league = await api.league()
        path = f"/v1/leagues/{league}/events"
        async with (
            following(api.app, path, owner.headers, limit=1) as slow,
            following(api.app, path, owner.headers) as quick,
        ):
            await slow.until(1)
            for _ in range(12):
                await happen(owner, league)
            expected = await everything(owner, path)
            await quick.until(len(expected))
            assert len(slow.items) == 1
            slow.read_on()
            await slow.until(len(expected))
            assert slow.items == quick.items == expected


async def test_streams_that_are_cut_at_any_moment_miss_nothing_and_double_nothing(
    serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Queues and pages are short, so the streams change between log and channel."""
    monkeypatch.setattr(news, "QUEUE_MAX", 2)
    monkeypatch.setattr(feeds, "READ_EVENTS", 2)
    chosen = random.Random(15)
    async with serving(**MANY) as api:
        owner, league = await api.league()
        path, written = f"/v1/leagues/{league}/events", asyncio.Event()

        async def read() -> list[Any]:
            seen: list[Any] = []
            while True:
                after = seen[-1]["cursor"] if seen else None
                last = written.is_set()
                async with following(api.app, path, owner.headers, after) as stream:
                    try:
                        wanted = total - len(seen) if last else chosen.randrange(1, 5)
                        patience = PATIENCE_SECONDS if last else chosen.random() / 5
                        await stream.until(wanted, patience)
                    except TimeoutError:
                        assert not last
                seen += stream.items
                if last:
                    return seen

        # Open all connections now, because a cut must not meet one that is still being opened.
        await asyncio.gather(*(everything(owner, path) for _ in range(8)))
        total = 0
        readers = [asyncio.create_task(read()) for _ in range(6)]
        for _ in range(40):
            await happen(owner, league)
        expected = await everything(owner, path)
        total = len(expected)
        written.set()
        for seen in await asyncio.gather(*readers):
            assert [each["id"] for each in seen] == [each["id"] for each in expected]


async def test_each_audience_of_one_event_sees_its_own_and_nothing_of_another(serving) -> None:
    async with serving() as api, AsyncExitStack() as opened:
        owner, league, _, people, table = await api.playing()
        viewers = [owner, *people]
        paths = [f"/v1/tables/{table}/events", f"/v1/leagues/{league}/events"]
        pulled = [await everything(each, path) for path in paths for each in viewers]
        streams = [
            await opened.enter_async_context(following(api.app, path, each.headers))
            for path in paths
            for each in viewers
        ]
        for stream, items in zip(streams, pulled, strict=True):
            await stream.until(len(items))
        # From here on, one read serves every stream.
        person, view = await turn(people, table)
        body = {"decision": view["decision"]["token"]} | (
            {"type": "check"} if view["decision"]["phase"] == "bet" else
            {"type": "select", "cards": view["me"]["cards"][:1]}
        )  # fmt: skip
        await person.post(f"/v1/tables/{table}/actions", body, key="a")
        await owner.post(f"/v1/leagues/{league}/invitations", {})
        pulled = [await everything(each, path) for path in paths for each in viewers]
        for stream, items in zip(streams, pulled, strict=True):
            await stream.until(len(items))
            assert stream.items == items
        opened_by = [{str(each["opened"]) for each in items if each["opened"]} for items in pulled]
        assert not opened_by[0] and opened_by[1] and opened_by[2]
        assert not opened_by[1] & opened_by[2]
        issued = [items[-1]["data"] for items in pulled[3:]]
        assert issued[0] and not issued[1] and not issued[2]


async def test_a_stream_ends_before_the_event_after_its_reader_lost_the_office(serving) -> None:
    async with serving() as api:
        owner, league = await api.league()
        director = await api.join(owner, league)
        member = f"/v1/leagues/{league}/members/{director.player}"
        raised = await api.http.put(member, json={"role": "director"}, headers=owner.headers | ANY)
        assert raised.status_code == 200, raised.text
        path = f"/v1/leagues/{league}/events"
        before = await everything(director, path)
        async with following(api.app, path, director.headers) as stream:
            await stream.until(len(before))
            await api.http.put(member, json={"role": "player"}, headers=owner.headers | ANY)
            await owner.post(f"/v1/leagues/{league}/invitations", {})
            await asyncio.wait_for(stream.ended.wait(), 20)
            assert stream.items == before


async def test_a_channel_ends_when_the_log_began_anew(serving) -> None:
    async with serving() as api:
        owner, league = await api.league()
        shell, number = api.app.shell, number_of(league)
        path = f"/v1/leagues/{league}/events"
        before = await everything(owner, path)
        async with following(api.app, path, owner.headers) as stream:
            await stream.until(len(before))
            channel = shell.news._channels[number]
            channel.end = (channel.end[0], bytes(32))
            channel.read_again()
            await asyncio.wait_for(stream.ended.wait(), 20)
        assert number not in shell.news._channels
        async with following(api.app, path, owner.headers) as stream:
            await stream.until(len(before))
            await happen(owner, league)
            await stream.until(len(before) + 1)
