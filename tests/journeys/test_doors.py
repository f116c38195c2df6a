"""All that leaves a running stack, with its logs at their loudest, is searched for secrets."""

import asyncio
import base64
import json
import re
import shutil
import subprocess
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import asyncpg
import httpx
import msgspec
import pytest

from engine.values import number_of
from service.base.settings import Settings, environment
from service.log.keys import Keys
from service.log.sealing import unseal
from service.notices.push import new_private_key
from service.process.supervisor import Stack
from service.process.watching import ProcessWatch, addresses
from tests.deploy.parts import RABBIT, Rabbit
from tests.service.api.me.test_notifications import Browser
from tests.service.api.table.test_leaks import turned_over
from tests.support.commands import in_fork
from tests.support.mailboxes import MailServer, mail_server
from tests.support.receivers import LOOPBACK, Receiver, receiving
from tests.support.servers import programs
from tests.support.tapping import Tap, TapOfRabbit, TapOfTables
from tests.support.waiting import until_awaited

pytestmark = [pytest.mark.slow, pytest.mark.long, pytest.mark.anyio]

PEOPLE = ("owner", "han", "lando", "watcher")
SCOPES = [
    "leagues:read", "leagues:manage", "tournaments:manage", "tables:play", "webhooks:manage",
    "tokens:manage", "hands:audit",
]  # fmt: skip
CARD = re.compile(rb"(?<![\w+-])([A-Z][+-]\d\d)(?![\w+-])")
KINDS = ["tournament.announced", "tournament.started", "entrant.registered"]
SHOWN = (("doctor",), ("doctor", "--json"), ("operators-log",), ("quarantine", "list"))
SEALED = """
    SELECT stream, stream_version, type, sealed FROM events WHERE league = $1 AND sealed IS NOT NULL
"""
RELATIONS = (
    "job", "notice", "webhook_delivery", "operator_deed", "push_subscription", "audit_report",
)  # fmt: skip
QUEUES = ("play", "long", "outside")
PUSH = "/pushpath"


@dataclass
class House(Stack):
    """A stack with another broker for its worker, if one is given."""

    amqp: str | None = None

    def settings(self, process: str) -> Settings:
        told = super().settings(process)
        if process != "worker" or self.amqp is None:
            return told
        return msgspec.structs.replace(told, broker_url=self.amqp)


class Guests:
    """People of one league at one table, and every secret that the service has given them."""

    def __init__(self, http: httpx.AsyncClient) -> None:
        self.http = http
        self.browser = Browser()
        self.secrets: dict[str, str] = {
            "path of a webhook": "secretpath", "address of a browser": PUSH[1:],
        }  # fmt: skip
        self.ids: dict[str, str] = {}
        self.league = self.tournament = self.table = ""

    async def send(self, who: str, path: str, body: Any = None, method: str = "POST") -> Any:
        headers = {"Idempotency-Key": uuid4().hex, "If-Match": "*"} | self.headers(who)
        answer = await self.http.request(method, f"/v1/{path}", json=body or {}, headers=headers)
        assert answer.is_success, (path, answer.text)
        return answer.json()

    async def read(self, who: str, path: str) -> bytes:
        return (await self.http.get(path, headers=self.headers(who))).content

    def headers(self, who: str) -> dict[str, str]:
        token = self.secrets.get(f"token of {who}")
        return {} if token is None else {"Authorization": f"Bearer {token}"}

    async def gather(self, hook: str) -> None:
        """Sign everybody up, found a league with receivers, and deal a hand."""
        for who in PEOPLE:
            asked = {"login": who, "password": f"the pass word of {who}"}
            self.secrets[f"password of {who}"] = asked["password"]
            self.ids[who] = (await self.send("", "accounts", asked))["id"]
            made = await self.send("", "tokens", asked | {"scopes": SCOPES})
            self.secrets[f"token of {who}"] = made["token"]
        address = {"email": "han@example.org", "password": self.secrets["password of han"]}
        await self.send("han", "me/email", address, "PUT")
        subscription = self.browser.subscription(hook.removesuffix("/hook") + PUSH)
        self.secrets["secret of a browser"] = subscription["keys"]["auth"]
        await self.send("han", "me/push-subscriptions", subscription)
        self.league = (await self.send("owner", "leagues", {"name": "Cloud City"}))["id"]
        at = f"leagues/{self.league}"
        code = (await self.send("owner", f"{at}/invitations", {"uses": 9}))["code"]
        self.secrets["invitation"] = code
        for who in PEOPLE[1:]:
            await self.send(who, f"invitations/{code}/accept")
        entered = await self.send("owner", f"{at}/players", {"name": "Chewie"})
        self.secrets["claim code"] = entered["claim"]
        wanted = {"name": "Site", "url": f"{hook}/secretpath", "kinds": KINDS, "form": "v1"}
        self.secrets["webhook"] = (await self.send("owner", f"{at}/webhooks", wanted))["secret"]
        self.secrets["calendar key"] = (await self.send("han", "me/calendar-keys"))["key"]
        terms = {"name": "Night", "ruleset": "better", "hands_between_seconds": 3600}
        self.tournament = (await self.send("owner", f"{at}/tournaments", terms))["id"]
        evening = f"tournaments/{self.tournament}"
        self.secrets["screen key"] = (await self.send("owner", f"{evening}/screen-keys"))["key"]
        for who in ("han", "lando"):
            await self.send(who, f"{evening}/registrations")
        await self.send("owner", f"{evening}/start")
        shown = (await self.http.get(f"/v1/{evening}", headers=self.headers("owner"))).json()
        self.table = shown["tables"][0]["id"]
        await self.send("owner", f"{at}/audits")

    def pushes(self, hook: Receiver) -> list[bytes]:
        """Return the messages to the browser, as it decrypts them."""
        got = (each for each in hook.got if each.path == PUSH)
        return [json.dumps(self.browser.read(each)).encode() for each in got]

    async def err(self) -> None:
        """Send what is refused, with secrets in every part of the request."""
        token, key = self.secrets["token of han"], self.secrets["screen key"]
        for path in (
            "/nope", f"/sign-in/tok_{'1' * 32}.{token}", f"/screen/{key}x", f"/?link={key}",
            f"/v1/codes/{self.secrets['claim code']}", "/v1/leagues/%00", f"/v1/screen?key={key}",
            f"/v1/tables/{self.table}?token={token}", "/v1/hands/%ff",
        ):  # fmt: skip
            await self.http.get(path)
        asked = {"login": "han", "password": self.secrets["password of han"], "junk": 1}
        await self.http.post("/v1/tokens", json=asked)
        await self.http.post("/v1/tokens", content=str(asked).encode())
        claim = {"code": self.secrets["claim code"], "login": "X Y", "password": asked["password"]}
        await self.http.post("/v1/claims", json=claim)


