"""One task at a time takes a table from hand to hand, however often it is asked."""

import asyncio
from datetime import timedelta

import pytest
from msgspec.structs import replace

from engine.table import decider
from engine.table.model.commands import ComeBack, StepAway
from engine.tournament import decider as tournament_decider
from engine.tournament.model.commands import Pause
from engine.tournament.model.commands.floor import StartHandForHand
from engine.values import stream_of
from service.director import submitting
from service.director.next_hand import lead, open_next_hand, pauses_since
from service.director.runtime import open_runtime
from service.director.submitting import submit_to_tournament
from tests.engine.tournament.rulings import RULED
from tests.service.director.test_clocks import log
from tests.service.director.test_directing import announced, at, command, decided, left_alone
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


async def test_no_round_of_hand_for_hand_opens_over_a_hand_that_another_process_opened(
    database: TestDatabase,
) -> None:
    """The hands in play are the first round. This process has not seen that one is in play."""
    settings = database.settings("holotable_api")
    async with open_runtime(settings) as here, open_runtime(settings) as there:
        league, name = await announced(here, 6)
        # The usual start would open the first hands in the background.
        await submitting._start(here, league, name, command(here), here.clock.now())
        one, other = [each.table for each in (await at(here, league, name)).tables]
        await open_next_hand(there, league, other)
        await decided(here, league, name, tournament_decider, StartHandForHand(**RULED))
        known = here.writer.known(league, stream_of(other))
        assert known is not None and known.state.idle

        await open_next_hand(here, league, one)

        kinds = [kind for kind, *_ in await log(here, league)]
        assert "hand_for_hand_started" in kinds and "hand_opened" in kinds
        assert "hand_for_hand_round_opened" not in kinds
