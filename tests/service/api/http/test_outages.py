"""Requests fail with 503 while the database is away, and succeed afterwards without a restart."""

import asyncio

import psycopg
import pytest
import sqlalchemy as sa
from structlog.testing import capture_logs

from engine.values import number_of
from service.api.table.streaming import ENDINGS, demand_outage
from service.base.database import async_engine
from tests.support.waiting import until_awaited

pytestmark = pytest.mark.anyio


async def test_without_a_database_the_answer_is_503_and_when_to_ask_again(
    serving, database
) -> None:
    async with serving() as api:
        assert (await api.http.get("/readyz")).status_code == 200
        person = await api.person()
        with psycopg.connect(database.server.cluster.url(), autocommit=True) as connection:
            connection.execute(f'ALTER DATABASE "{database.name}" ALLOW_CONNECTIONS false')
            connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s",
                [database.name],
            )
            for path in ("/readyz", "/v1/tokens"):
                away = await person.get(path)
                assert (path, away.status_code) == (path, 503), away.text
                assert away.json()["code"] == "store_unavailable"
                assert away.headers["retry-after"] == "1"
            assert (await api.http.get("/livez")).status_code == 200
            connection.execute(f'ALTER DATABASE "{database.name}" ALLOW_CONNECTIONS true')
        assert (await api.http.get("/readyz")).status_code == 200
        assert (await person.get("/v1/tokens")).status_code == 200


async def test_a_defect_of_ours_is_no_outage(serving, database) -> None:
    """A retry would not help, so the answer does not suggest one."""
    async with serving() as api:
        person = await api.person()
        with psycopg.connect(database.url("postgres"), autocommit=True) as connection:
            connection.execute("ALTER TABLE token ADD CONSTRAINT xyzzy CHECK (false) NOT VALID")
        answer = await person.post("/v1/tokens", {})
        assert (answer.status_code, answer.json()["code"]) == (500, "internal_error")
        assert "retry-after" not in answer.headers
        assert "xyzzy" not in answer.text


async def test_a_server_without_free_connections_is_away(serving, database) -> None:
    async with serving() as api:
        person = await api.person()
        unknown = f"/v1/tables/tbl_{0:032x}"
        assert (await person.get(unknown)).status_code == 404
        with psycopg.connect(database.url("postgres"), autocommit=True) as connection:
            connection.execute("ALTER ROLE holotable_api CONNECTION LIMIT 0")
            try:
                connection.execute(
                    "SELECT pg_terminate_backend(pid, 20000) FROM pg_stat_activity"
                    " WHERE usename = 'holotable_api'"
                )
                answers = [await person.get(unknown) for _ in range(12)]
            finally:
                connection.execute("ALTER ROLE holotable_api CONNECTION LIMIT -1")
        assert {(each.status_code, each.json()["code"]) for each in answers} == {
            (503, "store_unavailable")
        }
        assert (await person.get(unknown)).status_code == 404


async def test_a_database_that_is_too_busy_is_away(serving, database) -> None:
    """A statement that the database gave up may succeed on the next attempt."""
    async with serving() as api:
        person = await api.person()
        with psycopg.connect(database.url("postgres")) as holder:
            holder.execute("ALTER ROLE holotable_api SET lock_timeout = '200ms'")
            holder.commit()
            try:
                holder.execute("LOCK TABLE token IN ACCESS EXCLUSIVE MODE")
                terminated = (
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                    " WHERE datname = current_database() AND usename = 'holotable_api'"
                )
                holder.execute(terminated)
                answer = await person.get("/v1/tokens")
            finally:
                holder.rollback()
                holder.execute("ALTER ROLE holotable_api SET lock_timeout = '10s'")
                holder.commit()
        assert (answer.status_code, answer.json()["code"]) == (503, "store_unavailable")


async def test_a_stream_ends_when_the_server_has_no_connection_left_but_not_by_a_defect(
    database,
) -> None:
    """SQLAlchemy has no class of its own for the first. Nobody reconnects after the second."""
    engine = async_engine(database.url("holotable_api"), 1)
    limit = f'ALTER DATABASE "{database.name}" CONNECTION LIMIT '
    try:
        with psycopg.connect(database.server.cluster.url(), autocommit=True) as connection:
            connection.execute(f"{limit} 0")
            with pytest.raises(ENDINGS) as taken:
                async with engine.connect():
                    pass
            connection.execute(f"{limit} -1")
        demand_outage(taken.value)
        with pytest.raises(ENDINGS) as defect:
            async with engine.connect() as driver:
                await driver.execute(sa.text("SELECT nothing_here"))
        with pytest.raises(sa.exc.ProgrammingError):
            demand_outage(defect.value)
    finally:
        await engine.dispose()


async def test_an_api_waits_when_the_database_goes_away_during_its_start(serving, database) -> None:
    """
    The first statements of a start find the server without a connection to spare.

    The process waits, because its manager would only start it again.
    """
    limit = f'ALTER DATABASE "{database.name}" CONNECTION LIMIT '
    with (
        psycopg.connect(database.server.cluster.url(), autocommit=True) as connection,
        capture_logs() as lines,
    ):
        connection.execute(f"{limit} 1")  # enough for the clock, not for the rest of the start

        async def refused() -> bool:
            return any(each["event"] == "the start begins again" for each in lines)

        async def free() -> None:
            try:
                await until_awaited(refused)
            finally:
                connection.execute(f"{limit} -1")

        freeing = asyncio.create_task(free())
        async with serving() as api:
            await freeing
            assert (await api.http.get("/readyz")).status_code == 200


async def test_a_league_that_has_lost_its_key_gets_no_new_one(serving, database) -> None:
    """A new key would open nothing in its log, and would hide the loss."""
    async with serving() as api:
        owner, league = await api.league()
    with psycopg.connect(database.url("postgres"), autocommit=True) as connection:
        connection.execute("DELETE FROM key WHERE league = %s", [number_of(league)])
        async with serving() as again:
            path = f"/v1/leagues/{league}/seasons"
            refused = await again.http.post(
                path, json={"name": "Winter"}, headers=owner.headers | {"Idempotency-Key": "k"}
            )
            assert (refused.status_code, refused.json()["code"]) == (503, "league_key_lost")
            found = connection.execute("SELECT count(*) FROM key").fetchone()
            assert found == (0,)
            other = await again.http.post(
                "/v1/leagues",
                json={"name": "New"},
                headers=owner.headers | {"Idempotency-Key": "l"},
            )
            assert other.status_code == 201, "a league without events gets its key"
