"""A real worker raises levels by the clock, which stops during pauses and outages."""

import asyncio
import json
import subprocess
import time
from datetime import datetime, timedelta
from typing import Any

import asyncpg
import pytest

from engine import tournament
from engine.coordination.plans import NextHandPlan
from engine.rulesets import resolve
from engine.table.model.state import Table
from engine.table.read.view import seen_by
from engine.tournament.model.commands import Pause, Resume
from engine.tournament.model.commands.floor import (
    AnnounceBreak,
    Disqualify,
    SetClock,
    StartHandForHand,
)
from engine.tournament.model.directives import CloseRebuys, EndRound
from engine.tournament.model.terms.floor import FloorTerms, HandForHandTerms
from engine.values import stream_of
from service.base import heartbeats
from service.director import breaks, decision_clock, level_clock, next_hand, submitting
from service.director.runtime import Runtime, open_runtime
from service.log.read import read_league
from tests.engine.tournament.rulings import RULED
from tests.service.audit.test_audit import audited, faults
from tests.service.director.test_directing import announced, at, bet_everything, command, decided
from tests.service.tasks.test_worker import worker
from tests.support import play
from tests.support.databases import TestDatabase
from tests.support.holding import holding

__all__ = ["worker"]

pytestmark = pytest.mark.anyio

PATIENCE_SECONDS = 30


def rules(*lengths: int) -> Any:
    """Return a game with doubling blinds: levels of *lengths* seconds, then one without an end."""
    levels = [
        {"small": 5 * 2**number, "big": 10 * 2**number, "length": length}
        for number, length in enumerate((*lengths, None))
    ]
    return resolve("better", {"escalation": {"kind": "levels", "by": "clock", "levels": levels}})


async def started(runtime: Runtime, *lengths: int) -> tuple[str, str]:
    """Start a tournament of three with deep stacks. Return the league and the tournament."""
    league, name = await announced(
        runtime, 3, rules=rules(*lengths), starting_stack=100_000, decision_seconds=30
    )
    await submitting.start_tournament(runtime, league, name, runtime.clock.now())
    return league, name


async def step(runtime: Runtime, league: str, table: str) -> bool:
    """Answer the open decision for one seat at the lowest price. Return False if none is open."""
    state = (await runtime.writer.load(league, stream_of(table))).state
    if not isinstance(state, Table) or state.decision is None:
        return False
    decision = state.decision
    entrant = state.at(decision.seats[0]).entrant
    asked = (runtime, league, table, command(runtime), entrant, decision.token)
    if decision.phase == "select":
        view = seen_by(state, entrant)
        assert view.me is not None
        await play.select(*asked, view.me.cards[:1])
    elif decision.phase == "improve":
        await play.improve(*asked, ())
    else:
        await play.act(*asked, "fold")
    return True


async def clock_of(runtime: Runtime, league: str, name: str) -> Any:
    return (await runtime.writer.load(league, stream_of(name))).state.clock


async def log(runtime: Runtime, league: str) -> list[tuple[str, int, dict[str, Any]]]:
    """Return the type, stream version and data of every event, in the log's order."""
    async with runtime.pool.acquire() as connection:
        rows = await read_league(connection, league, limit=10_000)
    return [(row.type, row.stream_version, json.loads(row.data)) for row in rows]


async def test_levels_rise_by_the_clock_and_no_hand_opens_at_an_old_one(
    database: TestDatabase, worker: subprocess.Popen[bytes]
) -> None:
    async with open_runtime(database.settings("holotable_api")) as runtime:
        league, name = await started(runtime, 1, 1)
        state = (await runtime.writer.load(league, stream_of(name))).state
        table, until = state.tables[0].table, time.monotonic() + PATIENCE_SECONDS
        while (await clock_of(runtime, league, name)).level < 3 or await hands_at(
            runtime, league, level=3
        ) < 2:
            assert time.monotonic() < until, "the levels did not rise"
            if not await step(runtime, league, table):
                await asyncio.sleep(0.01)
        events = await log(runtime, league)
    report = await audited(database, league)

    assert report.passed, report.text()
    assert {check.name: check.checked for check in report.checks}["levels"] >= 3
    in_force: dict[str, Any] = {}
    seen = []
    for kind, version, data in events:
        if kind in ("clock_started", "level_raised"):
            in_force = {
                "number": data["level"],
                "amounts": data["amounts"],
                "set_by": version,
            }
        elif kind == "hand_opened":
            level = {key: data["level"][key] for key in in_force}
            assert level == in_force
            assert data["tournament_version"] >= data["level"]["set_by"]
            seen.append(level["number"])
    assert seen == sorted(seen)
    assert set(seen) == {1, 2, 3}
    assert in_force["amounts"] == {"ante": 0, "big": 40, "small": 20}
    assert worker.poll() is None


