"""Ten workers beside each other: each event is searched once, and each job is sent once."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from threading import Barrier

import psycopg
import pytest

from engine.values import number_of
from service.director.runtime import Runtime, open_runtime
from service.tasks.jobs import ClaimedJob
from service.tasks.searching import Search
from service.tasks.ticker import Ticker
from tests.service.director.test_directing import announced
from tests.support.databases import TestDatabase

pytestmark = pytest.mark.anyio

WORKERS = 10
STARTS = """
    SELECT args->>'league', count(*) FROM job WHERE task = 'tournament.start' GROUP BY 1
"""


@pytest.fixture
async def runtime(database: TestDatabase) -> AsyncIterator[Runtime]:
    async with open_runtime(database.settings("holotable_api")) as made:
        yield made


@contextmanager
def ticking(database: TestDatabase) -> Iterator[tuple[Ticker, list[ClaimedJob]]]:
    """Yield the ticker of a worker, and the jobs that it has sent."""
    sent: list[ClaimedJob] = []
    ticker = Ticker(database.settings("holotable_worker"), sent.append)
    yield ticker, sent
    ticker.stop()


async def news(runtime: Runtime, leagues: list[str] | None = None) -> list[str]:
    """Announce a tournament that is due at once in each league. Without any, found ten."""
    if leagues is None:
        return [
            (await announced(runtime, 2, starts_at=runtime.clock.now()))[0] for _ in range(WORKERS)
        ]
    for each in leagues:
        await announced(runtime, 2, league_id=each, starts_at=runtime.clock.now())
    return leagues


def starts(database: TestDatabase) -> dict[str, int]:
    """Return how many starts of tournaments are recorded, by league."""
    with psycopg.connect(database.url("postgres")) as connection:
        return dict(connection.execute(STARTS).fetchall())


async def test_ten_workers_send_every_job_once(database: TestDatabase, runtime: Runtime) -> None:
    leagues = await news(runtime)
    together = Barrier(WORKERS, timeout=60)

    def work(ticker: Ticker) -> None:
        together.wait()
        while ticker.tick():
            pass

    with ExitStack() as stack:
        workers = [stack.enter_context(ticking(database)) for _ in range(WORKERS)]
        for further in (False, True):
            if further:
                await news(runtime, leagues)
            with ThreadPoolExecutor(WORKERS) as pool:
                for done in [pool.submit(work, ticker) for ticker, _ in workers]:
                    done.result()
            # Each may have skipped jobs that another one held, and so ended early.
            await asyncio.to_thread(workers[0][0].tick)
            assert starts(database) == dict.fromkeys(leagues, 1 + further)
        sent = Counter((job.job_id, job.claim) for _, its in workers for job in its)
    started = {job.job_id for _, its in workers for job in its if job.task == "tournament.start"}
    assert set(sent.values()) == {1}
    assert len(started) == 2 * WORKERS
    assert {claim for _, claim in sent} == {1}, "a lease has run out"


async def test_a_worker_passes_by_the_leagues_that_others_search(
    database: TestDatabase, runtime: Runtime
) -> None:
    leagues = await news(runtime)
    with ticking(database) as (ticker, _):
        ticker.tick()
        await news(runtime, leagues)
        others = leagues[: WORKERS // 2]
        with psycopg.connect(database.url("holotable_worker")) as another:
            held = [Search("ticker_checkpoint").held(another, number_of(each)) for each in others]
            assert None not in held
            await asyncio.to_thread(ticker.tick)
            assert starts(database) == {each: 1 if each in others else 2 for each in leagues}
        await asyncio.to_thread(ticker.tick)
    assert starts(database) == dict.fromkeys(leagues, 2)
