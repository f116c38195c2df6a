"""Clients who send too many requests have to wait. Others do not."""

import asyncio
from contextlib import ExitStack
from datetime import UTC, datetime
from uuid import UUID

import httpx
import psycopg
import pytest
import uvicorn
from hypothesis import given
from hypothesis import strategies as st

from engine.values import number_of
from service.api.http.wire.buckets import Buckets, Policy
from service.api.http.wire.limiting import Streams
from service.base.errors import TooManyStreams
from service.base.limits import LimitSettings
from service.people.accounts import Account
from service.people.tokens import Principal, token_text
from tests.service.api.table.test_commands import answer_to, turn

pytestmark = pytest.mark.anyio


class Clock:
    """A clock that the test moves."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def buckets(most: int = 5, seconds: float = 10, keys: int = 100) -> tuple[Buckets, Clock]:
    clock = Clock()
    return Buckets(Policy("token", most, seconds), clock, keys), clock


def test_so_many_come_at_once_and_then_one_after_the_other() -> None:
    found, clock = buckets()
    assert [found.take("a") for _ in range(5)] == [0] * 5
    assert found.take("a") == pytest.approx(2)
    assert found.take("b") == 0
    clock.now += 2
    assert (found.left("a"), found.take("a"), found.left("a")) == (1, 0, 0)
    clock.now += 100
    assert found.left("a") == 5
    assert found.state("a") == '"token";r=5;t=2'
    assert found.policy.header == '"token";q=5;w=10'


@given(
    pauses=st.lists(st.floats(0, 5), min_size=1, max_size=80),
    most=st.integers(1, 10),
    seconds=st.integers(1, 20),
)
def test_no_window_of_time_holds_more_than_a_full_bucket_and_its_refill(
    pauses: list[float], most: int, seconds: int
) -> None:
    found, clock = buckets(most, seconds)
    taken: list[float] = []
    for pause in pauses:
        clock.now += pause
        wait = found.take("a")
        if not wait:
            taken.append(clock.now)
            continue
        clock.now += wait
        assert found.take("a") == 0, "who waits as long as told may come"
        taken.append(clock.now)
    for number, begin in enumerate(taken):
        for count, end in enumerate(taken[number:], start=1):
            assert count <= most + (end - begin) * most / seconds + 1e-6


def test_the_number_of_buckets_is_bounded_and_who_asks_most_is_not_forgotten() -> None:
    found, _ = buckets(most=3, keys=10)
    for number in range(1000):
        found.take("flood")
        found.take(number)
    assert len(found._full) == 10
    assert found.take("flood") > 0


@pytest.mark.parametrize("path", ["/v1/tables/{table}", "/v1/me", "/v1/nowhere"])
async def test_a_flood_with_one_token_ends_in_429_and_others_play_on(serving, path: str) -> None:
    async with serving(token_requests=2) as api:
        _, _, _, people, table = await api.playing(3)
        flooder, *others = people
        asked = path.format(table=table)
        answers = [await flooder.get(asked) for _ in range(40)]
        last = answers[-1]
        assert (last.status_code, last.json()["code"]) == (429, "too_many_requests")
        assert last.json()["limit"] == "token"
        assert last.headers["retry-after"] == "1"
        assert last.headers["ratelimit-policy"] == '"token";q=20;w=10'
        assert last.headers["ratelimit"] == '"token";r=0;t=1'
        warned = [
            each for each in answers if each.status_code != 429 and "ratelimit" in each.headers
        ]
        assert warned, "whoever has used half is told so before"
        assert "ratelimit" not in answers[0].headers
        for other in others:
            assert (await other.get(f"/v1/tables/{table}")).status_code == 200


async def test_a_flood_of_actions_is_limited_as_reading_is_and_the_other_player_acts(
    serving,
) -> None:
    async with serving(account_requests=3) as api:
        _, _, _, people, table = await api.playing()
        path = f"/v1/tables/{table}/actions"
        asked, view = await turn(people, table)
        (flooder,) = [each for each in people if each is not asked]
        codes = {(await flooder.post(path, {}, key="k")).status_code for _ in range(60)}
        assert codes == {400, 429}
        acted = await asked.post(path, answer_to(view), key="acted")
        assert acted.status_code == 200, acted.text


async def test_a_flood_without_good_tokens_takes_nothing_from_people_behind_its_address(
    serving,
) -> None:
    async with serving(open_requests=3) as api:
        person = await api.person()
        assert (await person.get("/v1/me")).status_code == 200
        forged = {"Authorization": f"Bearer {token_text(b'x' * 32)}"}
        floods: list[dict[str, str]] = [{}, forged, {"Authorization": "Basic YTpi"}]
        for headers in floods:
            answers = [await api.http.get("/v1/me", headers=headers) for _ in range(40)]
            assert answers[-1].status_code == 429
            assert answers[-1].json()["limit"] == "open"
        lie = {"X-Forwarded-For": "203.0.113.9", "Forwarded": "for=203.0.113.9"}
        assert (await api.http.get("/v1/me", headers=lie)).status_code == 429
        assert (await person.get("/v1/me")).status_code == 200
        assert (await api.http.get("/livez")).status_code == 200


async def test_through_a_trusted_proxy_each_client_has_an_address_of_its_own(serving) -> None:
    async with serving(open_requests=1, trusted_proxies="127.0.0.1") as api:
        one, other = ({"X-Forwarded-For": f"203.0.113.{number}"} for number in (1, 2))
        while (await api.http.get("/v1/rulesets", headers=one)).status_code != 429:
            pass
        assert (await api.http.get("/v1/rulesets", headers=other)).status_code != 429
        near = {"X-Forwarded-For": "2001:db8::1"}
        far = {"X-Forwarded-For": "2001:db8::ffff"}
        while (await api.http.get("/v1/rulesets", headers=near)).status_code != 429:
            pass
        assert (await api.http.get("/v1/rulesets", headers=far)).status_code == 429


async def test_an_address_makes_so_many_accounts_an_hour(serving) -> None:
    async with serving(address_accounts=2) as api:
        for _ in range(2):
            await api.person()
        body = {"login": "third", "password": "correct horse"}
        answer = await api.http.post("/v1/accounts", json=body)
        assert (answer.status_code, answer.json()["limit"]) == (429, "accounts")
        assert 1700 < int(answer.headers["retry-after"]) <= 1800


async def test_refused_commands_are_kept_up_to_a_number_and_the_answer_says_if_not(
    serving, database
) -> None:
    async with serving(account_refusals=2) as api:
        _, _, _, people, table = await api.playing()
        await turn(people, table)
        stale = {"type": "check", "decision": "of yesterday"}
        found = []
        for number in range(4):
            path = f"/v1/tables/{table}/actions"
            answer = await people[0].post(path, stale, key=f"k{number}")
            assert answer.status_code == 409, answer.text
            found.append(answer.json().get("kept", True))
        assert found == [True, True, False, False]
        kept = await api.app.shell.pool.fetchval("SELECT count(*) FROM refused_command")
        assert kept == 2


async def status_of(http: httpx.AsyncClient, path: str, headers: dict[str, str]) -> int:
    async with http.stream("GET", path, headers=headers) as answer:
        return answer.status_code


def test_strangers_leave_half_of_the_streams_to_those_who_have_signed_in() -> None:
    """However many addresses they have."""
    streams = Streams(LimitSettings(process_streams=6, address_streams=2))
    known = Account(UUID(int=1), "lando", "Lando", True)
    player = Principal(known, UUID(int=2), frozenset(), datetime.now(UTC), b"")
    with ExitStack() as opened:

        def refused(reader: Principal | str) -> object:
            try:
                opened.enter_context(streams.held(reader))
            except TooManyStreams as error:
                return error.facts["limit"]
            return None

        assert [refused("192.0.2.1") for _ in range(3)] == [None, None, "address"]
        assert [refused("192.0.2.2") for _ in range(2)] == [None, "strangers"]
        assert [refused(player) for _ in range(4)] == [None, None, None, "process"]
    assert streams.number == 0
    with streams.held("192.0.2.3"):
        assert streams.number == 1


async def test_a_token_opens_so_many_streams_and_may_open_another_when_one_ends(serving) -> None:
    """This test uses the real server, because a stream ends with its connection."""
    async with serving(token_streams=2) as api:
        _, _, _, people, table = await api.playing()
        config = uvicorn.Config(api.app, lifespan="off", log_config=None, port=0)
        server = uvicorn.Server(config)
        running = asyncio.create_task(server.serve())
        while not server.started:  # noqa: ASYNC110 - the server has no other signal for it
            await asyncio.sleep(0)
        port = server.servers[0].sockets[0].getsockname()[1]
        headers = {**people[0].headers, "Accept": "text/event-stream"}
        path = f"http://127.0.0.1:{port}/v1/tables/{table}/events"
        held_lines = []
        async with asyncio.timeout(30), httpx.AsyncClient() as http:
            held = [await http.send(http.build_request("GET", path, headers=headers), stream=True)]
            held += [await http.send(http.build_request("GET", path, headers=headers), stream=True)]
            for each in held:
                lines = each.aiter_lines()
                held_lines.append(lines)
                while "data:" not in await anext(lines):
                    pass
            third = await http.get(path, headers=headers)
            assert (third.status_code, third.json()["code"]) == (429, "too_many_streams")
            assert third.json()["limit"] == "token"
            assert third.headers["retry-after"] == "1"
            await held[0].aclose()
            while (await status_of(http, path, headers)) == 429:
                pass
            for each in held:
                await each.aclose()
        api.app.shell.stopping.set()
        server.should_exit = True
        await running


async def test_tokens_make_so_many_tokens_and_never_keep_their_owner_from_signing_in(
    serving,
) -> None:
    async with serving(account_tokens=2) as api:
        person = await api.person()
        sign_in = {"login": person.login, "password": "correct horse"}
        manages = {"scopes": ["tokens:manage", "leagues:read"]}
        token = (await api.http.post("/v1/tokens", json=sign_in | manages)).json()["token"]
        headers = {"Authorization": f"Bearer {token}"}
        child = {"scopes": ["leagues:read"]}
        refused = await api.http.post("/v1/tokens", json=child, headers=headers)
        assert (refused.status_code, refused.json()["code"]) == (409, "quota_exhausted")
        assert refused.json()["quota"] == "tokens"
        codes = [(await api.http.post("/v1/tokens", json=sign_in)).status_code for _ in range(3)]
        assert (codes[0], codes[-1]) == (201, 409)


async def test_an_account_owns_so_many_leagues(serving, database) -> None:
    """The quota uses the log, so it also holds before the read models have caught up."""
    async with serving(account_leagues=1) as api:
        owner = await api.person()
        first = await owner.post("/v1/leagues", {"name": "Cloud City"}, key="first")
        again = await owner.post("/v1/leagues", {"name": "Cloud City"}, key="first")
        assert (first.status_code, again.status_code) == (201, 201)
        second = await owner.post("/v1/leagues", {"name": "Bespin"})
        assert (second.status_code, second.json()["quota"]) == (409, "leagues")
        moved = "UPDATE append_turn SET suspended_at = now(), relocation = %s WHERE league = %s"
        with psycopg.connect(database.url("postgres")) as superuser:
            superuser.execute(moved, ["unpacked", number_of(first.json()["id"])])
        arriving = await owner.post("/v1/leagues", {"name": "Bespin"})
        assert arriving.status_code == 409, "a league that arrives counts, or one too many is owned"
        with psycopg.connect(database.url("postgres")) as superuser:
            superuser.execute(moved, ["released", number_of(first.json()["id"])])
        third = await owner.post("/v1/leagues", {"name": "Bespin"})
        assert third.status_code == 201, "a league that has moved away does not count"


async def test_an_account_that_founds_leagues_at_once_owns_no_more(serving) -> None:
    async with serving(account_leagues=3) as api:
        owner, other = await api.person(), await api.person()
        founding = [owner.post("/v1/leagues", {"name": f"Cloud {n}"}, key=f"{n}") for n in range(9)]
        answers = await asyncio.gather(*founding)
        assert sorted(each.status_code for each in answers) == [201] * 3 + [409] * 6
        made = next(n for n, each in enumerate(answers) if each.status_code == 201)
        again = await owner.post("/v1/leagues", {"name": f"Cloud {made}"}, key=f"{made}")
        assert again.json() == answers[made].json()
        assert (await other.post("/v1/leagues", {"name": "Bespin"})).status_code == 201


async def test_tokens_made_at_once_are_no_more_than_an_account_may_have(serving) -> None:
    async with serving(account_tokens=4) as api:
        person = await api.person()
        child = {"scopes": ["leagues:read"]}
        made = await asyncio.gather(*(person.post("/v1/tokens", child) for _ in range(8)))
        keys = await asyncio.gather(*(person.post("/v1/me/calendar-keys") for _ in range(8)))
        assert sorted(each.status_code for each in made) == [201] * 2 + [409] * 6
        assert sorted(each.status_code for each in keys) == [201] * 4 + [409] * 4


async def test_an_account_asks_for_so_many_audits_in_all_its_leagues(serving) -> None:
    """Heads are signed by the processes that audit, so one account must not fill their queue."""
    async with serving(account_audits=2) as api:
        owner, league = await api.league()
        other = (await owner.post("/v1/leagues", {"name": "Bespin"})).json()["id"]
        first = await owner.post(f"/v1/leagues/{league}/audits", key="first")
        again = await owner.post(f"/v1/leagues/{league}/audits", key="first")
        second = await owner.post(f"/v1/leagues/{other}/audits")
        third = await owner.post(f"/v1/leagues/{other}/audits")
        assert [each.status_code for each in (first, again, second)] == [202] * 3
        assert (third.status_code, third.json()["limit"]) == (429, "audits")
        stranger, elsewhere = await api.league()
        assert (await stranger.post(f"/v1/leagues/{elsewhere}/audits")).status_code == 202
