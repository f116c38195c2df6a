"""A real worker does once what is due by time: a start, an offer, the end of late registration."""

import subprocess
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from msgspec.structs import replace

from engine.league import decider as league_decider
from engine.league.bans import BanPlayer
from engine.tournament import decider
from engine.tournament.model.commands import Withdraw
from engine.tournament.model.commands.entering import ChangeTerms
from engine.tournament.model.state import Registering, Running
from engine.tournament.model.terms import EntryTerms, FloorTerms
from engine.tournament.model.terms.changeable import ChangeableTerms, changeable
from engine.values import BanId, EntrantId, PlayerId, TextId, TextRef, identifier, stream_of
from service.director import registration_clock, submitting
from service.director.runtime import Runtime, open_runtime
from service.log.orders import Order
from service.tasks import duties
from service.tasks.asking import Found, asked_by
from tests.engine.tournament.rulings import RULED
from tests.service.director.test_directing import announced, command, decided
from tests.service.tasks.test_worker import worker
from tests.support.databases import TestDatabase
from tests.support.waiting import until_awaited

__all__ = ["worker"]

pytestmark = pytest.mark.anyio


async def withdraw(runtime: Runtime, league: str, name: str, entrant: EntrantId) -> None:
    asked = Withdraw(entrant=entrant, now=runtime.clock.now())
    await submitting.submit_to_tournament(runtime, league, name, asked, command(runtime))


async def state_of(runtime: Runtime, league: str, name: str) -> Any:
    return (await runtime.writer.load(league, stream_of(name))).state


async def types_of(runtime: Runtime, name: str) -> list[str]:
    rows = await runtime.pool.fetch(
        "SELECT type FROM events WHERE stream = $1 ORDER BY position", stream_of(name)
    )
    return [row["type"] for row in rows]


async def test_what_is_due_before_registration_has_opened_comes_again(
    database: TestDatabase,
) -> None:
    """After an outage, the jobs that open registration and that start are due at once."""
    async with open_runtime(database.settings("holotable_api")) as runtime:
        at = runtime.clock.now() + timedelta(hours=1)
        league, name = await announced(runtime, 0, registration_opens_at=at, starts_at=at)
        for due in (
            submitting.start_tournament(runtime, league, name, at, scheduled=True),
            registration_clock.close_registration(runtime, league, name),
            registration_clock.open_check_in(runtime, league, name),
        ):
            again = await due
            assert again is not None and again > at
        assert await types_of(runtime, name) == ["tournament_announced"]


async def test_an_offer_nobody_answers_goes_on_and_late_registration_ends(
    database: TestDatabase, worker: subprocess.Popen[bytes]
) -> None:
    async with open_runtime(database.settings("holotable_api")) as runtime:
        entry = EntryTerms(waitlist=True, offer_seconds=1, late_registration_seconds=1)
        starts_at = runtime.clock.now() + timedelta(seconds=5)
        league, name = await announced(
            runtime, 6, entrants_max=4, entry=entry, starts_at=starts_at, decision_seconds=30
        )
        before = await state_of(runtime, league, name)
        first, second = (each.entrant for each in before.entering.waiting)
        await withdraw(runtime, league, name, before.entrants[0].entrant)

        async def passed_on() -> bool:
            state = await state_of(runtime, league, name)
            return isinstance(state, Registering) and bool(
                state.entering.waiter(second) and state.entering.waiter(second).offered_until
            )

        await until_awaited(passed_on)
        ids = {"league": league, "tournament": name, "entrant": first}
        assert await duties.expire_offer(runtime, ids) is None

        async def closed() -> bool:
            state = await state_of(runtime, league, name)
            return isinstance(state, Running) and not state.entering.late

        await until_awaited(closed, 30)
        types = await types_of(runtime, name)
        assert types.count("late_registration_closed") == 1
        assert types.count("play_started") == 1
        assert types.count("place_offered") == 2
        again = {"league": league, "tournament": name}
        assert await duties.close_late_registration(runtime, again) is None
        assert await duties.start_tournament(runtime, again) is None
        assert await types_of(runtime, name) == types
    assert worker.poll() is None


