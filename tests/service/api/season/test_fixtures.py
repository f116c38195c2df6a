"""Recurring tournaments over HTTP: planned, edited, announced, and shown in the schedule."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from engine import season as seasons
from engine.season.schedule.commands import PlanFixtures
from engine.season.schedule.values import Plan, RecurrenceId
from engine.values import identifier, stream_of
from service.schedule.closing import close_season
from service.schedule.listing import UNNAMED
from service.schedule.materialising import materialise
from service.schedule.zones import EDITION, moment_of
from tests.service.api.conftest import Api, Person
from tests.service.tasks.due_work import decided
from tests.support.projecting import projecting

pytestmark = pytest.mark.anyio

ZONE = "Europe/Berlin"
TERMS = {"name": "Monday night", "ruleset": "better", "entrants_max": 12}


TODAY = datetime.now(UTC)
"""Read once, so that midnight cannot come between two questions of a test."""


def days_ahead(days: int, hour: int = 19) -> str:
    """Return the local time *days* from today."""
    day = TODAY + timedelta(days=days)
    return f"{day:%Y-%m-%d}T{hour:02}:00"


async def season_in(owner: Person, league: str) -> str:
    made = await owner.post(f"/v1/leagues/{league}/seasons", {"name": "Autumn"})
    assert made.status_code == 201, made.text
    return str(made.json()["id"])


async def weekly(owner: Person, season: str, **changes: Any) -> Any:
    """Plan a weekly tournament. Its first occurrence is in three days."""
    asked = {
        "rrule": "FREQ=WEEKLY",
        "zone": ZONE,
        "starts": days_ahead(3),
        "tournament": TERMS,
    } | changes
    return await owner.post(f"/v1/seasons/{season}/fixtures", asked)


async def announced(api: Api, league: str, season: str, recurrence: str) -> list[Any]:
    """Run the worker's job. Return the fixtures of the recurrence, in order of occurrence."""
    runtime = api.app.shell.runtime
    await materialise(runtime, league, season, recurrence)
    state = (await runtime.writer.load(league, stream_of(season))).state
    found = state.schedule.of(recurrence).fixtures
    return sorted(found, key=lambda each: each.occurrence)


async def schedule(owner: Person, league: str, days: int = 30) -> list[dict[str, Any]]:
    until = datetime.now(UTC) + timedelta(days=days)
    answer = await owner.get(f"/v1/leagues/{league}/schedule", params={"to": until.isoformat()})
    assert answer.status_code == 200, answer.text
    return list(answer.json()["items"])


async def test_a_plan_is_shown_with_its_next_instants_and_made_once(serving) -> None:
    async with serving() as api:
        owner, league = await api.league()
        season = await season_in(owner, league)
        asked = {"rrule": "FREQ=WEEKLY", "zone": ZONE, "starts": days_ahead(3), "tournament": TERMS}
        path = f"/v1/seasons/{season}/fixtures"
        one, again = [await owner.post(path, asked, key="once") for _ in range(2)]
        assert (one.status_code, again.status_code) == (201, 201)
        assert one.json()["id"] == again.json()["id"]
        first = one.json()["next"][0]
        assert first["local"] == days_ahead(3)
        assert datetime.fromisoformat(first["at"]) == moment_of(days_ahead(3), ZONE).at
        assert first["tzdb"] == EDITION
        assert len((await owner.get(path)).json()["items"]) == 1


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"rrule": "FREQ=SECONDLY"}, "recurrence_invalid"),
        ({"rrule": "FREQ=MONTHLY;BYMONTH=2;BYMONTHDAY=30"}, "recurrence_invalid"),
        ({"rrule": "FREQ=MONTHLY;BYMONTHDAY=-31;BYSETPOS=-366"}, "recurrence_invalid"),
        ({"rrule": "FREQ=HOURLY;BYHOUR=25"}, "recurrence_invalid"),
        ({"rrule": "FREQ=HOURLY"}, "recurrence_invalid"),
        ({"starts": "9999-12-31T19:00"}, "recurrence_invalid"),
        ({"zone": "Coruscant/Senate"}, "recurrence_invalid"),
        ({"starts": "2027-02-30T19:00"}, "recurrence_invalid"),
        ({"starts": "tomorrow"}, "validation_failed"),
        ({"ahead_hours": 0}, "validation_failed"),
        ({"tournament": {"ruleset": "better"}}, "validation_failed"),
        ({"tournament": TERMS | {"starts_at": "2027-01-01T00:00:00Z"}}, "validation_failed"),
        ({"tournament": TERMS | {"ruleset": "of_the_future"}}, "unknown_ruleset"),
        ({"tournament": TERMS | {"time_scale": 10}}, "not_a_sandbox"),
        ({"tournament": TERMS | {"entrants_max": 2, "entrants_min": 3}}, "terms_invalid"),
    ],
)
async def test_a_plan_that_could_not_be_followed_is_refused_by_name(
    serving, changes: dict[str, Any], code: str
) -> None:
    async with serving() as api:
        owner, league = await api.league()
        answer = await weekly(owner, await season_in(owner, league), **changes)
        assert answer.json()["code"] == code, answer.text


