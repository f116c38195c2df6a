"""A player's stream: its items, their order, its readers, and its end."""

import asyncio
from contextlib import AsyncExitStack
from typing import Any

import asyncpg
import pytest

from engine.values import number_of
from service.api.http.following import joining
from service.api.table import my_following, my_stream
from service.api.table.told import Facts, InLeague, cursor_of
from tests.service.api.proof.test_evidence import project
from tests.service.api.table.test_commands import answer_to, turn
from tests.service.api.table.test_leaks import cards_in
from tests.service.api.table.wire import Item, served, told
from tests.service.api.tournament.test_entering import at
from tests.support.databases import TestDatabase
from tests.support.streams import Following, following
from tests.support.waiting import until_awaited

pytestmark = pytest.mark.anyio

MINE = "/v1/me/stream"
WHY = {"reason": "As I saw it from the rail."}


async def until(stream: Following, kind: str, **members: Any) -> Item:
    """Return the last item of a type with these members, once there is one."""

    async def come() -> Item | None:
        found = [
            each
            for each in told(stream.items, kind)
            if all(each[name] == value for name, value in members.items())
        ]
        return found[-1] if found else None

    item: Item = await until_awaited(come)
    return item


async def turns(person: Any, **query: Any) -> Any:
    """Return a page of the caller's items."""
    answer = await person.get("/v1/me/turns", params=query)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def types(person: Any, **query: Any) -> list[str]:
    return [each["type"] for each in (await turns(person, **query))["items"]]


async def announced(api: Any, players: int, **terms: Any) -> tuple[Any, str, str, list[Any]]:
    """Announce a tournament. Return owner, league, tournament, and members who have not entered."""
    owner, league = await api.league()
    people = [await api.join(owner, league) for _ in range(players)]
    asked = {"name": "Night", "ruleset": "better", "hands_between_seconds": 0} | terms
    made = await owner.post(f"/v1/leagues/{league}/tournaments", asked)
    assert made.status_code == 201, made.text
    return owner, league, made.json()["id"], people


async def test_a_stream_begins_with_what_holds_and_a_turn_has_all_that_its_answer_needs(
    serving,
) -> None:
    async with serving() as api:
        _, league, tournament, people, table = await api.playing()
        person, view = await turn(people, table)
        async with following(api.app, MINE, person.headers) as stream:
            await until(stream, "caught_up")
            assert [each["type"] for each in stream.items] == [
                "tournament", "entry", "seat", "turn", "caught_up",
            ]  # fmt: skip
            item = stream.items[3]
            assert (item["league"], item["tournament"]) == (league, tournament)
            read = (await person.get(f"/v1/tables/{table}")).json()
            assert item["view"] | {"now": read["now"], "closed_since": None} == read
            assert set(item["view"]["names"].values()) == {each.login for each in people}
            assert item["deadline"] == view["decision"]["deadline"]
            assert item["view"]["legal"] == view["legal"] != []
            done = await person.post(
                f"/v1/tables/{table}/actions",
                answer_to(item["view"]) | {"decision": item["decision"]},
                key="a",
            )
            assert done.status_code == 200, done.text
            closed = await until(stream, "turn_closed")
            assert (closed["table"], closed["decision"]) == (table, item["decision"])


async def test_a_poll_and_lines_of_json_tell_the_same_as_the_stream(serving) -> None:
    async with serving() as api, served(api) as http:
        owner, _, tournament, people, table = await api.playing()
        person, view = await turn(people, table)
        async with following(api.app, MINE, person.headers) as stream:
            await until(stream, "caught_up")
        first = stream.items[:-1]
        assert (await turns(person))["items"] == first
        pages: list[Item] = []
        cursor = None
        while True:
            page = await turns(person, limit=1, **({} if cursor is None else {"after": cursor}))
            pages += page["items"]
            cursor = pages[-1]["cursor"]
            assert page["next_cursor"] == (cursor if page["more"] else None)
            if not page["more"]:
                break
        assert pages == first
        assert await types(person, after=cursor) == []

        waiting = asyncio.create_task(turns(person, after=cursor, wait=20))
        assert not await types(person, after=cursor)
        await owner.post(f"/v1/tables/{table}/hold", WHY, key="h")
        assert [each["type"] for each in (await waiting)["items"]] == ["turn_closed"]

        headers = {**person.headers, "Accept": "application/x-ndjson", "Last-Event-ID": cursor}
        async with http.stream("GET", MINE, headers=headers) as answer:
            assert answer.headers["content-type"].startswith("application/x-ndjson")
            lines = answer.aiter_lines()
            assert await anext(lines) == ""
            assert '"type":"turn_closed"' in await anext(lines)
        assert view["table"] == table and tournament


