"""Breaks, last hands, hand-for-hand play and redraws happen when they are due."""

import asyncio
import subprocess
from datetime import timedelta
from typing import Any

import pytest

from engine.rulesets import resolve
from engine.tournament import decider
from engine.tournament.model.commands.floor import StartHandForHand
from engine.tournament.model.state import Finished, Running
from engine.tournament.model.terms import FloorTerms
from engine.tournament.model.terms.floor import BreakAfter, HandForHandTerms, HandsDrawn
from engine.values import stream_of
from service.director import breaks, next_hand, submitting
from service.director.runtime import Runtime, open_runtime
from service.tasks.duties import DUTIES
from tests.engine.tournament.rulings import RULED
from tests.service.audit.test_audit import audited, faults
from tests.service.director.test_clocks import log, rules, step
from tests.service.director.test_directing import announced, at, bet_everything, decided
from tests.service.director.test_directing import played as to_the_end
from tests.service.tasks.test_worker import worker
from tests.support.databases import TestDatabase
from tests.support.waiting import until_awaited

__all__ = ["worker"]

pytestmark = pytest.mark.anyio


async def begun(runtime: Runtime, **terms: Any) -> tuple[str, str]:
    """Start a tournament of three with deep stacks. Return the league and the tournament."""
    league, name = await announced(runtime, 3, starting_stack=100_000, **terms)
    await submitting.start_tournament(runtime, league, name, runtime.clock.now())
    return league, name


async def state_of(runtime: Runtime, league: str, name: str) -> Any:
    return (await runtime.writer.load(league, stream_of(name))).state


async def played(runtime: Runtime, league: str, name: str, so: Any) -> None:
    """Keep folding until *so* is true of the tournament's state."""
    running = await state_of(runtime, league, name)
    table = running.tables[0].table

    async def there() -> bool:
        await step(runtime, league, table)
        return bool(so(await state_of(runtime, league, name)))

    await until_awaited(there, 30)


async def test_a_break_comes_after_its_level_and_ends_by_itself(
    database: TestDatabase, worker: subprocess.Popen[bytes]
) -> None:
    floor = FloorTerms(breaks=(BreakAfter(level=1, seconds=1),))
    async with open_runtime(database.settings("holotable_api")) as runtime:
        league, name = await begun(runtime, rules=rules(1, 600), floor=floor)
        await played(runtime, league, name, lambda now: now.clock.level == 2)
        raised = (await state_of(runtime, league, name)).clock.set_by
        hands = len([kind for kind, *_ in await log(runtime, league) if kind == "hand_opened"])
        async with asyncio.timeout(30):
            while len([k for k, *_ in await log(runtime, league) if k == "hand_opened"]) == hands:
                running = await state_of(runtime, league, name)
                await step(runtime, league, running.tables[0].table)
                await asyncio.sleep(0.02)
        events = await log(runtime, league)
    kinds = [kind for kind, *_ in events]
    started, ended = kinds.index("break_started"), kinds.index("break_ended")
    assert kinds.count("break_started") == kinds.count("break_ended") == 1
    assert started < ended
    assert "hand_opened" not in kinds[started:ended]
    later = [data for kind, _, data in events[ended:] if kind == "hand_opened"]
    assert later[0]["level"]["set_by"] == raised
    assert worker.poll() is None
    report = await audited(database, league)
    assert faults(report) == {}, report.text()


async def test_the_last_hands_are_called_at_their_hour_and_played(
    database: TestDatabase, worker: subprocess.Popen[bytes]
) -> None:
    async with open_runtime(database.settings("holotable_api")) as runtime:
        ends = runtime.clock.now() + timedelta(seconds=2)
        floor = FloorTerms(last_hands_at=ends, last_hands=HandsDrawn(low=2, high=3))
        begins = runtime.clock.now()
        league, name = await begun(runtime, floor=floor, starts_at=begins)
        await played(runtime, league, name, lambda now: isinstance(now, Finished))
        events = await log(runtime, league)
    called = next(index for index, (kind, *_) in enumerate(events) if kind == "last_hands_called")
    drawn = events[called][2]["draw"]["drawn"]
    assert 2 <= drawn <= 3
    after = [data["last"] for kind, _, data in events[called:] if kind == "hand_opened"]
    assert after == [False] * (drawn - 1) + [True]
    assert worker.poll() is None
    report = await audited(database, league)
    assert faults(report) == {}, report.text()


