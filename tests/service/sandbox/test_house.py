"""The process of the house bots plays them from their own views alone."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

import asyncpg
import pytest
from msgspec.structs import replace
from structlog.testing import capture_logs

from engine.kit.house_bots import STRENGTHS, Strength, house_bot
from engine.table.model.state import Place, Table
from engine.values import SealedCard
from service.api.http.following.news import News
from service.api.http.following.watching import Watch
from service.base.documents import Document
from service.director.runtime import Runtime, open_runtime
from service.log.record import Disconnected
from service.log.streams import tournament_stream
from service.log.subscription import Subscription
from service.sandbox.bots.strengths import STYLES
from service.sandbox.house.driver import Driver
from service.sandbox.house.playing import action_of, waiting_seat
from service.sandbox.selfplay.game import Fault, Game
from tests.chaos.lines import CHUNK, Line, Weather
from tests.service.api.conftest import serving
from tests.service.api.table.test_feeds import everything
from tests.service.api.table.wire import SWINGING
from tests.support.databases import TestDatabase
from tests.support.poison import owning, plant
from tests.support.waiting import until_awaited

pytestmark = pytest.mark.anyio

__all__ = ["serving"]

NIGHT = {
    "name": "Night",
    "ruleset": "better_simple",
    "overrides": SWINGING,
    "starting_stack": 30,
    "hands_between_seconds": 0,
    "table_seats": 4,
}


class Watched(News):
    """The news of a process, with the watches that were opened on it."""

    def __init__(self, *parts: Any) -> None:
        super().__init__(*parts)
        self.watches: list[Watch] = []

    @contextmanager
    def watching(self, keeping: Sequence[str] = ()) -> Iterator[Watch]:
        with super().watching(keeping) as watch:
            self.watches.append(watch)
            yield watch


@dataclass(slots=True, kw_only=True)
class Lingering(Line):
    """
    A line whose clients get the last message of a session, and do not yet know that it is closed.
    """

    closing: asyncio.Event = field(default_factory=asyncio.Event)

    async def _pump(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, answers: bool
    ) -> bool:
        while data := await reader.read(CHUNK):
            writer.write(data)
            await writer.drain()
        if answers:
            await self.closing.wait()
        return False


@asynccontextmanager
async def driving(database: TestDatabase, port: int | None = None) -> AsyncIterator[list[Watch]]:
    """Run the process of the house bots in this event loop, with its own login."""
    settings, stopping = database.settings("holotable_worker"), asyncio.Event()
    if port is not None:
        direct = f":{database.server.cluster.port}/"
        url = settings.database_url.replace(direct, f":{port}/")
        settings = replace(settings, database_url=url)
    async with open_runtime(settings) as runtime:
        news = Watched(runtime.writer, Subscription(settings.database_url), stopping)
        await news.start()
        running = asyncio.create_task(Driver(runtime, news, stopping).drive())
        try:
            yield news.watches
        finally:
            stopping.set()
            await running
            await news.aclose()


async def over(owner: Any, tournament: str) -> bool:
    state = (await owner.get(f"/v1/tournaments/{tournament}")).json()["state"]
    return bool(state == "finished")


async def test_house_bots_check_in_and_play_a_tournament_to_its_end(
    serving: Any, database: TestDatabase
) -> None:
    """Nobody else plays. No decision is left to the clock. Rising blinds end the game soon."""
    async with serving() as api, driving(database):
        owner, league = await api.league()
        entry = {"check_in_opens_before_seconds": 600, "no_show": "release"}
        rising = SWINGING | {"escalation": {"kind": "double_per_orbit"}}
        terms = NIGHT | {"entry": entry, "bots": "only", "overrides": rising}
        made = await owner.post(f"/v1/leagues/{league}/tournaments", terms)
        tournament = made.json()["id"]
        for strength in STRENGTHS:
            wanted = {"count": 1, "strength": strength}
            seated = await owner.post(f"/v1/tournaments/{tournament}/house-bots", wanted)
            assert seated.status_code == 201, seated.text
        started = await owner.post(f"/v1/tournaments/{tournament}/start")
        assert started.status_code == 202, started.text
        tables = (await owner.get(f"/v1/tournaments/{tournament}/tables")).json()["items"]

        await until_awaited(lambda: over(owner, tournament), 120)

        told = await everything(owner, f"/v1/tournaments/{tournament}/events", limit=200)
        (finished,) = [each["data"] for each in told if each["type"] == "tournament_finished"]
        # Two who go out in one hand with equal stacks share a place.
        assert [each["place"] for each in finished["placings"]] in ([1, 2, 3], [1, 2, 2])
        (table,) = tables
        feed = await everything(owner, f"/v1/tables/{table['id']}/events", limit=200)
        answers = [each["data"]["timed_out"] for each in feed if "timed_out" in each["data"]]
        assert len(answers) > 5
        assert not any(answers)


async def test_house_bots_play_on_after_the_log_was_away(
    serving: Any, database: TestDatabase
) -> None:
    """Their process must not end, because nobody may be there to start it again."""
    async with serving() as api, driving(database) as watches:
        owner, league = await api.league()
        made = await owner.post(f"/v1/leagues/{league}/tournaments", NIGHT | {"bots": "only"})
        tournament = made.json()["id"]
        await owner.post(f"/v1/tournaments/{tournament}/house-bots", {"count": 3})
        with capture_logs() as lines:

            async def told() -> bool:
                # As a channel does whose server has gone.
                watches[-1].wake(league, Disconnected("the server has gone"))
                return any(each["event"] == "house bots wait for the log" for each in lines)

            await until_awaited(told)
        started = await owner.post(f"/v1/tournaments/{tournament}/start")
        assert started.status_code == 202, started.text
        (table,) = (await owner.get(f"/v1/tournaments/{tournament}/tables")).json()["items"]

        async def acted() -> bool:
            view = (await owner.get(f"/v1/tables/{table['id']}")).json()
            return bool(view["decision"] and view["decision"]["turn"] > 1)

        await until_awaited(acted)


ENDING = """
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE usename = 'holotable_worker' AND datname = current_database()
"""


async def test_house_bots_play_on_after_the_driver_lost_its_way_in_a_killed_session(
    serving: Any, database: TestDatabase
) -> None:
    """
    The session reported that it was killed but was not closed yet. asyncpg reports this as an error
    of its own.
    """
    weather = Weather(Random(1), "line", Counter())
    line = Lingering(weather=weather, target=lambda: database.server.cluster.port)
    await line.start()
    async with serving() as api, driving(database, line.port):
        owner, league = await api.league()
        made = await owner.post(f"/v1/leagues/{league}/tournaments", NIGHT | {"bots": "only"})
        tournament = made.json()["id"]
        await owner.post(f"/v1/tournaments/{tournament}/house-bots", {"count": 3})
        superuser = await asyncpg.connect(database.url("postgres"))
        with capture_logs() as lines:

            async def told() -> bool:
                await superuser.execute(ENDING)  # of those that were opened since, too
                return any(
                    each["event"] == "house bots wait for the log"
                    and each["error"].startswith("InternalClientError")
                    for each in lines
                )

            await until_awaited(told)
        await superuser.close()
        line.closing.set()
        started = await owner.post(f"/v1/tournaments/{tournament}/start")
        assert started.status_code == 202, started.text
        (table,) = (await owner.get(f"/v1/tournaments/{tournament}/tables")).json()["items"]

        async def acted() -> bool:
            view = (await owner.get(f"/v1/tables/{table['id']}")).json()
            return bool(view["decision"] and view["decision"]["turn"] > 1)

        await until_awaited(acted)
    await line.aclose()


async def with_bots(
    owner: Any, league: str, name: str, strength: Strength = "steady"
) -> tuple[str, list[str]]:
    """Announce a tournament with check-in, and enter two house bots. Return it and the entries."""
    entry = {"check_in_opens_before_seconds": 600, "no_show": "release"}
    starts_at = (datetime.now(UTC) + timedelta(seconds=300)).isoformat()
    terms = NIGHT | {"name": name, "entry": entry, "starts_at": starts_at, "bots": "only"}
    made = await owner.post(f"/v1/leagues/{league}/tournaments", terms)
    assert made.status_code == 201, made.text
    tournament = made.json()["id"]
    wanted = {"count": 2, "strength": strength}
    seated = await owner.post(f"/v1/tournaments/{tournament}/house-bots", wanted)
    assert seated.status_code == 201, seated.text
    return tournament, [each["entrant"] for each in seated.json()["bots"]]


async def undo(owner: Any, tournament: str, entrants: list[str]) -> None:
    for each in entrants:
        path = f"/v1/tournaments/{tournament}/registrations/{each}/check-in"
        undone = await owner.http.delete(path, headers=owner.headers)
        assert undone.status_code == 200, undone.text


async def checked_in(runtime: Runtime, league: str, tournament: str) -> frozenset[str]:
    state = (await runtime.writer.load(league, tournament_stream(tournament))).state
    return frozenset(state.entering.checked_in)


async def test_house_bots_check_in_again_as_often_as_it_is_undone(
    serving: Any, database: TestDatabase
) -> None:
    """A stream that cannot be read stops only the bots of its own tournament."""
    async with serving() as api:
        owner, league = await api.league()
        runtime = api.app.shell.runtime
        tournament, bots = await with_bots(owner, league, "One")
        broken, _ = await with_bots(owner, league, "Broken")
        async with owning(database) as log:
            stream = tournament_stream(broken)
            await plant(log, league, "check_in_opened", "{}", stream=stream)
        async with driving(database):
            for _ in range(3):
                await undo(owner, tournament, bots)

                async def again() -> bool:
                    return await checked_in(runtime, league, tournament) == set(bots)

                await until_awaited(again)


async def test_bots_that_are_new_in_a_league_play_though_it_was_followed_before(
    serving: Any, database: TestDatabase
) -> None:
    """They join the league and enter in one append, whose tournament nobody follows yet."""
    async with (
        serving() as api,
        driving(database),
        open_runtime(database.settings("holotable_worker")) as runtime,
    ):
        owner, league = await api.league()
        for strength in STRENGTHS:
            tournament, entrants = await with_bots(owner, league, strength, strength)
            await undo(owner, tournament, entrants)

            async def all_in(
                tournament: str = tournament, wanted: Any = frozenset(entrants)
            ) -> Any:
                return await checked_in(runtime, league, tournament) == wanted

            await until_awaited(all_in, 30)


async def test_a_house_bot_that_cannot_check_in_does_not_stop_the_others(
    serving: Any, database: TestDatabase
) -> None:
    async with serving() as api:
        owner, league = await api.league()
        runtime = api.app.shell.runtime
        tournament, bots = await with_bots(owner, league, "One")
        await undo(owner, tournament, bots)
        before = (await runtime.writer.load(league, tournament_stream(tournament))).state
        left = await owner.post(f"/v1/tournaments/{tournament}/registrations/{bots[0]}/withdraw")
        assert left.status_code == 200, left.text
        driver = Driver(runtime, api.app.shell.news, asyncio.Event())
        players = {each.entrant: each.player for each in before.entrants}
        await driver._answer_for(league, tournament, before, players)
        assert await checked_in(runtime, league, tournament) == {bots[1]}


async def test_a_house_bot_accepts_the_place_that_it_is_offered(
    serving: Any, database: TestDatabase
) -> None:
    async with serving() as api, driving(database):
        owner, league = await api.league()
        first, bots = await with_bots(owner, league, "One")
        terms = NIGHT | {"table_seats": 2, "entrants_max": 2, "entry": {"waitlist": True}}
        starts_at = (datetime.now(UTC) + timedelta(seconds=3600)).isoformat()
        made = await owner.post(
            f"/v1/leagues/{league}/tournaments", terms | {"name": "Full", "starts_at": starts_at}
        )
        night = f"/v1/tournaments/{made.json()['id']}"
        people = [await api.join(owner, league) for _ in range(2)]
        for person in people:
            assert (await person.post(f"{night}/registrations")).status_code == 201
        shown = (await owner.get(f"/v1/tournaments/{first}")).json()
        bot = next(each["player"] for each in shown["entrants"] if each["id"] == bots[0])
        waits = await owner.post(f"{night}/registrations/by-staff", {"player": bot})
        assert waits.json()["status"] == "waitlisted", waits.text

        left = await people[0].post(f"{night}/withdrawals")
        assert left.status_code == 200, left.text

        async def entered() -> bool:
            entrants = (await owner.get(night)).json()["entrants"]
            return bot in {each["player"] for each in entrants}

        await until_awaited(entered)


def test_every_strength_has_a_style() -> None:
    assert tuple(STYLES) == STRENGTHS


def elsewhere(table: Table, seat: int) -> Table:
    """Return the same table in a world with other cards in the hands of all other seats."""

    def turned(cards: tuple[SealedCard, ...]) -> tuple[SealedCard, ...]:
        return tuple(
            SealedCard("T-03", b"", each.pile, each.position, each.audiences) for each in cards
        )

    def other(place: Place) -> Place:
        hand = place.hand
        if place.seat == seat or hand is None:
            return place
        hidden = {
            "cards": turned(hand.cards),
            "selection": turned(hand.selection),
            "fresh": turned(hand.fresh),
        }
        return replace(place, hand=replace(hand, **hidden))

    return replace(table, places=tuple(other(place) for place in table.places))


class Comparing:
    """Plays as a house bot, and compares its action with that in another world."""

    game: Game
    compared = 0

    def __init__(self, strength: Strength) -> None:
        self.player = house_bot("lge_" + "1" * 32, strength, 1)

    def choose(self, view: Document) -> Document:
        table = self.game.table
        place = waiting_seat(table, {each.entrant: self.player for each in table.places})
        assert place is not None
        other = elsewhere(table, place.seat)
        action = action_of(table, place.entrant, self.player, 1)
        assert action is not None
        assert action == action_of(other, place.entrant, self.player, 1)
        Comparing.compared += other != table
        return action

    def told(self, fault: Fault) -> None:
        raise AssertionError(fault)


@pytest.mark.parametrize("ruleset", ["better_simple", "traditional", "spike"])
def test_a_house_bot_plays_the_same_whatever_the_others_hold(ruleset: str) -> None:
    players = [Comparing(strength) for strength in STRENGTHS]
    game = Game(ruleset, 1, players)
    before = Comparing.compared
    for each in players:
        each.game = game

    game.play()

    assert Comparing.compared - before > 20
