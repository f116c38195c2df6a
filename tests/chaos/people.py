"""Leagues of bots that play one tournament after the other through the public API."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, Final

import httpx

from service.base.documents import Document
from service.sandbox.bots.client import Client, Problem, Unreachable
from service.sandbox.bots.player import Player

PLAYERS: Final = 5
HOUSE_BOTS: Final = 2
STACK: Final = 200
DECISION_SECONDS: Final = 6
LOOK_SECONDS: Final = 0.15
PASSWORD: Final = "a long night ahead"
TERMS: Final[Document] = {
    "ruleset": "better",
    "starting_stack": STACK,
    "overrides": {"starting_stack": STACK, "escalation": {"kind": "double_per_orbit"}},
    "table_seats": 4,
    "entrants_max": PLAYERS + HOUSE_BOTS,
    "decision_seconds": DECISION_SECONDS,
    "grace_seconds": 1,
    "hands_between_seconds": 0,
    "bots": "only",
}
_OVER: Final = frozenset({"finished", "cancelled"})
_TROUBLE: Final = (Unreachable, httpx.HTTPError)


@dataclass(slots=True)
class Reading:
    """The part of a table's feed that a reader has seen."""

    cursors: list[str] = field(default_factory=list)


@dataclass(slots=True, kw_only=True)
class Night:
    """
    One league: its host, its players, and its tournaments.

    Args:
        name: Keeps logins and keys apart from those of other leagues.
        http: The pool of all clients.
        known: Gets the player of each header ``Authorization``.
    """

    name: str
    http: httpx.AsyncClient = field(init=False)
    known: dict[str, str]
    host: Client = field(init=False)
    players: dict[str, Client] = field(default_factory=dict)
    """The clients of the players, by player."""

    league: str = ""
    tournaments: list[str] = field(default_factory=list)
    ended: Counter[str] = field(default_factory=Counter)
    """The number of tournaments that ended, by their last state."""

    refused: Counter[str] = field(default_factory=Counter)
    """The codes of refusals."""

    readings: dict[str, Reading] = field(default_factory=dict)
    """The events that readers saw, by table."""

    _met: set[str] = field(default_factory=set)

    async def gather(self) -> None:
        """Sign everybody up, and found the league."""
        self.host, _ = await self._signed_up("host")
        body = {"name": f"Chaos {self.name}", "sandbox": True}
        self.league = (await self.insist(self.host, "/v1/leagues", body, "found"))["id"]
        path = f"/v1/leagues/{self.league}/invitations"
        invited = {"role": "player", "uses": PLAYERS}
        code = (await self.insist(self.host, path, invited, "invite"))["code"]
        for number in range(PLAYERS):
            client, player = await self._signed_up(f"bot{number}")
            await self.insist(client, f"/v1/invitations/{code}/accept", {}, "accept")
            self.players[player] = client

    async def play_on(self, closing: asyncio.Event) -> None:
        """Play tournaments until *closing* is set, and the last of them to its end."""
        while not closing.is_set():
            tournament = await self._announce()
            async with asyncio.TaskGroup() as tasks:
                readers: list[asyncio.Task[None]] = []
                try:
                    await self._play(tournament, tasks, readers)
                finally:
                    for reader in readers:
                        reader.cancel()

    async def insist(self, client: Client, path: str, body: Document, what: str) -> Document:
        """Send a command under one key until it is answered."""
        key = f"{self.name}-{client.name}-{what}"
        return await _again(lambda: client.post(path, body, key=key))

    async def seen(self) -> list[str]:
        """Compare the events that each reader saw with the feed's pages. Return the differences."""
        found = []
        for table, reading in self.readings.items():
            path = f"/v1/tables/{table}/events"
            items = await _again(lambda p=path: self.host.items(p, by="after", limit=200))  # type: ignore[misc]
            wanted = [each["cursor"] for each in items]
            if reading.cursors != wanted[: len(reading.cursors)]:
                found.append(f"the feed of {table} was not the log's, in this order")
        return found

    async def _signed_up(self, name: str) -> tuple[Client, str]:
        login = f"{self.name}{name}"
        client = Client(self.http, login)
        body = {"login": login, "password": PASSWORD, "name": login}
        made = await self.insist(client, "/v1/accounts", body, "sign-up")
        known = {"login": login, "password": PASSWORD}
        token = (await self.insist(client, "/v1/tokens", known, "token"))["token"]
        self.known[f"Bearer {token}"] = made["id"]
        return Client(self.http, login, token), made["id"]

    async def _announce(self) -> str:
        """Announce a tournament, enter everybody, and start it."""
        number = len(self.tournaments)
        path = f"/v1/leagues/{self.league}/tournaments"
        terms = {**TERMS, "name": f"Night {number}"}
        made = await self.insist(self.host, path, terms, f"announce-{number}")
        tournament = str(made["id"])
        self.tournaments.append(tournament)
        at = f"/v1/tournaments/{tournament}"
        # The planned start may come first if the database was away for a minute. With too few
        # entrants it cancels the tournament.
        for client in self.players.values():
            entry = f"{at}/registrations"
            await self._unless_begun(client, entry, {"bot": True}, f"enter-{number}")
        bots = {"count": HOUSE_BOTS}
        await self._unless_begun(self.host, f"{at}/house-bots", bots, f"seat-{number}")
        await self._unless_begun(self.host, f"{at}/start", {}, f"start-{number}")
        return tournament

    async def _unless_begun(self, client: Client, path: str, body: Document, what: str) -> None:
        """Do one thing that is refused once the planned start has come."""
        try:
            await self.insist(client, path, body, what)
        except Problem as problem:
            if problem.code != "registration_closed":
                raise
            self.refused[problem.code] += 1

    async def _play(
        self, tournament: str, tasks: asyncio.TaskGroup, readers: list[asyncio.Task[None]]
    ) -> None:
        """Answer every decision at every table until the tournament is over."""
        players: dict[str, Player] = {}
        path = f"/v1/tournaments/{tournament}"
        while True:
            shown = await _again(lambda: self.host.get(path))
            if shown["state"] in _OVER:
                self.ended[shown["state"]] += 1
                return
            for table in (each["id"] for each in shown["tables"]):
                if table not in self.readings:
                    self.readings[table] = Reading()
                    readers.append(tasks.create_task(self._read(table)))
                await self._answer(tournament, table, players)
            await asyncio.sleep(LOOK_SECONDS)  # the pace of a client that has no feed

    async def _answer(self, tournament: str, table: str, players: dict[str, Player]) -> None:
        view = await _again(lambda: self.host.get(f"/v1/tables/{table}"))
        seats = {each["seat"]: each for each in view["seats"]}
        if any(each["entrant"] not in self._met for each in seats.values()):
            await self._meet(tournament, players)
        for each in seats.values():
            if each["away"] and (bot := players.get(each["entrant"])) is not None:
                await self._alone(bot.come_back(table))
        if view["decision"] is None:
            return
        asked = [seats[seat]["entrant"] for seat in view["decision"]["seats"] if seat in seats]
        own = [players[entrant] for entrant in asked if entrant in players]
        token = view["decision"]["token"]
        await asyncio.gather(*(self._alone(bot.answer(table, token)) for bot in own))

    async def _meet(self, tournament: str, players: dict[str, Player]) -> None:
        """Learn which entrant each player is."""
        path = f"/v1/tournaments/{tournament}/registrations"
        for each in await _again(lambda: self.host.items(path)):
            self._met.add(each["entrant"])
            client = self.players.get(each["player"])
            if client is not None and each["entrant"] not in players:
                players[each["entrant"]] = Player(client=client, name=client.name, seed=7)

    async def _alone(self, work: Awaitable[Any]) -> None:
        """Do one thing. If it is refused or fails, the bot looks again, as a person would."""
        try:
            await work
        except Problem as problem:
            self.refused[problem.code] += 1
        except _TROUBLE:
            self.refused["no answer"] += 1

    async def _read(self, table: str) -> None:
        """Follow a table's feed, over every interruption."""
        reading = self.readings[table]
        while True:
            after = reading.cursors[-1] if reading.cursors else None
            try:
                async for item in self.host.feed(f"/v1/tables/{table}/events", after):
                    reading.cursors.append(item["cursor"])
            except (*_TROUBLE, ValueError):  # a line that was cut in two
                pass
            except Problem as problem:
                self.refused[problem.code] += 1
            await asyncio.sleep(LOOK_SECONDS)


async def _again(ask: Callable[[], Awaitable[Any]]) -> Any:
    """Ask until there is an answer."""
    while True:
        try:
            return await ask()
        except _TROUBLE:
            await asyncio.sleep(LOOK_SECONDS)
