"""Read models follow the log exactly once and in order, and stop with an error if they cannot."""

import asyncio
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import asyncpg
import msgspec
import pytest
import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from engine.values import number_of
from service.base.database import async_engine
from service.base.settings import environment
from service.projections import schema
from service.projections.applying.advancing import CheckpointMoved, advance
from service.projections.applying.changes import Changes
from service.projections.applying.events import head
from service.projections.applying.projection import Happened
from service.projections.following.runner import Runner
from service.projections.models.all import ALL
from service.projections.reads import queries
from service.projections.reads.progress import positions, wait_for
from tests.service.league_night import HANDS_MAX, played
from tests.support.databases import TestDatabase
from tests.support.projecting import lag

pytestmark = pytest.mark.anyio

VERSION_1 = {
    "tournament_announced": "",
    "table_opened": "",
    "forced_bets_posted": "",
    "decision_opened": "",
    "street_closed": "",
    "pots_formed": ',"dead":0',
}
"""The JSON that schema version 2 added, by event tag."""


@pytest.fixture
async def projecting(database: TestDatabase) -> AsyncIterator[AsyncEngine]:
    """An engine with the login of the projecting process."""
    engine = async_engine(database.url("holotable_project"), 4)
    yield engine
    await engine.dispose()


@pytest.fixture
async def reading(database: TestDatabase) -> AsyncIterator[AsyncEngine]:
    """An engine with the login of the API."""
    engine = async_engine(database.url(), 4)
    yield engine
    await engine.dispose()


async def test_a_finished_night_can_be_read(
    database: TestDatabase, projecting: AsyncEngine, reading: AsyncEngine
) -> None:
    """The API's own login can read lists, hands, results and standings."""
    night = await played(database)

    await Runner(projecting).catch_up()

    async with reading.connect() as connection:
        [tournament] = await queries.tournaments(connection, night.league)
        entrants = (
            await connection.execute(
                sa.select(schema.entrant)
                .where(schema.entrant.c.tournament == night.tournament)
                .order_by(schema.entrant.c.placing)
            )
        ).all()
        tables = await queries.tables(connection, night.tournament)
        hands = await queries.tournament_hands(connection, night.tournament)
        standings = await queries.standings(connection, night.season)
        memberships = await queries.leagues_of(connection, night.players[0])
        open_seats = await queries.seats_of(connection, night.players[0])
    assert (tournament.state, tournament.entrants) == ("finished", len(night.players))
    assert sum(entrant.payout or 0 for entrant in entrants) == tournament.prize_pool
    assert entrants[0].placing == 1
    assert {table.state for table in tables} == {"closed"}
    assert 0 < len(hands) <= 2 * HANDS_MAX
    assert {hand.state for hand in hands} == {"settled"}
    assert standings[0].rank == 1
    assert len(standings) == len(night.players)
    assert [membership.role for membership in memberships] == ["owner"]
    assert open_seats == []


async def test_chips_of_a_settled_hand_stay_the_same(
    database: TestDatabase, projecting: AsyncEngine, reading: AsyncEngine
) -> None:
    """The hand history keeps every chip from the start of the hand, except for the carry."""
    night = await played(database)
    await Runner(projecting).catch_up()

    async with reading.connect() as connection:
        [*_, first] = await queries.tournament_hands(connection, night.tournament)

    before = sum(seat["stack"] for seat in first.seats)
    after = sum(seat["final_stack"] for seat in first.seats)
    carried = sum(pot["remainder"] for pot in first.pots)
    assert before == after + carried
    assert {winner["seat"] for winner in first.winners}


async def test_a_night_of_card_turns_can_be_read(
    database: TestDatabase, projecting: AsyncEngine, reading: AsyncEngine
) -> None:
    """Hands without a target show their cards and totals, and the chips of both pots."""
    night = await played(database, ruleset="traditional")
    await Runner(projecting).catch_up()

    async with reading.connect() as connection:
        hands = await queries.tournament_hands(connection, night.tournament)

    shown = [seat for hand in hands for seat in hand.seats if seat["cards"] is not None]
    assert shown
    assert all(len(seat["cards"]) >= 2 and seat["total"] is not None for seat in shown)
    assert {hand.target for hand in hands} == {None}


async def test_small_chunks_give_the_same_rows(
    database: TestDatabase, projecting: AsyncEngine
) -> None:
    """A batch may end in the middle of a hand without any difference."""
    await played(database)
    await Runner(projecting, chunk=7).catch_up()
    small = await rows_of(projecting)
    async with projecting.begin() as connection:
        for relation in reversed(schema.metadata.sorted_tables):
            await connection.execute(sa.delete(relation))

    await Runner(projecting).catch_up()

    assert await rows_of(projecting) == small


