"""The floor of a demo tournament, which follows public feeds and wakes the bots in their turn."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Final

import httpx

from service.base.documents import Document
from service.sandbox.bots.client import Client, Unreachable
from service.sandbox.bots.player import Player
from service.sandbox.demo.teller import Story

RETRY_SECONDS: Final = 0.2


@dataclass(slots=True, kw_only=True)
class Floor:
    """
    The bots of one tournament in one loop. The feeds name the next seats, and the floor wakes them.

    A bot that runs alone asks ``GET /v1/me`` for its turns instead. The guide on writing a bot
    shows that.

    Args:
        watcher: The client that reads the feeds.
        players: The bots by entrant.
        story: The story that each event is passed to.
        sleepy: True if one bot at each table falls asleep. If only one table had a sleeper, the
            other tables might end before it wakes.
        thinking_seconds: The time that a bot takes for a decision.
    """

    watcher: Client
    players: dict[str, Player]
    story: Story
    sleepy: bool = False
    thinking_seconds: float = 0
    feeds: dict[str, list[Document]] = field(default_factory=dict)
    """All events seen so far, by table."""

    _seats: dict[str, dict[int, str]] = field(default_factory=dict)

    async def follow(self, tournament: str) -> Document:
        """
        Play *tournament* to its end.

        Returns:
            The data of ``tournament_finished``.

        Raises:
            TournamentLost: If the tournament was cancelled.
        """
        async with asyncio.TaskGroup() as tasks:
            tables: list[asyncio.Task[None]] = []
            after: str | None = None
            while True:
                async for item in self._items(f"/v1/tournaments/{tournament}/events", after):
                    after = item["cursor"]
                    self.story.tournament(item)
                    match item["type"]:
                        case "seats_drawn" if self.sleepy:
                            self._put_to_sleep(item["data"]["assignments"])
                        case "play_started" | "round_seated" | "final_seated":
                            if item["type"] == "play_started":
                                for player in self.players.values():
                                    tasks.create_task(player.open(tournament))
                            tables += [
                                tasks.create_task(self._table(table, tasks))
                                for table in self._new(item)
                            ]
                        case "tournament_finished":
                            for table in tables:
                                table.cancel()
                            finished: Document = item["data"]
                            return finished
                        case "tournament_cancelled":
                            raise TournamentLost(item["data"]["reason"])
                        case _:
                            continue
                await asyncio.sleep(RETRY_SECONDS)

    def _new(self, item: Document) -> list[str]:
        """Return the tables in an event that are not followed yet, and mark them as followed."""
        new = [table for table in _tables_in(item) if table not in self.feeds]
        self.feeds |= {table: [] for table in new}
        return new

    def _put_to_sleep(self, assignments: list[Document]) -> None:
        """Make the bot in each table's lowest seat miss every decision until its seat is away."""
        lowest: dict[str, Document] = {}
        for place in sorted(assignments, key=lambda place: place["seat"]):
            lowest.setdefault(place["table"], place)
        for place in lowest.values():
            self.players[place["entrant"]].asleep = True

    async def _table(self, table: str, tasks: asyncio.TaskGroup) -> None:
        seen = self.feeds.setdefault(table, [])
        while True:
            after = seen[-1]["cursor"] if seen else None
            async for item in self._items(f"/v1/tables/{table}/events", after):
                seen.append(item)
                self.story.table(table, item)
                self._tap(table, item, tasks)
            await asyncio.sleep(RETRY_SECONDS)

    def _tap(self, table: str, item: Document, tasks: asyncio.TaskGroup) -> None:
        data = item["data"]
        if item["type"] == "hand_opened":
            self._seats[table] = {seat["seat"]: seat["entrant"] for seat in data["seats"]}
            for seat in data["seats"]:
                # The away seat has been dealt in and its hand is killed, so the bot wakes now.
                sleeper = self.players.get(seat["entrant"]) if seat["away"] else None
                if sleeper is not None and sleeper.asleep:
                    tasks.create_task(sleeper.come_back(table))
        elif item["type"] == "decision_opened":
            for seat in data["seats"]:
                player = self.players.get(self._seats[table][seat])
                if player is not None:
                    tasks.create_task(self._answer(player, table, data["decision"]))

    async def _answer(self, player: Player, table: str, decision: str) -> None:
        await asyncio.sleep(self.thinking_seconds)
        await player.answer(table, decision)

    async def _items(self, path: str, after: str | None) -> AsyncIterator[Document]:
        """Yield a feed's items until the connection ends. The caller then reconnects."""
        try:
            async for item in self.watcher.feed(path, after):
                yield item
        except (httpx.TransportError, Unreachable):
            return


def _tables_in(item: Document) -> list[str]:
    """Return the tables that an event names, without repetition."""
    data = item["data"]
    match item["type"]:
        case "play_started":
            named = data["tables"]
        case "round_seated":
            named = [table["table"] for table in data["tables"]]
        case _:
            named = [place["table"] for place in data["assignments"]]
    return list(dict.fromkeys(named))


class TournamentLost(Exception):
    """The tournament was cancelled instead of played."""
