"""Work in threads is bounded: by kind, in total, and for each client."""

import asyncio
import threading

import pytest

from service.base.errors import Overloaded
from service.base.pools import Pool

pytestmark = pytest.mark.anyio


class Work:
    """Work that lasts until the test releases it."""

    def __init__(self) -> None:
        self.begun = 0
        self._go = threading.Event()

    def __call__(self) -> str:
        self.begun += 1
        assert self._go.wait(30)
        return "done"

    def let_go(self) -> None:
        self._go.set()


async def begin(pool: Pool, client: str | None, work: Work) -> "asyncio.Task[str]":
    """Submit work. It is in the pool when this returns."""
    task = asyncio.create_task(pool.run(client, work))
    await asyncio.sleep(0)  # one turn of the loop, in which the task runs to its first wait
    return task


async def test_work_beyond_the_queue_is_refused_and_the_rest_is_done() -> None:
    pool, work = Pool("trying", threads=1, waiting=2), Work()
    held = [await begin(pool, None, work) for _ in range(3)]
    with pytest.raises(Overloaded) as refused:
        await pool.run(None, work)
    assert refused.value.facts == {"busy": "trying"}
    work.let_go()
    assert await asyncio.gather(*held) == ["done"] * 3
    assert await pool.run(None, work) == "done"


async def test_one_client_cannot_fill_the_queue_for_another() -> None:
    pool, work = Pool("trying", threads=1, waiting=9, each=2), Work()
    held = [await begin(pool, "198.51.100.1", work) for _ in range(2)]
    with pytest.raises(Overloaded):
        await pool.run("198.51.100.1", work)
    held.append(await begin(pool, "198.51.100.2", work))
    work.let_go()
    assert await asyncio.gather(*held) == ["done"] * 3


async def test_a_caller_that_gives_up_keeps_its_place_until_the_work_is_over() -> None:
    """Otherwise abandoned work would pile up without a bound."""
    pool, work = Pool("trying", threads=1, waiting=0), Work()
    held = await begin(pool, None, work)
    held.cancel()
    with pytest.raises(asyncio.CancelledError):
        await held
    with pytest.raises(Overloaded):
        await pool.run(None, work)
    work.let_go()


async def test_a_full_pool_delays_no_other_pool() -> None:
    full, other, work = (
        Pool("full", threads=1, waiting=50),
        Pool("other", threads=1, waiting=0),
        Work(),
    )
    held = [await begin(full, None, work) for _ in range(51)]
    assert await other.run(None, lambda: "at once") == "at once"
    work.let_go()
    await asyncio.gather(*held)
