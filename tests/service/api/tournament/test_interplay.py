"""Features together over HTTP: drafts and calendars, formats and house rules, two processes."""

from csv import DictReader

import pytest

from tests.service.api.conftest import ANY
from tests.service.api.me.test_erasing import erased
from tests.service.api.nights import project
from tests.service.api.season.test_calendars import fetched, key_of
from tests.service.api.season.test_fixtures import schedule, season_in, weekly
from tests.service.api.season.test_templates import announced, house
from tests.service.api.tournament.test_casino import play_until
from tests.service.api.tournament.test_entering import announced as drafted
from tests.service.api.tournament.test_entering import at, enter
from tests.support.databases import TestDatabase

pytestmark = pytest.mark.anyio


async def test_a_draft_stands_in_no_schedule_and_no_calendar(
    serving, database: TestDatabase
) -> None:
    async with serving() as api:
        owner, league, tournament, (person,) = await drafted(api, 1, draft=True)
        await project(database)
        key, path = (await key_of(person))["key"], f"/v1/leagues/{league}/calendar.ics"
        assert await schedule(person, league) == []
        assert await fetched(api.http, path, key) == []
        assert (await owner.post(f"/v1/tournaments/{tournament}/announce")).status_code == 200
        await project(database)
        assert [each["tournament"] for each in await schedule(person, league)] == [tournament]
        assert len(await fetched(api.http, path, key)) == 1


async def test_as_of_a_time_when_it_was_a_draft_players_see_nothing(serving) -> None:
    async with serving() as api:
        owner, league = await api.league()
        person = await api.join(owner, league)
        asked = {"name": "Secret", "ruleset": "better", "starts_at": at(3600), "draft": True}
        made = await owner.post(f"/v1/leagues/{league}/tournaments", asked)
        path, then = f"/v1/tournaments/{made.json()['id']}", made.json()["position"]
        assert (await owner.post(f"{path}/announce")).status_code == 200
        assert (await person.get(path)).status_code == 200
        assert (await person.get(path, params={"as_of": then})).status_code == 404
        assert (await owner.get(path, params={"as_of": then})).json()["state"] == "draft"


async def test_another_format_than_the_houses_has_none_of_its_members(serving) -> None:
    async with serving() as api:
        owner, league = await api.league()
        rounds = {"kind": "rounds", "rounds": 3, "hands_per_round": 4}
        await house(owner, league, ruleset="better", format=rounds)
        same = await announced(owner, league, format={"kind": "rounds", "rounds": 5})
        other = await announced(owner, league, format={"kind": "single_table"})
    assert (same["format"]["rounds"], same["format"]["hands_per_round"]) == (5, 4)
    assert other["format"] == {"kind": "single_table"}


@pytest.mark.parametrize(
    "body",
    [
        {"floor": {"last_hands_at": "2030-01-01T22:00:00Z"}},
        {"format": {"kind": "rounds", "rounds": 2, "starts_at": ["2030-01-02T20:00:00Z"]}},
        {"draft": True},
    ],
)
async def test_what_belongs_to_one_night_is_in_no_template_and_no_recurrence(serving, body) -> None:
    async with serving() as api:
        owner, league = await api.league()
        season = await season_in(owner, league)
        asked = {"name": "Weekly", "body": {"ruleset": "better", **body}}
        kept = await owner.post(f"/v1/leagues/{league}/templates", asked)
        planned = await weekly(
            owner, season, tournament={"name": "Weekly", "ruleset": "better", **body}
        )
    codes = [(each.status_code, each.json()["code"]) for each in (kept, planned)]
    assert codes == [(400, "validation_failed")] * 2


async def test_who_came_late_through_another_process_is_known_at_the_table(serving) -> None:
    async with serving() as here, serving() as there:
        owner, league, tournament, people, table = await here.playing(
            2, table_seats=4, entry={"late_registration_seconds": 3600}
        )
        newcomer = await here.join(owner, league)
        path, headers = f"/v1/tables/{table}", newcomer.headers
        before = await there.http.get(path, headers=headers)
        assert before.status_code == 200, before.text
        assert (await enter(newcomer, tournament)).status_code == 201

        async def seated() -> bool:
            shown = (await owner.get(f"/v1/tournaments/{tournament}")).json()
            return shown["entrants"][-1]["table"] is not None

        await play_until(people, table, seated)
        own = (await newcomer.get(path)).json()["me"]
        assert own is not None
        assert (await there.http.get(path, headers=headers)).json()["me"] == own


async def test_a_no_show_who_lost_the_place_counts_as_withdrawn(
    serving, database: TestDatabase
) -> None:
    async with serving() as api:
        check_in = {"check_in_opens_before_seconds": 3600}
        owner, _, tournament, people = await drafted(api, 3, entry=check_in)
        path = f"/v1/tournaments/{tournament}"
        for person in people:
            assert (await enter(person, tournament)).status_code == 201
        for person in people[:2]:
            assert (await person.post(f"{path}/check-ins")).status_code == 200
        assert (await owner.post(f"{path}/start")).status_code == 202
        await project(database)
        rows = DictReader((await owner.get(f"{path}/results.csv")).text.splitlines())
        withdrawn = {each["player"] for each in rows if each["withdrawn"] == "true"}
        assert withdrawn == {people[2].player}
        # Nobody who has lost the place is kept from erasing while the others play.
        assert (await people[2].get("/v1/me")).json()["seats"] == []
        assert (await erased(api, people[0])).json()["code"] == "still_entered"
        assert (await erased(api, people[2])).status_code == 200


async def test_nobody_cancels_a_tournament_in_play_in_which_they_play(serving) -> None:
    async with serving() as api:
        owner, league, tournament, (person,) = await drafted(api, 1)
        director = await api.join(owner, league)
        path = f"/v1/leagues/{league}/members/{director.player}"
        made = await owner.http.put(path, json={"role": "director"}, headers=owner.headers | ANY)
        assert made.status_code == 200, made.text
        for each in (owner, person):
            assert (await enter(each, tournament)).status_code == 201
        path = f"/v1/tournaments/{tournament}"
        assert (await director.post(f"{path}/start")).status_code == 202
        refused = await owner.post(f"{path}/cancel")
        assert (refused.status_code, refused.json()["code"]) == (403, "forbidden")
        assert (await director.post(f"{path}/cancel")).status_code == 200


async def test_no_tournament_is_announced_into_a_closed_season(serving) -> None:
    async with serving() as api:
        owner, league = await api.league()
        season = (await owner.post(f"/v1/leagues/{league}/seasons", {"name": "Spring"})).json()
        assert (await owner.post(f"/v1/seasons/{season['id']}/close", {}, key="c")).is_success
        asked = {"name": "Night", "ruleset": "better", "season": season["id"]}
        refused = await owner.post(f"/v1/leagues/{league}/tournaments", asked)
        assert (refused.status_code, refused.json()["code"]) == (409, "season_closed")


async def test_why_a_tournament_was_cancelled_is_kept_in_words(serving) -> None:
    async with serving() as api:
        owner, league = await api.league()
        asked = {"name": "Night", "ruleset": "better"}
        made = await owner.post(f"/v1/leagues/{league}/tournaments", asked)
        path = f"/v1/tournaments/{made.json()['id']}"
        assert (await owner.post(f"{path}/cancel", {"reason": "The roof leaks."})).is_success
        events = (await owner.get(f"{path}/events")).json()["items"]
        (cancelled,) = [each for each in events if each["type"] == "tournament_cancelled"]
        said = await owner.get(f"/v1/texts/{cancelled['data']['reason']}")
        assert said.json()["text"] == "The roof leaks."
