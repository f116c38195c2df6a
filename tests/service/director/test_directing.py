"""One or several processes lead a tournament from hand to hand through the writer."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from engine import league, tournament
from engine.coordination.aggregates import DECIDERS
from engine.kit.audiences import AUDITOR
from engine.league.commands import CreateLeague
from engine.rulesets import preset, ruleset_hash
from engine.table.model.commands import StepAway
from engine.table.model.state import Table
from engine.table.read.view import seen_by
from engine.tournament.model.commands import Announce, Cancel, Register
from engine.tournament.model.commands.floor import HoldOneTable
from engine.tournament.model.state import Finished, Running
from engine.values import (
    EntrantId,
    LeagueId,
    PlayerId,
    TournamentId,
    identifier,
    number_of,
    stream_of,
)
from service.bundles.log import HeldLog
from service.bundles.writing import Wanted, bundle_of
from service.director import decision_clock, next_hand, submitting
from service.director.runtime import Runtime, open_runtime
from service.log.read import read_league
from service.log.writer import Order, States, StreamEvents, Writer
from service.transparency.note import Checkpoint
from service.transparency.tree import root_of
from tests.engine.tournament.rulings import RULED
from tests.service.audit.test_audit import audited, faults
from tests.support import play
from tests.support.databases import TestDatabase
from tests.verifier.forging import KEY, PUBLIC
from tests.verifier.loading import verifier

pytestmark = pytest.mark.anyio


def command(runtime: Runtime) -> Order:
    return Order(
        command_id=runtime.entropy.uuid(),
        actor="plr_1",
        received_at=runtime.clock.now(),
        request=b"{}",
    )


async def decided(runtime: Runtime, league_id: str, subject: str, decider: Any, asked: Any) -> None:
    stream = stream_of(subject)

    async def decide(states: States) -> Sequence[StreamEvents]:
        return [StreamEvents(stream, decider.decide((await states.load(stream)).state, asked))]

    await runtime.writer.submit(league_id, command(runtime), decide)


async def announced(runtime: Runtime, entrants: int, **changes: Any) -> tuple[str, str]:
    """Make a league and a tournament in which *entrants* bots are registered, ready to start."""
    name = TournamentId(identifier("trn", runtime.entropy.uuid()))
    now = runtime.clock.now()
    league_id = changes.pop("league_id", None)
    if league_id is None:
        league_id = LeagueId(identifier("lge", runtime.entropy.uuid()))
        owner = PlayerId(identifier("plr", runtime.entropy.uuid()))
        make = CreateLeague(league=league_id, name="Cloud City", owner=owner, sandbox=True)
        await decided(runtime, league_id, league_id, league.decider, make)
    rules = changes.pop("rules", preset("better"))
    terms: dict[str, Any] = {
        "starting_stack": 200,
        "table_seats": 4,
        "decision_seconds": 30,
        "entrants_max": 60,
        "starts_at": now + timedelta(hours=1),
    }
    terms |= changes
    announce = Announce(
        tournament=name,
        league=league_id,
        name="Night one",
        ruleset=rules,
        ruleset_name="better",
        ruleset_hash=ruleset_hash(rules),
        **terms,
    )
    await decided(runtime, league_id, name, tournament.decider, announce)
    await submitting.open_registration(runtime, league_id, name)
    for number in range(entrants):
        register = Register(
            entrant=EntrantId(identifier("ent", runtime.entropy.uuid())),
            player=PlayerId(f"plr_{number:032x}"),
            bot=True,
            now=now,
        )
        await decided(runtime, league_id, name, tournament.decider, register)
    return league_id, name


async def bet_everything(runtime: Runtime, league_id: str, table: str) -> bool:
    """Answer the open decision for one seat as boldly as possible. Return False if none is open."""
    state = (await runtime.writer.load(league_id, stream_of(table))).state
    if not isinstance(state, Table) or state.decision is None:
        return False
    decision = state.decision
    entrant = state.at(decision.seats[0]).entrant
    view = seen_by(state, entrant)
    asked = (runtime, league_id, table, command(runtime), entrant, decision.token)
    if decision.phase == "select":
        assert view.me is not None
        await play.select(*asked, view.me.cards[:2])
    elif decision.phase == "improve":
        assert view.me is not None
        await play.improve(*asked, ())
    else:
        legal = {each.verb: each for each in view.legal}
        best = next(v for v in ("raise_to", "call", "check", "fold") if v in legal)
        chosen = legal[best]
        if best == "raise_to":
            await play.act(*asked, best, chosen.max)
        else:
            await play.act(*asked, best, None, chosen.amount if best == "call" else None)
    return True


async def at(runtime: Runtime, league_id: str, table: str) -> Any:
    """Return the state of a table or a tournament."""
    return (await runtime.writer.load(league_id, stream_of(table))).state


async def played(runtime: Runtime, league_id: str, name: str) -> Any:
    """Play a started tournament to its end and return its last state."""
    for _ in range(3000):
        state = (await runtime.writer.load(league_id, stream_of(name))).state
        if not isinstance(state, Running):
            return state
        answered = [
            await bet_everything(runtime, league_id, seating.table) for seating in state.tables
        ]
        if not any(answered):
            await asyncio.sleep(0.01)
    raise AssertionError("the tournament does not end")


async def test_a_tournament_of_two_tables_is_played_to_its_last_chip(
    database: TestDatabase,
) -> None:
    async with open_runtime(database.settings("holotable_api")) as runtime:
        league_id, name = await announced(runtime, 6)
        await submitting.start_tournament(runtime, league_id, name, runtime.clock.now())
        state = await played(runtime, league_id, name)
        assert isinstance(state, Finished)
        assert sorted(each.place for each in state.placings)[0] == 1
        assert len(state.placings) == 6


async def test_the_state_kept_after_each_command_is_the_one_its_log_leads_to(
    database: TestDatabase,
) -> None:
    async with open_runtime(database.settings("holotable_api")) as runtime:
        league_id, name = await announced(runtime, 4)
        await submitting.start_tournament(runtime, league_id, name, runtime.clock.now())
        table = (await runtime.writer.load(league_id, stream_of(name))).state.tables[0].table
        await next_hand.open_next_hand(runtime, league_id, table)
        versions, phase = set(), "select"
        while phase != "improve":
            kept = await runtime.writer.load(league_id, stream_of(table), fresh=False)
            reader = Writer(runtime.writer.store, DECIDERS, runtime.clock.now)
            assert await reader.load(league_id, stream_of(table)) == kept
            versions.add(kept.version)
            phase = kept.state.decision.phase
            await bet_everything(runtime, league_id, table)
        assert len(versions) > 4


async def test_starting_twice_is_starting_once(database: TestDatabase) -> None:
    async with open_runtime(database.settings("holotable_api")) as runtime:
        league_id, name = await announced(runtime, 4)
        await submitting.start_tournament(runtime, league_id, name, runtime.clock.now())
        before = (await runtime.writer.load(league_id, stream_of(name))).version
        await submitting.start_tournament(runtime, league_id, name, runtime.clock.now())
        assert (await runtime.writer.load(league_id, stream_of(name))).version == before


async def test_two_processes_that_ask_at_once_open_one_hand(database: TestDatabase) -> None:
    async with (
        open_runtime(database.settings("holotable_api")) as one,
        open_runtime(database.settings("holotable_worker")) as other,
    ):
        league_id, name = await announced(one, 4)
        await submitting.start_tournament(one, league_id, name, one.clock.now())
        state = (await one.writer.load(league_id, stream_of(name))).state
        table = state.tables[0].table
        await asyncio.gather(
            *(
                next_hand.open_next_hand(runtime, league_id, table)
                for runtime in (one, other, one, other)
            )
        )
        loaded = await other.writer.load(league_id, stream_of(table))
        assert loaded.state.hand_number == 1
        assert loaded.state.decision is not None


async def test_the_watch_times_out_what_ran_out_and_nothing_before(
    database: TestDatabase,
) -> None:
    async with open_runtime(database.settings("holotable_worker")) as runtime:
        league_id, name = await announced(runtime, 4, decision_seconds=1)
        await submitting.start_tournament(runtime, league_id, name, runtime.clock.now())
        state = (await runtime.writer.load(league_id, stream_of(name))).state
        table = state.tables[0].table
        await next_hand.open_next_hand(runtime, league_id, table)
        first = (await runtime.writer.load(league_id, stream_of(table))).state.decision
        again_at = await decision_clock.watch_table(runtime, league_id, table)
        assert again_at == first.deadline + timedelta(seconds=1)
        assert (await runtime.writer.load(league_id, stream_of(table))).state.decision == first
        await asyncio.sleep((again_at - runtime.clock.now()).total_seconds() + 0.05)
        await decision_clock.watch_table(runtime, league_id, table)
        after = (await runtime.writer.load(league_id, stream_of(table))).state.decision
        assert after is None or after.token != first.token


async def test_the_watch_releases_a_table_that_an_older_cancellation_left_on_hold(
    database: TestDatabase,
) -> None:
    async with open_runtime(database.settings("holotable_worker")) as runtime:
        league_id, name = await announced(runtime, 4)
        await submitting.start_tournament(runtime, league_id, name, runtime.clock.now())
        table = (await at(runtime, league_id, name)).tables[0].table
        await next_hand.open_next_hand(runtime, league_id, table)
        hold = HoldOneTable(table=table, **RULED)
        await submitting.submit_to_tournament(runtime, league_id, name, hold, command(runtime))
        await decision_clock.watch_table(runtime, league_id, table)
        held = await at(runtime, league_id, table)
        assert held.held == "director"

        cancel = Cancel(reason="no_light", now=runtime.clock.now())
        await decided(runtime, league_id, name, tournament.decider, cancel)
        await decision_clock.watch_table(runtime, league_id, table)
        after = await at(runtime, league_id, table)
        assert after.held is None
        assert after.decision.token == held.decision.token
        assert after.decision.deadline > held.decision.deadline
        async with asyncio.timeout(30):
            while not (await at(runtime, league_id, table)).closed:
                await bet_everything(runtime, league_id, table)
                await decision_clock.watch_table(runtime, league_id, table)
        await verified(runtime, league_id, name)
    report = await audited(database, league_id)
    assert faults(report) == {"texts": 1}, "only the words of the ruling were never stored"


async def verified(runtime: Runtime, league_id: str, name: str) -> None:
    """Check the tournament's bundle with the verifier."""
    async with runtime.pool.acquire() as connection:
        log = await read_league(connection, league_id)
    number, root = number_of(league_id), root_of(each.hash for each in log)
    head = Checkpoint(origin=f"holotable/{number}/0", size=len(log), root=root)
    wanted = Wanted(kind="tournament", subject=name, viewer=AUDITOR)
    keys = await runtime.writer.store.keys(number)
    lines = await bundle_of(HeldLog(log), keys, wanted, (KEY.sign(head.text()), len(log)), None)
    found = verifier.verify(b"".join([line async for line in lines]), [PUBLIC])
    assert found.authentic and found.differences == []