async def hidden(stack: Stack, league: str) -> tuple[dict[str, str], set[str]]:
    """Return every long value that the log seals, with its salts, and the cards among them."""
    connection = await asyncpg.connect(stack.settings("migrate").database_url)
    keys = await Keys(stack.settings("api").secret_key).of(connection, number_of(league))
    found: dict[str, str] = {}
    cards: set[str] = set()
    for row in await connection.fetch(SEALED, number_of(league)):
        boxes = unseal(keys, row["stream"], row["stream_version"], row["sealed"], None)
        for audience, places in boxes.items():
            for place, (salt, value) in places.items():
                where = f"{row['type']} {audience} {place}"
                text = bytes(value).decode().strip('"')
                found |= {
                    f"{kind} of {where}": it for kind, it in (("salt", salt), ("value", text))
                }
                cards |= {each.decode() for each in CARD.findall(bytes(value))}
    await connection.close()
    return {name: it for name, it in found.items() if len(it) >= 16}, cards


async def doors(
    stack: Stack, tap: Tap, guests: Guests, hook: Receiver, mails: MailServer, place: Path
) -> dict[str, bytes]:
    """Return all that leaves the stack, by its way."""
    found = {f"log {each.name}": each.read_bytes() for each in stack.data.rglob("*.log")}
    assert stack.watch is not None
    firsts = [int(each.rpartition(":")[2]) for each in stack.watch.addresses.values()]
    for port in (first + number for first in firsts for number in range(4)):  # a worker has several
        try:
            async with httpx.AsyncClient(timeout=5) as http:
                found[f"metrics {port}"] = (
                    await http.get(f"http://127.0.0.1:{port}/metrics")
                ).content
        except httpx.TransportError:
            continue
    told = environment(stack.settings("migrate"))
    for asked in SHOWN:
        done = await asyncio.to_thread(in_fork, asked, told)
        found[" ".join(asked)] = (done.stdout + done.stderr).encode()
    copy, archive = place / "copy", place / "league.zip"
    for asked, who in (
        (("backup", str(copy), "--without-keys"), "migrate"),
        (("league", "export", guests.league, str(archive)), "api"),
    ):
        done = await asyncio.to_thread(in_fork, asked, environment(stack.settings(who)))
        assert done.returncode == 0, done.stderr
    found["backup"] = await asyncio.to_thread(readable, copy / "database.dump")
    found["manifest"] = (copy / "manifest.json").read_bytes()
    with zipfile.ZipFile(archive) as opened:
        found["archive"] = b"".join(opened.read(each) for each in opened.namelist())
    log = await asyncpg.connect(stack.settings("migrate").database_url)
    for relation in RELATIONS:
        found[relation] = str(await log.fetch(f"SELECT * FROM {relation}")).encode()
    await log.close()
    found |= {f"broker: {door}": its for door, its in tap.heard().items()}
    found["messages"] = b"\n".join(each.body for each in hook.got)
    found["pushes"] = b"\n".join(guests.pushes(hook))
    found["headers of messages"] = str([each.headers for each in hook.got]).encode()
    found["mails"] = b"\n".join(each.message.as_bytes() for each in mails.got)
    key = guests.secrets["calendar key"]
    found["calendar"] = await guests.read("", f"/v1/me/calendar.ics?key={key}")
    for name, child in stack._children.items():
        found[f"arguments of {name}"] = arguments_of(child.pid)
    at = f"/v1/leagues/{guests.league}"
    for path in (f"/v1/tables/{guests.table}", f"/v1/tables/{guests.table}/events", f"{at}/events"):
        for who in ("owner", "watcher"):
            found[f"{who} {path}"] = await guests.read(who, path)
    return found


