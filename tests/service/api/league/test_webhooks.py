"""A webhook is told of a league's public events, signed, and with a log."""

import base64
import json
import os
import re
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import psycopg
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

from service.api.http.reading.paging import position_parts
from service.tasks import forgetting
from service.webhooks.signing import secret_text, signed
from tests.support.databases import TestDatabase
from tests.support.poison import owning
from tests.support.receivers import LOOPBACK, receiving, working
from tests.support.webhooks import announce, hooked, json_of, log_of, play

pytestmark = pytest.mark.anyio

ROOT = Path(__file__).resolve().parents[4]


async def test_an_event_of_the_league_arrives_signed_and_stands_in_the_log(
    database: TestDatabase, serving: Callable[..., Any]
) -> None:
    async with (
        serving(webhook_networks=LOOPBACK) as api,
        receiving() as receiver,
        working(database) as worker,
    ):
        owner, league = await api.league()
        webhook = await hooked(owner, league, receiver.url)
        tournament = await announce(owner, league)

        assert await worker.work() == 1

        [got] = receiver.got
        told = Webhook(webhook["secret"]).verify(got.body, got.headers)
        assert told["type"] == "tournament.announced"
        assert told["data"]["tournament"] == tournament
        assert told["data"]["name"] == "Night"
        feed = (await owner.get(f"/v1/leagues/{league}/events?limit=200")).json()["items"]
        [place] = [n for n, each in enumerate(feed) if each["id"] == told["data"]["event"]]
        assert position_parts(told["data"]["position"], league) == (0, place)
        [delivery] = await log_of(owner, webhook)
        assert delivery["state"] == "delivered"
        assert delivery["id"] == got.headers["webhook-id"]
        assert delivery["body"].encode() == got.body
        assert [(each["status"], each["error"]) for each in delivery["log"]] == [(204, None)]


async def test_a_webhook_is_told_of_its_kinds_and_of_nothing_before_it(
    database: TestDatabase, serving: Callable[..., Any]
) -> None:
    async with (
        serving(webhook_networks=LOOPBACK) as api,
        receiving() as receiver,
        working(database) as worker,
    ):
        owner, league = await api.league()
        other, elsewhere = await api.league()
        await announce(owner, league, name="Before")
        kinds = ("tournament.started", "entrant.registered", "hand.settled", "season.opened")
        await hooked(owner, league, receiver.url, *kinds)
        await announce(other, elsewhere)
        tournament = await announce(owner, league, hands_between_seconds=0, hands_max=1)
        people = [await api.join(owner, league) for _ in range(2)]
        for person in people:
            await person.post(f"/v1/tournaments/{tournament}/registrations")
        await owner.post(f"/v1/tournaments/{tournament}/start")
        await owner.post(f"/v1/leagues/{league}/seasons", {"name": "One"})
        await worker.work()

        told = [json.loads(each.body) for each in receiver.got]
        found = Counter(each["type"] for each in told)
        assert found == {"entrant.registered": 2, "tournament.started": 1, "season.opened": 1}
        players = {each["data"].get("player") for each in told} - {None}
        assert players == {person.player for person in people}

        table = (await owner.get(f"/v1/tournaments/{tournament}")).json()["tables"][0]["id"]
        await play(people, table)
        await worker.work()
        [settled] = [m for m in map(json_of, receiver.got) if m["type"] == "hand.settled"]
        assert settled["data"]["table"] == table
        assert settled["data"]["tournament"] == tournament


