"""Each login has its declared rights and no others, and no login can stop the writers."""

import asyncio
from collections.abc import Iterator

import asyncpg
import psycopg
import pytest

from engine.values import number_of
from service.base import database as databases
from service.base.database import BROKER, LOGINS
from service.log.store import PostgresStore
from tests.support.counters import DECIDERS, command, counting, new_league, stream
from tests.support.databases import SECRET_KEY, TestDatabase, TestServer
from tests.support.logs import writing
from tests.support.rights import DECLARED, held

pytestmark = pytest.mark.anyio

READERS = ("holotable_project", "holotable_audit")


@pytest.fixture
def broker(database: TestDatabase) -> Iterator[str]:
    """The name of an empty database that belongs to the broker."""
    name = f"{database.name}_broker"
    databases.create_database(database.url("postgres"), name, owner=BROKER)
    yield name
    databases.drop_database(database.url("postgres"), name)


def test_each_login_has_the_rights_that_are_declared(
    cluster: TestServer, database: TestDatabase, broker: str
) -> None:
    """This fails for a new right until the list has it: ``python -m tests.support.rights``."""
    declared = DECLARED.read_text(encoding="utf-8").splitlines()
    found = held(database.url("postgres"), cluster.cluster.url(broker))
    assert found == [line for line in declared if not line.startswith("#")]


def test_a_right_that_is_given_by_hand_is_found(
    cluster: TestServer, database: TestDatabase, broker: str
) -> None:
    urls = database.url("postgres"), cluster.cluster.url(broker)
    before = set(held(*urls))
    given = {
        "GRANT UPDATE ON events TO holotable_audit": (
            "holotable_audit relation:public.events SELECT,UPDATE"
        ),
        "GRANT SELECT (wrapped) ON key TO holotable_project": (
            "holotable_project columns:public.key(wrapped) SELECT"
        ),
        "CREATE FUNCTION to_see() RETURNS integer LANGUAGE sql AS 'SELECT 1'": (
            "public function:public.to_see EXECUTE"
        ),
    }
    for statement, line in given.items():
        with psycopg.connect(urls[0]) as connection:
            connection.execute(statement)
            connection.commit()
        assert line in set(held(*urls)) - before


@pytest.mark.parametrize("name", ["log", "postgres", "template1"])
def test_the_brokers_login_connects_to_its_own_database_alone(
    database: TestDatabase, broker: str, name: str
) -> None:
    where = database.name if name == "log" else name
    with pytest.raises(psycopg.OperationalError, match="permission denied for database"):
        psycopg.connect(database.server.url(where, BROKER))
    psycopg.connect(database.server.url(broker, BROKER)).close()


@pytest.mark.parametrize("login", [login for login in LOGINS if login != BROKER])
def test_no_other_login_connects_to_the_brokers_database(
    database: TestDatabase, broker: str, login: str
) -> None:
    with pytest.raises(psycopg.OperationalError, match="permission denied for database"):
        psycopg.connect(database.server.url(broker, login))
    psycopg.connect(database.url(login)).close()


async def test_a_reader_cannot_hold_a_leagues_turn(database: TestDatabase) -> None:
    """It cannot do so by advisory locks, which anybody may take, nor by the writers' row."""
    league = new_league()
    number = number_of(league)
    async with writing(PostgresStore(database.url(), SECRET_KEY), DECIDERS) as writer:
        await writer.submit(league, command(), counting(stream(1)))
        for login in READERS:
            reader = await asyncpg.connect(database.url(login))
            hold = reader.transaction()
            await hold.start()
            before = f"holotable/append/{number}"
            await reader.execute("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", before)
            async with asyncio.timeout(5):
                await writer.submit(league, command(), counting(stream(1)))
            await hold.rollback()
            for taking in (
                "SELECT 1 FROM append_turn FOR UPDATE",
                "SELECT 1 FROM append_turn FOR KEY SHARE",
                "DO $$ BEGIN LOCK TABLE append_turn IN ROW SHARE MODE; END $$",
                "DO $$ BEGIN LOCK TABLE events IN ROW EXCLUSIVE MODE; END $$",
                "SELECT take_append_turn(gen_random_uuid())",
            ):
                with pytest.raises(asyncpg.InsufficientPrivilegeError):
                    await reader.execute(taking)
            await reader.close()


async def test_writers_of_one_league_take_turns_and_of_another_do_not_wait(
    database: TestDatabase,
) -> None:
    one, other = new_league(), new_league()
    async with writing(PostgresStore(database.url(), SECRET_KEY), DECIDERS) as writer:
        for league in (one, other):
            await writer.submit(league, command(), counting(stream(1)))
        owner = await asyncpg.connect(database.url("postgres"))
        hold = owner.transaction()
        await hold.start()
        await owner.execute(
            "SELECT 1 FROM append_turn WHERE league = $1 FOR UPDATE", number_of(one)
        )
        waiting = asyncio.create_task(writer.submit(one, command(), counting(stream(1))))
        await writer.submit(other, command(), counting(stream(1)))
        assert not waiting.done()
        await hold.rollback()
        assert (await waiting).first_position == 1
        await owner.close()
