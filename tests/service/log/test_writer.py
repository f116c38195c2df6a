"""The writer on a real server: batches, lost connections, lost answers, wake-ups."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from urllib.parse import urlsplit

import asyncpg
import pytest

from engine.values import number_of
from service.base.errors import StoreUnavailable
from service.log.read import last_position, leagues, read_league, verify
from service.log.store import PostgresStore
from service.log.subscription import Subscription
from service.log.writer import PATIENCE_SECONDS, States, StreamEvents, Writer
from tests.service.log.test_listening import until_heard
from tests.support.counters import DECIDERS, Counted, TooMuch, command, counting, new_league, stream
from tests.support.databases import SECRET_KEY, TestDatabase
from tests.support.logs import utcnow
from tests.support.poison import owning, plant
from tests.support.waiting import until_awaited

pytestmark = pytest.mark.anyio


BLOCKED = """
    SELECT count(*) FROM pg_stat_activity
     WHERE wait_event_type = 'Lock' AND query LIKE '%append_events%'
"""


def writer_on(url: str, patience: float = PATIENCE_SECONDS) -> Writer:
    """Return a writer that is not started."""
    return Writer(PostgresStore(url, SECRET_KEY), DECIDERS, utcnow, patience=patience)


Start = Callable[..., Awaitable[Writer]]


@pytest.fixture
async def start() -> AsyncIterator[Start]:
    """Starts writers, and closes them at the end."""
    made: list[Writer] = []

    async def start_one(url: str, patience: float = PATIENCE_SECONDS) -> Writer:
        made.append(writer_on(url, patience))
        await made[-1].start()
        return made[-1]

    yield start_one
    for each in made:
        await each.aclose()


@pytest.fixture
async def writer(database: TestDatabase, start: Start) -> Writer:
    """A started writer."""
    return await start(database.url())


@pytest.fixture
async def proxy(database: TestDatabase) -> AsyncIterator["LossyProxy"]:
    """A proxy before the database, with connections that can be cut."""
    made = LossyProxy(database.url())
    yield made
    await made.close()


@pytest.fixture
async def superuser(database: TestDatabase) -> AsyncIterator[asyncpg.Connection]:
    """A connection that may end other connections and read everything."""
    connection = await asyncpg.connect(database.url("postgres"))
    yield connection
    await connection.close()


async def chains_hold(connection: asyncpg.Connection, league: str) -> int:
    """Verify the positions and every stream's chain of a league. Return the number of events."""
    rows = await read_league(connection, league, limit=1_000_000)
    assert [row.position for row in rows] == list(range(len(rows)))
    for name in {row.stream for row in rows}:
        verify(row for row in rows if row.stream == name)
    return len(rows)


async def test_sixty_four_at_once_share_their_commits(
    writer: Writer, superuser: asyncpg.Connection
) -> None:
    league = new_league()

    async def one(number: int) -> None:
        for _ in range(30):
            await writer.submit(league, command(), counting(stream(number)))

    await asyncio.gather(*(one(number) for number in range(64)))
    assert await chains_hold(superuser, league) == 64 * 30
    commits = await superuser.fetchval("SELECT count(DISTINCT xmin::text) FROM events")
    assert 64 * 30 / commits >= 10


async def test_commands_on_one_stream_never_conflict_within_a_process(
    writer: Writer, superuser: asyncpg.Connection
) -> None:
    league = new_league()
    calls = Counter[str]()
    decide = counting(stream(1))

    async def counted(states: States) -> Sequence[StreamEvents]:
        calls["decided"] += 1
        return await decide(states)

    await asyncio.gather(*(writer.submit(league, command(), counted) for _ in range(200)))
    assert calls["decided"] == 200
    assert (await writer.load(league, stream(1))).state.total == 200


async def test_two_processes_on_the_same_streams_lose_nothing(
    database: TestDatabase, superuser: asyncpg.Connection, start: Start
) -> None:
    league = new_league()
    writers = [await start(database.url()), await start(database.url("holotable_worker"))]

    async def one(number: int) -> None:
        for _ in range(10):
            where, gate = stream(number % 3), stream(3 + number % 2)
            await writers[number % 2].submit(league, command(), counting(where, guards=(gate,)))
            await writers[number % 2].submit(league, command(), counting(gate))

    await asyncio.gather(*(one(number) for number in range(12)))
    totals = [
        (await each.load(league, stream(number))).state.total
        for each in writers
        for number in range(5)
    ]
    assert sum(totals[:5]) == 240 and totals[:5] == totals[5:]
    assert await chains_hold(superuser, league) == 240


