"""A projector of many leagues costs little without news, and one league never stops another."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import asyncpg
import pytest
import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncEngine

from engine.values import number_of
from service.cli import projections, quarantine
from service.director.runtime import Runtime
from service.log.catalogue import events_by_category, tag_of
from service.projections.following.runner import Runner
from service.projections.models.all import ALL
from service.projections.reads.progress import positions, wait_for
from service.projections.rebuilding.rebuild import rebuild
from tests.service.director.test_directing import announced
from tests.support.databases import TestDatabase
from tests.support.poison import MALFORMED, UNREADABLE, bare_league, owning, plant
from tests.support.projecting import lag

pytestmark = pytest.mark.anyio


@pytest.fixture
async def owner(database: TestDatabase) -> AsyncIterator[asyncpg.Connection]:
    async with owning(database) as connection:
        yield connection


@contextmanager
def statements(engine: AsyncEngine) -> Iterator[list[str]]:
    """Collect the statements that *engine* executes."""
    seen: list[str] = []

    def note(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        seen.append(statement)

    sa.event.listen(engine.sync_engine, "before_cursor_execute", note)
    yield seen
    sa.event.remove(engine.sync_engine, "before_cursor_execute", note)


async def with_a_malformed_event(runtime: Runtime, owner: asyncpg.Connection) -> tuple[str, int]:
    """Make a league with a member event that cannot be read. Return the league and the position."""
    league, _ = await announced(runtime, 0)
    return league, await plant(owner, league, "member_added", {})


async def behind(engine: AsyncEngine, league: str) -> dict[str, int | None]:
    """
    Return the projections that are behind *league*'s log, with the position that stopped each.
    """
    async with engine.connect() as connection:
        found = await lag(connection)
    return {each.name: each.broken_at for each in found if each.league == league and each.behind}


async def test_many_who_wait_for_a_position_look_together(
    runtime: Runtime, projecting: AsyncEngine
) -> None:
    league, _ = (await announced(runtime, 0))[:2]
    reached = positions(projecting)

    async def wait(position: int) -> bool:
        return await wait_for(reached, "members", league, position, 0)

    with statements(projecting) as seen:
        assert not any(await asyncio.gather(*(wait(0) for _ in range(20))))
    assert len(seen) == 1
    await Runner(projecting).catch_up()
    with statements(projecting) as seen:
        assert all(await asyncio.gather(*(wait(0) for _ in range(20))))
        assert not await wait(1_000_000)
    assert len(seen) == 2


async def test_a_look_at_leagues_without_news_is_one_statement(
    database: TestDatabase, runtime: Runtime, projecting: AsyncEngine
) -> None:
    leagues = [(await announced(runtime, 0))[0] for _ in range(3)]
    runner = Runner(projecting)
    await runner.catch_up()

    with statements(projecting) as seen:
        assert await runner.catch_up() == 0
    assert len(seen) == 1

    await announced(runtime, 0, league_id=leagues[0])
    assert await runner.catch_up() > 0
    assert await behind(projecting, leagues[0]) == {}


@pytest.mark.long
async def test_every_type_of_event_malformed_in_every_way_stops_its_own_league_alone(
    database: TestDatabase, runtime: Runtime, owner: asyncpg.Connection, projecting: AsyncEngine
) -> None:
    handled = {kind: each.name for each in ALL for kind in each.handlers}
    poisoned: dict[str, str] = {}
    kinds = [tag_of(event) for events in events_by_category().values() for event in events]
    for number, kind in enumerate([*kinds, "cake_baked"]):
        league = await bare_league(owner)
        await plant(owner, league, kind, MALFORMED[number % len(MALFORMED)], version=1)
        if kind in handled or kind not in kinds:
            poisoned[league] = handled.get(kind, ALL[0].name)
    healthy, _ = await announced(runtime, 0)
    runner = Runner(projecting)

    await runner.catch_up()

    assert await behind(projecting, healthy) == {}
    async with projecting.connect() as connection:
        found = {(each.league, each.name): each.broken_at for each in await lag(connection)}
    assert {league: found[league, name] for league, name in poisoned.items()} == dict.fromkeys(
        poisoned, 0
    )


async def test_a_value_that_no_column_takes_is_found_among_good_events(
    database: TestDatabase, runtime: Runtime, owner: asyncpg.Connection, projecting: AsyncEngine
) -> None:
    """PostgreSQL refuses a whole batch, and does not say which event is the reason."""
    league, _ = await announced(runtime, 0)
    made = await runtime.pool.fetchval(
        "SELECT data::text FROM events WHERE type = 'league_created' LIMIT 1"
    )
    text = made.replace("Cloud City", "Cloud\\u0000City")
    position = await plant(owner, league, "league_created", text, version=1, metadata=UNREADABLE)
    await announced(runtime, 0, league_id=league)
    healthy, _ = await announced(runtime, 0)

    await Runner(projecting).catch_up()

    assert await behind(projecting, healthy) == {}
    assert set((await behind(projecting, league)).values()) == {position}


async def test_a_projection_that_stops_again_has_stood_still_since_the_first_time(
    database: TestDatabase, runtime: Runtime, owner: asyncpg.Connection, projecting: AsyncEngine
) -> None:
    """Another process meets the same event. After a release the time begins anew."""
    league, position = await with_a_malformed_event(runtime, owner)
    await Runner(projecting).catch_up()
    [first] = await stands(owner)
    assert first[:2] == ("members", position)
    await Runner(projecting).catch_up()
    assert await stands(owner) == [first]

    migrate = database.settings("holotable_migrate")
    assert await quarantine.release(migrate, league, "projection/members", skip=False) == 0
    await Runner(projecting).catch_up()
    [again] = await stands(owner)
    assert again[:2] == first[:2]
    assert again[2] > first[2]


async def stands(owner: asyncpg.Connection) -> list[tuple[Any, ...]]:
    """Return the projections that have stopped, before which event, and since when."""
    asked = "SELECT name, broken_at, broken_since FROM reads.checkpoint WHERE broken_at IS NOT NULL"
    return [tuple(row) for row in await owner.fetch(asked)]


async def test_a_released_projection_goes_on_in_the_running_process(
    database: TestDatabase,
    runtime: Runtime,
    owner: asyncpg.Connection,
    projecting: AsyncEngine,
    capsys: pytest.CaptureFixture[str],
) -> None:
    league, position = await with_a_malformed_event(runtime, owner)
    runner = Runner(projecting)
    await runner.catch_up()
    assert await behind(projecting, league) == {"members": position}
    await runner.catch_up()
    assert list(runner.stopped) == [("members", league)]
    migrate = database.settings("holotable_migrate")
    assert await quarantine.show(migrate, league, "projection/members") == 0
    since = await owner.fetchval("SELECT now()::date::text")
    assert f"(since {since} " in capsys.readouterr().out

    superuser = await asyncpg.connect(database.url("postgres"))
    await superuser.execute("ALTER TABLE events DISABLE TRIGGER ALL")
    await superuser.execute(
        "DELETE FROM events WHERE league = $1 AND position = $2",
        *(await owner.fetchrow("SELECT league, position FROM events WHERE data::text = '{}'")),
    )
    await superuser.close()
    await announced(runtime, 0, league_id=league)
    assert await quarantine.release(migrate, league, "projection/members", skip=False) == 0
    await runner.catch_up()

    assert await behind(projecting, league) == {}
    assert runner.stopped == {}


async def test_a_projection_of_another_version_goes_on_after_a_rebuild_without_a_restart(
    database: TestDatabase, runtime: Runtime, owner: asyncpg.Connection, projecting: AsyncEngine
) -> None:
    league, _ = await announced(runtime, 0)
    older = [replace(each, version=each.version - 1) for each in ALL]
    await Runner(projecting, older).catch_up()
    await announced(runtime, 0, league_id=league)
    runner = Runner(projecting)
    assert await runner.catch_up() == 0
    assert runner.outdated == {each.name for each in ALL}

    await rebuild(database.settings("holotable_project"))
    await runner.catch_up()

    assert runner.outdated == set()
    assert await behind(projecting, league) == {}


async def test_a_rebuild_names_the_league_that_cannot_be_read_and_rebuilds_all_others(
    database: TestDatabase,
    runtime: Runtime,
    owner: asyncpg.Connection,
    projecting: AsyncEngine,
    capsys: pytest.CaptureFixture[str],
) -> None:
    # No rows are live yet, so the rebuild meets the event itself.
    league, position = await with_a_malformed_event(runtime, owner)
    healthy, _ = await announced(runtime, 0)

    assert await projections.rebuild(database.settings("holotable_project"), "all") == 1

    said = capsys.readouterr()
    assert f"{league}: members stopped before position {position}: member_added" in said.err
    assert healthy not in said.err
    assert await behind(projecting, healthy) == {}
    assert await behind(projecting, league) == {"members": position}


async def test_a_look_at_leagues_that_are_named_leaves_the_others_alone(
    runtime: Runtime, projecting: AsyncEngine
) -> None:
    named, other = [(await announced(runtime, 0))[0] for _ in range(2)]

    await Runner(projecting).catch_up([number_of(named)])

    assert await behind(projecting, named) == {}
    assert await behind(projecting, other) != {}