@pytest.mark.parametrize("since", [-1.1, 0.1])
async def test_an_outage_gives_the_open_decision_its_full_time_anew(
    database: TestDatabase, since: float
) -> None:
    """It begins before the deadline, or only in the grace that follows."""
    async with open_runtime(database.settings("holotable_worker")) as runtime:
        league_id, name = await announced(runtime, 4, decision_seconds=1)
        await submitting.start_tournament(runtime, league_id, name, runtime.clock.now())
        state = (await runtime.writer.load(league_id, stream_of(name))).state
        table = state.tables[0].table
        await next_hand.open_next_hand(runtime, league_id, table)
        first = (await runtime.writer.load(league_id, stream_of(table))).state.decision
        await asyncio.sleep(2.1)  # the decision's second and its grace pass in real time
        bounds = (first.deadline + timedelta(seconds=since), runtime.clock.now())
        await runtime.pool.execute("INSERT INTO outage VALUES ('api', $1, $2)", *bounds)
        await decision_clock.watch_table(runtime, league_id, table)
        after = (await runtime.writer.load(league_id, stream_of(table))).state.decision
        assert after.token == first.token
        assert after.deadline > first.deadline


async def one_steps_away(runtime: Runtime, league_id: str, table: str) -> str:
    """Play on until one of two players is away and the other folds. Return the absent entrant."""
    while (there := await at(runtime, league_id, table)).decision.phase == "select":
        await bet_everything(runtime, league_id, table)
    actor = there.at(there.decision.seats[0]).entrant
    (absent,) = (place.entrant for place in there.places if place.entrant != actor)
    await submitting.submit_to_table(
        runtime, league_id, table, StepAway(entrant=absent), command(runtime)
    )
    asked = (runtime, league_id, table, command(runtime), actor, there.decision.token)
    await play.act(*asked, "fold")
    return absent