async def test_a_secret_is_shown_once_kept_sealed_and_changed_with_an_overlap(
    database: TestDatabase, serving: Callable[..., Any]
) -> None:
    async with (
        serving(webhook_networks=LOOPBACK) as api,
        receiving() as receiver,
        working(database) as worker,
    ):
        owner, league = await api.league()
        asked = {"name": "Site", "url": receiver.url, "kinds": ["tournament.finished"]}
        made = await owner.post(f"/v1/leagues/{league}/webhooks", asked, key="once")
        again = await owner.post(f"/v1/leagues/{league}/webhooks", asked, key="once")
        assert again.json() == made.json() | {"secret": None}
        assert again.headers["idempotent-replayed"] == "true"
        webhook = made.json()
        path = f"/v1/webhooks/{webhook['id']}"
        assert "secret" not in (await owner.get(path)).json()
        listed = (await owner.get(f"/v1/leagues/{league}/webhooks")).json()["items"]
        assert listed == [(await owner.get(path)).json()]
        with psycopg.connect(database.url("holotable_worker"), autocommit=True) as connection:
            stored = str(connection.execute("SELECT * FROM webhook").fetchall())
        assert receiver.url not in stored
        assert webhook["secret"] not in stored

        rotated = (await owner.post(f"{path}/rotate", {"overlap_hours": 1})).json()
        await owner.post(f"{path}/try")
        await worker.work()
        final = (await owner.post(f"{path}/rotate", {"overlap_hours": 0})).json()
        tried = (await owner.post(f"{path}/try")).json()
        await worker.work()
        first, second = receiver.got
        for secret in (webhook["secret"], rotated["secret"]):
            assert Webhook(secret).verify(first.body, first.headers)["type"] == "webhook.tried"
        Webhook(final["secret"]).verify(second.body, second.headers)
        with pytest.raises(WebhookVerificationError):
            Webhook(rotated["secret"]).verify(second.body, second.headers)
        assert second.headers["webhook-id"] == tried["id"]
        deeds = (await owner.get(f"/v1/leagues/{league}/staff-log")).json()["items"]
        kinds = [each["type"] for each in deeds if each["kind"] == "operator"]
        assert kinds[:3] == ["webhook_secret_rotated", "webhook_secret_rotated", "webhook_made"]

        removed = await owner.http.delete(path, headers=owner.headers)
        assert removed.status_code == 204
        assert (await owner.get(f"/v1/webhook-deliveries/{tried['id']}")).status_code == 404


async def test_a_key_pair_and_discord_have_no_secret_to_show(
    database: TestDatabase, serving: Callable[..., Any]
) -> None:
    async with (
        serving(webhook_networks=LOOPBACK) as api,
        receiving() as receiver,
        working(database) as worker,
    ):
        owner, league = await api.league()
        pair = await hooked(owner, league, f"{receiver.url}/pair", form="v1a")
        chat = await hooked(owner, league, f"{receiver.url}/secret-of-the-chat", form="discord")
        assert (pair["secret"], chat["secret"], chat["public_key"]) == (None, None, None)
        assert "secret-of-the-chat" not in (await owner.get(f"/v1/webhooks/{chat['id']}")).text
        refused = await owner.post(f"/v1/webhooks/{chat['id']}/rotate", {})
        assert refused.status_code == 403
        await announce(owner, league, name="A *loud* night")
        await worker.work()
        by_path = {each.path: each for each in receiver.got}
        signed = by_path["/hook/pair"]
        version, _, signature = signed.headers["webhook-signature"].partition(",")
        key = base64.b64decode(pair["public_key"].removeprefix("whpk_"))
        text = f"{signed.headers['webhook-id']}.{signed.headers['webhook-timestamp']}."
        Ed25519PublicKey.from_public_bytes(key).verify(
            base64.b64decode(signature), text.encode() + signed.body
        )
        assert version == "v1a"
        said = by_path["/hook/secret-of-the-chat"]
        assert not [name for name in said.headers if name.startswith("webhook-")]
        assert "A \\*loud\\* night" in json_of(said)["content"]


REFUSED = (
    "ftp://site.example/", "https://", "https://user:pass@site.example/", "site.example",
    "https://site.example/#part", "https://10.0.0.1/", "https://[::1]/", "https://169.254.169.254/",
    "https://[64:ff9b::7f00:1]/", "https://[::ffff:127.0.0.1]/", "http://site.example/",
    "https://site.example:99999/", "https://site example/", "https://127.1/",
    "https://2130706433/", "https://localhost/",
)  # fmt: skip


async def test_no_webhook_leads_into_the_operators_network(
    database: TestDatabase, serving: Callable[..., Any]
) -> None:
    async with serving() as api, receiving() as receiver:
        owner, league = await api.league()
        for url in (*REFUSED, receiver.url):
            asked = {"name": "Site", "url": url, "kinds": ["tournament.announced"]}
            made = await owner.post(f"/v1/leagues/{league}/webhooks", asked)
            assert made.status_code == 400, url
            assert made.json()["errors"][0]["pointer"] == "/url"


