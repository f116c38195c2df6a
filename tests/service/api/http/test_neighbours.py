"""API processes of one machine: each league has one that answers for it. Nothing relies on it."""

import asyncio
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from uuid import uuid4

import pytest

from engine.values import stream_of
from service.api.http.reading.paging import position_parts
from service.api.http.wire.frames import Answered, Frames, Handed
from service.api.http.wire.neighbours import FOLDER_MAX, Neighbours, kind_of, rank
from service.base.settings import SettingsInvalid
from tests.service.api.conftest import Api, Person
from tests.service.api.table.test_commands import answer_to, turn
from tests.support.waiting import until_awaited

pytestmark = pytest.mark.anyio


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that only this user can enter. Its path is short, as that of a socket must be."""
    with TemporaryDirectory(prefix="holotable-") as made:
        yield Path(made)


def neighbours_of(api: Api) -> Neighbours:
    found: Neighbours = api.app.shell.neighbours
    return found


async def met(*processes: Api) -> None:
    """Wait until each process knows a neighbour."""

    async def all_have() -> bool:
        return all(neighbours_of(each).number for each in processes)

    await until_awaited(all_have)


def names(folder: Path) -> list[str]:
    """Return the names of the processes in the folder."""
    return [path.name for path in folder.iterdir()]


def only(folder: Path) -> str:
    """Return the name of the only process in the folder."""
    [name] = names(folder)
    return name


def elsewhere(api: Api, person: Person) -> Person:
    """Return the same person, as a client of another process."""
    account = {"id": person.player, "login": person.login, "token": {"token": ""}}
    other = Person(api.http, account)
    other.headers = dict(person.headers)
    return other


class Night:
    """A table at play, the process that answers for it, and one that does not."""

    def __init__(self, one: Api, two: Api, played: Any) -> None:
        _, self.league, _, self.people, self.table = played
        answering = neighbours_of(one).at(self.league) is None
        self.answering, self.other = (one, two) if answering else (two, one)
        self.stream = stream_of(self.table)
        self.path = f"/v1/tables/{self.table}/actions"

    def at(self, api: Api) -> list[Person]:
        """Return the players as clients of a process."""
        return [elsewhere(api, each) for each in self.people]

    def version(self, api: Api) -> int:
        """Return the version of a process's copy of the table, or 0 if it has none."""
        known = api.app.shell.runtime.writer.known(self.league, self.stream)
        return 0 if known is None else int(known.version)


@pytest.fixture
def night(serving: Any, folder: Path) -> Any:
    """Return a context manager that opens two processes and a table."""

    @asynccontextmanager
    async def opened(**changes: Any) -> AsyncIterator[Night]:
        told = {"neighbours": str(folder)} | changes
        async with serving(**told) as one, serving(**told) as two:
            await met(one, two)
            found = Night(one, two, await one.playing())
            for each in (one, two):  # the first request at a table looks its league up
                await turn(found.at(each), found.table)
            yield found

    return opened


async def test_one_process_decides_for_the_players_of_both(night: Any) -> None:
    async with night() as played:
        everybody = [played.at(played.answering)[0], played.at(played.other)[1]]
        before = played.version(played.other)
        for _ in range(6):
            person, view = await turn(everybody, played.table)
            done = await person.post(played.path, answer_to(view))
            assert done.status_code == 200, done.text
        assert played.version(played.answering) == done.json()["version"]
        assert played.version(played.other) == before


async def test_an_answer_is_the_same_from_each_process(night: Any) -> None:
    """Cards, refusals, tags and retries: a client cannot tell which process has answered."""
    passing = {"x-request-id", "content-length"}
    async with night() as played:
        for way in (played.answering, played.other):
            assert (await way.http.get(f"/v1/tables/{played.table}")).status_code == 401
        here, there = played.at(played.answering), played.at(played.other)
        for one, two in zip(here, there, strict=True):
            first, second = [await each.get(f"/v1/tables/{played.table}") for each in (one, two)]
            mine, same = first.json(), second.json()
            assert mine.pop("now") <= same.pop("now")
            assert mine == same
            assert mine["me"]["cards"]
            known = {"If-None-Match": first.headers["etag"]}
            for each in (one, two):
                unchanged = await each.get(f"/v1/tables/{played.table}", headers=known)
                assert (unchanged.status_code, unchanged.content) == (304, b"")
        stale = {"type": "check", "decision": "d"}
        refused = [await each.post(played.path, stale) for each in (here[0], there[0])]
        told = [each.json() for each in refused]
        assert [each.pop("instance") for each in told] and told[0] == told[1]
        assert told[0]["code"] == "stale_decision"
        person, view = await turn(there, played.table)
        key = uuid4().hex
        done = await person.post(played.path, answer_to(view), key=key)
        again = await elsewhere(played.answering, person).post(
            played.path, answer_to(view), key=key
        )
        assert done.json() == again.json()
        assert again.headers["idempotent-replayed"] == "true"
        plain = {k: v for k, v in done.headers.items() if k not in passing}
        assert plain == {
            k: v for k, v in again.headers.items() if k not in {*passing, "idempotent-replayed"}
        }


async def test_a_process_remembers_the_writes_that_it_has_handed_on(night: Any) -> None:
    async with night() as played:
        person, view = await turn(played.at(played.other), played.table)
        done = await person.post(played.path, answer_to(view))
        own = played.other.app.shell.runtime.writer.own.of(person.player, played.league)
        assert own == position_parts(done.headers["min-position"], played.league)