async def test_ended_connections_double_nothing_and_lose_nothing(
    writer: Writer, superuser: asyncpg.Connection
) -> None:
    league = new_league()
    done = asyncio.Event()
    ended = made = 0

    async def end_connections() -> None:
        nonlocal ended
        before = -1
        while not done.is_set():
            await asyncio.sleep(0.1)
            if made == before:  # a slow machine needs longer than this to append anything
                continue
            before = made
            ended += await superuser.fetchval(
                "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity "
                "WHERE application_name LIKE 'holotable-append %' AND datname = current_database()"
            )

    async def one(number: int) -> None:
        nonlocal made
        while ended < 5:
            await writer.submit(league, command(), counting(stream(number % 7)))
            made += 1

    ending = asyncio.create_task(end_connections())
    await asyncio.gather(*(one(number) for number in range(16)))
    done.set()
    await ending
    assert await chains_hold(superuser, league) == made


class LossyProxy:
    """Forwards to a server. Sometimes it swallows the answer and cuts the connection."""

    def __init__(self, url: str) -> None:
        self.target = urlsplit(url)
        self.swallow = 0
        self.swallowed = 0
        self._server: asyncio.Server | None = None
        self._open: set[asyncio.StreamWriter] = set()

    async def start(self) -> str:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        port = self._server.sockets[0].getsockname()[1]
        login = self.target.netloc.rpartition("@")[0]
        return f"postgresql://{login}@127.0.0.1:{port}{self.target.path}"

    async def close(self) -> None:
        assert self._server is not None
        self._server.close()
        for each in list(self._open):
            each.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there = await asyncio.open_connection(self.target.hostname, self.target.port)
        self._open |= {writer, there[1]}
        await asyncio.gather(
            self._copy(reader, there[1], answers=False),
            self._copy(there[0], writer, answers=True),
            return_exceptions=True,
        )
        for each in (writer, there[1]):
            each.close()
            self._open.discard(each)

    async def _copy(
        self, source: asyncio.StreamReader, sink: asyncio.StreamWriter, answers: bool
    ) -> None:
        while data := await source.read(65_536):
            if answers and self.swallow and b"first_position" not in data and data[:1] == b"2":
                self.swallow -= 1
                self.swallowed += 1
                break
            sink.write(data)
            await sink.drain()
        sink.close()


async def test_a_swallowed_answer_is_asked_for_again_and_found(
    proxy: "LossyProxy", superuser: asyncpg.Connection, start: Start
) -> None:
    writer = await start(await proxy.start())
    league = new_league()
    await writer.submit(league, command(), counting(stream(1)))
    for _ in range(20):
        proxy.swallow = 1
        receipts = await asyncio.gather(
            *(writer.submit(league, command(), counting(stream(1))) for _ in range(5))
        )
        assert not any(receipt.duplicate for receipt in receipts)
    assert proxy.swallowed == 20
    assert await chains_hold(superuser, league) == 101
    assert (await writer.load(league, stream(1))).state.total == 101


async def test_without_a_database_the_caller_is_told_and_can_ask_again(
    proxy: "LossyProxy", start: Start
) -> None:
    writer = await start(await proxy.start(), patience=0.2)
    league = new_league()
    await writer.submit(league, command(), counting(stream(1)))
    await proxy.close()
    with pytest.raises(StoreUnavailable):
        await writer.submit(league, command("later"), counting(stream(1)))
    with pytest.raises(StoreUnavailable):
        await writer.load(league, stream(1))
    with pytest.raises(StoreUnavailable):
        await writer.submit(new_league(), command(), counting(stream(1)))


