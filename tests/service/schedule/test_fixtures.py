"""Occurrences become tournaments once each, by one real worker or by several at once."""

import asyncio
import json
import subprocess
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import msgspec
import pytest

from engine import league, season, tournament
from engine.league.commands import CreateLeague
from engine.league.templates import SaveTemplate, SetHouseRules
from engine.season.commands import CloseSeason, OpenSeason
from engine.season.errors import SeasonClosedAlready
from engine.season.schedule.commands import PlanFixtures, ScheduleClose
from engine.season.schedule.values import Plan, RecurrenceId
from engine.tournament.model.commands import Cancel, Register
from engine.tournament.model.state import Registering
from engine.values import (
    EntrantId,
    LeagueId,
    PlayerId,
    SeasonId,
    TemplateId,
    TournamentId,
    identifier,
    number_of,
    stream_of,
)
from service.announcing.terms import TournamentWanted, announcing
from service.director.runtime import Runtime, open_runtime
from service.schedule import closing, zones
from service.schedule.materialising import materialise, tournament_of
from tests.service.director.test_directing import decided
from tests.service.tasks.test_worker import worker
from tests.support.databases import TestDatabase
from tests.support.waiting import until_awaited

__all__ = ["worker"]

pytestmark = pytest.mark.anyio

BODY = json.dumps({"name": "Monday night", "ruleset": "better"})
RECURRENCE = RecurrenceId(identifier("rec", UUID(int=7)))


async def opened(runtime: Runtime) -> tuple[LeagueId, SeasonId]:
    """Make a league with an open season."""
    league_id = LeagueId(identifier("lge", runtime.entropy.uuid()))
    season_id = SeasonId(identifier("ssn", runtime.entropy.uuid()))
    owner = PlayerId(identifier("plr", runtime.entropy.uuid()))
    make = CreateLeague(league=league_id, name="Cloud City", owner=owner, sandbox=True)
    await decided(runtime, league_id, league_id, league.decider, make)
    now = runtime.clock.now()
    opening = OpenSeason(
        season=season_id,
        league=league_id,
        name="Autumn",
        master="5e" * 32,
        salt="33" * 32,
        now=now,
    )
    await decided(runtime, league_id, season_id, season.decider, opening)
    return league_id, season_id


def plan(start: datetime, rrule: str = "FREQ=WEEKLY", **changes: Any) -> Plan:
    """Return a plan in UTC with its first occurrence in the minute of *start*."""
    terms: dict[str, Any] = {
        "rrule": rrule,
        "zone": "Etc/UTC",
        "start": zones.written(start),
        "tzdb": zones.EDITION,
        "ahead_hours": 24 * 14,
        "body": BODY,
    }
    return Plan(**(terms | changes))


async def planned(
    runtime: Runtime,
    league_id: str,
    season_id: str,
    asked: Plan,
    at: datetime | None = None,
    recurrence: RecurrenceId = RECURRENCE,
) -> None:
    """Plan a recurrence, as if it had been asked for at *at*."""
    command = PlanFixtures(recurrence=recurrence, plan=asked, now=at or runtime.clock.now())
    await decided(runtime, league_id, season_id, season.decider, command)


async def season_of(runtime: Runtime, league_id: str, season_id: str) -> Any:
    return (await runtime.writer.load(league_id, stream_of(season_id))).state


async def became(runtime: Runtime, league_id: str, season_id: str) -> list[str]:
    """Return the outcome of each occurrence so far, in their order."""
    found = (await season_of(runtime, league_id, season_id)).schedule.of(RECURRENCE)
    return [each.became for each in sorted(found.fixtures, key=lambda each: each.occurrence)]


async def test_a_fixture_is_filled_up_by_its_template_and_the_house(
    database: TestDatabase,
) -> None:
    async with open_runtime(database.settings("holotable_api")) as runtime:
        league_id, season_id = await opened(runtime)
        template = TemplateId(identifier("tpl", UUID(int=5)))
        house = SetHouseRules(body='{"decision_seconds":45,"ruleset":"better"}')
        await decided(runtime, league_id, league_id, league.decider, house)
        save = SaveTemplate(template=template, name="Weekly", body='{"table_seats":4}')
        await decided(runtime, league_id, league_id, league.decider, save)
        first = (runtime.clock.now() + timedelta(days=2)).replace(second=0, microsecond=0)
        body = json.dumps({"name": "Monday night", "template": template})
        await planned(runtime, league_id, season_id, plan(first, body=body))

        await materialise(runtime, league_id, season_id, RECURRENCE)
        found = tournament_of(RECURRENCE, zones.written(first), 1)
        state: Any = (await runtime.writer.load(league_id, stream_of(found))).state
    terms = state.terms
    assert (terms.ruleset_name, terms.decision_seconds, terms.table_seats) == ("better", 45, 4)