async def test_an_address_is_vetted_at_each_attempt(
    database: TestDatabase, serving: Callable[..., Any]
) -> None:
    """The operator allows the network no longer, or a name leads elsewhere now."""
    async with serving(webhook_networks=LOOPBACK) as api, receiving() as receiver:
        owner, league = await api.league()
        webhook = await hooked(owner, league, f"https://localhost:{receiver.port}/")
        await announce(owner, league)
        async with working(database, network=None) as worker:
            await worker.work()
        [delivery] = await log_of(owner, webhook)
        [attempt] = delivery["log"]
        assert attempt["status"] is None
        assert attempt["error"].startswith("not allowed")
        assert receiver.got == []


async def test_a_league_has_few_webhooks_and_old_deliveries_go(
    database: TestDatabase, serving: Callable[..., Any]
) -> None:
    async with (
        serving(webhook_networks=LOOPBACK, league_webhooks=1) as api,
        receiving() as receiver,
        working(database) as worker,
    ):
        owner, league = await api.league()
        webhook = await hooked(owner, league, receiver.url)
        asked = {"name": "Site", "url": receiver.url, "kinds": ["hand.settled"]}
        refused = await owner.post(f"/v1/leagues/{league}/webhooks", asked)
        assert refused.json()["code"] == "quota_exhausted"
        for name in ("Old", "New", "Newer"):
            await announce(owner, league, name=name)
        await worker.work()
        path = f"/v1/webhooks/{webhook['id']}/deliveries?limit=2"
        page = (await owner.get(path)).json()
        rest = (await owner.get(f"{path}&cursor={page['next_cursor']}")).json()
        assert rest["next_cursor"] is None
        listed = [each["id"] for each in page["items"] + rest["items"]]
        log = await log_of(owner, webhook)
        assert listed == [each["id"] for each in log]
        names = [json.loads(each["body"])["data"]["name"] for each in log]
        assert names == ["Newer", "New", "Old"]

        async with owning(database) as connection:
            await connection.execute(
                "UPDATE webhook_delivery SET created_at = created_at - interval '31 days'"
                " WHERE body LIKE '%\"Old\"%'"
            )
        assert (await forgetting.forget(worker.runtime))["webhook_delivery"] == 1
        assert len(await log_of(owner, webhook)) == 2


def test_the_guides_receiver_takes_messages_and_refuses_forged_ones(tmp_path: Path) -> None:
    guide = (ROOT / "docs/guides/webhooks.md").read_text(encoding="utf-8")
    [code] = re.findall(r"```python\n(.*?)```", guide, re.DOTALL)
    assert len(code.strip().splitlines()) < 30
    (tmp_path / "receiver.py").write_text(code, encoding="utf-8")
    secret = secret_text("v1", bytes(32))
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    environment = os.environ | {"WEBHOOK_SECRET": secret, "PORT": str(port)}
    process = subprocess.Popen(
        [sys.executable, tmp_path / "receiver.py"],
        env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    try:
        body = b'{"type":"hand.settled","timestamp":"2026-11-27T19:30:00Z","data":{"hand":"hnd_1"}}'
        headers = signed("dlv_1", int(time.time()), body, [secret])
        url = f"http://127.0.0.1:{port}/"
        transport = httpx.HTTPTransport(retries=20)  # the receiver may still be starting
        with httpx.Client(transport=transport, trust_env=False) as client:
            answers = [client.post(url, content=body, headers=headers) for _ in range(2)]
            forged = client.post(url, content=body + b" ", headers=headers)
        assert [each.status_code for each in answers] == [204, 204]
        assert forged.status_code == 400
    finally:
        process.terminate()
        said, _ = process.communicate(timeout=10)
    assert said == "hand.settled {'hand': 'hnd_1'}\n", "the second message is the first again"


async def test_a_webhook_comes_once_though_an_older_one_goes_between_two_pages(
    serving: Callable[..., Any],
) -> None:
    async with serving(webhook_networks=LOOPBACK) as api:
        owner, league = await api.league()
        oldest, older, newest = [
            await hooked(owner, league, f"http://127.0.0.1:1/{each}") for each in range(3)
        ]
        path = f"/v1/leagues/{league}/webhooks?limit=1"
        first = (await owner.get(path)).json()
        gone = await owner.http.delete(f"/v1/webhooks/{oldest['id']}", headers=owner.headers)
        assert gone.status_code == 204, gone.text
        second = (await owner.get(f"{path}&cursor={first['next_cursor']}")).json()
        found = [each["id"] for page in (first, second) for each in page["items"]]
        assert (found, second["next_cursor"]) == ([newest["id"], older["id"]], None)