async def test_an_audit_finds_a_hand_opened_at_an_old_level(database: TestDatabase) -> None:
    async with open_runtime(database.settings("holotable_worker")) as runtime:
        league, name = await started(runtime, 1)
        state = (await runtime.writer.load(league, stream_of(name))).state
        clock = state.clock
        await asyncio.sleep((clock.due - runtime.clock.now()).total_seconds() + 0.01)
        await level_clock.raise_levels(runtime, league, name, clock.run_by)
        await next_hand.open_next_hand(runtime, league, state.tables[0].table)
        while await hands_at(runtime, league, level=2) < 1:
            await step(runtime, league, state.tables[0].table)
    connection = await asyncpg.connect(database.url("postgres"))
    try:
        await connection.execute("ALTER TABLE events DISABLE TRIGGER ALL")
        changed = await connection.execute(
            "UPDATE events SET data = replace(data::text, $1, $2)::json WHERE type = 'hand_opened'"
            " AND data::text LIKE '%' || $1 || '%'",
            '"number":2,"set_by"',
            '"number":1,"set_by"',
        )
    finally:
        await connection.close()
    assert changed != "UPDATE 0"

    failed = {check.name for check in (await audited(database, league)).checks if check.failed}

    assert "levels" in failed


async def hands_at(runtime: Runtime, league: str, *, level: int) -> int:
    return sum(
        kind == "hand_opened" and data["level"]["number"] == level
        for kind, _, data in await log(runtime, league)
    )


async def test_a_reminder_that_comes_early_waits_for_its_instant(database: TestDatabase) -> None:
    async with open_runtime(database.settings("holotable_worker")) as runtime:
        league, name = await started(runtime, 600)
        clock = await clock_of(runtime, league, name)

        assert await level_clock.raise_levels(runtime, league, name, clock.run_by) == clock.due
        assert await clock_of(runtime, league, name) == clock


async def test_a_pause_takes_the_reminder_away_and_resuming_arms_another(
    database: TestDatabase,
) -> None:
    async with open_runtime(database.settings("holotable_worker")) as runtime:
        league, name = await started(runtime, 1)
        before = await clock_of(runtime, league, name)
        pause = Pause(reason="director", now=runtime.clock.now())
        await decided(runtime, league, name, tournament.decider, pause)
        await asyncio.sleep((before.due - runtime.clock.now()).total_seconds() + 0.01)

        assert await level_clock.raise_levels(runtime, league, name, before.run_by) is None
        stopped = await clock_of(runtime, league, name)
        resume = Resume(now=runtime.clock.now())
        await decided(runtime, league, name, tournament.decider, resume)
        assert await level_clock.raise_levels(runtime, league, name, before.run_by) is None

        clock = await clock_of(runtime, league, name)
        assert clock.level == 1
        assert clock.due - clock.since == timedelta(microseconds=stopped.left_microseconds)
        assert await level_clock.raise_levels(runtime, league, name, clock.run_by) == clock.due


async def test_an_outage_is_given_back_to_the_clock_once(database: TestDatabase) -> None:
    async with open_runtime(database.settings("holotable_worker")) as runtime:
        league, name = await started(runtime, 1, 1)
        before = await clock_of(runtime, league, name)
        await asyncio.sleep((before.due - runtime.clock.now()).total_seconds() + 1.1)
        await runtime.pool.execute(
            "INSERT INTO outage VALUES ('api', $1, clock_timestamp())",
            before.since + timedelta(milliseconds=400),
        )

        await level_clock.raise_levels(runtime, league, name, before.run_by)
        clock = await clock_of(runtime, league, name)

        assert clock.level == 1
        assert clock.due - clock.since == timedelta(milliseconds=600)
        assert await level_clock.raise_levels(runtime, league, name, clock.run_by) == clock.due


@pytest.mark.parametrize("kind", [SetClock, Pause, AnnounceBreak, StartHandForHand])
async def test_a_clock_that_staff_set_or_stop_gets_an_outage_back_first(
    database: TestDatabase, kind: Any
) -> None:
    about: dict[Any, dict[str, Any]] = {
        SetClock: {**RULED, "seconds": 60},
        Pause: {"reason": "director"},
        AnnounceBreak: {**RULED, "seconds": 60},
        StartHandForHand: RULED,
    }
    async with open_runtime(database.settings("holotable_api")) as runtime:
        league, name = await announced(
            runtime, 8, rules=rules(600, 600), table_seats=4, starting_stack=100_000
        )
        await submitting.start_tournament(runtime, league, name, runtime.clock.now())
        before = await clock_of(runtime, league, name)
        await runtime.pool.execute(
            "INSERT INTO outage VALUES ('api', $1, $2)",
            before.since - timedelta(seconds=50),
            before.since + timedelta(milliseconds=1),
        )
        order = command(runtime)
        asked = kind(**{**about[kind], "now": order.received_at})
        await submitting.submit_to_tournament(runtime, league, name, asked, order)
        clock = await clock_of(runtime, league, name)
        left = clock.due or order.received_at + timedelta(microseconds=clock.left_microseconds)
        lost = timedelta(seconds=60) if kind is SetClock else timedelta()
        assert left == before.due + timedelta(milliseconds=1) + lost


