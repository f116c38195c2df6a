"""Changing the settings' key while people play loses no event, token or retry."""

import asyncio
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from uuid import uuid4

import asyncpg
import httpx
import pytest
import sqlalchemy as sa

from service.audit.run.league import audit_league
from service.base.addresses import asyncpg_dsn
from service.base.database import async_engine
from service.base.errors import EventUnreadable
from service.base.settings import PASSWORD_MEMORY_KIB, environment
from service.cli.doctor import examine
from service.cli.rotate_key import reseal, reseal_browsers, reseal_recipients, rewrap, rotate
from service.director.runtime import open_runtime
from service.log.keys import Keys, driver_of
from service.notices import browsers
from service.notices.asking import mail_former
from service.notices.browsers import Browser, Target
from service.people import accounts, emails
from service.people.schema import account_email, push_subscription
from service.people.sealed_addresses import AddressKeys
from service.process.app import build
from service.sandbox.demo.standing import stay
from tests.service.api.conftest import Api
from tests.service.api.table.test_commands import answer_to, turn
from tests.support.databases import SECRET_KEY

pytestmark = pytest.mark.anyio

NEW_KEY = "6b" * 32
OTHER_KEY = "6c" * 32


@asynccontextmanager
async def serving(database, key, second=None):
    """Serve the API with these keys, as one process among several."""
    settings = database.settings("holotable_api", secret_key=key, second_secret_key=second)
    app = build(settings)
    async with app.lifespan():
        transport = httpx.ASGITransport(app=app, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="http://test") as http:
            yield Api(http, app)


async def rotated(database):
    connection = await asyncpg.connect(asyncpg_dsn(database.url("holotable_migrate")))
    try:
        return await rewrap(connection, Keys(NEW_KEY, SECRET_KEY))
    finally:
        await connection.close()


async def play(people, table, hands, evening="first"):
    """Play until *hands* hands are settled. Every action must be accepted."""
    settled = number = 0
    while settled < hands:
        person, view = await turn(people, table)
        number += 1
        path = f"/v1/tables/{table}/actions"
        done = await person.post(path, answer_to(view), key=f"{evening} {number}")
        assert done.status_code == 200, done.text
        settled += sum(each["type"] == "hand_settled" for each in done.json()["events"])


async def test_the_key_is_changed_with_play_going_on(database) -> None:
    async with (
        serving(database, SECRET_KEY, NEW_KEY) as before,
        serving(database, NEW_KEY, SECRET_KEY) as after,
    ):
        owner, league, _, people, table = await before.playing()
        retried = await owner.post("/v1/tokens", {"name": "t"}, key="over the change")
        playing = asyncio.create_task(play(people, table, 2))
        changed, leagues, foreign = await rotated(database)
        assert (changed, leagues, foreign) == (1, 1, 0)
        await playing
        # Meanwhile a process that still wraps with the old key creates a league.
        late, _ = await before.league()
        assert await rotated(database) == (1, 2, 0)
        assert await rotated(database) == (0, 2, 0)
        for person in (owner, late, *people):
            person.http = after.http
        again = await owner.post("/v1/tokens", {"name": "t"}, key="over the change")
        assert again.json() == retried.json() | {"token": None}
        assert (await owner.get(f"/v1/tables/{table}")).status_code == 200
    async with serving(database, NEW_KEY) as alone:
        for person in people:
            person.http = alone.http
        await play(people, table, 1, "second")
    async with open_runtime(database.settings("holotable_worker", secret_key=NEW_KEY)) as runtime:
        assert (await runtime.writer.load(league, f"league-{league[4:]}")).version > 0
    engine = async_engine(database.url("holotable_audit"), 2)
    async with engine.connect() as connection:
        report = await audit_league(connection, Keys(NEW_KEY), league)
        assert report.passed, report.text()
        with pytest.raises(EventUnreadable):
            await audit_league(connection, Keys(SECRET_KEY), league)
    await engine.dispose()


async def test_a_key_that_nothing_was_wrapped_with_changes_nothing(database) -> None:
    async with serving(database, SECRET_KEY) as api:
        await api.league()
    connection = await asyncpg.connect(asyncpg_dsn(database.url("holotable_migrate")))
    before = await connection.fetch("SELECT * FROM key")
    assert await rewrap(connection, Keys(NEW_KEY, "7c" * 32)) == (0, 1, 1)
    other = {"secret_key": NEW_KEY, "second_secret_key": "7c" * 32}
    with pytest.raises(EventUnreadable, match="1 leagues"):
        await rotate(database.settings("holotable_migrate", **other))
    assert await connection.fetch("SELECT * FROM key") == before
    await connection.close()


async def test_no_process_but_the_migrations_login_changes_a_wrapped_key(database) -> None:
    for role in ("holotable_api", "holotable_worker", "holotable_audit"):
        connection = await asyncpg.connect(asyncpg_dsn(database.url(role)))
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await connection.execute("UPDATE key SET wrapped = wrapped")
        await connection.close()


async def test_a_process_without_the_key_says_so_and_calls_nothing_damaged(
    database, capsys: pytest.CaptureFixture[str]
) -> None:
    async with serving(database, SECRET_KEY) as api:
        owner, league = await api.league()
    async with serving(database, NEW_KEY) as wrong:
        owner.http = wrong.http
        answer = await owner.get(f"/v1/leagues/{league}")
    assert (answer.status_code, answer.json()["code"]) == (503, "league_key_unknown")
    told = environment(database.settings("holotable_api", secret_key=NEW_KEY))
    assert await examine(told) == 1
    assert "1 of 1 leagues' keys were wrapped by another secret key" in capsys.readouterr().out


