"""A database that is away is said so, and comes back without a restart."""

import psycopg
import pytest

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