async def test_a_held_table_has_no_turn_and_its_release_tells_it_again(serving) -> None:
    async with serving() as api:
        owner, _, _, people, table = await api.playing()
        person, view = await turn(people, table)
        token = view["decision"]["token"]
        async with following(api.app, MINE, person.headers) as stream:
            first = await until(stream, "turn")
            await owner.post(f"/v1/tables/{table}/hold", WHY, key="h")
            await until(stream, "turn_closed", decision=token)
            await owner.post(f"/v1/tables/{table}/release", WHY, key="r")
            await until_awaited(lambda: _count(stream, "turn", 2))
            again = told(stream.items, "turn")[-1]
            assert again["decision"] == token and again["deadline"] > first["deadline"]
            assert again["view"]["legal"] == first["view"]["legal"]


async def _count(stream: Following, kind: str, count: int) -> bool:
    return len(told(stream.items, kind)) >= count


async def test_another_process_tells_every_turn_and_goes_on_after_a_cursor_of_the_first(
    serving,
) -> None:
    """The process that serves the stream has copies that are older than the events it hears of."""
    async with serving() as one, serving() as other:
        _, _, _, people, table = await one.playing()
        async with AsyncExitStack() as opened:
            streams = [
                await opened.enter_async_context(following(other.app, MINE, each.headers))
                for each in people
            ]
            for number in range(10):
                person, view = await turn(people, table)
                token = view["decision"]["token"]
                item = await until(streams[people.index(person)], "turn", decision=token)
                assert item["view"]["legal"] == view["legal"]
                done = await person.post(
                    f"/v1/tables/{table}/actions", answer_to(item["view"]), key=f"n{number}"
                )
                assert done.status_code == 200, done.text
                await until(streams[people.index(person)], "turn_closed", decision=token)
            cursor = streams[0].items[-1]["cursor"]
        assert await types(people[0], after=cursor) in ([], ["turn"], ["hand_over", "turn"])


async def test_two_tables_in_two_leagues_come_on_one_connection(serving) -> None:
    async with serving() as api:
        one, two = [await announced(api, 1) for _ in range(2)]
        person = await api.person()
        for owner, league, tournament, people in (one, two):
            code = (await owner.post(f"/v1/leagues/{league}/invitations", {})).json()["code"]
            assert (await person.post(f"/v1/invitations/{code}/accept")).status_code == 201
            for each in (person, *people):
                entered = await each.post(f"/v1/tournaments/{tournament}/registrations")
                assert entered.status_code == 201, entered.text
        async with (
            following(api.app, MINE, person.headers) as both,
            following(api.app, f"{MINE}?league={one[1]}", person.headers) as narrow,
        ):
            await until(both, "caught_up")
            await until(narrow, "caught_up")
            for owner, _, tournament, _ in (one, two):
                started = await owner.post(f"/v1/tournaments/{tournament}/start")
                assert started.status_code == 202, started.text
            for _, league, tournament, _ in (one, two):
                await until(both, "turn", league=league, tournament=tournament)
            await until(narrow, "turn")
            assert {each["league"] for each in narrow.items if "league" in each} == {one[1]}
            # A cursor of both streams works for the narrow stream, and repeats nothing.
            cursor = both.items[-1]["cursor"]
            assert await types(person, after=cursor, league=two[1]) == []
            assert "league_left" not in await types(person, after=cursor)


async def test_entering_an_offer_and_a_withdrawal_are_told_to_the_player_alone(serving) -> None:
    async with serving() as api, AsyncExitStack() as opened:
        terms = {"entrants_max": 2, "entry": {"waitlist": True, "offer_seconds": 600}}
        terms["starts_at"] = at(7200)  # no offer outlasts registration
        _, _, tournament, people = await announced(api, 4, **terms)
        streams = [
            await opened.enter_async_context(following(api.app, MINE, each.headers))
            for each in people
        ]
        for stream in streams:
            await until(stream, "caught_up")
        entries = []
        for person in people[:3]:
            answer = await person.post(f"/v1/tournaments/{tournament}/registrations")
            assert answer.is_success, answer.text
            entries.append(answer.json()["entrant"])
        await until(streams[0], "entry", status="entered", entrant=entries[0])
        await until(streams[2], "entry", status="waitlisted", entrant=entries[2])
        gone = await people[0].post(f"/v1/tournaments/{tournament}/withdrawals")
        assert gone.is_success, gone.text
        await until(streams[0], "entry", status="withdrawn")
        offer = await until(streams[2], "offer")
        [waits] = (await people[2].get("/v1/me/waiting")).json()["items"]
        assert offer["until"] == waits["until"] is not None
        # An outage makes the offer last longer, also before the log has the new end.
        await api.app.shell.pool.execute(
            "INSERT INTO outage VALUES ('api', clock_timestamp() - interval '1 hour',"
            " clock_timestamp())"
        )
        later = await opened.enter_async_context(following(api.app, MINE, people[2].headers))
        longer = await until(later, "offer")
        [waits] = (await people[2].get("/v1/me/waiting")).json()["items"]
        assert offer["until"] < longer["until"] == waits["until"]
        answered = await people[2].post(f"/v1/tournaments/{tournament}/offers", {"accepted": True})
        assert answered.is_success, answered.text
        await until(streams[2], "entry", status="entered")
        await until(streams[2], "offer", until=None)
        assert [each["type"] for each in streams[3].items] == ["caught_up"]