async def test_occurrences_become_tournaments_in_the_schedule(serving, database) -> None:
    async with serving() as api, projecting(database) as runner:
        owner, league = await api.league()
        season = await season_in(owner, league)
        recurrence = (await weekly(owner, season)).json()["id"]
        fixtures = await announced(api, league, season, recurrence)
        await runner.catch_up()
        assert [each.became for each in fixtures] == ["announced"] * 2
        shown = await schedule(owner, league)
        assert [each["standing"] for each in shown] == ["on", "on", "planned", "planned"]
        assert [each["tournament"] for each in shown[:2]] == [each.tournament for each in fixtures]
        found = (await owner.get(f"/v1/tournaments/{fixtures[0].tournament}")).json()
        assert (found["state"], found["season"]) == ("registering", season)
        assert datetime.fromisoformat(found["starts_at"]) == moment_of(days_ahead(3), ZONE).at
        assert found["entrants_max"] == 12


async def test_one_occurrence_is_moved_one_skipped_and_the_others_stay(serving, database) -> None:
    async with serving() as api, projecting(database) as runner:
        owner, league = await api.league()
        season = await season_in(owner, league)
        recurrence = (await weekly(owner, season)).json()["id"]
        before = await announced(api, league, season, recurrence)
        path = f"/v1/seasons/{season}/fixtures/{recurrence}/occurrences"
        moved = await owner.post(
            f"{path}/{days_ahead(3)}",
            {"starts": days_ahead(4, 20), "tournament": {"name": "Tuesday night"}},
        )
        skipped = await owner.post(f"{path}/{days_ahead(10)}", {"skipped": True})
        assert (moved.status_code, skipped.status_code) == (200, 200), (moved.text, skipped.text)
        assert moved.json()["cancelled"] == [before[0].tournament]
        after = await announced(api, league, season, recurrence)
        await runner.catch_up()
        assert [each.became for each in after] == ["announced", "withdrawn"]
        assert after[0].tournament != before[0].tournament
        states = [
            (await owner.get(f"/v1/tournaments/{each.tournament}")).json()["state"]
            for each in (*before, after[0])
        ]
        assert states == ["cancelled", "cancelled", "registering"]
        shown = await schedule(owner, league)
        assert [(each["name"], each["standing"]) for each in shown] == [
            ("Tuesday night", "on"),
            ("Monday night", "cancelled"),
            ("Monday night", "planned"),
            ("Monday night", "planned"),
        ]
        assert shown[0]["local"] == days_ahead(4, 20)
        assert shown[0]["occurrence"] == days_ahead(3)


async def test_an_edit_that_takes_a_tournament_from_somebody_is_refused_whole(serving) -> None:
    async with serving() as api:
        owner, league = await api.league()
        season = await season_in(owner, league)
        recurrence = (await weekly(owner, season)).json()["id"]
        first, second = await announced(api, league, season, recurrence)
        player = await api.join(owner, league)
        entered = await player.post(f"/v1/tournaments/{second.tournament}/registrations")
        assert entered.status_code == 201, entered.text
        path = f"/v1/seasons/{season}/fixtures/{recurrence}"
        refused = [
            await owner.post(f"{path}/occurrences/{second.occurrence}", {"skipped": True}),
            await owner.post(f"{path}/replan", {"since": first.occurrence, "ahead_hours": 48}),
            await owner.post(f"{path}/end", {"since": first.occurrence}),
        ]
        assert [each.json()["code"] for each in refused] == ["fixture_entered"] * 3
        assert refused[0].json()["tournament"] == second.tournament
        still = (await owner.get(f"/v1/tournaments/{first.tournament}")).json()
        assert still["state"] == "registering"
        later = await owner.post(f"{path}/end", {"since": days_ahead(11)})
        assert later.status_code == 200, later.text