async def test_a_fixture_planned_under_older_rules_is_announced_by_the_newest(
    database: TestDatabase,
) -> None:
    async with open_runtime(database.settings("holotable_worker")) as runtime:
        league_id, season_id = await opened(runtime)
        first = (runtime.clock.now() + timedelta(days=2)).replace(second=0, microsecond=0)
        overrides = {"revision": 1, "max_players": 6}
        body = json.dumps({"name": "Old", "ruleset": "better", "overrides": overrides})
        await planned(runtime, league_id, season_id, plan(first, body=body))

        await materialise(runtime, league_id, season_id, RECURRENCE)
        found = tournament_of(RECURRENCE, zones.written(first), 1)
        state: Any = (await runtime.writer.load(league_id, stream_of(found))).state
    assert (state.terms.ruleset.revision, state.terms.ruleset.max_players) == (2, 6)


async def test_a_night_of_a_timetable_for_several_tables_has_levels_by_the_clock(
    database: TestDatabase,
) -> None:
    async with open_runtime(database.settings("holotable_api")) as runtime:
        league_id, season_id = await opened(runtime)
        first = (runtime.clock.now() + timedelta(days=2)).replace(second=0, microsecond=0)
        body = json.dumps({"name": "Monday night", "ruleset": "better"})
        await planned(runtime, league_id, season_id, plan(first, body=body))

        await materialise(runtime, league_id, season_id, RECURRENCE)
        found = tournament_of(RECURRENCE, zones.written(first), 1)
        state: Any = (await runtime.writer.load(league_id, stream_of(found))).state
    assert state.terms.entrants_max > state.terms.table_seats
    assert state.terms.ruleset.escalation.by == "clock"


async def test_a_weekly_fixture_is_announced_by_the_worker_with_its_time(
    database: TestDatabase, worker: subprocess.Popen[bytes]
) -> None:
    async with open_runtime(database.settings("holotable_api")) as runtime:
        league_id, season_id = await opened(runtime)
        first = (runtime.clock.now() + timedelta(days=2)).replace(second=0, microsecond=0)
        await planned(runtime, league_id, season_id, plan(first))

        async def announced() -> bool:
            return await became(runtime, league_id, season_id) == ["announced"] * 2

        await until_awaited(announced)
        schedule = (await season_of(runtime, league_id, season_id)).schedule
        for number, fixture in enumerate(schedule.of(RECURRENCE).fixtures):
            state = (await runtime.writer.load(league_id, stream_of(fixture.tournament))).state
            assert isinstance(state, Registering)
            assert state.terms.starts_at == first + timedelta(weeks=number)
            assert state.terms.season == season_id
            assert fixture.tournament == tournament_of(RECURRENCE, fixture.occurrence, 1)
            assert fixture.moment.tzdb == zones.EDITION
    assert worker.poll() is None


async def test_several_processes_announce_each_occurrence_once(database: TestDatabase) -> None:
    async with (
        open_runtime(database.settings("holotable_api")) as one,
        open_runtime(database.settings("holotable_worker")) as other,
    ):
        league_id, season_id = await opened(one)
        first = one.clock.now() + timedelta(days=1)
        await planned(one, league_id, season_id, plan(first, "FREQ=DAILY;COUNT=5"))
        again = await asyncio.gather(
            *(
                materialise(runtime, league_id, season_id, RECURRENCE)
                for runtime in (one, other, one, other)
            )
        )
        assert again == [None] * 4
        assert await became(other, league_id, season_id) == ["announced"] * 5
        types = await one.pool.fetch(
            "SELECT type, count(*) FROM events WHERE league = $1 GROUP BY type",
            number_of(league_id),
        )
        assert dict(types)["tournament_announced"] == dict(types)["fixture_materialised"] == 5


async def test_what_begun_while_nobody_worked_is_missed_and_what_lies_ahead_is_announced(
    database: TestDatabase,
) -> None:
    async with open_runtime(database.settings("holotable_worker")) as runtime:
        league_id, season_id = await opened(runtime)
        now = runtime.clock.now()
        asked = plan(now - timedelta(hours=3), "FREQ=HOURLY", ahead_hours=2)
        await planned(runtime, league_id, season_id, asked, at=now - timedelta(hours=3, minutes=5))
        again_at = await materialise(runtime, league_id, season_id, RECURRENCE)
        assert await became(runtime, league_id, season_id) == ["missed"] * 4 + ["announced"] * 2
        fixtures = (await season_of(runtime, league_id, season_id)).schedule.of(RECURRENCE).fixtures
        # The next one begins an hour after the last, and is announced two hours before that.
        assert again_at == fixtures[-1].moment.at - timedelta(hours=1)
        assert again_at > now


