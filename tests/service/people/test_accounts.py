"""Passwords: the time of a hash, and of a sign-in with an unknown login."""

from uuid import UUID

import pytest
from argon2 import PasswordHasher, Type, extract_parameters
from argon2.exceptions import VerifyMismatchError

from service.base.database import async_engine
from service.base.settings import Settings
from service.base.sources import service_now
from service.people import accounts
from tests.support.databases import SECRET_KEY, TestDatabase

pytestmark = pytest.mark.anyio

HAN = UUID(int=1)
DEFAULT = Settings(database_url="postgres://nowhere", secret_key=SECRET_KEY).password_memory_kib


async def test_by_default_a_hash_costs_what_owasp_recommends_for_argon2id() -> None:
    found = extract_parameters(await accounts.hashed("correct horse", DEFAULT))

    assert (found.type, found.memory_cost, found.time_cost, found.parallelism) == (
        Type.ID,
        19_456,
        2,
        1,
    )


async def test_an_unknown_login_costs_as_much_as_a_known_one() -> None:
    known = await accounts.hashed("correct horse", DEFAULT)
    nobody = accounts.NOBODY.format(DEFAULT)

    assert extract_parameters(nobody) == extract_parameters(known)
    with pytest.raises(VerifyMismatchError):  # it is compared, and not refused as malformed
        PasswordHasher().verify(nobody, "correct horse")


async def test_a_password_is_good_after_the_setting_has_changed(database: TestDatabase) -> None:
    engine = async_engine(database.url(), 1)
    kept = await accounts.hashed("correct horse", 8)
    async with engine.begin() as connection:
        now = await service_now(connection)
        assert await accounts.create(connection, HAN, "Han", "Han", kept, now)
    found = await accounts.by_password(engine, "han", "correct horse", 64)
    wrong = await accounts.by_password(engine, "han", "correct house", 64)
    unknown = await accounts.by_password(engine, "lando", "correct horse", 64)
    await engine.dispose()

    assert found is not None and found.account.number == HAN
    assert wrong is None and unknown is None