async def test_all_later_occurrences_follow_another_plan(serving, database) -> None:
    async with serving() as api, projecting(database) as runner:
        owner, league = await api.league()
        season = await season_in(owner, league)
        recurrence = (await weekly(owner, season)).json()["id"]
        await announced(api, league, season, recurrence)
        path = f"/v1/seasons/{season}/fixtures/{recurrence}"
        replanned = await owner.post(
            f"{path}/replan",
            {"since": days_ahead(9), "starts": days_ahead(12, 18), "tournament": {"name": "Late"}},
        )
        assert replanned.status_code == 200, replanned.text
        fixtures = await announced(api, league, season, recurrence)
        await runner.catch_up()
        assert [(each.occurrence, each.became) for each in fixtures] == [
            (days_ahead(3), "announced"),
            (days_ahead(10), "withdrawn"),
            (days_ahead(12, 18), "announced"),
        ]
        shown = await schedule(owner, league)
        assert [(each["name"], each["standing"]) for each in shown] == [
            ("Monday night", "on"),
            ("Monday night", "cancelled"),
            ("Late", "on"),
            ("Late", "planned"),
            ("Late", "planned"),
        ]


async def test_of_two_edits_at_once_neither_undoes_the_other(serving) -> None:
    async with serving() as api:
        owner, league = await api.league()
        season = await season_in(owner, league)
        recurrence = (await weekly(owner, season)).json()["id"]
        path = f"/v1/seasons/{season}/fixtures"
        since = {"since": days_ahead(9)}
        edits = ({"ahead_hours": 48}, {"tournament": {"entrants_max": 6}})
        answers = await asyncio.gather(
            *(owner.post(f"{path}/{recurrence}/replan", since | each) for each in edits)
        )
        for edit, answered in zip(edits, answers, strict=True):
            if answered.status_code == 412:
                again = await owner.post(f"{path}/{recurrence}/replan", since | edit)
                assert again.status_code == 200, again.text
        (shown,) = (await owner.get(path)).json()["items"]
        assert (shown["ahead_hours"], shown["tournament"]["entrants_max"]) == (48, 6)


async def test_what_the_rule_does_not_name_and_what_is_past_cannot_be_edited(serving) -> None:
    async with serving() as api:
        owner, league = await api.league()
        season = await season_in(owner, league)
        recurrence = (await weekly(owner, season)).json()["id"]
        path = f"/v1/seasons/{season}/fixtures"
        codes = [
            (await owner.post(f"{path}/{at}", body)).json()["code"]
            for at, body in (
                (f"{recurrence}/occurrences/{days_ahead(4)}", {"skipped": True}),
                (f"{recurrence}/occurrences/never", {"skipped": True}),
                (f"{recurrence}/end", {"since": days_ahead(-1)}),
                (f"{recurrence}/replan", {"since": days_ahead(-1)}),
                (f"{recurrence}/occurrences/{days_ahead(3)}", {"starts": days_ahead(-1)}),
                (f"rec_{'0' * 32}/end", {"since": days_ahead(4)}),
            )
        ]
        assert codes == ["occurrence_unknown"] * 2 + ["fixture_past"] * 3 + ["recurrence_unknown"]


async def test_a_fixture_by_a_template_bears_its_name_until_the_template_goes(
    serving, database
) -> None:
    async with serving() as api, projecting(database) as runner:
        owner, league = await api.league()
        season = await season_in(owner, league)
        made = await owner.post(
            f"/v1/leagues/{league}/templates", {"name": "Weekly", "body": TERMS}
        )
        template = made.json()["id"]
        answer = await weekly(owner, season, tournament={"template": template})
        assert answer.status_code == 201, answer.text
        recurrence = answer.json()["id"]
        await runner.catch_up()
        assert {each["name"] for each in await schedule(owner, league)} == {"Monday night"}
        gone = await owner.http.delete(
            f"/v1/leagues/{league}/templates/{template}", headers=owner.headers
        )
        assert gone.is_success, gone.text
        assert {each["name"] for each in await schedule(owner, league)} == {UNNAMED}
        fixtures = await announced(api, league, season, recurrence)
        assert [each.became for each in fixtures] == ["missed"] * 2


async def test_a_dry_run_of_an_edit_says_what_it_would_cancel_and_cancels_nothing(serving) -> None:
    async with serving() as api:
        owner, league = await api.league()
        season = await season_in(owner, league)
        recurrence = (await weekly(owner, season)).json()["id"]
        fixtures = await announced(api, league, season, recurrence)
        ending = f"/v1/seasons/{season}/fixtures/{recurrence}/end"
        would = await owner.post(f"{ending}?dry_run=true", {"since": days_ahead(9)})
        assert would.status_code == 200, would.text
        assert would.json()["events"] == ["fixtures_ended", "tournament_cancelled"]
        assert list(would.json()["tournaments"]) == [fixtures[1].tournament]
        again = await announced(api, league, season, recurrence)
        assert [each.became for each in again] == ["announced"] * 2


