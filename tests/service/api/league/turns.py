"""Commands that wait for their turn, while another process changes the league."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager

from service.log.streams import league_stream
from service.log.writer import States, StreamEvents
from tests.service.api.conftest import Api, Person
from tests.support.waiting import until_awaited


@asynccontextmanager
async def waiting_turn(api: Api, league: str) -> AsyncIterator[Callable[[int], Awaitable[None]]]:
    """
    Hold the turn of a league in the process of *api* until the block ends.

    The value waits until a number of commands wait for their turn.
    """
    runtime, begun, over = api.app.shell.runtime, asyncio.Event(), asyncio.Event()

    async def hold(_: States) -> Sequence[StreamEvents]:
        begun.set()
        await over.wait()
        return [StreamEvents(league_stream(league))]

    async def waits(commands: int) -> None:
        async def queued() -> bool:
            return len(runtime.writer._leagues.of(league).waiting) == commands

        await until_awaited(queued)

    holding = asyncio.create_task(runtime.writer.submit(league, runtime.order("hold"), hold))
    await begun.wait()
    try:
        yield waits
    finally:
        over.set()
        await holding


def at(api: Api, person: Person) -> Person:
    """Return *person*, as a client of the process of *api*."""
    same = Person(api.http, {"id": person.player, "login": person.login}, "none")
    same.headers = person.headers
    return same