async def test_a_statement_that_fails_does_not_take_its_neighbours_with_it(
    writer: Writer, superuser: asyncpg.Connection
) -> None:
    league = new_league()
    await writer.submit(league, command(), counting(stream(1)))

    async def misnamed(_states: States) -> list[StreamEvents]:
        return [StreamEvents("table-not-a-stream", (Counted(by=1),))]

    answers = await asyncio.gather(
        writer.submit(league, command(), counting(stream(1))),
        writer.submit(league, command(), misnamed),
        writer.submit(league, command(), counting(stream(1))),
        return_exceptions=True,
    )
    assert [isinstance(answer, Exception) for answer in answers] == [False, True, False]
    assert await chains_hold(superuser, league) == 3


async def test_events_written_past_the_function_have_a_command_decided_again(
    writer: Writer, superuser: asyncpg.Connection, database: TestDatabase
) -> None:
    """
    Another session with the owner's rights takes the position that an append is about to take.
    """
    league, number = new_league(), 2
    await writer.submit(league, command(), counting(stream(1)))
    async with owning(database) as planter, planter.transaction():
        await plant(planter, league, "counted", {}, version=1, stream=stream(number))
        submitted = asyncio.create_task(writer.submit(league, command(), counting(stream(1))))

        async def blocked() -> bool:
            return bool(await superuser.fetchval(BLOCKED))

        await until_awaited(blocked)
    receipt = await submitted
    assert receipt.first_position == 2


async def test_who_builds_on_an_append_that_is_not_made_is_decided_again(
    database: TestDatabase, superuser: asyncpg.Connection, start: Start
) -> None:
    league = new_league()
    ours, theirs = await start(database.url()), await start(database.url())
    await ours.submit(league, command(), counting(stream(1), 999_990))
    await theirs.submit(league, command(), counting(stream(1), -999_990))
    answers = await asyncio.gather(
        ours.submit(league, command(), counting(stream(1), 10)),
        ours.submit(league, command(), counting(stream(1), 10)),
        ours.submit(league, command(), counting(stream(2), 1)),
        return_exceptions=True,
    )
    assert not any(isinstance(answer, TooMuch) for answer in answers)
    assert (await ours.load(league, stream(1))).state.total == 20
    assert await chains_hold(superuser, league) == 5


async def test_an_epoch_raised_by_an_operator_empties_every_cache(
    writer: Writer, superuser: asyncpg.Connection
) -> None:
    league = new_league()
    assert (await writer.submit(league, command(), counting(stream(1)))).epoch == 0
    await superuser.execute("SELECT raise_epoch($1, 'an operator', 'a drill')", number_of(league))
    receipt = await writer.submit(league, command(), counting(stream(1)))
    assert receipt.epoch == 1 and receipt.recorded[0].version == 2


async def test_subscribers_wake_after_the_commit(
    writer: Writer, database: TestDatabase, superuser: asyncpg.Connection
) -> None:
    league = new_league()
    subscription = Subscription(database.url("holotable_project"), poll_seconds=20)
    await subscription.start()
    await until_heard(subscription, superuser)
    waiting = asyncio.create_task(subscription.wait_for(league, -1, timeout=10))
    receipt = await writer.submit(league, command(), counting(stream(1)))
    assert await waiting
    assert await last_position(superuser, league) == receipt.last_position
    assert await leagues(superuser) == [number_of(league)]
    assert not await subscription.wait_for(league, 0, timeout=0.1)
    assert await subscription.wait_for(league, -1, timeout=0.1)
    await subscription.aclose()


async def test_a_listener_whose_connection_ends_listens_again(
    writer: Writer, database: TestDatabase, superuser: asyncpg.Connection
) -> None:
    league = new_league()
    subscription = Subscription(database.url("holotable_project"), poll_seconds=20)
    await subscription.start()
    await until_heard(subscription, superuser)
    await superuser.execute(
        "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity "
        "WHERE application_name = 'holotable-listen'"
    )
    await until_heard(subscription, superuser)
    waiting = asyncio.create_task(subscription.wait_for(league, -1, timeout=10))
    await writer.submit(league, command(), counting(stream(1)))
    assert await waiting
    await subscription.aclose()


async def test_leagues_are_served_side_by_side(writer: Writer) -> None:
    held = asyncio.Event()

    async def slow(_states: States) -> list[StreamEvents]:
        await held.wait()
        return []

    waiting = asyncio.create_task(writer.submit(new_league(), command(), slow))
    await writer.submit(new_league(), command(), counting(stream(1)))
    held.set()
    await waiting