async def test_terms_that_hold_no_longer_are_recorded_and_do_not_stop_the_others(
    database: TestDatabase,
) -> None:
    async with open_runtime(database.settings("holotable_worker")) as runtime:
        league_id, season_id = await opened(runtime)
        first = runtime.clock.now() + timedelta(days=1)
        gone = json.dumps({"name": "Gone", "ruleset": "a_game_of_the_past"})
        other = json.dumps({"name": "Gone", "ruleset": "better", "of_the_past": 1})
        for number, body in enumerate((gone, other, BODY)):
            recurrence = RecurrenceId(identifier("rec", UUID(int=number)))
            asked = plan(first, "FREQ=DAILY;COUNT=1", body=body)
            await planned(runtime, league_id, season_id, asked, recurrence=recurrence)
            await materialise(runtime, league_id, season_id, recurrence)
        schedule = (await season_of(runtime, league_id, season_id)).schedule
        found = [each.fixtures[0].became for each in schedule.recurrences]
        assert found == ["missed", "missed", "announced"]


async def test_a_season_closes_at_the_time_that_was_set_last(database: TestDatabase) -> None:
    async with open_runtime(database.settings("holotable_worker")) as runtime:
        league_id, season_id = await opened(runtime)
        then = [runtime.clock.now() + timedelta(hours=number) for number in (1, 2)]
        for closes_at in then:
            command = ScheduleClose(closes_at=closes_at, now=runtime.clock.now())
            await decided(runtime, league_id, season_id, season.decider, command)
        await closing.close_season(runtime, league_id, season_id, then[0].isoformat())
        assert not (await season_of(runtime, league_id, season_id)).closed
        await closing.close_season(runtime, league_id, season_id, then[1].isoformat())
        await closing.close_season(runtime, league_id, season_id, then[1].isoformat())
        assert (await season_of(runtime, league_id, season_id)).closed


async def test_a_recurrence_announces_nothing_that_starts_after_its_season_closes(
    database: TestDatabase,
) -> None:
    """Otherwise another tournament with entrants would keep the season open every week."""
    async with open_runtime(database.settings("holotable_worker")) as runtime:
        league_id, season_id = await opened(runtime)
        now = runtime.clock.now()
        await planned(runtime, league_id, season_id, plan(now + timedelta(days=1)))
        for closes_at, announced in ((now + timedelta(hours=1), 0), (now + timedelta(days=3), 1)):
            command = ScheduleClose(closes_at=closes_at, now=now)
            await decided(runtime, league_id, season_id, season.decider, command)
            again = await materialise(runtime, league_id, season_id, RECURRENCE)
            assert again is not None and again > now
            assert len(await became(runtime, league_id, season_id)) == announced


async def test_a_season_waits_for_what_earlier_versions_announced_for_it(
    database: TestDatabase,
) -> None:
    """The season's stream has no event of them: only the log shows their season."""
    async with open_runtime(database.settings("holotable_worker")) as runtime:
        league_id, season_id = await opened(runtime)
        closes_at = runtime.clock.now() + timedelta(hours=1)
        command = ScheduleClose(closes_at=closes_at, now=runtime.clock.now())
        await decided(runtime, league_id, season_id, season.decider, command)
        name = TournamentId(identifier("trn", runtime.entropy.uuid()))
        for asked in as_before(runtime, season_id, name):
            await decided(runtime, league_id, name, tournament.decider, asked)
        assert (await season_of(runtime, league_id, season_id)).added == ()

        assert (
            await closing.close_season(runtime, league_id, season_id, closes_at.isoformat())
            is not None
        )
        cancel = Cancel(reason="a fire", now=runtime.clock.now())
        await decided(runtime, league_id, name, tournament.decider, cancel)
        assert (
            await closing.close_season(runtime, league_id, season_id, closes_at.isoformat()) is None
        )

        rows = await runtime.writer.store.stream(number_of(league_id), stream_of(season_id))
        fates = runtime.writer.codec.decode(rows[-1], None).fates
        assert [(each.tournament, each.fate) for each in fates] == [(name, "cancelled")]


def as_before(runtime: Runtime, season_id: SeasonId, name: TournamentId) -> list[Any]:
    """Return the commands of a tournament with one entrant."""
    now = runtime.clock.now()
    wanted = msgspec.convert(json.loads(BODY) | {"season": season_id}, TournamentWanted)
    token = runtime.entropy.token
    league_id = LeagueId(identifier("lge", runtime.entropy.uuid()))
    return [
        *announcing(wanted, name, league_id, now, token, runtime.pulses, "members"),
        Register(
            entrant=EntrantId(identifier("ent", runtime.entropy.uuid())),
            player=PlayerId(identifier("plr", runtime.entropy.uuid())),
            now=now,
        ),
    ]


async def test_a_closed_season_announces_nothing_more(database: TestDatabase) -> None:
    async with open_runtime(database.settings("holotable_worker")) as runtime:
        league_id, season_id = await opened(runtime)
        await planned(runtime, league_id, season_id, plan(runtime.clock.now() + timedelta(days=1)))
        close = CloseSeason(now=runtime.clock.now())
        await decided(runtime, league_id, season_id, season.decider, close)
        with pytest.raises(SeasonClosedAlready):
            await materialise(runtime, league_id, season_id, RECURRENCE)