async def test_events_of_an_earlier_version_give_the_same_rows(
    database: TestDatabase, projecting: AsyncEngine
) -> None:
    """A log from before the schemas grew is read like one of today."""
    await played(database)
    await Runner(projecting).catch_up()
    of_today = await rows_of(projecting)
    connection = await asyncpg.connect(database.url("postgres"))
    try:
        await connection.execute("ALTER TABLE events DISABLE TRIGGER ALL")
        for tag, since in VERSION_1.items():
            changed = await connection.execute(
                "UPDATE events SET schema_version = 1, data = replace(data::text, $2, '')::json "
                "WHERE type = $1",
                tag,
                since,
            )
            assert changed != "UPDATE 0", tag
    finally:
        await connection.close()
    async with projecting.begin() as projected:
        for relation in reversed(schema.metadata.sorted_tables):
            await projected.execute(sa.delete(relation))

    await Runner(projecting).catch_up()

    assert await rows_of(projecting) == of_today


async def test_two_runners_apply_each_event_once(
    database: TestDatabase, projecting: AsyncEngine
) -> None:
    """The checkpoint moves by compare-and-set, also where no runner can take it before."""
    await played(database)
    one, other = Runner(projecting, chunk=11), Runner(projecting, chunk=13)

    await asyncio.gather(one.catch_up(), other.catch_up())
    await one.catch_up()

    contested = await rows_of(projecting)
    async with projecting.begin() as connection:
        for relation in schema.metadata.sorted_tables:
            await connection.execute(sa.delete(relation))
    await Runner(projecting).catch_up()
    assert await rows_of(projecting) == contested


async def test_a_checkpoint_that_moved_is_refused(
    database: TestDatabase, projecting: AsyncEngine
) -> None:
    """A runner that slept during another's work notices before it commits."""
    night = await played(database, steps_max=5)
    runner = Runner(projecting)
    slow = await projecting.connect()
    try:
        await slow.execute(sa.text("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ"))
        until = await head(slow, night.league)
        await runner.catch_up()
        with pytest.raises((CheckpointMoved, sa.exc.DBAPIError)):
            await advance(slow, ALL[0], night.league, runner.known, until)
    finally:
        await slow.rollback()
        await slow.close()


async def test_who_is_overtaken_takes_no_event_for_broken(
    database: TestDatabase, projecting: AsyncEngine
) -> None:
    """Rows of a later batch, read in the middle of a hand, do not fit an earlier event."""
    night = await played(database)
    [hands] = [each for each in ALL if each.name == "hands"]
    quicker = Runner(projecting, projections=(hands,))
    position = await forge(
        database,
        night.league,
        "SELECT max(position) AS position FROM events "
        "WHERE league = $1 AND type = 'hands_revealed'",
    )
    async with projecting.begin() as connection:
        await advance(connection, hands, night.league, quicker.known, position - 1)

    async def overtaken(
        connection: AsyncConnection, changes: Changes, batch: list[Happened[msgspec.Struct]]
    ) -> None:
        await quicker.catch_up()
        assert hands.load is not None
        await hands.load(connection, changes, batch)

    slow = Runner(projecting, projections=(replace(hands, load=overtaken),))
    await slow.catch_up()

    assert not slow.stopped
    async with projecting.connect() as connection:
        [found] = await lag(connection, (hands,))
    assert (found.behind, found.broken_at) == (0, None)


async def test_a_broken_event_stops_that_projection_and_no_other(
    database: TestDatabase, projecting: AsyncEngine
) -> None:
    """Nothing is ever skipped, because standings and money would be wrong for ever."""
    night = await played(database, steps_max=5)
    position = await forge(
        database,
        night.league,
        "UPDATE events SET data = (data::jsonb - 'role')::json "
        "WHERE league = $1 AND position = 2 RETURNING position",
    )
    runner = Runner(projecting)

    await runner.catch_up()

    async with projecting.connect() as connection:
        found = {each.name: each for each in await lag(connection)}
    assert found["members"].broken_at == position
    assert found["members"].behind > 0
    assert "member_added" in str(found["members"].reason)
    assert found["tournaments"].behind == 0
    assert list(runner.stopped) == [("members", night.league)]


