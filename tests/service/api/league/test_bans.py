"""A ban keeps a player out at once in every process, and only staff see it."""

import asyncio
import json
from datetime import UTC, datetime, timedelta

import asyncpg
import httpx
import pytest

from engine.values import stream_of
from service.process.app import build
from tests.service.api.conftest import Api, Person

pytestmark = pytest.mark.anyio

WHY = {"reason": "marked cards"}


async def banned(owner: Person, league: str, player: str, **more: object) -> httpx.Response:
    """Ban *player* and return the answer."""
    path = f"/v1/leagues/{league}/bans/{player}"
    return await owner.http.put(path, json={**WHY, **more}, headers=owner.headers)


async def a_tournament(owner: Person, league: str) -> str:
    """Announce a tournament that is open for registration."""
    made = await owner.post(
        f"/v1/leagues/{league}/tournaments", {"name": "Night", "ruleset": "better"}
    )
    return str(made.json()["id"])


async def test_who_is_banned_enters_no_tournament_until_the_ban_is_lifted(serving) -> None:
    async with serving() as api:
        owner, league = await api.league()
        player = await api.join(owner, league)
        tournament = await a_tournament(owner, league)
        made = await banned(owner, league, player.player)
        assert (made.status_code, made.json()["until"]) == (200, None)
        entering = f"/v1/tournaments/{tournament}/registrations"
        refused = await player.post(entering)
        assert (refused.status_code, refused.json()["code"]) == (409, "player_banned")

        ban = f"/v1/leagues/{league}/bans/{player.player}"
        lifted = await owner.http.delete(ban, headers=owner.headers)
        assert (lifted.status_code, lifted.json()["id"]) == (200, made.json()["id"])
        assert (await player.post(entering)).status_code == 201
        nothing = await owner.http.delete(ban, headers=owner.headers)
        assert (nothing.status_code, nothing.json()["id"]) == (200, None)


async def test_who_is_banned_does_not_come_back_by_an_invitation(serving) -> None:
    async with serving() as api:
        owner, league = await api.league()
        code = (await owner.post(f"/v1/leagues/{league}/invitations", {"uses": 9})).json()["code"]
        stranger = await api.person()
        until = datetime.now(UTC) + timedelta(days=1)
        await banned(owner, league, stranger.player, until=until.isoformat())
        refused = await stranger.post(f"/v1/invitations/{code}/accept")
        assert (refused.status_code, refused.json()["code"]) == (409, "player_banned")
        assert datetime.fromisoformat(refused.json()["until"]) == until


async def test_only_the_staff_sees_who_is_banned_and_why(serving) -> None:
    async with serving() as api:
        owner, league = await api.league()
        player, other = await api.join(owner, league), await api.join(owner, league)
        await banned(owner, league, player.player)
        (shown,) = (await owner.get(f"/v1/leagues/{league}/bans")).json()["items"]
        assert (shown["player"], shown["reason"], shown["holds"]) == (
            player.player,
            "marked cards",
            True,
        )
        assert (await other.get(f"/v1/leagues/{league}/bans")).status_code == 403

        feed = (await other.get(f"/v1/leagues/{league}/events?limit=200")).json()["items"]
        (event,) = [each for each in feed if each["type"] == "player_banned"]
        assert player.player not in str(event)
        text = event["data"]["reason"]["text"]
        assert (await other.get(f"/v1/texts/{text}")).status_code == 404
        assert (await player.get(f"/v1/texts/{text}")).status_code == 404
        assert (await owner.get(f"/v1/texts/{text}")).json()["text"] == "marked cards"


async def test_a_ban_is_read_again_by_another_process(serving) -> None:
    async with serving() as api:
        owner, league = await api.league()
        player = await api.join(owner, league)
        await banned(owner, league, player.player)
        async with another(api) as second:
            owner.http = second
            (shown,) = (await owner.get(f"/v1/leagues/{league}/bans")).json()["items"]
    assert shown["player"] == player.player


