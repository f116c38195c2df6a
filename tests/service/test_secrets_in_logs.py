"""No fault brings a secret into a log or a digest."""

import io
import logging

import asyncpg
import msgspec
import pytest
import sqlalchemy as sa
import structlog

from service.api.routes import ROUTES
from service.base.addresses import asyncpg_dsn
from service.base.database import async_engine
from service.base.telemetry import configure
from service.people.schema import account
from tests.support.databases import TestDatabase

SECRETS = {"password", "new_password"}


def test_every_body_with_a_password_leaves_it_out_of_digests() -> None:
    bodies = {handler.opt["operation"].body for handler in ROUTES}
    secret = {
        body: SECRETS & set(body.__struct_fields__)
        for body in bodies
        if isinstance(body, type) and issubclass(body, msgspec.Struct)
    }
    found = {body: names for body, names in secret.items() if names}
    assert len(found) >= 6
    for body, names in found.items():
        assert names <= set(body.SECRET), body  # type: ignore[attr-defined]


@pytest.mark.anyio
async def test_an_error_of_the_database_is_logged_without_the_row_it_is_about(
    database: TestDatabase,
) -> None:
    stream = io.StringIO()
    root, handlers = logging.getLogger(), logging.getLogger().handlers[:]
    root.handlers.clear()
    before = structlog.get_config()
    try:
        configure(database.settings(log_format="json"), "test", stream)
        hashed = "$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$aGFzaA"
        row = {"login": "LANDO", "name": "Lando", "password": hashed}
        engine = async_engine(database.url("postgres"), 1)
        try:
            async with engine.begin() as connection:
                await connection.execute(sa.insert(account).values(id=None, **row))
        except sa.exc.DBAPIError as error:
            logging.getLogger("service").error("a defect: %s", error, exc_info=error)
            structlog.get_logger().error("a defect", error=str(error), exc_info=error)
        await engine.dispose()
        plain = await asyncpg.connect(asyncpg_dsn(database.url("postgres")))
        try:
            await plain.execute("INSERT INTO account (login, password) VALUES ('x', $1)", hashed)
        except asyncpg.PostgresError as error:
            logging.getLogger("service").error("a defect", exc_info=error)
        await plain.close()
    finally:
        root.handlers[:] = handlers
        structlog.configure(**before)
        structlog.contextvars.clear_contextvars()
    written = stream.getvalue()
    assert len(written.splitlines()) == 3
    assert "argon2" not in written
