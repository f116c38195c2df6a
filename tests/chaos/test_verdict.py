"""The verdict on a run under faults finds each kind of breach in a real log."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from random import Random
from uuid import UUID

import asyncpg
import httpx
import msgspec
import pytest

from service.base.addresses import asyncpg_dsn
from service.log.keys import Keys, LeagueKeys
from service.log.record import Recorded
from tests.chaos.journal import Command, Journal, Noting, Place
from tests.chaos.lines import Line, Weather
from tests.chaos.verdict import Logs, logs_of, repeated, spilt, unanswered, unbalanced, unfaithful
from tests.service.league_night import played
from tests.support.databases import SECRET_KEY, TestDatabase

pytestmark = pytest.mark.anyio

LOST = UUID(int=7)


@pytest.fixture
async def night(database: TestDatabase) -> tuple[Logs, list[LeagueKeys]]:
    """The log of some hands."""
    await played(database, steps_max=120)
    connection = await asyncpg.connect(asyncpg_dsn(database.url("postgres")))
    try:
        return await logs_of(connection, Keys(SECRET_KEY))
    finally:
        await connection.close()


def noted(rows: Sequence[Recorded]) -> Journal:
    """Return the journal of clients who were told of every command."""
    journal = Journal()
    for row in rows:
        command_id = row.about().command_id
        journal.commands[command_id] = Command(
            command_id, "/", told=Place(row.league.hex, 1, row.position), answered=True
        )
    return journal


def richer(rows: Sequence[Recorded]) -> list[Recorded]:
    """Return a log in which a hand ends with seven chips more than it began with."""
    at = next(number for number, row in enumerate(rows) if row.type == "hand_settled")
    data = msgspec.json.decode(rows[at].data)
    data["stacks"][0]["stack"] += 7
    return [*rows[:at], rows[at]._replace(data=msgspec.json.encode(data)), *rows[at + 1 :]]


async def test_the_verdict_on_a_whole_log_and_on_a_broken_one(
    night: tuple[Logs, list[LeagueKeys]],
) -> None:
    logs, keys = night
    ((league, rows),) = logs.items()
    journal = noted(rows)
    assert (unfaithful(journal, logs), repeated(logs), unbalanced(logs, keys)) == ([], [], [])

    first = rows[0].about().command_id
    journal.commands[LOST] = Command(LOST, "/lost", told=Place(league.hex, 1, 3), answered=True)
    (found,) = unfaithful(journal, logs)
    assert "/lost" in found and "is not in the log" in found
    del journal.commands[LOST]
    journal.commands[first].told = Place(league.hex, 1, len(rows) + 1)
    assert "elsewhere" in unfaithful(journal, logs)[0]
    journal.commands[first] = Command(first, "/refused", refused="stale_decision", answered=True)
    assert "was refused, and is in the log" in unfaithful(journal, logs)[0]
    journal.commands = {first: Command(first, "/"), LOST: Command(LOST, "/")}
    assert (unfaithful(journal, logs), unanswered(journal, logs)) == ([], (1, 1))

    twice = [*rows, *(row for row in rows if row.about().command_id == first)]
    assert any("twice" in each for each in repeated({league: twice}))
    assert any("gaps" in each for each in repeated({league: rows[1:]}))
    assert any("other stacks" in each for each in unbalanced({league: richer(rows)}, keys))


async def test_answers_that_contradict_each_other_are_noted() -> None:
    journal = Journal()
    command = journal.asked("plr_1", "POST", "/v1/leagues", "key")
    assert journal.asked("plr_1", "POST", "/v1/leagues", "key") is command and command.sent == 2
    token = "WyJhYmMiLDEsNF0"  # ["abc",1,4]
    journal.accepted(command, command.command_id.hex, token)
    journal.refusal(command, "store_unavailable")
    assert journal.wrong == []
    journal.refusal(command, "stale_decision")
    journal.accepted(command, LOST.hex, "WyJhYmMiLDEsNV0")
    told = " ".join(journal.wrong)
    assert "and then refused" in told and "was answered as" in told and "and then at" in told


def test_a_secret_in_a_log_is_named_and_not_repeated(tmp_path: Path) -> None:
    log = tmp_path / "api.log"
    log.write_text('{"event": "signed in with 5a5a5a5a"}\n', encoding="utf-8")
    assert spilt([log], {"a token": "5a5a5a5a", "the key": "0000"}) == ["api.log holds a token"]


async def test_a_line_swallows_answers_to_requests_that_arrive() -> None:
    counts: Counter[str] = Counter()
    arrived: list[bytes] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        arrived.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}")
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    weather = Weather(Random(1), "line", counts)
    line = Line(weather, lambda: server.sockets[0].getsockname()[1])
    await line.start()
    journal = Journal()
    noting = Noting(journal, {}, lambda: [line.port], Random(1))
    try:
        async with httpx.AsyncClient(transport=noting, base_url="http://127.0.0.1") as http:
            assert (await http.get("/")).json() == {}
            weather.set(cut=0.0, swallowed=1.0, delayed=0.0, half_closed=0.0)
            with pytest.raises(httpx.TransportError):
                await http.get("/")
            weather.calm()
            assert (await http.get("/")).json() == {}
    finally:
        await line.aclose()
        server.close()
        await server.wait_closed()
    assert (len(arrived), counts["line swallowed"]) == (3, 1)
