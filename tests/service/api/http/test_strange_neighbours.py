"""Neighbours that lie, break off, do not read answers, or belong to somebody else."""

import asyncio
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec
import pytest
from structlog.testing import capture_logs

from service.api.http.wire.frames import FRAME_MAX, Answered, Frames, Handed
from service.api.http.wire.neighbours import rank
from tests.service.api.http.test_neighbours import met, names, neighbours_of, only
from tests.service.api.table.test_commands import answer_to, turn
from tests.support.waiting import until_awaited

pytestmark = pytest.mark.anyio

NOBODY = 65534


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that only this user can enter. Its path is short, as that of a socket must be."""
    with TemporaryDirectory(prefix="holotable-") as made:
        yield Path(made)


def framed(message: bytes) -> bytes:
    return len(message).to_bytes(4, "big") + message


def handed(path: str, number: int = 1) -> bytes:
    """Return the message that hands on a request without a token."""
    return framed(msgspec.msgpack.encode(Handed(number, "GET", path, "r" * 36, [], b"")))


@asynccontextmanager
async def calling(
    folder: Path,
) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    """Connect to the only process in the folder, as a neighbour does, and be greeted."""
    reader, writer = await asyncio.open_unix_connection(folder / only(folder))
    assert await reader.readexactly(4) == bytes(4)
    try:
        yield reader, writer
    finally:
        writer.close()


@pytest.mark.parametrize(
    "said",
    [
        (FRAME_MAX + 1).to_bytes(4, "big"),
        framed(b"no message of ours"),
        framed(msgspec.msgpack.encode([1, "GET"])),
        framed(msgspec.msgpack.encode([1, "GET", 7, "r", [], b""])),
    ],
)
async def test_who_says_what_is_no_message_is_hung_up_on(
    serving: Any, folder: Path, said: bytes
) -> None:
    async with serving(neighbours=str(folder)) as api:
        with capture_logs() as lines:
            async with calling(folder) as (reader, writer):
                writer.write(said + handed("/v1/tables/tbl_1"))
                assert await reader.read() == b""
        assert [each["log_level"] for each in lines] == ["warning"]
        assert not neighbours_of(api).callers
        async with calling(folder) as (reader, writer):
            await answered_401(reader, writer)


async def answered_401(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Hand on a request, and check that it needs a token like any other."""
    writer.write(handed("/v1/tables/tbl_1"))
    length = 0
    while not length:  # messages that the process is alive
        length = int.from_bytes(await reader.readexactly(4), "big")
    found = msgspec.msgpack.decode(await reader.readexactly(length), type=Answered)
    assert (found.number, found.status) == (1, 401)


async def test_a_request_that_is_none_of_a_tables_gets_no_answer_and_no_silence(
    serving: Any, folder: Path
) -> None:
    """A process that waits for an answer must learn that none will come."""
    async with serving(neighbours=str(folder)) as api:
        with capture_logs() as lines:
            async with calling(folder) as (reader, writer):
                writer.write(handed("/v1/leagues"))
                async with asyncio.timeout(20):
                    while await reader.read(4096):  # it may first say that it is alive
                        pass
        assert [each["event"] for each in lines] == ["a request that was handed on has no answer"]
        assert not neighbours_of(api).answering


async def test_a_neighbour_that_takes_no_answers_is_answered_no_further(
    serving: Any, folder: Path
) -> None:
    asked = 20_000
    async with serving(neighbours=str(folder)) as api, calling(folder) as (reader, writer):
        [caller] = neighbours_of(api).callers
        for number in range(asked):
            writer.write(handed("/v1/tables/tbl_1", number))

        async def full() -> bool:
            return not caller.out.is_reading() and not neighbours_of(api).answering

        await until_awaited(full)
        assert caller.out.get_write_buffer_size() < 4 << 20
        answers = 0
        async with asyncio.timeout(60):
            while answers < asked:
                length = int.from_bytes(await reader.readexactly(4), "big")
                answers += 1 if await reader.readexactly(length) else 0


class Strange(Frames):
    """A process that greets, and then answers each request wrongly."""

    def __init__(self, answer: Callable[["Strange"], None]) -> None:
        super().__init__()
        self._answer = answer

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self.say()

    def hear(self, message: bytes) -> None:
        """Answer something."""
        self._answer(self)

    def beat(self) -> None:
        """Send nothing."""