def readable(dump: Path) -> bytes:
    """Return the whole of a copy of the database as SQL."""
    command = [programs(None) / "pg_restore", "-f", "-", dump]
    return subprocess.run(command, capture_output=True, check=True).stdout


def arguments_of(pid: int) -> bytes:
    """Return what every user of the machine sees of a process."""
    return Path(f"/proc/{pid}/cmdline").read_bytes()


def forms(secret: str) -> Iterator[bytes]:
    """Yield the forms in which a secret may stand somewhere."""
    yield secret.encode()
    if re.fullmatch("(?:[0-9a-f]{2}){8,}", secret):
        plain = bytes.fromhex(secret)
        yield from (plain, secret.upper().encode(), repr(plain)[2:-1].encode())
        yield from (
            each(plain).rstrip(b"=") for each in (base64.b64encode, base64.urlsafe_b64encode)
        )


def open_doors(doors: Mapping[str, bytes], secrets: Mapping[str, str]) -> list[str]:
    return [
        f"{secret} stands in {door}"
        for door, shown in doors.items()
        for secret, it in secrets.items()
        if any(each in shown for each in forms(it))
    ]


@pytest.fixture
def rabbit(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Rabbit | None]:
    """A node of RabbitMQ, or None for PGMQ."""
    with ExitStack() as parts:
        if not request.param:
            yield None
            return
        if shutil.which("rabbitmq-server", path=str(RABBIT)) is None:
            pytest.skip("rabbitmq-server is not installed")
        node = Rabbit(tmp_path / "rabbit")
        parts.enter_context(node.running())
        yield node


@pytest.mark.parametrize("rabbit", [False, True], ids=["pgmq", "rabbitmq"], indirect=True)
async def test_no_way_out_of_a_stack_shows_a_hidden_card_a_seed_or_a_secret(
    tmp_path: Path, rabbit: Rabbit | None
) -> None:
    """Members, spectators, operators, brokers, receivers and thieves of a backup see none."""
    async with receiving() as hook, mail_server() as mails:
        key = new_private_key()
        options = {
            "log_level": "debug", "worker_processes": 1, "sign_seconds": 1, "smtp_url": mails.url,
            "mail_from": "night@example.org", "public_url": "http://localhost",
            "webhook_networks": LOOPBACK, "tick_milliseconds": 50,
            "push_key": key, "push_contact": "mailto:night@example.org",
        }  # fmt: skip
        watch, amqp = ProcessWatch(addresses(None)), None if rabbit is None else rabbit.url
        stack = House(tmp_path / "d", durable=False, options=options, watch=watch, amqp=amqp)
        stack.start()
        broker = stack.settings("worker").broker_url or ""
        tap: Tap = TapOfTables(broker) if rabbit is None else TapOfRabbit(rabbit)
        try:
            async with httpx.AsyncClient(base_url=stack.url, timeout=30) as http:
                guests = Guests(http)
                await guests.gather(hook.url)
                await guests.err()

                async def told() -> bool:
                    hooked = [each for each in hook.got if each.path != PUSH]
                    return len(hooked) >= 4 and bool(mails.got and guests.pushes(hook))

                await until_awaited(told)

                async def audited() -> bool:
                    found = await guests.read("owner", f"/v1/leagues/{guests.league}/audits")
                    return b'"done"' in found

                await until_awaited(audited)
                sealed, cards = await hidden(stack, guests.league)
                assert len(sealed) >= 6 and len(cards) >= 6
                found = await doors(stack, tap, guests, hook, mails, tmp_path)
        finally:
            stack.stop()
        kept = {file.name: file.read_text().strip() for file in (tmp_path / "d/secrets").iterdir()}
        kept.pop("signer.pub")
        secrets = guests.secrets | sealed | {f"file {name}": it for name, it in kept.items()}
        secrets["key of push messages"] = key
        # Every queue has spoken, and the tap understands what it heard.
        spoken = {queue: found[f"broker: message {queue}"] for queue in QUEUES}
        assert all(b'"job_id"' in its for its in spoken.values()), spoken
        assert guests.league.encode() in spoken["long"]
        assert b"Night" in found["pushes"]
        # The search finds what is there: a backup with keys is as secret as the server.
        assert open_doors({"all": b" ".join(map(str.encode, secrets.values()))}, secrets)
        assert open_doors(found, secrets) == []
        page = json.loads(found[f"watcher /v1/tables/{guests.table}/events"])
        public = {each.encode() for each in turned_over(page["items"])}
        shown = {door: set(CARD.findall(it)) - public for door, it in found.items()}
        assert {door: it for door, it in shown.items() if it} == {}