async def test_jobs_of_terms_that_changed_wait_for_the_new_instants(database: TestDatabase) -> None:
    async with open_runtime(database.settings("holotable_worker")) as runtime:
        now = runtime.clock.now()
        entry = EntryTerms(check_in_opens_before_seconds=600)
        league, name = await announced(
            runtime, 2, entry=entry, starts_at=now + timedelta(seconds=900)
        )
        order, later = command(runtime), now + timedelta(hours=2)
        terms = changeable((await state_of(runtime, league, name)).terms)
        change = ChangeTerms(
            terms=replace(terms, starts_at=later), **{**RULED, "now": order.received_at}
        )
        await submitting.submit_to_tournament(runtime, league, name, change, order)
        ids = {"league": league, "tournament": name}
        assert await duties.start_tournament(runtime, ids) == later
        assert await duties.open_check_in(runtime, ids) == later - timedelta(seconds=600)
        assert (await types_of(runtime, name))[-1] == "terms_changed"

        (event,) = decider.decide((await state_of(runtime, league, name)), back(terms, order))
        found = Found(league, UUID(int=1), UUID(int=2), 9, event)
        jobs = {each.job.task: each.job.due_at for each in asked_by(found, now, runtime.settings)}
        assert jobs == {
            "tournament.start": terms.starts_at,
            "tournament.check_in": terms.starts_at - timedelta(seconds=600),
        }


async def test_check_in_opens_again_after_the_start_moved_away_and_back(
    database: TestDatabase,
) -> None:
    async with open_runtime(database.settings("holotable_worker")) as runtime:
        now = runtime.clock.now()
        entry = EntryTerms(check_in_opens_before_seconds=600)
        league, name = await announced(
            runtime, 2, entry=entry, starts_at=now + timedelta(seconds=300)
        )
        ids = {"league": league, "tournament": name}
        assert await duties.open_check_in(runtime, ids) is None
        terms = changeable((await state_of(runtime, league, name)).terms)
        later = replace(terms, starts_at=now + timedelta(hours=2))
        for each in (later, terms):
            order = command(runtime)
            asked = back(each, order)
            await submitting.submit_to_tournament(runtime, league, name, asked, order)
        assert not (await state_of(runtime, league, name)).entering.check_in_opened
        assert await duties.open_check_in(runtime, ids) is None
        assert (await types_of(runtime, name))[-1] == "check_in_opened"


async def test_a_start_that_moved_is_untouched_by_the_old_job_and_comes_by_the_new(
    database: TestDatabase,
) -> None:
    """The old job would also take the banned player's place, hours before play begins."""
    async with open_runtime(database.settings("holotable_worker")) as runtime:
        league, name = await announced(runtime, 3)
        terms = changeable((await state_of(runtime, league, name)).terms)
        order, later = command(runtime), terms.starts_at + timedelta(hours=1)
        change = back(replace(terms, starts_at=later), order)
        await submitting.submit_to_tournament(runtime, league, name, change, order)
        player = (await state_of(runtime, league, name)).entrants[0].player
        await decided(runtime, league, league, league_decider, banned(player, runtime))

        start = submitting.start_tournament
        again = await start(runtime, league, name, terms.starts_at, scheduled=True)
        assert again == later
        assert (await types_of(runtime, name))[-1] == "terms_changed"

        assert await start(runtime, league, name, later, scheduled=True) is None
        state = await state_of(runtime, league, name)
        assert isinstance(state, Running)
        assert player not in {each.player for each in state.entrants}


def banned(player: PlayerId, runtime: Runtime) -> BanPlayer:
    return BanPlayer(
        ban=BanId(identifier("ban", runtime.entropy.uuid())),
        player=player,
        until=None,
        reason=TextRef(text=TextId(identifier("txt", runtime.entropy.uuid())), digest="cd" * 32),
        salt=runtime.entropy.token(),
        now=runtime.clock.now(),
    )


def back(terms: ChangeableTerms, order: Order) -> ChangeTerms:
    """Return the command that sets the old terms again."""
    return ChangeTerms(terms=terms, **{**RULED, "now": order.received_at})


async def test_a_start_put_off_is_armed_anew_and_the_first_message_again_does_nothing(
    database: TestDatabase, worker: subprocess.Popen[bytes]
) -> None:
    async with open_runtime(database.settings("holotable_api")) as runtime:
        entry = EntryTerms(too_few="postpone", postpone_seconds=600)
        starts_at = runtime.clock.now() + timedelta(seconds=1)
        floor = FloorTerms(last_hands_at=starts_at + timedelta(seconds=60))
        league, name = await announced(runtime, 1, entry=entry, starts_at=starts_at, floor=floor)

        async def armed() -> bool:
            rows = await runtime.pool.fetch("SELECT task, due_at FROM job WHERE state = 'ready'")
            later = {
                row["task"] for row in rows if row["due_at"] > starts_at + timedelta(seconds=300)
            }
            # The time of the last hands was postponed by the same amount.
            return {"tournament.start", "tournament.last_hands"} <= later

        await until_awaited(armed)
        state = await state_of(runtime, league, name)
        assert isinstance(state, Registering)
        until_then = await duties.start_tournament(runtime, {"league": league, "tournament": name})
        assert until_then == state.terms.starts_at
        assert (await types_of(runtime, name)).count("start_postponed") == 1