async def test_asked_too_early_twice_and_after_the_end_they_do_nothing_more(
    database: TestDatabase,
) -> None:
    floor = FloorTerms(last_hands_at=None)
    async with open_runtime(database.settings("holotable_worker")) as runtime:
        league, name = await announced(runtime, 3, starting_stack=1000, floor=floor)
        ids = {"league": league, "tournament": name}
        # Play has not begun, so the duty asks to be repeated.
        again = await DUTIES["tournament.last_hands"].do(runtime, ids)
        assert again is not None and again > runtime.clock.now()
        await submitting.start_tournament(runtime, league, name, runtime.clock.now())
        assert await breaks.end_due_break(runtime, league, name, begun_by=1) is None
        await breaks.call_last_hands(runtime, league, name)
        await breaks.call_last_hands(runtime, league, name)
        running = await state_of(runtime, league, name)
        assert isinstance(running, Running) and running.floor.last_hands is not None
        await played(runtime, league, name, lambda now: isinstance(now, Finished))
        assert await DUTIES["tournament.last_hands"].do(runtime, ids) is None
        kinds = [kind for kind, *_ in await log(runtime, league)]
        assert kinds.count("last_hands_called") == 1


async def test_last_hands_that_were_put_off_are_not_called_at_the_first_hour(
    database: TestDatabase,
) -> None:
    """The job for the first time still runs, and asks to be repeated at the new time."""
    async with open_runtime(database.settings("holotable_worker")) as runtime:
        due = runtime.clock.now() + timedelta(hours=2)
        floor = FloorTerms(last_hands_at=due)
        league, name = await announced(runtime, 3, starting_stack=1000, floor=floor)
        await submitting.start_tournament(runtime, league, name, runtime.clock.now())
        assert await breaks.call_last_hands(runtime, league, name) == due
        running = await state_of(runtime, league, name)
    assert isinstance(running, Running) and running.floor.last_hands is None


async def test_a_tournament_that_plays_hand_for_hand_and_draws_anew_comes_to_its_end(
    database: TestDatabase,
) -> None:
    """Everybody at six tables bets everything. Seats are redrawn at two tables and at one."""
    floor = FloorTerms(
        hand_for_hand=HandForHandTerms(at_left=23), redraw_at=(2, 1), halt_when_short=3
    )
    async with open_runtime(database.settings("holotable_api")) as runtime:
        league, name = await announced(runtime, 24, floor=floor)
        await submitting.start_tournament(runtime, league, name, runtime.clock.now())
        finished = await to_the_end(runtime, league, name)
        events = await log(runtime, league)
    assert isinstance(finished, Finished)
    assert len({each.entrant for each in finished.placings}) == 24
    kinds = [kind for kind, *_ in events]
    assert kinds.count("hand_for_hand_started") == kinds.count("hand_for_hand_ended") == 1
    rounds = [data["round"] for kind, _, data in events if kind == "hand_for_hand_round_opened"]
    assert rounds == list(range(2, 2 + len(rounds))) and rounds
    hands = [data["round"] for kind, _, data in events if kind == "hand_opened"]
    assert set(rounds) <= set(hands)
    drawn = [data["tables"] for kind, _, data in events if kind == "seats_redrawn"]
    assert drawn[-1:] == [1]
    report = await audited(database, league)
    assert faults(report) == {}, report.text()


async def test_a_round_of_hand_for_hand_waits_for_the_windows_of_the_table_that_ends_last(
    database: TestDatabase,
) -> None:
    """The other table has waited for longer than a rebuy window lasts."""
    seconds = 2
    rebuys = resolve("better", {"rebuy": {"max": 1, "seconds": seconds}})
    async with open_runtime(database.settings("holotable_api")) as runtime:
        league, name = await announced(runtime, 6, rules=rebuys)
        await submitting.start_tournament(runtime, league, name, runtime.clock.now())
        early, late = [each.table for each in (await state_of(runtime, league, name)).tables]

        async def in_play() -> bool:
            return all([not (await at(runtime, league, each)).idle for each in (early, late)])

        await until_awaited(in_play)
        await decided(runtime, league, name, decider, StartHandForHand(**RULED))
        while not (await at(runtime, league, early)).idle:
            await step(runtime, league, early)
        done = runtime.clock.now()

        async def long_ago() -> bool:
            return runtime.clock.now() > done + timedelta(seconds=seconds)

        await until_awaited(long_ago)
        while not (await at(runtime, league, late)).idle:
            await bet_everything(runtime, league, late)
        await next_hand.open_next_hand(runtime, league, early, fresh=True)

        async def instants() -> list[Any]:
            return await runtime.pool.fetch(
                "SELECT type, at FROM events WHERE type = ANY ($1) ORDER BY position",
                ["rebuy_window_opened", "entrant_eliminated"],
            )

        async def over() -> bool:
            return "entrant_eliminated" in [kind for kind, _ in await instants()]

        await until_awaited(over)
        rows = dict(await instants())
    waited = rows["entrant_eliminated"] - rows["rebuy_window_opened"]
    assert waited >= timedelta(seconds=seconds)
