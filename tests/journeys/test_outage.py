"""The database is away for ten seconds while two tables play."""

import asyncio
import json
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import httpx
import pytest
from rich.console import Console

from engine.values import stream_of
from service.api.http.reading.paging import parts_of
from service.process.supervisor import Stack
from service.sandbox.bots.client import Client
from service.sandbox.bots.player import Player
from service.sandbox.demo.floor import Floor
from service.sandbox.demo.teller import Story, Teller
from tests.support.waiting import until_awaited

pytestmark = [pytest.mark.long, pytest.mark.anyio]

AWAY_SECONDS = 10.0
DECISION_SECONDS = 6
"""This is shorter than the outage: without extra time, every waiting seat would time out."""

ACTIONS_BEFORE = 6
PATIENCE_SECONDS = 90.0
NAMES = ("han", "lando", "qira", "tobias", "dryden", "enfys", "rio", "val")


@dataclass
class Ledger:
    """The server's answers to all clients."""

    acknowledged: list[tuple[str, str]] = field(default_factory=list)
    """The table and the position of every accepted action."""

    failed: list[httpx.Response] = field(default_factory=list)

    async def note(self, response: httpx.Response) -> None:
        path = response.request.url.path
        if response.status_code >= 500:
            await response.aread()
            self.failed.append(response)
        elif response.is_success and path.endswith("/actions"):
            await response.aread()
            self.acknowledged.append((path.split("/")[3], response.json()["position"]))


@dataclass(kw_only=True)
class Patient(Player):
    """A player who does not answer a decision until *let* is set."""

    let: asyncio.Event
    asked: asyncio.Event = field(default_factory=asyncio.Event)

    async def answer(self, table: str, decision: str) -> bool:
        if not self.let.is_set():
            self.asked.set()
            await self.let.wait()
        return await super().answer(table, decision)


@asynccontextmanager
async def connected(stack: Stack, ledger: Ledger) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(
        base_url=stack.url,
        timeout=40,
        limits=httpx.Limits(max_connections=64),
        event_hooks={"response": [ledger.note]},
    ) as http:
        yield http


async def signed_up(http: httpx.AsyncClient, name: str) -> Client:
    body = {"login": name, "password": "a long night ahead", "name": name}
    await Client(http, name).post("/v1/accounts", body)
    made = await Client(http, name).post(
        "/v1/tokens", {"login": name, "password": body["password"]}
    )
    return Client(http, name, made["token"])


@dataclass
class Evening:
    """A tournament on two tables, ready to start."""

    host: Client
    league: str
    tournament: str
    players: dict[str, Patient]

    @classmethod
    async def prepare(cls, http: httpx.AsyncClient) -> "Evening":
        host = await signed_up(http, "host")
        league = (await host.post("/v1/leagues", {"name": "Cloud City", "sandbox": True}))["id"]
        invited = {"role": "player", "uses": len(NAMES)}
        code = (await host.post(f"/v1/leagues/{league}/invitations", invited))["code"]
        terms = {"name": "Night one", "ruleset": "better", "starting_stack": 150}
        overrides = {"starting_stack": 150, "escalation": {"kind": "double_per_orbit"}}
        terms |= {"overrides": overrides, "table_seats": 4, "entrants_max": 8}
        terms |= {"decision_seconds": DECISION_SECONDS, "grace_seconds": 0}
        terms |= {"hands_between_seconds": 0, "bots": "only"}
        made = await host.post(f"/v1/leagues/{league}/tournaments", terms)
        players = {}
        for name in NAMES:
            client = await signed_up(http, name)
            await client.post(f"/v1/invitations/{code}/accept", {})
            entered = f"/v1/tournaments/{made['id']}/registrations"
            entrant = (await client.post(entered, {"bot": True}))["entrant"]
            let = asyncio.Event()
            if name != NAMES[0]:
                let.set()
            players[entrant] = Patient(client=client, name=name, seed=7, let=let)
        return cls(host, league, made["id"], players)

    async def play(self) -> dict[str, Any]:
        teller = Teller(Console(file=StringIO()), steps=1)
        story = Story(teller, {entrant: bot.name for entrant, bot in self.players.items()})
        floor = Floor(watcher=self.host, players=dict(self.players), story=story)
        return await floor.follow(self.tournament)

    async def events(self) -> list[dict[str, Any]]:
        """Return the public events of the league's log."""
        return await self.host.items(f"/v1/leagues/{self.league}/events", by="after", limit=200)