def write(strange: Strange, data: bytes) -> None:
    assert strange.out is not None
    strange.out.write(data)
    strange.out.flush()


ANSWERS: dict[str, Callable[[Strange], None]] = {
    "nonsense": lambda it: it.say(b"no answer"),
    "too long": lambda it: write(it, (FRAME_MAX + 1).to_bytes(4, "big")),
    "broken off": lambda it: (write(it, framed(bytes(100))[:50]), it.hang_up())[0],
    "another one's": lambda it: it.say(
        msgspec.msgpack.encode(Answered(999, 200, "application/json", {}, b"{}"))
    ),
}


@pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS)
async def test_an_action_is_carried_out_here_whatever_a_neighbour_answers(
    serving: Any, folder: Path, answer: Callable[[Strange], None]
) -> None:
    async with serving(neighbours=str(folder)) as api:
        _, league, _, people, table = await api.playing()
        person, view = await turn(people, table)
        name = ranked_above(only(folder), league)
        server = await asyncio.get_running_loop().create_unix_server(
            lambda: Strange(answer), folder / name
        )
        await met(api)
        assert neighbours_of(api).at(league) is not None
        async with asyncio.timeout(20):
            done = await person.post(f"/v1/tables/{table}/actions", answer_to(view))
        assert done.status_code == 200, done.text
        assert "idempotent-replayed" not in done.headers
        server.close()


def ranked_above(own: str, league: str) -> str:
    """Return a name that answers for the league in place of *own*."""
    found = (f"{own.partition('-')[0]}-{number:016x}" for number in count())
    return next(each for each in found if rank(each, league) > rank(own, league))


INTRUDING = """
import socket, sys
with socket.socket(socket.AF_UNIX) as line:
    line.connect(sys.argv[1])
    try:
        line.sendall(bytes.fromhex(sys.argv[2]))
        print(len(line.recv(4096)))
    except ConnectionError:
        print(0)
"""
LURKING = """
import socket, sys
with socket.socket(socket.AF_UNIX) as line:
    line.bind(sys.argv[1])
    line.listen()
    print("there", flush=True)
    while True:
        heard, _ = line.accept()
        try:
            heard.sendall(bytes(4))
            print(len(heard.recv(4096)), flush=True)
        except ConnectionError:
            print(0, flush=True)
"""


@pytest.fixture
def opened(folder: Path) -> Callable[[], None]:
    """Return a function that opens the folder and its sockets to everybody."""
    if os.getuid() != 0:
        pytest.skip("only root can be another user too")

    def do() -> None:
        for each in (folder, *folder.iterdir()):
            each.chmod(0o777)

    return do


def as_nobody(program: str, *given: str) -> "subprocess.Popen[bytes]":
    python = Path(sys.executable).resolve()
    return subprocess.Popen(
        [python, "-I", "-S", "-c", program, *given],
        user=NOBODY, group=NOBODY, extra_groups=[], stdout=subprocess.PIPE, cwd="/",
    )  # fmt: skip


async def test_another_user_hands_nothing_on_even_if_the_folder_was_opened(
    serving: Any, folder: Path, opened: Callable[[], None]
) -> None:
    async with serving(neighbours=str(folder)) as api:
        opened()
        said = handed("/v1/tables/tbl_1").hex()
        intruder = as_nobody(INTRUDING, str(folder / only(folder)), said)
        heard, _ = await asyncio.to_thread(intruder.communicate, None, 20)
        assert (intruder.returncode, heard) == (0, b"0\n")
        assert not neighbours_of(api).callers
        async with calling(folder) as (reader, writer):
            await answered_401(reader, writer)


async def test_another_users_socket_is_told_nothing_even_if_the_folder_was_opened(
    serving: Any, folder: Path, opened: Callable[[], None]
) -> None:
    async with serving(neighbours=str(folder)) as api:
        own = only(folder)
        opened()
        with as_nobody(LURKING, str(folder / f"{own.partition('-')[0]}-{'0' * 16}")) as lurker:
            assert lurker.stdout is not None
            assert await asyncio.to_thread(lurker.stdout.readline) == b"there\n"
            assert len(names(folder)) == 2
            for _ in range(2):  # it gets many requests
                assert await asyncio.to_thread(lurker.stdout.readline) == b"0\n"
            assert neighbours_of(api).number == 0
            lurker.kill()