@pytest.mark.parametrize("kind", [SetClock, Pause])
async def test_a_clock_that_staff_set_or_stop_gets_an_outage_back_that_is_not_recorded_yet(
    database: TestDatabase, kind: Any
) -> None:
    """The first heartbeat after the outage records it, and takes nothing more from the clock."""
    about = {SetClock: {**RULED, "seconds": 60}, Pause: {"reason": "director"}}[kind]
    async with open_runtime(database.settings("holotable_api")) as runtime:
        league, name = await started(runtime, 600, 600)
        before = await clock_of(runtime, league, name)
        away = before.since - timedelta(seconds=50)
        await runtime.pool.execute("INSERT INTO heartbeat VALUES ('api', $1)", away)
        order = command(runtime)
        asked = kind(**{**about, "now": order.received_at})

        await submitting.submit_to_tournament(runtime, league, name, asked, order)
        await heartbeats.beat(runtime.pool, "api", timedelta(seconds=1))

        clock = await clock_of(runtime, league, name)
        more = timedelta(seconds=60 if kind is SetClock else 0)
        left = clock.due or order.received_at + timedelta(microseconds=clock.left_microseconds)
        assert left == order.received_at + timedelta(seconds=600) + more
        [row] = await runtime.pool.fetch("SELECT since_at, until_at FROM outage")
        assert (row["since_at"], row["until_at"] > order.received_at) == (away, True)
    report = await audited(database, league)
    # The words of the director are kept nowhere.
    assert faults(report).keys() <= {"texts"}, report.text()


async def _disqualified(runtime: Runtime, league: str, name: str) -> None:
    order, state = command(runtime), await at(runtime, league, name)
    signed = RULED | {"now": order.received_at}
    asked = Disqualify(**signed, entrant=state.entrants[0].entrant)
    await submitting.submit_to_tournament(runtime, league, name, asked, order)


async def _bust(runtime: Runtime, league: str, name: str) -> None:
    """Play one table until the first goes out: to play on could end the whole tournament."""
    table = (await at(runtime, league, name)).tables[0].table
    await next_hand.open_next_hand(runtime, league, table)
    while (await clock_of(runtime, league, name)).due is not None:
        if not await bet_everything(runtime, league, table):
            break


@pytest.mark.parametrize("happens", [_disqualified, _bust])
async def test_hand_for_hand_that_begins_by_itself_gives_the_clock_an_outage_back_first(
    database: TestDatabase, happens: Any
) -> None:
    """The players return to a long outage, and the first to go out stops the level clock."""
    floor = FloorTerms(hand_for_hand=HandForHandTerms(at_left=7, clock_seconds=0))
    async with open_runtime(database.settings("holotable_api")) as runtime:
        league, name = await announced(
            runtime, 8, rules=rules(600, 600), starting_stack=20, floor=floor
        )
        await submitting.start_tournament(runtime, league, name, runtime.clock.now())
        before = await clock_of(runtime, league, name)
        await runtime.pool.execute(
            "INSERT INTO outage VALUES ('api', $1, $2)",
            before.since - timedelta(seconds=50),
            before.since + timedelta(milliseconds=1),
        )
        while (await clock_of(runtime, league, name)).due is not None:
            await happens(runtime, league, name)
        events = await log(runtime, league)
    clock = [(kind, data) for kind, _, data in events if kind in ("clock_started", "clock_stopped")]
    causes = ["play_started", "outage", "outage", "paused"]
    assert [data["cause"] for _, data in clock[:4]] == causes
    stopped, left = clock[3][1], timedelta(microseconds=clock[3][1]["left_microseconds"])
    assert stopped["rule"] == "hand_for_hand.clock"
    at_rest = datetime.fromisoformat(stopped["at"])
    assert at_rest + left == before.due + timedelta(milliseconds=1)
    report = await audited(database, league)
    # The words of the disqualification are kept nowhere.
    assert faults(report).keys() <= {"texts"}, report.text()