async def test_an_edit_sent_again_gets_its_first_answer(serving) -> None:
    async with serving() as api:
        owner, league = await api.league()
        season = await season_in(owner, league)
        recurrence = (await weekly(owner, season)).json()["id"]
        await announced(api, league, season, recurrence)
        ending = f"/v1/seasons/{season}/fixtures/{recurrence}/end"
        one, again = [
            await owner.post(ending, {"since": days_ahead(9)}, key="once") for _ in range(2)
        ]
        assert len(one.json()["cancelled"]) == 1
        assert one.json() == again.json()
        assert again.headers["Idempotent-Replayed"] == "true"


async def test_a_season_is_told_when_to_close(serving) -> None:
    async with serving() as api:
        owner, league = await api.league()
        season = await season_in(owner, league)
        path = f"/v1/seasons/{season}/closing"
        for closes_at in ("2099-12-31T23:00:00+01:00", None):
            answer = await owner.post(path, {"closes_at": closes_at})
            assert answer.status_code == 200, answer.text
        past = await owner.post(path, {"closes_at": "2001-01-01T00:00:00Z"})
        assert (past.status_code, past.json()["code"]) == (409, "recurrence_invalid")
        closing = {"name": "Winter", "closes_at": "2099-12-31T23:00:00+01:00"}
        winter = await owner.post(f"/v1/leagues/{league}/seasons", closing)
        about = f"/v1/seasons/{winter.json()['id']}"
        shown = (await owner.get(about)).json()
        assert (shown["closes_at"], shown["state"]) == ("2099-12-31T22:00:00Z", "open")
        runtime = api.app.shell.runtime
        await close_season(runtime, league, winter.json()["id"], shown["closes_at"])
        assert (await owner.get(about)).json()["state"] == "closed"


@pytest.mark.parametrize(
    "span", [{"from": "today"}, {"to": "2001-01-01T00:00:00Z"}, {"to": "2999-01-01T00:00:00Z"}]
)
async def test_a_span_that_is_none_is_refused(serving, span: dict[str, str]) -> None:
    async with serving() as api:
        owner, league = await api.league()
        answer = await owner.get(f"/v1/leagues/{league}/schedule", params=span)
        assert (answer.status_code, answer.json()["code"]) == (400, "validation_failed")


async def test_plans_that_take_too_many_steps_harm_their_own_season_only(serving, database) -> None:
    """Only a writer to the log could store these plans. The API refuses them."""
    async with serving() as api:
        owner, league = await api.league()
        mine, theirs = [await season_in(owner, league) for _ in range(2)]
        assert (await weekly(owner, mine)).status_code == 201
        runtime = api.app.shell.runtime
        for _ in range(5):
            costly = Plan(
                rrule="FREQ=HOURLY;BYDAY=MO;COUNT=9999",
                zone="Etc/UTC",
                start=f"{datetime.now(UTC).year - 9}-01-01T00:00",
                tzdb=EDITION,
                ahead_hours=24,
                body="{}",
            )
            recurrence = RecurrenceId(identifier("rec", runtime.entropy.uuid()))
            asked = PlanFixtures(recurrence=recurrence, plan=costly, now=runtime.clock.now())
            await decided(runtime, league, theirs, seasons.decider, asked)
        async with projecting(database) as runner:
            await runner.catch_up()
            until = datetime.now(UTC) + timedelta(days=30)
            answer = await owner.get(
                f"/v1/leagues/{league}/schedule", params={"to": until.isoformat()}
            )
        assert answer.status_code == 200, answer.text
        assert answer.json()["unexpanded"] == [theirs]
        assert {each["season"] for each in answer.json()["items"]} == {mine}
        shown = await owner.get(f"/v1/seasons/{theirs}/fixtures")
        assert len(shown.json()["items"]) == 5, "each can be ended"


@pytest.mark.parametrize("instant", ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z"])
async def test_the_ends_of_the_calendar_are_refused_by_name(serving, instant: str) -> None:
    async with serving() as api:
        owner, league = await api.league()
        path = f"/v1/leagues/{league}/schedule"
        answer = await owner.get(path, params={"from": instant})
        assert (answer.status_code, answer.json()["code"]) == (400, "validation_failed")