async def test_a_league_that_is_joined_later_is_told_too(
    serving, database: TestDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(joining, "JOINED_SECONDS", 0)
    monkeypatch.setattr(my_stream, "PING_SECONDS", 0.1)
    async with serving() as api:
        owner, league, tournament, _ = await announced(api, 0)
        person = await api.person()
        async with following(api.app, MINE, person.headers) as stream:
            await until(stream, "caught_up")
            code = (await owner.post(f"/v1/leagues/{league}/invitations", {})).json()["code"]
            await person.post(f"/v1/invitations/{code}/accept")
            await person.post(f"/v1/tournaments/{tournament}/registrations")
            await project(database)
            await until(stream, "entry", status="entered", tournament=tournament)
            # The read models know the tournament now, so the log's newer events are not needed.
            assert await types(person) == ["tournament", "entry"]


async def test_a_spectator_and_a_stranger_are_told_nothing_and_nobody_anothers_cards(
    serving,
) -> None:
    async with serving() as api, AsyncExitStack() as opened:
        owner, _, _, people, table = await api.playing(3)
        stranger = await api.person()
        players = [
            await opened.enter_async_context(following(api.app, MINE, each.headers))
            for each in people
        ]
        others = [
            await opened.enter_async_context(following(api.app, MINE, each.headers))
            for each in (owner, stranger)
        ]
        for stream in (*players, *others):
            await until(stream, "caught_up")
        for number in range(14):
            person, view = await turn(people, table)
            done = await person.post(
                f"/v1/tables/{table}/actions", answer_to(view), key=f"n{number}"
            )
            assert done.status_code == 200, done.text
        await until(players[0], "hand_over")
        for stream in others:
            assert [each["type"] for each in stream.items] == ["caught_up"]
        for stream in players:
            for item in stream.items:
                view = item.get("view", {})
                open_to_all = cards_in({**view, "me": None, "legal": []})
                own = cards_in(view.get("me") or {})
                assert cards_in(item) <= own | open_to_all
                shown = {card for seat in view.get("seats", ()) for card in cards_in(seat)}
                ended = cards_in((view.get("last_hand") or {}).get("revealed", []))
                assert item["type"] != "turn" or shown | ended >= open_to_all - cards_in(
                    [view.get("rounds"), view.get("last_hand")]
                )


async def test_leaving_a_league_and_losing_the_token_end_what_is_told(serving) -> None:
    async with serving() as api:
        owner, league, tournament, (person, other) = await announced(api, 2)
        for each in (person, other):
            await each.post(f"/v1/tournaments/{tournament}/registrations")
        async with (
            following(api.app, MINE, person.headers) as stream,
            following(api.app, MINE, other.headers) as another,
        ):
            await until(stream, "caught_up")
            await until(another, "caught_up")
            banned = await owner.http.put(
                f"/v1/leagues/{league}/bans/{person.player}",
                json={"reason": "marked cards"},
                headers={**owner.headers, "Idempotency-Key": "b"},
            )
            assert banned.is_success, banned.text
            left = await owner.http.delete(
                f"/v1/leagues/{league}/members/{person.player}",
                headers={**owner.headers, "Idempotency-Key": "d"},
            )
            assert left.is_success, left.text
            item = await until(stream, "league_left", league=league)
            assert item == stream.items[-1]
            assert await types(person, after=stream.items[-1]["cursor"]) == []
            assert await types(person, after=stream.items[-2]["cursor"]) == ["league_left"]

            count = len(another.items)
            out = await other.http.delete("/v1/tokens", headers=other.headers)
            assert out.is_success, out.text
            await owner.post(f"/v1/tournaments/{tournament}/registration/close")
            async with asyncio.timeout(20):
                await another.ended.wait()
            assert len(another.items) == count
            assert not stream.ended.is_set()
        assert (await other.get("/v1/me/turns")).status_code == 401


async def test_a_new_epoch_begins_the_league_again(serving, database: TestDatabase) -> None:
    async with serving() as api:
        owner, league, _, people, table = await api.playing()
        person, _ = await turn(people, table)
        page = await turns(person)
        cursor = page["items"][-1]["cursor"]
        operator = await asyncpg.connect(database.url("holotable_migrate"))
        await operator.execute("SELECT raise_epoch($1, 'Lobot', 'a drill')", number_of(league))
        await operator.close()
        await owner.post(f"/v1/leagues/{league}/invitations", {})  # this process learns of it
        again = await turns(person, after=cursor)
        assert [each["type"] for each in again["items"]] == [
            "reset", *(each["type"] for each in page["items"]),
        ]  # fmt: skip


async def test_a_slow_reader_skips_what_is_old_and_holds_up_nobody(serving) -> None:
    async with serving() as api:
        _, _, _, people, table = await api.playing()
        async with (
            following(api.app, MINE, people[0].headers, limit=1) as slow,
            following(api.app, MINE, people[1].headers) as quick,
        ):
            await slow.until(1)
            for number in range(12):
                person, view = await turn(people, table)
                done = await person.post(
                    f"/v1/tables/{table}/actions", answer_to(view), key=f"n{number}"
                )
                assert done.status_code == 200, done.text
            await until(quick, "hand_over")
            assert len(slow.items) == 1
            slow.read_on()
            await until(slow, "caught_up")
            assert len(told(slow.items, "turn")) <= 1


async def test_a_cursor_that_is_none_is_refused_and_so_is_a_token_that_may_not_play(
    serving,
) -> None:
    async with serving() as api:
        owner, _ = await api.league()
        for bad in ("x", "%", "AAAA", "é"):
            answer = await owner.get("/v1/me/turns", params={"after": bad})
            assert (answer.status_code, answer.json()["code"]) == (400, "invalid_cursor")
        weak = await owner.post("/v1/tokens", {"scopes": ["leagues:read"]})
        headers = {"Authorization": f"Bearer {weak.json()['token']}"}
        for path in (MINE, "/v1/me/turns"):
            answer = await api.http.get(path, headers=headers)
            assert (answer.status_code, answer.json()["code"]) == (403, "forbidden")


async def test_a_poll_that_waits_counts_as_a_stream(serving) -> None:
    async with serving(token_streams=1) as api:
        _, _, _, people, table = await api.playing()
        person, _ = await turn(people, table)
        cursor = (await turns(person))["items"][-1]["cursor"]
        async with following(api.app, MINE, person.headers) as stream:
            await until(stream, "caught_up")
            query = {"after": cursor, "wait": 20}
            refused = await person.get("/v1/me/turns", params=query)
            assert (refused.status_code, refused.json()["code"]) == (429, "too_many_streams")
            assert (await turns(person, after=cursor))["items"] == []


async def test_a_forged_cursor_tells_nothing_of_drafts_and_loads_little_at_once(
    serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with serving() as api:
        owner, league, _, (person,) = await announced(api, 1)
        draft = {"name": "Secret", "ruleset": "better", "draft": True}
        made = await owner.post(f"/v1/leagues/{league}/tournaments", draft)
        assert made.status_code == 201, made.text
        forged = {
            league: InLeague(
                0,
                {
                    made.json()["id"]: Facts(state="running", entry="entered"),
                    **{f"trn_{number:032x}": Facts(entry="entered") for number in range(40)},
                },
            )
        }
        writer = api.app.shell.runtime.writer
        load, loading, most = writer.load, 0, 0

        async def counted(*args: Any, **more: Any) -> Any:
            nonlocal loading, most
            loading += 1
            most = max(most, loading)
            try:
                return await load(*args, **more)
            finally:
                loading -= 1

        monkeypatch.setattr(writer, "load", counted)
        assert (await turns(person, after=cursor_of(forged)))["items"] == []
        assert 0 < most <= my_following.LOOKS_MAX


async def test_a_player_who_is_banned_in_play_goes_on_playing(serving) -> None:
    """
    A ban lets nobody in, and takes no seat.

    The chips of a seat without turns would go to the others blind by blind, and each hand would
    wait for the clock. So the turns go on until a director disqualifies the player.
    """
    async with serving() as api:
        owner, league, _, people, table = await api.playing()
        person, _ = await turn(people, table)
        banned = await owner.http.put(
            f"/v1/leagues/{league}/bans/{person.player}",
            json={"reason": "marked cards"},
            headers={**owner.headers, "Idempotency-Key": "b"},
        )
        assert banned.is_success, banned.text
        item = (await turns(person))["items"][-1]
        assert item["type"] == "turn"
        done = await person.post(f"/v1/tables/{table}/actions", answer_to(item["view"]), key="a")
        assert done.status_code == 200, done.text