async def test_a_hand_over_before_anybody_is_asked_tells_the_tournament_who_went_out(
    database: TestDatabase,
) -> None:
    """One of two players is away and posts blinds until the stack is gone and the game ends."""
    async with open_runtime(database.settings("holotable_api")) as runtime:
        rules = preset("better_simple")
        league_id, name = await announced(runtime, 2, rules=rules, starting_stack=10)
        await submitting.start_tournament(runtime, league_id, name, runtime.clock.now())
        state = (await runtime.writer.load(league_id, stream_of(name))).state
        table = state.tables[0].table
        await next_hand.open_next_hand(runtime, league_id, table)
        absent = await one_steps_away(runtime, league_id, table)

        async with asyncio.timeout(20):
            while not isinstance(state, Finished):
                await asyncio.sleep(0.01)
                state = (await runtime.writer.load(league_id, stream_of(name))).state

        assert [each.entrant for each in state.placings if each.place == 2] == [absent]


class TellingClock:
    """A clock that is *ahead* of another, and sets ``waiting`` once a table has begun to wait."""

    def __init__(self, clock: Any, ahead: timedelta = timedelta()) -> None:
        self._clock, self._ahead = clock, ahead
        self._reads = 0
        self.waiting = asyncio.Event()

    def now(self) -> datetime:
        self._reads += 1
        if self._reads == 3:  # read for the order, the plan and the waiting time
            self.waiting.set()
        return self._clock.now() + self._ahead