async def test_an_entry_stands_under_a_guard_on_who_belongs_to_the_league(
    serving, database
) -> None:
    async with serving() as api:
        owner, league = await api.league()
        player = await api.join(owner, league)
        tournament = await a_tournament(owner, league)
        assert (await player.post(f"/v1/tournaments/{tournament}/registrations")).is_success
    connection = await asyncpg.connect(database.url())
    metadata = await connection.fetchval(
        "SELECT metadata FROM events WHERE type = 'entrant_registered'"
    )
    await connection.close()
    guards = [each["stream"] for each in json.loads(metadata)["guards"]]
    assert guards == [stream_of(league)]


async def test_a_ban_and_an_entry_at_the_same_moment_in_two_processes_have_one_order(
    serving,
) -> None:
    async with serving() as api:
        owner, league = await api.league()
        players = [await api.join(owner, league) for _ in range(12)]
        tournament = await a_tournament(owner, league)
        entering = f"/v1/tournaments/{tournament}/registrations"
        async with another(api) as second:
            for player in players:
                player.http = second
                entered, ban = await asyncio.gather(
                    player.post(entering), banned(owner, league, player.player)
                )
                assert ban.status_code == 200, ban.text
                assert entered.status_code in (201, 409), entered.text
        feed = (await owner.get(f"/v1/leagues/{league}/events?limit=200")).json()["items"]
        kinds = [each["type"] for each in feed]
        shown = (await owner.get(f"/v1/tournaments/{tournament}")).json()["entrants"]
        assert kinds.count("player_banned") == len(players)
        entries = [n for n, kind in enumerate(kinds) if kind == "entrant_registered"]
        assert len(entries) == len(shown)
        # The rounds run in order: the entry of round n comes before the nth ban.
        for place in entries:
            rounds = kinds[:place].count("player_banned")
            assert feed[place]["data"]["player"] == players[rounds].player


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({}, 400, "validation_failed"),
        ({"reason": "   "}, 400, "validation_failed"),
        ({"reason": "x" * 2001}, 400, "validation_failed"),
        ({"reason": "x", "until": "2001-01-01T00:00:00Z"}, 409, "ban_invalid"),
    ],
)
async def test_a_ban_has_a_reason_and_ends_in_the_future(serving, body, status, code) -> None:
    async with serving() as api:
        owner, league = await api.league()
        path = f"/v1/leagues/{league}/bans/plr_{'1' * 32}"
        answer = await owner.http.put(path, json=body, headers=owner.headers)
        assert (answer.status_code, answer.json()["code"]) == (status, code)


async def test_a_director_bans_no_owner_and_nobody_themselves_out_of_office(serving) -> None:
    async with serving() as api:
        owner, league = await api.league()
        invited = await owner.post(f"/v1/leagues/{league}/invitations", {"role": "director"})
        director = await api.person()
        await director.post(f"/v1/invitations/{invited.json()['code']}/accept")
        for who in (owner, director):
            answer = await banned(director, league, who.player)
            assert (answer.status_code, answer.json()["code"]) == (409, "staff_not_bannable")


def another(api: Api) -> "Second":
    """Return another process on the same database, started by ``async with``."""
    return Second(api)


class Second:
    """A second application with its own caches."""

    def __init__(self, api: Api) -> None:
        self._app = build(api.app.shell.settings)

    async def __aenter__(self) -> httpx.AsyncClient:
        self._life = self._app.lifespan()
        await self._life.__aenter__()
        transport = httpx.ASGITransport(app=self._app, raise_app_exceptions=False)
        self._http = httpx.AsyncClient(transport=transport, base_url="http://second")
        return self._http

    async def __aexit__(self, *raised: object) -> None:
        await self._http.aclose()
        await self._life.__aexit__(*raised)


async def test_who_is_banned_at_the_start_has_no_place(serving) -> None:
    """An entry made before the ban does not let the player play."""
    async with serving() as api:
        owner, league = await api.league()
        people = [await api.join(owner, league) for _ in range(3)]
        tournament = await a_tournament(owner, league)
        path = f"/v1/tournaments/{tournament}"
        for person in people:
            assert (await person.post(f"{path}/registrations")).status_code == 201
        assert (await banned(owner, league, people[0].player)).status_code == 200
        entered = (await owner.get(path)).json()["entrants"]
        assert len(entered) == 3
        started = await owner.post(f"{path}/start")
        assert started.status_code in (200, 202), started.text
        playing = {each["player"] for each in (await owner.get(path)).json()["entrants"]}
    assert playing == {person.player for person in people[1:]}
