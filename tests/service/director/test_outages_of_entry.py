"""Outages move the ends of late registration and of offers, before anything else happens."""

import asyncio
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from engine.tournament.model.commands import Withdraw
from engine.tournament.model.commands.entering import CloseLateRegistration
from engine.tournament.model.events.entering import OfferExtended
from engine.tournament.model.terms import EntryTerms
from engine.tournament.model.values.entering import Applicant
from service.base import heartbeats
from service.director import submitting
from service.director.runtime import Runtime, open_runtime
from service.tasks import duties
from service.tasks.asking import Found, asked_by
from tests.service.audit.test_audit import audited
from tests.service.director.test_directing import announced, command
from tests.service.director.test_entry_times import state_of, types_of, withdraw
from tests.support.databases import TestDatabase

pytestmark = pytest.mark.anyio

INSTANT = timedelta(milliseconds=1)


async def away(runtime: Runtime, since: datetime, until: datetime) -> None:
    await runtime.pool.execute("INSERT INTO outage VALUES ('api', $1, $2)", since, until)


async def test_an_outage_moves_the_end_of_late_registration_before_anything_else(
    database: TestDatabase,
) -> None:
    """The job comes early, as after each outage, or a command comes first."""
    async with open_runtime(database.settings("holotable_api")) as runtime:
        entry = EntryTerms(late_registration_seconds=600)
        league, name = await announced(runtime, 3, entry=entry, decision_seconds=30)
        await submitting.start_tournament(runtime, league, name, runtime.clock.now())
        first = (await state_of(runtime, league, name)).entering
        ids = {"league": league, "tournament": name}
        await away(runtime, first.late_since - timedelta(hours=1), first.late_since)
        assert await duties.close_late_registration(runtime, ids) == first.late_until + INSTANT
        gone = runtime.clock.now()
        await away(runtime, first.late_since - timedelta(minutes=1), gone)

        assert await duties.close_late_registration(runtime, ids) is None
        later = (await state_of(runtime, league, name)).entering
        assert later.late_until - first.late_until == gone - first.late_since
        # What the log has counted already is not counted again.
        order = command(runtime)
        await away(runtime, later.late_since - timedelta(seconds=9), order.received_at)
        asked = CloseLateRegistration(scheduled=True, now=order.received_at)
        await submitting.submit_to_tournament(runtime, league, name, asked, order)
        assert (await types_of(runtime, name))[-2:] == ["late_registration_extended"] * 2
        last = (await state_of(runtime, league, name)).entering
        assert last.late_until - later.late_until == order.received_at - later.late_since
    report = await audited(database, league)
    assert report.passed, report.text()


async def test_a_start_that_comes_again_after_an_outage_changes_nothing(
    database: TestDatabase,
) -> None:
    """The job of the announced start still waits when staff have started early."""
    async with open_runtime(database.settings("holotable_worker")) as runtime:
        entry = EntryTerms(late_registration_seconds=600)
        league, name = await announced(runtime, 3, entry=entry)
        by_staff = command(runtime)
        await submitting.start_tournament(runtime, league, name, by_staff.received_at, by_staff)
        first = (await state_of(runtime, league, name)).entering
        await away(runtime, first.late_since - timedelta(minutes=1), runtime.clock.now())
        before = await types_of(runtime, name)

        ids = {"league": league, "tournament": name}
        assert await duties.start_tournament(runtime, ids) is None
        assert await types_of(runtime, name) == before
        assert await duties.close_late_registration(runtime, ids) is None
        assert (await types_of(runtime, name))[-1] == "late_registration_extended"


async def offered(runtime: Runtime, seconds: int) -> tuple[dict[str, str], Applicant]:
    """Have a place offered for *seconds*. Return what names it in a job, and the offer."""
    entry = EntryTerms(waitlist=True, offer_seconds=seconds)
    league, name = await announced(runtime, 3, entrants_max=2, entry=entry)
    before = await state_of(runtime, league, name)
    await withdraw(runtime, league, name, before.entrants[0].entrant)
    [offer] = (await state_of(runtime, league, name)).entering.waiting
    return {"league": league, "tournament": name, "entrant": offer.entrant}, offer


async def test_an_offer_does_not_end_while_the_api_is_silent(database: TestDatabase) -> None:
    async with open_runtime(database.settings("holotable_worker")) as runtime:
        ids, offer = await offered(runtime, 1)
        await asyncio.sleep((offer.offered_until - runtime.clock.now()).total_seconds() + 0.01)
        await runtime.pool.execute(
            "INSERT INTO heartbeat VALUES ('api', $1)"
            " ON CONFLICT (process) DO UPDATE SET at = excluded.at",
            offer.offered_since - timedelta(hours=1),
        )
        again = await duties.expire_offer(runtime, ids)
        assert again is not None and again > offer.offered_until
        assert (await types_of(runtime, ids["tournament"]))[-1] == "place_offered"


async def test_an_outage_moves_the_end_of_an_offer_and_its_job(database: TestDatabase) -> None:
    async with open_runtime(database.settings("holotable_worker")) as runtime:
        ids, offer = await offered(runtime, 600)
        assert await duties.expire_offer(runtime, ids) == offer.offered_until + INSTANT
        gone = runtime.clock.now()
        await away(runtime, offer.offered_since - timedelta(minutes=1), gone)

        assert await duties.expire_offer(runtime, ids) is None
        [later] = (await state_of(runtime, ids["league"], ids["tournament"])).entering.waiting
        assert later.offered_until - offer.offered_until == gone - offer.offered_since
        event = OfferExtended(
            entrant=offer.entrant, at=gone, until=later.offered_until, rule="levels.outage"
        )
        found = Found(ids["league"], UUID(int=1), UUID(int=2), 9, event)
        [ask] = asked_by(found, gone, runtime.settings)
        assert (ask.job.task, ask.job.due_at) == ("waitlist.offer", later.offered_until)


async def test_changes_made_together_read_the_outages_once(
    database: TestDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are read in the league's turn, so everybody else waits for them."""
    reads: list[datetime] = []
    read = heartbeats.outages_since

    async def counted(pool: Any, league: UUID, since: datetime) -> Any:
        reads.append(since)
        return await read(pool, league, since)

    monkeypatch.setattr(heartbeats, "outages_since", counted)
    async with open_runtime(database.settings("holotable_worker")) as runtime:
        ids, offer = await offered(runtime, 600)
        await away(runtime, offer.offered_since - timedelta(minutes=1), runtime.clock.now())
        order = command(runtime)
        state = await state_of(runtime, ids["league"], ids["tournament"])
        everybody = [each.entrant for each in (*state.entrants, offer)]
        asked = [Withdraw(entrant=each, now=order.received_at) for each in everybody]
        assert len(asked) == 2 and reads == []
        await submitting.submit_all_to_tournament(
            runtime, ids["league"], ids["tournament"], asked, order
        )
        assert reads == [offer.offered_since]
        assert (await types_of(runtime, ids["tournament"])).count("offer_extended") == 1