async def test_an_unknown_type_of_event_stops_every_projection(
    database: TestDatabase, projecting: AsyncEngine
) -> None:
    """An unknown event may matter, so a newer program must read it."""
    night = await played(database, steps_max=5)
    await forge(
        database,
        night.league,
        "UPDATE events SET type = 'cake_baked' "
        "WHERE league = $1 AND position = 3 RETURNING position",
    )
    runner = Runner(projecting)

    await runner.catch_up()

    assert {name for name, _ in runner.stopped} == set(queries.NAMES)


async def test_a_reader_waits_for_its_own_write(
    database: TestDatabase, projecting: AsyncEngine, reading: AsyncEngine
) -> None:
    """An applied position is answered at once, another one after the time limit."""
    night = await played(database, steps_max=5)
    await Runner(projecting).catch_up()
    async with reading.connect() as connection:
        reached = await head(connection, night.league)

    assert await wait_for(positions(reading), "all", night.league, reached, timeout=0)
    assert not await wait_for(positions(reading), "hands", night.league, reached + 1, timeout=0.05)


async def test_the_process_follows_the_log_and_ends_on_request(
    database: TestDatabase, reading: AsyncEngine
) -> None:
    """After SIGTERM the process commits the batch under way and exits with success."""
    code = (
        "import os; from service.base.settings import read; "
        "from service.projections.following.runner import run; run(read(os.environ))"
    )
    process = subprocess.Popen(  # noqa: ASYNC220 - it must outlive this step
        [sys.executable, "-c", code],
        env=environment(database.settings("holotable_project")),
    )
    try:
        night = await played(database, steps_max=20)
        async with reading.connect() as connection:
            reached = await head(connection, night.league)
        followed = await wait_for(positions(reading), "all", night.league, reached, timeout=20)
    finally:
        process.send_signal(signal.SIGTERM)
        code_of_exit = await asyncio.to_thread(process.wait, 10)

    assert followed
    assert code_of_exit == 0


async def test_the_api_may_not_write_read_models(reading: AsyncEngine) -> None:
    """Read models have one writer."""
    async with reading.connect() as connection:
        with pytest.raises(sa.exc.DBAPIError, match="permission denied"):
            await connection.execute(sa.delete(schema.standing))


async def test_the_relations_are_those_of_the_migration(reading: AsyncEngine) -> None:
    """The migration is written by hand, and the code must know the same columns."""
    statement = sa.text(
        "SELECT table_name, column_name, is_nullable = 'YES' AS nullable "
        "FROM information_schema.columns WHERE table_schema = 'reads'"
    )
    async with reading.connect() as connection:
        found = {tuple(row) for row in await connection.execute(statement)}

    assert found == {
        (relation.name, column.name, bool(column.nullable))
        for relation in schema.metadata.sorted_tables
        for column in relation.columns
    }


async def test_changes_of_one_row_keep_their_order(projecting: AsyncEngine) -> None:
    """A sum is added to the present value, and a later value replaces it."""
    row: dict[str, Any] = dict.fromkeys(schema.standing.columns.keys(), 0)
    row |= {"season": "s", "player": "p", "league": "l", "shared": False, "qualified": True}
    row |= {"played": 1, "decided_by": None}
    async with projecting.begin() as connection:
        changes = Changes()
        changes.put(schema.standing, **row)
        changes.add(schema.standing, {"season": "s", "player": "p"}, played=4)
        await changes.write(connection)
        changes = Changes()
        changes.add(schema.standing, {"season": "s", "player": "p"}, played=2, wins=9)
        changes.patch(schema.standing, season="s", player="p", wins=3)
        changes.add(schema.standing, {"season": "s", "player": "p"}, wins=1)
        await changes.write(connection)
        found = (await connection.execute(sa.select(schema.standing))).one()

    assert (found.played, found.wins) == (7, 4)


async def rows_of(engine: AsyncEngine) -> dict[str, list[str]]:
    """Return every row of every read model."""
    found: dict[str, list[str]] = {}
    async with engine.connect() as connection:
        for relation in schema.metadata.sorted_tables:
            statement = sa.text(f"SELECT t::text FROM reads.{relation.name} t ORDER BY 1")
            found[relation.name] = list((await connection.execute(statement)).scalars())
    return found


async def forge(database: TestDatabase, league: str, statement: str) -> int:
    """Rewrite an event as a superuser who has switched the triggers off."""
    connection = await asyncpg.connect(database.url("postgres"))
    try:
        await connection.execute("ALTER TABLE events DISABLE TRIGGER ALL")
        return int((await connection.fetch(statement, number_of(league)))[0]["position"])
    finally:
        await connection.close()