async def test_a_token_without_the_scope_is_refused_on_both_ways(night: Any) -> None:
    async with night() as played:
        for way in (played.answering, played.other):
            person = played.at(way)[0]
            asked = {"login": person.login, "password": "correct horse", "scopes": ["leagues:read"]}
            token = (await way.http.post("/v1/tokens", json=asked)).json()["token"]
            person.headers = {"Authorization": f"Bearer {token}"}
            refused = await person.post(played.path, {"type": "check", "decision": "d"})
            assert (refused.status_code, refused.json()["code"]) == (403, "forbidden")


class Silent(Frames):
    """A process that greets, and then hangs."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self.say()

    def hear(self, message: bytes) -> None:
        """Never answer."""

    def beat(self) -> None:
        """Send nothing."""


async def test_a_neighbour_that_stands_still_costs_a_short_wait(serving: Any, folder: Path) -> None:
    async with serving(neighbours=str(folder)) as api:
        _, league, _, people, table = await api.playing()
        person, view = await turn(people, table)
        own = only(folder)
        found = (f"{own.partition('-')[0]}-{number:016x}" for number in count())
        name = next(each for each in found if rank(each, league) > rank(own, league))
        server = await asyncio.get_running_loop().create_unix_server(Silent, folder / name)
        await met(api)
        assert neighbours_of(api).at(league) is not None
        async with asyncio.timeout(20):
            done = await person.post(f"/v1/tables/{table}/actions", answer_to(view))
        assert done.status_code == 200, done.text
        assert "idempotent-replayed" not in done.headers
        server.close()


async def test_a_command_that_a_neighbour_carried_out_before_it_went_away_counts_once(
    night: Any,
) -> None:
    async with night() as played:
        at = neighbours_of(played.answering)
        carry_out = at.serve

        async def lost(handed: Handed) -> Answered:
            answered = await carry_out(handed)
            for each in tuple(at.callers):
                each.hang_up()
            return answered

        person, view = await turn(played.at(played.other), played.table)
        at.serve = lost
        done = await person.post(played.path, answer_to(view))
        assert (done.status_code, done.headers["idempotent-replayed"]) == (200, "true")
        events = await person.get(f"/v1/tables/{played.table}")
        assert events.json()["version"] == done.json()["version"]
        assert done.json()["version"] == view["version"] + len(done.json()["events"])


async def test_a_request_is_bounded_where_it_is_answered(night: Any) -> None:
    """The process that answers is full. It says so, and does nothing else."""
    async with night(process_requests=1) as played:
        person, view = await turn(played.at(played.other), played.table)
        place = played.answering.app.limits.crowd.enter("POST", played.path)
        full = await person.post(played.path, answer_to(view))
        assert (full.status_code, full.json()["code"]) == (503, "overloaded")
        place.leave()
        done = await person.post(played.path, answer_to(view))
        assert done.status_code == 200, done.text


async def test_a_process_that_ended_without_a_farewell_is_forgotten(
    serving: Any, folder: Path
) -> None:
    async with serving(neighbours=str(folder)) as api:
        kind = only(folder).partition("-")[0]
        left, stranger = folder / f"{kind}-{'0' * 16}", folder / f"{'f' * 16}-{'0' * 16}"
        for path in (left, stranger):
            with socket.socket(socket.AF_UNIX) as ended:
                ended.bind(str(path))

        async def removed() -> bool:
            return left.name not in names(folder)

        await until_awaited(removed)
        assert neighbours_of(api).at("lge_1") is None
    assert names(folder) == [stranger.name]


@pytest.fixture(params=[0o750, 0o707, 0o711])
def open_folder(request: pytest.FixtureRequest, folder: Path) -> Path:
    """A folder that others can enter too."""
    folder.chmod(request.param)
    return folder


async def test_a_folder_that_others_may_enter_stops_the_start(
    serving: Any, open_folder: Path
) -> None:
    with pytest.raises(SettingsInvalid, match="only its user"):
        async with serving(neighbours=str(open_folder)):
            pass
    assert names(open_folder) == []


async def test_a_folder_with_a_path_too_long_for_sockets_stops_the_start(serving: Any) -> None:
    with pytest.raises(SettingsInvalid, match="more than 72 bytes"):
        async with serving(neighbours="/tmp/" + "x" * FOLDER_MAX):
            pass


async def test_a_folder_that_is_missing_stops_the_start(serving: Any, folder: Path) -> None:
    with pytest.raises(SettingsInvalid, match="No such file"):
        async with serving(neighbours=str(folder / "missing")):
            pass


def test_the_name_of_a_kind_does_not_mix_its_parts() -> None:
    assert len({kind_of("ab", "c"), kind_of("a", "bc"), kind_of("abc"), kind_of("abc", "")}) == 4


def test_only_the_leagues_of_a_process_move_when_it_ends() -> None:
    processes, leagues = [f"k-{number}" for number in range(4)], [f"lge_{n}" for n in range(400)]
    before = {league: max(processes, key=lambda name: rank(name, league)) for league in leagues}
    after = {league: max(processes[1:], key=lambda name: rank(name, league)) for league in leagues}
    moved = [league for league in leagues if before[league] != after[league]]
    assert moved == [league for league in leagues if before[league] == processes[0]]
    assert 50 < len(moved) < 150
