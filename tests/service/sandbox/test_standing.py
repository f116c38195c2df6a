"""The standing sandbox: every account finds opponents at once, in one tournament at a time."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

import psycopg
import pytest

from engine.kit.house_bots import house_bot_of
from engine.league import decider
from engine.league.commands import AddMember
from engine.tournament.model.commands import Register
from engine.values import EntrantId, TableId, identifier, stream_of
from service.announcing.sandbox import OFFERED, TABLE_SEATS, Sandbox
from service.announcing.sandbox_leagues import earlier, league_of
from service.api.http.following.news import News
from service.base.settings import Settings
from service.director.runtime import open_runtime
from service.director.submitting import submit_to_tournament
from service.log.subscription import Subscription
from service.log.writer import States, StreamEvents
from service.sandbox.bots.betting import Temper
from service.sandbox.bots.player import choose
from service.sandbox.bots.strengths import STYLES
from service.sandbox.house.driver import Driver
from service.sandbox.house.standing import StandingSandbox
from service.tasks import arming
from tests.service.api.conftest import serving
from tests.service.league_night import utcnow
from tests.support.databases import TestDatabase
from tests.support.waiting import until_awaited

pytestmark = pytest.mark.anyio

__all__ = ["serving"]


@asynccontextmanager
async def running(database: TestDatabase) -> AsyncIterator[None]:
    """Run the process of the house bots in this event loop, with the standing sandbox."""
    settings, stopping = database.settings("holotable_worker", sandbox=True), asyncio.Event()
    async with open_runtime(settings) as runtime:
        news = News(runtime.writer, Subscription(settings.database_url), stopping)
        await news.start()
        parts = (
            Driver(runtime, news, stopping).drive(),
            StandingSandbox(runtime, news, stopping).keep(),
        )
        work = [asyncio.create_task(each) for each in parts]
        try:
            yield
        finally:
            stopping.set()
            await asyncio.gather(*work)
            await news.aclose()


async def enter(person: Any, ruleset: str, key: str | None = None) -> Any:
    return await person.post("/v1/sandbox/entries", {"ruleset": ruleset}, key=key)


async def played(person: Any, tournament: str) -> Counter[str]:
    """Play as the guide says until *tournament* is over. Return the items by type."""
    cursor, seen, temper = None, Counter[str](), Temper.of(person.player, 1)
    while True:
        query = {"wait": 10} | ({"after": cursor} if cursor else {})
        page = (await person.get("/v1/me/turns", params=query)).json()
        for item in page["items"]:
            cursor = item["cursor"]
            seen[item["type"]] += 1
            if item["type"] == "turn":
                view = item["view"]
                action = choose(view, temper, person.player, 1, STYLES["steady"])
                key = f"{item['table']} {item['decision']}"
                await person.post(f"/v1/tables/{item['table']}/actions", action, key=key)
            over = item["type"] == "tournament" and item["state"] == "finished"
            if over and item["tournament"] == tournament:
                return seen


def counted(database: TestDatabase, kind: str) -> int:
    """Return the number of events of a type in the league."""
    with psycopg.connect(database.url("postgres")) as connection:
        query = "SELECT count(*) FROM events WHERE league = %s AND type = %s"
        row = connection.execute(query, (league_of(utcnow()).removeprefix("lge_"), kind)).fetchone()
    assert row is not None
    return int(row[0])


async def test_a_stranger_plays_a_tournament_to_its_end_and_enters_the_next(
    serving: Any, database: TestDatabase
) -> None:
    async with serving(sandbox=True) as api, running(database):
        stranger = await api.person("Stranger")
        shown = (await api.http.get("/v1/sandbox")).json()
        assert shown["league"] == league_of(utcnow())
        assert shown["rulesets"] == list(OFFERED)

        assert f"/leagues/{shown['league']}" in (await api.http.get("/")).text

        entered = await enter(stranger, "official", key="first")
        assert entered.status_code == 201, entered.text
        first = entered.json()["tournament"]
        again = await enter(stranger, "official", key="first")
        assert again.json() == entered.json()
        other = await enter(stranger, "spike")
        assert (other.status_code, other.json()["code"]) == (409, "sandbox_entered")
        assert other.json()["tournament"] == first

        async with asyncio.timeout(120):
            seen = await played(stranger, first)
        assert seen["hand_over"] >= 1
        listed = (await stranger.get(f"/v1/tournaments/{first}/registrations")).json()["items"]
        bots = [bot.strength for each in listed if (bot := house_bot_of(each["player"]))]
        assert sorted(bots) == ["calm", "sharp", "steady"]
        assert len(listed) == TABLE_SEATS

        second = await enter(stranger, "official")
        assert second.status_code == 201, second.text
        assert second.json()["tournament"] != first
        withdrawn = f"/v1/tournaments/{second.json()['tournament']}/withdrawals"
        assert (await stranger.post(withdrawn)).status_code in (200, 409)


async def test_a_player_has_one_entry_at_a_time_whatever_the_way(
    serving: Any, database: TestDatabase
) -> None:
    """No process of house bots runs, so all tournaments stay open."""
    async with serving(sandbox=True) as api:
        greedy, other = await api.person(), await api.person()

        answers = await asyncio.gather(*(enter(greedy, each) for each in OFFERED))

        codes = Counter(each.json().get("code", "entered") for each in answers)
        assert codes == {"entered": 1, "sandbox_entered": len(OFFERED) - 1}
        (entered,) = [each.json() for each in answers if each.status_code == 201]
        assert (await enter(other, "better")).status_code == 201
        assert counted(database, "entrant_registered") == 2
        assert counted(database, "tournament_announced") == len(OFFERED)

        free = f"/v1/tournaments/{entered['tournament']}"
        around = await other.post(f"{free}/registrations")
        assert (around.status_code, around.json()["code"]) == (403, "forbidden")
        assert (await greedy.post(f"{free}/withdrawals")).status_code == 200
        assert (await enter(greedy, "holo")).status_code == 201


async def test_entering_and_leaving_again_and_again_is_limited(serving: Any) -> None:
    async with serving(sandbox=True, account_sandbox_entries=1, address_sandbox_entries=2) as api:
        people = [await api.person() for _ in range(3)]
        entered = await enter(people[0], "better")
        assert entered.status_code == 201, entered.text
        left = f"/v1/tournaments/{entered.json()['tournament']}/withdrawals"
        assert (await people[0].post(left)).status_code == 200
        again = await enter(people[0], "better")
        assert (await enter(people[1], "better")).status_code == 201
        crowd = await enter(people[2], "better")
        for refused, limit in ((again, "sandbox"), (crowd, "sandbox_address")):
            assert (refused.status_code, refused.json()["limit"]) == (429, limit)
            assert int(refused.headers["Retry-After"]) > 0


async def test_two_processes_and_a_restart_found_one_league_and_start_each_tournament_once(
    serving: Any, database: TestDatabase
) -> None:
    async with serving(sandbox=True) as api:
        async with running(database), running(database):
            first, second = await api.person(), await api.person()
            entered = [(await enter(each, "traditional")).json() for each in (first, second)]
            here = entered[0]["tournament"]
            assert entered[1]["tournament"] == here
            await until_awaited(lambda: begun(first, here))
        assert counted(database, "play_started") == 1
        async with running(database):
            third = await api.person()
            there = (await enter(third, "traditional")).json()["tournament"]
            assert there != here
            await until_awaited(lambda: begun(third, there))
        listed = (await first.get(f"/v1/tournaments/{here}/registrations")).json()["items"]
        assert len(listed) == TABLE_SEATS
        assert sum(house_bot_of(each["player"]) is None for each in listed) == 2
    assert counted(database, "league_created") == 1
    assert counted(database, "tournament_announced") == len(OFFERED) + 2
    assert counted(database, "play_started") == 2


async def begun(person: Any, tournament: str) -> bool:
    state = (await person.get(f"/v1/tournaments/{tournament}")).json()["state"]
    return bool(state == "running")


async def test_a_league_of_last_month_ends_with_the_games_that_somebody_has_entered(
    serving: Any, database: TestDatabase
) -> None:
    async with serving(sandbox=True) as api:
        runtime, person = api.app.shell.runtime, await api.person()
        last, _ = earlier(utcnow())
        entered, empty = [
            (await Sandbox(runtime).open_now(last, each)).terms.tournament
            for each in ("official", "spike")
        ]
        joining = AddMember(player=person.player, now=runtime.clock.now())
        there = Register(
            entrant=EntrantId(identifier("ent", runtime.entropy.uuid())),
            player=person.player,
            bot=True,
            table_ids=(TableId(identifier("tbl", runtime.entropy.uuid())),),
            now=runtime.clock.now(),
        )

        async def join(states: States) -> list[StreamEvents]:
            house = (await states.load(stream_of(last))).state
            return [StreamEvents(stream_of(last), decider.decide(house, joining))]

        await runtime.writer.submit(last, runtime.order("join"), join)
        await submit_to_tournament(runtime, last, entered, there, runtime.order("enter"))
        assert (await enter(person, "holo")).json()["tournament"] == entered

        async with running(database):
            await until_awaited(lambda: begun(person, entered))

            async def ended() -> bool:
                hidden = (await person.get(f"/v1/leagues/{last}")).json()["visibility"] == "members"
                state = (await person.get(f"/v1/tournaments/{empty}")).json()["state"]
                return hidden and bool(state == "cancelled")

            await until_awaited(ended)
        assert (await api.http.get("/v1/sandbox")).json()["league"] == league_of(utcnow()) != last
        await (await api.person()).post("/v1/leagues", {"name": "Cloud City"})
    settings: Settings = database.settings("holotable_worker", nightly_audit="03:00")
    armed = []
    with psycopg.connect(database.url("postgres"), autocommit=True) as worker:
        for days in (0, 62):
            at = utcnow().replace(hour=3, minute=10, second=0) + timedelta(days=days)
            arming.nightly(worker, at, settings)
            asked = "DELETE FROM job WHERE task = 'audit.run' RETURNING args->>'league'"
            armed.append({league for (league,) in worker.execute(asked).fetchall()})
    assert armed[0] >= {last, league_of(utcnow())}
    assert len(armed[1]) == 1


async def test_without_the_setting_there_is_no_sandbox(serving: Any) -> None:
    async with serving() as api:
        person = await api.person()
        assert (await api.http.get("/v1/sandbox")).status_code == 404
        assert league_of(utcnow()) not in (await api.http.get("/")).text
        assert (await enter(person, "better")).status_code == 404