async def left_alone(runtime: Runtime, *, hands_between_seconds: int) -> tuple[str, str]:
    """Play a hand of two in which one player steps away. Return the league and the table."""
    rules = preset("better_simple")
    league_id, name = await announced(
        runtime, 2, rules=rules, hands_between_seconds=hands_between_seconds
    )
    await submitting.start_tournament(runtime, league_id, name, runtime.clock.now())
    state = (await runtime.writer.load(league_id, stream_of(name))).state
    table = state.tables[0].table
    await next_hand.open_next_hand(runtime, league_id, table)
    await one_steps_away(runtime, league_id, table)
    assert (await at(runtime, league_id, table)).idle
    return league_id, table


async def test_who_is_overtaken_between_hands_leaves_the_table_to_the_other(
    database: TestDatabase,
) -> None:
    """All but one are away, so each hand ends at once. Following the other would never end."""
    settings = database.settings("holotable_api")
    async with open_runtime(settings) as runtime:
        league_id, table = await left_alone(runtime, hands_between_seconds=2)
        before = (await at(runtime, league_id, table)).hand_number

    async with open_runtime(settings) as runtime:
        slow = replace(runtime, clock=TellingClock(runtime.clock))
        overtaken = asyncio.create_task(
            next_hand.open_next_hand(slow, league_id, table, fresh=True)
        )
        async with asyncio.timeout(20):
            await slow.clock.waiting.wait()
        assert not overtaken.done()
        async with open_runtime(settings) as other:
            early = replace(other, clock=TellingClock(other.clock, timedelta(seconds=10)))
            await next_hand.open_next_hand(early, league_id, table)
        assert (await at(runtime, league_id, table)).hand_number == before + 1
        async with asyncio.timeout(20):
            await overtaken
        assert (await at(runtime, league_id, table)).hand_number == before + 1


async def test_a_watch_keeps_no_task_for_a_pause_longer_than_its_rounds(
    database: TestDatabase,
) -> None:
    settings = database.settings("holotable_worker")
    async with open_runtime(settings) as runtime:
        league_id, table = await left_alone(runtime, hands_between_seconds=3600)
    async with open_runtime(settings) as runtime:
        asked = (runtime, league_id, table)
        async with asyncio.timeout(20):
            await next_hand.open_next_hand(
                *asked, fresh=True, patience=runtime.settings.sweep_seconds
            )
        assert (await at(*asked)).idle
