"""A message arrives at least once, and an address that receives nothing harms nobody."""

import asyncio
from collections.abc import Callable
from typing import Any

import psycopg
import pytest

from service.cli import quarantine as commands
from service.webhooks import deliveries, delivering
from service.webhooks.delivering import DELAYS, JITTER, UNDER_WAY_MAX
from tests.support.databases import TestDatabase
from tests.support.poison import owning, plant
from tests.support.receivers import LOOPBACK, due_now, receiving, working
from tests.support.webhooks import announce, hooked, instant, json_of, log_of, put

pytestmark = pytest.mark.anyio


async def test_a_failed_message_comes_again_under_its_identifier_until_it_has_failed(
    database: TestDatabase, serving: Callable[..., Any]
) -> None:
    async with (
        serving(webhook_networks=LOOPBACK) as api,
        receiving() as receiver,
        receiving() as elsewhere,
        working(database) as worker,
    ):
        owner, league = await api.league()
        webhook = await hooked(owner, league, receiver.url)
        receiver.headers = f"Location: {elsewhere.url}\r\n"
        receiver.answers = [500, 302, 404, 503, 500, 500, 500, 500, 500, 500]
        await announce(owner, league)
        waits = []
        for attempt in range(10):
            assert await worker.work() == 1
            assert await worker.work() == 0, "a message is not sent before its time"
            [delivery] = await log_of(owner, webhook)
            assert delivery["attempts"] == attempt + 1
            if delivery["next_at"]:
                waits.append(instant(delivery["next_at"]) - instant(delivery["log"][-1]["at"]))
            due_now(database)

        assert delivery["state"] == "failed"
        assert [each["status"] for each in delivery["log"]][:4] == [500, 302, 404, 503]
        assert all(each["error"] for each in delivery["log"])
        assert [each.total_seconds() // 1 for each in waits] != []
        for wait, least in zip(waits, DELAYS, strict=True):
            assert least <= wait <= least * (1 + JITTER)
        assert any(wait > least for wait, least in zip(waits, DELAYS, strict=True))
        assert len({each.headers["webhook-id"] for each in receiver.got}) == 1
        assert elsewhere.got == []

        # A person may have it sent again. It keeps its identifier.
        again = await owner.post(f"/v1/webhook-deliveries/{delivery['id']}/redeliver")
        assert (again.status_code, again.json()["state"]) == (202, "waiting")
        await worker.work()
        [delivery] = await log_of(owner, webhook)
        assert delivery["state"] == "delivered"
        assert (await owner.get(f"/v1/webhooks/{webhook['id']}")).json()["failing_since"] is None
        assert receiver.got[-1].headers["webhook-id"] == delivery["id"]


async def test_a_receiver_that_is_gone_or_fails_for_five_days_is_told_no_more(
    database: TestDatabase, serving: Callable[..., Any]
) -> None:
    async with (
        serving(webhook_networks=LOOPBACK) as api,
        receiving() as gone,
        receiving() as failing,
        working(database) as worker,
    ):
        owner, league = await api.league()
        first = await hooked(owner, league, gone.url)
        second = await hooked(owner, league, failing.url)
        gone.answers, failing.answers = [410], [500, 500]
        await announce(owner, league)
        await worker.work()
        shown = (await owner.get(f"/v1/webhooks/{first['id']}")).json()
        assert not shown["enabled"]
        assert "410" in shown["disabled_why"]
        shown = (await owner.get(f"/v1/webhooks/{second['id']}")).json()
        assert shown["enabled"]
        assert shown["failing_since"]

        with psycopg.connect(database.url("holotable_worker"), autocommit=True) as connection:
            connection.execute("UPDATE webhook SET failing_since = failing_since - interval '5 d'")
        await announce(owner, league)
        await worker.work()
        shown = (await owner.get(f"/v1/webhooks/{second['id']}")).json()
        assert not shown["enabled"]
        assert {each["state"] for each in await log_of(owner, second)} == {"failed"}
        deeds = (await owner.get(f"/v1/leagues/{league}/staff-log")).json()["items"]
        disabled = [(d["actor"], d["about"]) for d in deeds if d["type"] == "webhook_disabled"]
        assert sorted(disabled) == sorted([("house", first["id"]), ("house", second["id"])])
        refused = await owner.post(f"/v1/webhooks/{first['id']}/try")
        assert refused.status_code == 403

        # When it is enabled again, it gets new messages, and none that it missed.
        await announce(owner, league, name="Missed")
        change = {"name": "Site", "kinds": ["tournament.announced"], "enabled": True}
        await put(owner, first, change | {"url": gone.url + "/new"})
        await announce(owner, league, name="Again")
        await worker.work()
        assert [json_of(each)["data"]["name"] for each in gone.got] == ["Night", "Again"]
        assert gone.got[-1].path == "/hook/new"


async def test_a_new_address_does_not_answer_for_the_failures_of_the_old_one(
    database: TestDatabase, serving: Callable[..., Any]
) -> None:
    """Nor for an attempt that is under way to the old one."""
    async with (
        serving(webhook_networks=LOOPBACK) as api,
        receiving() as old,
        receiving() as new,
        working(database) as worker,
    ):
        owner, league = await api.league()
        webhook = await hooked(owner, league, old.url)
        old.answers = [500, 0]
        await announce(owner, league)
        await worker.work()
        with psycopg.connect(database.url("holotable_worker"), autocommit=True) as connection:
            connection.execute("UPDATE webhook SET failing_since = failing_since - interval '5 d'")
        due_now(database)
        sending = asyncio.create_task(worker.work())
        await old.has(2)
        change = {"name": "Site", "kinds": ["tournament.announced"], "enabled": True}
        await put(owner, webhook, change | {"url": new.url})
        old.let_go.set()
        await sending
        shown = (await owner.get(f"/v1/webhooks/{webhook['id']}")).json()
        assert (shown["enabled"], shown["failing_since"]) == (True, None)
        due_now(database)
        await worker.work()
        assert len(new.got) == 1, "the message that waited went to the new address"


async def test_a_webhook_that_does_not_open_is_listed_set_again_and_removed(
    database: TestDatabase, serving: Callable[..., Any]
) -> None:
    async with serving(webhook_networks=LOOPBACK) as api:
        owner, league = await api.league()
        broken = await hooked(owner, league, "http://127.0.0.1:9/hook", form="v1a")
        useless = await hooked(owner, league, "http://127.0.0.1:9/other")
        damaged = ", ".join(
            f"{each} = set_byte({each}, 50, 255 - get_byte({each}, 50))"
            for each in ("url", "secret")
        )
        with psycopg.connect(database.url("postgres"), autocommit=True) as connection:
            connection.execute(f"UPDATE webhook SET {damaged}")
        listed = (await owner.get(f"/v1/leagues/{league}/webhooks")).json()["items"]
        assert [(each["url"], each["public_key"]) for each in listed] == [(None, None)] * 2
        path = f"/v1/webhooks/{broken['id']}"
        change = {"name": "New", "kinds": broken["kinds"], "enabled": True}
        await put(owner, broken, change)
        assert (await owner.get(path)).json()["url"] is None
        await put(owner, broken, change | {"url": "http://127.0.0.1:9/new"})
        rotated = await owner.post(f"{path}/rotate")
        assert rotated.status_code == 200, rotated.text
        shown = (await owner.get(path)).json()
        assert shown["url"] == "http://127.0.0.1:9/new"
        assert shown["public_key"] not in (None, broken["public_key"])
        gone = await owner.http.delete(f"/v1/webhooks/{useless['id']}", headers=owner.headers)
        assert gone.status_code == 204, gone.text


async def test_a_delivery_given_up_while_it_was_sent_stays_given_up(
    database: TestDatabase, serving: Callable[..., Any]
) -> None:
    async with (
        serving(webhook_networks=LOOPBACK) as api,
        receiving() as receiver,
        working(database) as worker,
    ):
        owner, league = await api.league()
        webhook = await hooked(owner, league, receiver.url)
        receiver.answers = [0]
        await announce(owner, league)
        sending = asyncio.create_task(worker.work())
        await receiver.has(1)
        change = {"name": "Site", "kinds": ["tournament.announced"]}
        await put(owner, webhook, change | {"enabled": False})
        receiver.let_go.set()
        await sending
        await put(owner, webhook, change | {"enabled": True})
        due_now(database)
        await worker.work()
        assert len(receiver.got) == 1
        [delivery] = await log_of(owner, webhook)
        assert (delivery["state"], delivery["next_at"]) == ("failed", None)


async def test_a_message_sent_again_during_its_last_attempt_has_the_whole_series_of_retries(
    database: TestDatabase, serving: Callable[..., Any]
) -> None:
    async with (
        serving(webhook_networks=LOOPBACK) as api,
        receiving() as receiver,
        working(database) as worker,
    ):
        owner, league = await api.league()
        webhook = await hooked(owner, league, receiver.url)
        receiver.answers = [500, 0]
        await announce(owner, league)
        await worker.work()
        with psycopg.connect(database.url("holotable_worker"), autocommit=True) as connection:
            connection.execute("UPDATE webhook_delivery SET attempts = %s", [len(DELAYS)])
        due_now(database)
        last = asyncio.create_task(worker.work())
        await receiver.has(2)
        [delivery] = await log_of(owner, webhook)
        again = await owner.post(f"/v1/webhook-deliveries/{delivery['id']}/redeliver")
        assert again.status_code == 202, again.text
        receiver.let_go.set()
        await last
        [delivery] = await log_of(owner, webhook)
        assert (delivery["state"], delivery["attempts"]) == ("waiting", 1)
        wait = instant(delivery["next_at"]) - instant(delivery["log"][-1]["at"])
        assert wait <= DELAYS[0] * (1 + JITTER)


async def test_nothing_is_queued_for_a_webhook_that_is_being_disabled(
    database: TestDatabase, serving: Callable[..., Any]
) -> None:
    async with serving(webhook_networks=LOOPBACK) as api:
        owner, league = await api.league()
        webhook = await hooked(owner, league, "http://127.0.0.1:1/hook")
        with psycopg.connect(database.url("postgres")) as disabling:
            disabling.execute("UPDATE webhook SET disabled_at = now(), disabled_why = 'gone'")
            trying = asyncio.create_task(owner.post(f"/v1/webhooks/{webhook['id']}/try"))
            waits = (
                "SELECT count(*) FROM pg_stat_activity"
                " WHERE wait_event_type = 'Lock' AND datname = current_database()"
            )
            while not trying.done() and not await api.app.shell.pool.fetchval(waits):
                pass
        refused = await trying
        assert (refused.status_code, refused.json()["code"]) == (403, "forbidden"), refused.text


async def test_a_slow_receiver_keeps_nobody_waiting(
    database: TestDatabase, serving: Callable[..., Any]
) -> None:
    async with (
        serving(webhook_networks=LOOPBACK) as api,
        receiving() as slow,
        receiving() as quick,
        working(database) as worker,
    ):
        owner, league = await api.league()
        await hooked(owner, league, slow.url)
        await hooked(owner, league, quick.url)
        slow.answers = [0] * 20
        for number in range(10):
            await announce(owner, league, name=f"Night {number}")
        working_on = asyncio.create_task(worker.work())
        await quick.has(10)
        assert len(slow.got) <= UNDER_WAY_MAX
        slow.let_go.set()
        slow.answers = []
        await working_on


async def test_a_worker_that_dies_before_the_record_sends_the_message_again(
    database: TestDatabase, serving: Callable[..., Any]
) -> None:
    async with serving(webhook_networks=LOOPBACK) as api, receiving() as receiver:
        owner, league = await api.league()
        webhook = await hooked(owner, league, receiver.url)
        receiver.answers = [0]
        await announce(owner, league)
        async with working(database) as worker:
            dying = asyncio.create_task(worker.work())
            await receiver.has(1)
            dying.cancel()
            await asyncio.gather(dying, return_exceptions=True)
        assert [each["log"] for each in await log_of(owner, webhook)] == [[]]

        with psycopg.connect(database.url("holotable_worker"), autocommit=True) as connection:
            connection.execute("UPDATE job SET lease_until = service_time() WHERE state = 'sent'")
        async with working(database) as worker:
            await worker.work()
        first, second = receiver.got
        assert (first.headers["webhook-id"], first.body) == (
            second.headers["webhook-id"],
            second.body,
        )
        [delivery] = await log_of(owner, webhook)
        assert (delivery["state"], len(delivery["log"])) == ("delivered", 1)


async def test_an_unreadable_event_stops_the_webhooks_of_its_league_alone(
    database: TestDatabase, serving: Callable[..., Any]
) -> None:
    async with (
        serving(webhook_networks=LOOPBACK) as api,
        receiving() as receiver,
        working(database) as worker,
    ):
        owner, league = await api.league()
        other, elsewhere = await api.league()
        for person, its in ((owner, league), (other, elsewhere)):
            await hooked(person, its, receiver.url, "tournament.announced", "entrant.eliminated")
        await announce(owner, league, name="First")
        async with owning(database) as connection:
            position = await plant(connection, league, "entrant_eliminated", {})
        await announce(owner, league, name="After")
        await announce(other, elsewhere, name="Healthy")
        await worker.work()
        assert {json_of(each)["data"]["name"] for each in receiver.got} == {"First", "Healthy"}
        with psycopg.connect(database.url("holotable_worker"), autocommit=True) as connection:
            held = connection.execute("SELECT consumer, position FROM quarantine").fetchall()
            starts = connection.execute(
                "SELECT count(*) FROM job WHERE task = 'tournament.start'"
            ).fetchone()
        assert held == [("webhooks", position)]
        assert starts == (3,), "the search for jobs goes on"

        migrate = database.settings("holotable_migrate")
        assert await commands.release(migrate, league, "webhooks", skip=True) == 0
        await worker.work()
        assert json_of(receiver.got[-1])["data"]["name"] == "After"


async def test_a_league_that_fills_the_queue_keeps_only_itself_waiting(
    database: TestDatabase, serving: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(delivering, "_ALL_MAX", 2)
    async with (
        serving(webhook_networks=LOOPBACK) as api,
        receiving() as slow,
        receiving() as quick,
        working(database) as worker,
    ):
        greedy, crowded = await api.league()
        owner, league = await api.league()
        for _ in range(3):
            webhook = await hooked(greedy, crowded, slow.url)
            await greedy.post(f"/v1/webhooks/{webhook['id']}/try")
        webhook = await hooked(owner, league, quick.url)
        await owner.post(f"/v1/webhooks/{webhook['id']}/try")
        slow.answers = [0] * 20
        working_on = asyncio.create_task(worker.work())
        await quick.has(1)
        assert len(slow.got) < 2, "the slow receivers had every place before"
        slow.let_go.set()
        await working_on


async def test_only_a_few_trials_wait_at_a_time(serving: Callable[..., Any]) -> None:
    async with serving(webhook_networks=LOOPBACK) as api:
        owner, league = await api.league()
        webhook = await hooked(owner, league, "http://127.0.0.1:9/hook")
        path = f"/v1/webhooks/{webhook['id']}/try"
        for _ in range(deliveries.TRIALS_MAX):
            assert (await owner.post(path)).status_code == 202
        refused = await owner.post(path)
        assert (refused.status_code, refused.json()["code"]) == (409, "quota_exhausted")
