"""Bots over a real server: one request a decision, and no cut of the connection costs a turn."""

import asyncio
import random
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.service.api.table.test_feeds import everything
from tests.service.api.table.test_my_stream import until
from tests.service.api.table.wire import SWINGING, Bot, Item, served, told
from tests.service.api.tournament.test_rebuys import until_a_bust
from tests.support.streams import following

ROOT = Path(__file__).resolve().parents[4]

pytestmark = pytest.mark.anyio

NIGHT = {"ruleset": "better_simple", "overrides": SWINGING, "starting_stack": 30}
CUTS = {"never": 0.0, "after each item": 1.0, "now and then": 0.5}
"""The share of items after which a bot disconnects."""


async def night(api: Any, players: int, **terms: Any) -> tuple[Any, str, list[Any], list[str]]:
    """Start a tournament. Return its owner, its name, the players and the tables."""
    owner, _, tournament, people, _ = await api.playing(players, **(NIGHT | terms))
    shown = (await owner.get(f"/v1/tournaments/{tournament}")).json()
    return owner, tournament, people, [each["id"] for each in shown["tables"]]


async def played(bots: list[Bot]) -> None:
    """Have all bots play until the tournament is over."""
    async with asyncio.timeout(60), asyncio.TaskGroup() as group:
        for bot in bots:
            group.create_task(bot.play())


async def by_type(owner: Any, table: str) -> dict[str, list[Item]]:
    """Return the data of a table's events by type."""
    found: dict[str, list[Item]] = {}
    for each in await everything(owner, f"/v1/tables/{table}/events"):
        found.setdefault(each["type"], []).append(each["data"])
    return found


@pytest.mark.parametrize("cuts", CUTS)
async def test_a_tournament_takes_one_request_a_decision_and_no_cut_costs_a_turn(
    serving, cuts: str
) -> None:
    """Bots that disconnect before they answer get the turn again, and answer it once."""
    seen: set[tuple[str, str]] = set()
    dice = random.Random(7)

    def cut(item: Item) -> bool:
        """Cut at most once at each item, so that a turn that comes again is answered."""
        key = (item["type"], item["cursor"])
        again = key in seen
        seen.add(key)
        return not again and dice.random() < CUTS[cuts]

    async with serving() as api, served(api) as http:
        owner, _, people, (table,) = await night(api, 3)
        bots = [Bot(http, person, cut) for person in people]
        await played(bots)

        happened = await by_type(owner, table)
        assert not any(each.get("timed_out") for group in happened.values() for each in group)
        hands = [each["hand"] for each in happened["hand_settled"]]
        for bot in bots:
            assert set(bot.statuses) == {200}
            assert len(bot.answered) == len(set(bot.answered))
            mine = [each["hand"] for each in told(bot.items, "hand_over")]
            assert mine == hands[: len(mine)] and len(mine) >= 1
            assert told(bot.items, "entry")[-1]["status"] == "out"
            if cuts == "never":
                assert bot.connections == 1
                turns = [(each["table"], each["decision"]) for each in told(bot.items, "turn")]
                assert turns == bot.answered
        assert max(len(told(bot.items, "hand_over")) for bot in bots) == len(hands)
        answers = sum(len(bot.answered) for bot in bots)
        asked = sum(len(each["seats"]) for each in happened["decision_opened"])
        assert answers == asked


async def test_who_moves_to_another_table_when_one_breaks_is_told_where(serving) -> None:
    async with serving() as api, served(api) as http:
        owner, tournament, people, tables = await night(api, 5, table_seats=3)
        assert len(tables) == 2
        bots = [Bot(http, person) for person in people]
        await played(bots)

        feed = await everything(owner, f"/v1/tournaments/{tournament}/events")
        assert "table_broken" in {each["type"] for each in feed}
        last = {
            move["entrant"]: {"table": move["to_table"], "seat": move["to_seat"]}
            for each in feed
            for move in each["data"].get("moves", ())
        }
        assert last
        for bot in bots:
            (entrant,) = {each["entrant"] for each in told(bot.items, "entry")}
            assert set(bot.statuses) == {200}
            (begun,) = told(bot.items, "seat")
            seat = {"table": begun["table"], "seat": begun["seat"]}
            # Two moves at once, such as a broken table and a redraw, are told as one.
            for each in told(bot.items, "move"):
                assert each["from"] == seat != each["to"]
                seat = each["to"]
            assert seat == last.get(entrant, seat)
            assert told(bot.items, "unseated")[-1]["table"] == seat["table"]


async def test_the_bot_of_the_guide_plays_until_its_tournament_is_over(serving) -> None:
    guide = (ROOT / "docs/guides/write-a-bot.md").read_text()
    code = guide.partition("```python\n")[2].partition("```")[0]
    async with serving() as api, served(api) as http:
        owner, _, people, (table,) = await night(api, 2)
        token = people[0].headers["Authorization"].removeprefix("Bearer ")
        for placeholder, value in {
            "http://127.0.0.1:8000": str(http.base_url),
            "holo_pat_...": token,
        }.items():
            assert placeholder in code
            code = code.replace(placeholder, value)
        names: dict[str, Any] = {"__name__": "__main__"}
        bot = asyncio.to_thread(exec, compile(code, "write-a-bot.md", "exec"), names)
        async with asyncio.timeout(60):
            await asyncio.gather(bot, Bot(http, people[1]).play())
        names["api"].close()
        happened = await by_type(owner, table)
        assert len(happened["hand_settled"]) > 1
        assert not any(each.get("timed_out") for group in happened.values() for each in group)


async def test_a_bust_opens_a_rebuy_window_and_a_dispute_is_told_until_it_is_ruled(
    serving,
) -> None:
    async with serving() as api, AsyncExitStack() as opened:
        rebuy = {"max": 1, "seconds": 600}
        tournament, _, broke, other = await until_a_bust(api, rebuy)
        streams = [
            await opened.enter_async_context(following(api.app, "/v1/me/stream", each.headers))
            for each in (broke, other)
        ]
        window = await until(streams[0], "rebuy_window", open=True)
        assert window["number"] == 1
        assert window["rebuy"]
        bought = await broke.post(f"/v1/tournaments/{tournament}/rebuys", {}, key="again")
        assert bought.status_code == 201, bought.text
        await until(streams[0], "rebuy_window", open=False)
        await until(streams[0], "seat")

        about = {"kind": "seating", "tournament": tournament, "claim": "It was my seat."}
        claimed = await other.post("/v1/disputes", about, key="d")
        assert claimed.is_success, claimed.text
        dispute = claimed.json()["id"]
        for stream in streams:
            item = await until(stream, "dispute", dispute=dispute)
            assert (item["state"], item["tournament"]) == ("open", tournament)
        begun = (await broke.get("/v1/me/turns")).json()["items"]
        assert told(begun, "dispute")[0]["dispute"] == dispute