async def test_the_doctor_warns_of_weak_hashing(database, capsys) -> None:
    """It is only a warning, because the tests hash weakly on purpose."""
    for memory, weak in ((8, True), (PASSWORD_MEMORY_KIB, False)):
        told = environment(database.settings("holotable_api", password_memory_kib=memory))
        await examine(told)
        said = capsys.readouterr().out
        assert ("HOLOTABLE_PASSWORD_MEMORY_KIB" in said) is weak, said
        assert ("passwords: hashing takes 8 KiB" in said) is weak


def test_the_whole_stack_refuses_a_key_beside_its_own(
    tmp_path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HOLOTABLE_SECRET_KEY", NEW_KEY)
    assert stay(tmp_path, "127.0.0.1", 0, None) == 2
    assert "`up` keeps a key of its own" in capsys.readouterr().out
    assert list(tmp_path.iterdir()) == []


async def test_addresses_are_sealed_with_the_new_key(database) -> None:
    old, both, new = AddressKeys(SECRET_KEY), AddressKeys(NEW_KEY, SECRET_KEY), AddressKeys(NEW_KEY)
    engine = async_engine(database.url("holotable_api"), 1)
    connection = await asyncpg.connect(asyncpg_dsn(database.url("holotable_migrate")))
    person, now = uuid4(), datetime.now(UTC)
    try:
        async with engine.begin() as api:
            await accounts.create(api, person, "lando", "Lando", None, now)
            await emails.want(api, old, person, "lando@bespin.example", now)
            await emails.keep_code(await driver_of(api), old, person, "code", now)
            assert await emails.verify(api, old, person, "code", now)
            await emails.want(api, old, person, "second@bespin.example", now)
        assert [(await reseal(connection, both)).changed for _ in range(2)] == [1, 0]
        async with engine.connect() as api:
            found = await emails.email_of(api, new, person)
            stored = await api.scalar(sa.select(account_email.c.digest))
        assert (found.address, found.wanted) == ("lando@bespin.example", "second@bespin.example")
        assert stored == new.digests("LANDO@bespin.example")[0]
        browser = Browser(uuid4(), "push.example", now)
        target = Target("https://push.example/send/1", "key", "auth")
        async with engine.begin() as api:
            await browsers.add(api, old, person, browser, target)
        assert [(await reseal_browsers(connection, both)).changed for _ in range(2)] == [1, 0]
        async with engine.connect() as api:
            driver = await driver_of(api)
            assert await browsers.target_of(driver, new, browser.id, now) == target
            [digest] = (await api.execute(sa.select(push_subscription.c.digest))).scalars()
            assert digest == new.digests(target.endpoint)[0]
        async with engine.begin() as api:
            await mail_former(api, old, person, uuid4(), "old@bespin.example", "en", now)
        assert [(await reseal_recipients(connection, both)).changed for _ in range(2)] == [1, 0]
        for sealing in (reseal, reseal_browsers, reseal_recipients):
            left = await sealing(connection, AddressKeys(OTHER_KEY))
            assert left.changed == 0 and left.damaged
    finally:
        await connection.close()
        await engine.dispose()


async def test_one_damaged_address_keeps_no_other_from_the_new_key(database) -> None:
    """It is named, and stays as it is: the keys may be the wrong ones."""
    old, new = AddressKeys(SECRET_KEY), AddressKeys(NEW_KEY)
    engine = async_engine(database.url("holotable_api"), 1)
    connection = await asyncpg.connect(asyncpg_dsn(database.url("holotable_migrate")))
    broken, sound, now = uuid4(), uuid4(), datetime.now(UTC)
    flip = "UPDATE {0} SET {1} = set_byte({1}, 20, 255 - get_byte({1}, 20)) WHERE {2} = $1"
    try:
        for person, login in ((broken, "lando"), (sound, "rey")):
            async with engine.begin() as api:
                await accounts.create(api, person, login, login, None, now)
                await emails.want(api, old, person, f"{login}@bespin.example", now)
                browser = Browser(uuid4(), f"{login}.example", now)
                target = Target(f"https://{login}.example/send", "key", "auth")
                await browsers.add(api, old, person, browser, target)
                await mail_former(api, old, person, uuid4(), f"{login}@x.example", "en", now)
            if person == broken:
                lost = browser.id
                [notice] = await connection.fetch("SELECT id FROM notice")
                for each in (
                    ("account_email", "wanted", "account", person),
                    ("push_subscription", "target", "id", browser.id),
                    ("notice", "recipient", "id", notice["id"]),
                ):
                    await connection.execute(flip.format(*each), each[-1])
        keys = {"secret_key": NEW_KEY, "second_secret_key": SECRET_KEY}
        with pytest.raises(EventUnreadable) as failed:
            await rotate(database.settings("holotable_migrate", **keys))
        for named in (f"plr_{broken.hex} (wanted)", f"browser {lost}", f"notice {notice['id']}"):
            assert named in failed.value.detail
        async with engine.connect() as api:
            found = await emails.email_of(api, new, sound)
            assert found is not None and found.wanted == "rey@bespin.example"
            assert await browsers.target_of(await driver_of(api), new, browser.id, now) == target
    finally:
        await connection.close()
        await engine.dispose()