async def requests_while_away(http: httpx.AsyncClient, evening: Evening, table: str) -> None:
    """Send reads and writes every half second until the outage is over."""
    headers = {"Authorization": f"Bearer {evening.host.token}", "Idempotency-Key": "away"}
    async with asyncio.timeout(AWAY_SECONDS):
        while True:
            await http.get("/readyz")
            await http.get(f"/v1/tables/{table}", headers=headers)
            await http.post("/v1/leagues", json={"name": "Bespin"}, headers=headers)
            await asyncio.sleep(0.5)  # a client's pace, not a wait for the server


async def test_an_outage_of_the_database_costs_nobody_anything(tmp_path: Path) -> None:
    """Requests fail with 503 and play goes on. No accepted action is lost, and nobody times out."""
    ledger = Ledger()
    options = {"tick_milliseconds": 50, "sweep_seconds": 1, "worker_processes": 1}
    stack = Stack(tmp_path / "d", keep=True, durable=True, options=options)
    with stack:
        async with connected(stack, ledger) as http:
            evening = await Evening.prepare(http)
            han = next(iter(evening.players.values()))
            playing = asyncio.create_task(evening.play())
            await evening.host.post(f"/v1/tournaments/{evening.tournament}/start", {})
            await asyncio.wait_for(han.asked.wait(), PATIENCE_SECONDS)
            table = (await han.client.get("/v1/me"))["seats"][0]["table"]

            async def well_under_way() -> bool:
                return len(ledger.acknowledged) >= ACTIONS_BEFORE

            await until_awaited(well_under_way, PATIENCE_SECONDS)

            assert stack.cluster is not None and stack.cluster.pid is not None
            os.kill(stack.cluster.pid, signal.SIGQUIT)
            with pytest.raises(TimeoutError):
                await requests_while_away(http, evening, table)
            returned = datetime.now(UTC)
            stack.cluster.start()

            async def full_time_anew() -> bool:
                decision = (await han.client.get(f"/v1/tables/{table}"))["decision"]
                deadline = datetime.fromisoformat(decision["deadline"])
                return deadline >= returned + timedelta(seconds=DECISION_SECONDS)

            await until_awaited(full_time_anew, PATIENCE_SECONDS)
            han.let.set()
            finished = await asyncio.wait_for(playing, PATIENCE_SECONDS)
            events = await evening.events()
        stack.check()
    assert len(finished["placings"]) == len(NAMES)
    assert_clear(ledger.failed)
    assert_kept(ledger.acknowledged, events, evening.tournament)
    assert "Traceback" not in stack.log("api").read_text(encoding="utf-8")
    assert [event for event in events if event["data"].get("timed_out")] == []
    assert [text for bot in evening.players.values() for text in bot.refused] == []


def assert_clear(failed: list[httpx.Response]) -> None:
    """Check that every failure is a problem document with a cause and a time for the retry."""
    methods = {response.request.method for response in failed}
    assert methods == {"GET", "POST"}
    for response in failed:
        assert response.status_code == 503, response.text
        assert response.headers["content-type"] == "application/problem+json"
        assert response.headers["retry-after"] == "1"
        assert json.loads(response.text)["code"] == "store_unavailable"


def assert_kept(
    acknowledged: list[tuple[str, str]], events: list[dict[str, Any]], tournament: str
) -> None:
    """Check that every accepted action is in the log, at its table or in the tournament."""
    streams = {}
    for event in events:
        _, _, position = parts_of(event["cursor"], str, int, int)
        streams[position] = event["stream"]
    assert sorted(streams) == list(range(len(streams)))
    for table, token in acknowledged:
        _, _, position = parts_of(token, str, int, int)
        assert streams[position] in {stream_of(table), stream_of(tournament)}