async def test_no_level_is_raised_while_the_api_is_silent(database: TestDatabase) -> None:
    async with open_runtime(database.settings("holotable_worker")) as runtime:
        league, name = await started(runtime, 1)
        clock = await clock_of(runtime, league, name)
        await runtime.pool.execute("INSERT INTO heartbeat VALUES ('api', $1)", clock.since)
        await asyncio.sleep((clock.due - runtime.clock.now()).total_seconds() + 0.01)
        await runtime.pool.execute(
            "UPDATE heartbeat SET at = at - interval '1 minute' WHERE process = 'api'"
        )

        again_at = await level_clock.raise_levels(runtime, league, name, clock.run_by)

        assert again_at is not None
        assert again_at > clock.due
        assert await clock_of(runtime, league, name) == clock


async def test_a_break_is_longer_by_an_outage(database: TestDatabase) -> None:
    async with open_runtime(database.settings("holotable_worker")) as runtime:
        league, name = await started(runtime, 600)
        signed = RULED | {"now": runtime.clock.now()}
        asked = AnnounceBreak(**signed, seconds=60, after_level=None)
        await decided(runtime, league, name, tournament.decider, asked)
        rest = (await runtime.writer.load(league, stream_of(name))).state.floor.rest
        assert await breaks.end_due_break(runtime, league, name, rest.begun_by) == rest.due

        # It began before the break, and is not over yet.
        bounds = (rest.since - timedelta(minutes=1), rest.since + timedelta(hours=1))
        await runtime.pool.execute("INSERT INTO outage VALUES ('api', $1, $2)", *bounds)

        later = rest.due + timedelta(hours=1)
        assert await breaks.end_due_break(runtime, league, name, rest.begun_by) == later


async def test_no_break_ends_while_the_api_is_silent(database: TestDatabase) -> None:
    async with open_runtime(database.settings("holotable_worker")) as runtime:
        league, name = await started(runtime, 600)
        signed = RULED | {"now": runtime.clock.now()}
        asked = AnnounceBreak(**signed, seconds=1, after_level=None)
        await decided(runtime, league, name, tournament.decider, asked)
        rest = (await runtime.writer.load(league, stream_of(name))).state.floor.rest
        silent = rest.due - timedelta(minutes=1)
        await runtime.pool.execute("INSERT INTO heartbeat VALUES ('api', $1)", silent)
        await asyncio.sleep((rest.due - runtime.clock.now()).total_seconds() + 0.01)
        again = await breaks.end_due_break(runtime, league, name, rest.begun_by)
        assert again is not None and again > rest.due


@pytest.mark.parametrize(
    ("outcome", "closing"), [("windows", CloseRebuys), ("rearrange", EndRound)]
)
async def test_no_time_to_rebuy_ends_while_the_api_is_silent(
    database: TestDatabase, outcome: Any, closing: type[CloseRebuys | EndRound]
) -> None:
    """In hand-for-hand play the end of the round ends it."""
    async with open_runtime(database.settings("holotable_worker")) as runtime:
        league, _ = await started(runtime, 600)
        plan = NextHandPlan(outcome=outcome, directive=closing(wait_seconds=1), wait_seconds=1)
        bust = runtime.clock.now() - timedelta(minutes=1)
        ends = bust + timedelta(seconds=1)
        assert await next_hand.pause_ends(runtime, league, bust, plan) == ends
        await runtime.pool.execute("INSERT INTO heartbeat VALUES ('api', $1)", bust)
        assert await next_hand.pause_ends(runtime, league, bust, plan) > ends + timedelta(
            seconds=50
        )


async def test_an_answer_that_overtakes_the_timeout_does_not_end_the_clock_of_the_table(
    database: TestDatabase,
) -> None:
    async with open_runtime(database.settings("holotable_worker")) as runtime:
        league_id, name = await announced(runtime, 4, decision_seconds=1)
        await submitting.start_tournament(runtime, league_id, name, runtime.clock.now())
        state = (await runtime.writer.load(league_id, stream_of(name))).state
        table = state.tables[0].table
        await next_hand.open_next_hand(runtime, league_id, table)
        first = (await runtime.writer.load(league_id, stream_of(table))).state.decision
        ends = first.deadline + timedelta(seconds=1)
        await asyncio.sleep((ends - runtime.clock.now()).total_seconds() + 0.05)
        async with holding(database, "LOCK TABLE outage") as waiting:
            watching = asyncio.create_task(decision_clock.watch_table(runtime, league_id, table))
            await waiting(1)  # it has loaded the table, and asks for outages
            assert await step(runtime, league_id, table)
        again_at = await watching
        after = (await runtime.writer.load(league_id, stream_of(table))).state.decision
        assert after is None or after.token != first.token
        assert again_at is not None
