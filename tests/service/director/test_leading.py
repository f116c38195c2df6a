"""One task at a time takes a table from hand to hand, however often it is asked."""

import asyncio
from datetime import timedelta

import pytest
from msgspec.structs import replace

from engine.table import decider
from engine.table.model.commands import ComeBack, StepAway
from engine.tournament.model.commands import Pause
from engine.values import stream_of
from service.director.next_hand import lead, pauses_since
from service.director.runtime import open_runtime
from service.director.submitting import submit_to_tournament
from tests.service.director.test_directing import at, command, decided, left_alone
from tests.support.databases import TestDatabase

pytestmark = pytest.mark.anyio


async def test_many_asks_are_one_task_that_looks_again_at_once(database: TestDatabase) -> None:
    async with open_runtime(database.settings("holotable_api")) as runtime:
        league, table = await left_alone(runtime, hands_between_seconds=3600)
        assert set(runtime.leading) == {(league, table)}, "nothing waits for the next hand"
        running = set(runtime._running)
        for _ in range(50):
            lead(runtime, league, table)
        assert runtime._running == running

        tournament = (await at(runtime, league, table)).tournament
        pause = Pause(reason="dinner", now=runtime.clock.now())
        await submit_to_tournament(runtime, league, tournament, pause, command(runtime))
        await asyncio.wait(runtime._running, timeout=20)
        assert not runtime.leading, "the task goes on although nothing is left to do"
        wait = (await runtime.writer.load(league, stream_of(table))).state.wait
        assert wait.reason == "paused"


async def test_nobody_puts_off_the_next_hand_by_leaving_the_seat_again_and_again(
    database: TestDatabase,
) -> None:
    async with open_runtime(database.settings("holotable_api")) as runtime:
        league, table = await left_alone(runtime, hands_between_seconds=3600)
        idle = await runtime.writer.load(league, stream_of(table))
        assert pauses_since(idle) == idle.at, "the hand has just been settled"
        entrant = idle.state.places[0].entrant
        for asked in (ComeBack(entrant=entrant), StepAway(entrant=entrant)) * 2:
            await decided(runtime, league, table, decider, asked)
        later = await runtime.writer.load(league, stream_of(table))
        assert later.at > idle.at
        assert later.state.pause_since == idle.state.pause_since
        hour = replace(later, at=later.at + timedelta(hours=1))
        assert pauses_since(hour) <= idle.at + timedelta(seconds=5)
