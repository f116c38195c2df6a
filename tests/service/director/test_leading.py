"""One task at a time takes a table from hand to hand, however often it is asked."""

import asyncio

import pytest

from engine.tournament.model.commands import Pause
from engine.values import stream_of
from service.director.next_hand import lead
from service.director.runtime import open_runtime
from service.director.submitting import submit_to_tournament
from tests.service.director.test_directing import at, command, left_alone
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
