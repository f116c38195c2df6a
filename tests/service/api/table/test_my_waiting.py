"""The tasks that wait for a player, and the schedule of all the player's leagues."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from engine.values import stream_of
from service.log.streams import season_stream, table_stream, tournament_stream
from service.log.waiting import PATIENT_SECONDS
from tests.service.api.season.test_fixtures import season_in, weekly
from tests.service.api.table.test_commands import turn
from tests.service.api.tournament.test_corrections import a_night
from tests.service.api.tournament.test_entering import announced, at, enter
from tests.service.api.tournament.test_money import FEES, TERMS
from tests.service.api.tournament.test_rebuys import bust_at, statuses, two_playing, until_a_bust
from tests.support.databases import TestDatabase
from tests.support.poison import owning, plant
from tests.support.projecting import projecting

pytestmark = pytest.mark.anyio


async def waiting(person: Any) -> list[dict[str, Any]]:
    """Return what waits for *person*."""
    answer = await person.get("/v1/me/waiting")
    assert answer.status_code == 200, answer.text
    return list(answer.json()["items"])


async def test_a_turn_and_a_deal_wait_for_those_who_have_not_answered(serving) -> None:
    async with serving() as api:
        owner, league, tournament, people, table = await api.playing(3, **TERMS, fees=FEES)
        person, view = await turn(people, table)
        other = next(each for each in people if each is not person)
        [item] = await waiting(person)
        assert (item["type"], item["table"], item["tournament"]) == ("turn", table, tournament)
        assert (item["league"], item["league_name"]) == (league, "Cloud City")
        assert (item["decision"], item["until"]) == (
            view["decision"]["token"],
            view["decision"]["deadline"],
        )
        body = {"method": "equal", "ends": True}
        offered = await other.post(f"/v1/tournaments/{tournament}/deals", body, key="offer")
        assert offered.status_code == 201, offered.text
        deal = (await waiting(person))[-1]
        assert (deal["type"], deal["number"], deal["amount"], deal["currency"]) == (
            "deal", 1, 1000, "EUR",
        )  # fmt: skip
        yes = await other.post(f"/v1/tournaments/{tournament}/deals/1/accept", {}, key="yes")
        assert yes.is_success or yes.json()["code"] == "deal_not_open", yes.text
        assert [each for each in await waiting(other) if each["type"] == "deal"] == []
        assert await waiting(owner) == []


async def test_an_open_rebuy_window_waits_until_its_seconds_are_over(serving) -> None:
    async with serving() as api:
        tournament, table, broke, other = await until_a_bust(api, {"max": 1, "seconds": 600})
        [item] = await waiting(broke)
        assert (item["type"], item["rebuy"], item["table"]) == ("rebuy_window", True, table)
        assert item["number"] == 1
        left = datetime.fromisoformat(item["until"]) - datetime.now(UTC)
        assert timedelta(seconds=500) < left <= timedelta(seconds=605)
        assert await waiting(other) == []
        first = {"number": 1}
        bought = await broke.post(f"/v1/tournaments/{tournament}/rebuys", first, key="again")
        assert bought.status_code == 201, bought.text
        twice = await broke.post(f"/v1/tournaments/{tournament}/rebuys", first, key="twice")
        assert (twice.status_code, twice.json()["reason"]) == (409, "not_the_next")
        entrants = (await broke.get(f"/v1/tournaments/{tournament}")).json()["entrants"]
        assert sorted(each["rebuys"] for each in entrants) == [0, 1]
        assert "rebuy_window" not in [each["type"] for each in await waiting(broke)]


async def test_a_window_that_sells_nothing_any_more_waits_for_nobody(serving) -> None:
    async with serving() as api:
        owner, tournament, table, people = await two_playing(api, {"max": 1, "seconds": 600})
        broke, _ = await bust_at(owner, tournament, table, people)
        about = f"/v1/tournaments/{tournament}"
        assert (await owner.post(f"{about}/pause", {"reason": "A short rest"})).is_success
        assert [each["type"] for each in await waiting(broke)] == ["rebuy_window"]
        assert (await owner.post(f"{about}/close")).is_success
        assert await waiting(broke) == []
        assert (await statuses(broke, tournament))[broke.player] == "busted"


async def test_nobody_moves_the_end_of_a_rebuy_window_by_leaving_the_seat(serving) -> None:
    async with serving() as api:
        _, table, broke, other = await until_a_bust(api, {"max": 1, "seconds": 600})
        [before] = await waiting(broke)
        await asyncio.sleep(PATIENT_SECONDS + 1)  # the end may move by so much, and no further
        away = await other.post(f"/v1/tables/{table}/presence", {"away": True}, key="away")
        assert away.is_success, away.text
        [after] = await waiting(broke)
        moved = datetime.fromisoformat(after["until"]) - datetime.fromisoformat(before["until"])
        assert moved <= timedelta(seconds=PATIENT_SECONDS)


async def test_no_end_of_a_rebuy_window_is_known_while_the_table_is_held_or_in_a_break(
    serving,
) -> None:
    async with serving() as api:
        owner, tournament, table, people = await two_playing(api, {"max": 1, "seconds": 600})
        broke, _ = await bust_at(owner, tournament, table, people)
        why = {"reason": "A look at the cards."}
        held, released = f"/v1/tables/{table}/hold", f"/v1/tables/{table}/release"
        known = [(await waiting(broke))[0]["until"] is not None]
        for path, body in (
            (held, why),
            (released, why),
            (f"/v1/tournaments/{tournament}/breaks", why | {"seconds": 600}),
        ):
            done = await owner.post(path, body, key=path)
            assert done.is_success, done.text
            known.append((await waiting(broke))[0]["until"] is not None)
        assert known == [True, False, True, False]


async def test_check_in_and_an_offer_wait_until_they_are_answered(serving) -> None:
    async with serving() as api:
        entry = {"check_in_opens_before_seconds": 7200, "waitlist": True, "offer_seconds": 600}
        terms = {"starts_at": at(3600), "entry": entry, "entrants_max": 2}
        _, _, tournament, people = await announced(api, 3, **terms)
        for each in people:
            await enter(each, tournament)
        path = f"/v1/tournaments/{tournament}"
        assert (await people[0].post(f"{path}/check-ins")).is_success
        assert await waiting(people[0]) == []
        [item] = await waiting(people[1])
        assert item["type"] == "check_in"
        assert item["until"] == (await people[1].get(path)).json()["starts_at"]
        assert (await people[1].post(f"{path}/withdrawals")).is_success
        offers = [each for each in await waiting(people[2]) if each["type"] == "offer"]
        assert len(offers) == 1 and offers[0]["until"] is not None


async def test_a_schedule_loads_no_tournament_that_is_over(serving, database: TestDatabase) -> None:
    async with serving() as api:
        owner, league, _, tournament, people = await a_night(api, database)
        async with serving() as fresh:
            span = {"from": at(-3600), "to": at(3600)}
            mine = await fresh.http.get("/v1/me/schedule", params=span, headers=people[0].headers)
            [item] = mine.json()["items"]
            entrants = (await owner.get(f"/v1/tournaments/{tournament}")).json()["entrants"]
            own = {each["player"]: each["id"] for each in entrants}
            assert (item["standing"], item["entry"]) == ("over", "out")
            assert item["entrant"] == own[people[0].player]
            listed = await fresh.http.get(
                f"/v1/leagues/{league}/schedule", params=span, headers=owner.headers
            )
            assert [each["standing"] for each in listed.json()["items"]] == ["over"]
            [theirs] = (
                await fresh.http.get("/v1/me/schedule", params=span, headers=owner.headers)
            ).json()["items"]
            assert (theirs["entry"], theirs["entrant"]) == (None, None)
            writer = fresh.app.shell.runtime.writer
            assert writer.known(league, tournament_stream(tournament)) is None


async def test_my_schedule_holds_all_my_leagues_with_places_lines_and_ends(
    serving, database: TestDatabase
) -> None:
    async with serving() as api, projecting(database) as runner:
        starts_at = at(86_400)
        terms = {"starts_at": starts_at, "entrants_max": 2, "entry": {"waitlist": True}}
        more = {"length_seconds": 7200, "place": "Deck 9"}
        _, one, tournament, people = await announced(api, 3, **terms, **more)
        for each in people:
            await enter(each, tournament)
        owner, other = await api.league()
        code = (await owner.post(f"/v1/leagues/{other}/invitations", {})).json()["code"]
        assert (await people[2].post(f"/v1/invitations/{code}/accept")).is_success
        season = await season_in(owner, other)
        assert (await weekly(owner, season, rrule="FREQ=WEEKLY;COUNT=1")).is_success
        await runner.catch_up()

        answer = await people[2].get("/v1/me/schedule")
        assert answer.status_code == 200, answer.text
        night, planned = answer.json()["items"]

        assert (night["league"], night["tournament"], night["entry"]) == (
            one, tournament, "waitlisted",
        )  # fmt: skip
        assert (night["entrants"], night["entrants_max"], night["waiting"]) == (2, 2, 1)
        begins = datetime.fromisoformat(night["starts_at"])
        assert datetime.fromisoformat(night["ends_at"]) == begins + timedelta(hours=2)
        assert night["place"] == "Deck 9"
        assert (planned["league"], planned["standing"], planned["entry"]) == (
            other, "planned", None,
        )  # fmt: skip
        assert (planned["entrants"], planned["entrants_max"], planned["waiting"]) == (
            None, 12, None,
        )  # fmt: skip
        [shown] = (await people[0].get(f"/v1/leagues/{one}/schedule")).json()["items"]
        assert shown.items() <= night.items()
        read = (await people[0].get(f"/v1/tournaments/{tournament}")).json()
        assert read["ends_at"] == night["ends_at"]
        [mine] = (await people[0].get("/v1/me")).json()["seats"]
        assert mine["tournament_name"] == night["name"]


async def test_a_schedule_lists_the_others_beside_what_cannot_be_read(
    serving, database: TestDatabase
) -> None:
    """The lists still know the broken tournament. The plans of the broken season are missing."""
    async with serving() as api, projecting(database) as runner:
        owner, league, broken, people = await announced(api, 1)
        for name in ("Whole", "Planned"):
            asked = {"name": name, "ruleset": "better", "starts_at": at(7200)}
            made = await owner.post(f"/v1/leagues/{league}/tournaments", asked)
            assert made.status_code == 201, made.text
        for each in (broken, made.json()["id"]):
            await enter(people[0], each)
        season = await season_in(owner, league)
        assert (await weekly(owner, season, rrule="FREQ=WEEKLY;COUNT=1")).is_success
        await runner.catch_up()
    async with serving() as api, owning(database) as log:
        await plant(log, league, "check_in_opened", "[]", stream=tournament_stream(broken))
        await plant(log, league, "season_scheduled", "[]", stream=season_stream(season))
        for path in (f"/v1/leagues/{league}/schedule", "/v1/me/schedule"):
            answer = await api.http.get(path, headers=people[0].headers)
            assert answer.status_code == 200, answer.text
            shown = answer.json()
            assert [(each["name"], each["waiting"]) for each in shown["items"]] == [
                ("Night", None), ("Whole", 0), ("Planned", 0),
            ]  # fmt: skip
            assert shown["unreadable"] == [season, broken]
        assert [each["entry"] for each in shown["items"]] == [None, None, "entered"]


async def test_an_account_shows_the_rest_beside_what_cannot_be_read(
    serving, database: TestDatabase
) -> None:
    """Otherwise one damaged evening would keep its players out of the console."""
    async with serving() as api, projecting(database) as runner:
        _, league, tournament, people, table = await api.playing()
        await runner.catch_up()
        unknown = (await people[0].post("/v1/leagues", {"name": "New"})).json()["id"]
    async with serving() as api, owning(database) as log:
        await plant(log, unknown, "check_in_opened", "[]", stream=stream_of(unknown))
        seen = []
        for broken in (table_stream(table), tournament_stream(tournament)):
            await plant(log, league, "check_in_opened", "[]", stream=broken)
            answer = await api.http.get("/v1/me", headers=people[0].headers)
            assert answer.status_code == 200, answer.text
            shown = answer.json()
            assert [each["id"] for each in shown["leagues"]] == [league]
            seen += [(each["table"], each["stack"]) for each in shown["seats"]]
            seen.append(shown["unreadable"])
        assert seen == [(table, None), [table], (None, None), [tournament]]
