"""A process that has too much under way refuses more at once, and reads first."""

import asyncio
from collections import deque
from contextlib import suppress
from typing import Any

import psycopg
import pytest

from service.api.http.wire.crowding import Crowd, Place
from service.base.errors import Overloaded
from tests.support.waiting import until_awaited

pytestmark = pytest.mark.anyio

MOST = 4


def refused(answer: Any) -> bool:
    return (
        (answer.status_code, answer.json()["code"]) == (503, "overloaded")
        and answer.headers["retry-after"] == "1"
        and "nothing was done" in answer.json()["detail"]
    )


async def test_reads_are_refused_before_commands_and_both_before_they_pile_up(
    serving: Any, database: Any
) -> None:
    async with serving(process_requests=MOST) as api:
        person = await api.person()
        crowd = api.app.limits.crowd
        before = len((await person.get("/v1/tokens")).json()["items"])

        def number_is(wanted: int) -> Any:
            async def is_it() -> bool:
                return bool(crowd.number == wanted)

            return until_awaited(is_it)

        with psycopg.connect(database.url("postgres")) as holder:
            holder.execute("LOCK TABLE token IN ACCESS EXCLUSIVE MODE")
            under_way = [asyncio.create_task(person.get("/v1/tokens")) for _ in range(MOST // 2)]
            await number_is(MOST // 2)
            assert refused(await person.get("/v1/tokens"))
            under_way += [
                asyncio.create_task(person.post("/v1/tokens", {})) for _ in range(MOST // 2)
            ]
            await number_is(MOST)
            assert refused(await person.post("/v1/tokens", {}))
            assert (await api.http.get("/livez")).status_code == 200
            assert not any(each.done() for each in under_way)
            holder.rollback()
        answers = await asyncio.gather(*under_way)
        assert [each.status_code for each in answers] == [200, 200, 201, 201]
        assert crowd.number == 0
        after = len((await person.get("/v1/tokens")).json()["items"])
        assert after == before + MOST // 2  # and nothing of what was refused


async def test_a_process_that_answers_slowly_takes_few_at_a_time_until_it_is_quick_again() -> None:
    now = [0.0]
    crowd = Crowd(2_000, lambda: now[0])

    def taken(method: str) -> int:
        """
        Have everybody send a request at once. Return the number that are let in. All are answered
        at once.
        """
        places = []
        with suppress(Overloaded):
            while True:
                places.append(crowd.enter(method, "/v1/me"))
        for place in places:
            place.leave()
        return len(places)

    assert (taken("GET"), taken("POST")) == (1_000, 2_000)
    for seconds, commands in ((1.5, 2_000), (3.0, 64)):
        slow = [crowd.enter("POST", "/v1/me") for _ in range(64)]
        now[0] += seconds
        for place in slow:
            place.leave()
            place.leave()  # a second release changes nothing
        kept = [crowd.enter("GET", "/v1/me") for _ in range(64)]
        with pytest.raises(Overloaded):
            crowd.enter("GET", "/v1/me")
        assert crowd.enter("GET", "/readyz") is not None
        with suppress(Overloaded):
            while True:
                kept.append(crowd.enter("POST", "/v1/me"))
        assert len(kept) == commands
        now[0] += seconds
        for place in kept:
            place.leave()
        assert crowd.number == 0
    assert taken("GET") == 64  # answered at once, so the process is quick again
    assert (taken("GET"), taken("POST")) == (1_000, 2_000)


class Server:
    """
    A process on a clock of its own, which answers in the order of arrival.

    Args:
        factor: How many times its capacity is offered. Every other request is a command.
    """

    ANSWER = 0.002
    REFUSAL = 0.0003

    def __init__(self, factor: float) -> None:
        self.now = 0.0
        self.crowd = Crowd(2_000, lambda: self.now)
        self.spent: dict[str, list[float]] = {"GET": [], "POST": []}
        self._between = self.ANSWER / factor
        self._waiting: deque[tuple[Place, str, float]] = deque()
        self._arrivals = 0

    def run(self, seconds: float) -> None:
        """Let that much time pass."""
        while self.now < seconds:
            while (at := self._arrivals * self._between) <= self.now:
                self._arrive("GET" if self._arrivals % 2 else "POST", at)
            if not self._waiting:
                self.now = at
                continue
            place, method, at = self._waiting.popleft()
            self.now += self.ANSWER
            place.leave()
            self.spent[method].append(self.now - at)

    def _arrive(self, method: str, at: float) -> None:
        self._arrivals += 1
        try:
            self._waiting.append((self.crowd.enter(method, "/v1/me"), method, at))
        except Overloaded:
            self.now += self.REFUSAL


@pytest.mark.parametrize(("factor", "rate", "longest"), [(1.5, 450, 1.2), (2, 400, 2.4)])
def test_what_is_accepted_waits_a_bounded_time_and_capacity_is_used(
    factor: float, rate: float, longest: float
) -> None:
    """A late answer shows the load too late, because by then as many requests are waiting again."""
    server, seconds = Server(factor), 20.0
    server.run(seconds)
    accepted = sorted(each for its in server.spent.values() for each in its)
    assert len(accepted) / seconds > rate
    assert accepted[len(accepted) * 99 // 100] < longest
    assert len(server.spent["POST"]) > 2 * len(server.spent["GET"])


@pytest.mark.parametrize("held", [0, 1])
def test_a_burst_after_a_pause_is_taken_whole(held: int) -> None:
    """The pause says nothing of how long an answer takes, nor does the time before the start."""
    now = [1e6]
    crowd = Crowd(2_000, lambda: now[0])
    for pause in (0.0, 60.0, 0.1, 3_600.0):
        now[0] += pause
        waits = [crowd.enter("GET", "/v1/me") for _ in range(held)]
        for _ in range(5):
            for place in [crowd.enter("GET", "/v1/me") for _ in range(200)]:
                now[0] += 0.001
                place.leave()
            now[0] += 0.1
        for place in waits:
            place.leave()


def test_a_process_that_stalled_once_takes_all_again_though_it_never_rests() -> None:
    now = [0.0]
    crowd = Crowd(2_000, lambda: now[0])
    crowd.enter("GET", "/v1/me")
    stalled = [crowd.enter("POST", "/v1/me") for _ in range(200)]
    now[0] += 60.0
    for place in stalled:
        place.leave()
    rounds = 0
    while crowd.number < 200:  # ends only if its pace is corrected
        taken, rounds = [], rounds + 1
        with suppress(Overloaded):
            while crowd.number < 200:
                taken.append(crowd.enter("GET", "/v1/me"))
        if crowd.number < 200:
            for place in taken:
                now[0] += 0.001
                place.leave()
        assert rounds < 20


async def test_clients_that_send_and_read_slowly_shut_out_nobody(serving: Any) -> None:
    async with serving(process_requests=2) as api:
        crowd, sent, read = api.app.limits.crowd, asyncio.Event(), asyncio.Event()
        begun: list[str] = []

        async def slowly() -> Any:
            begun.append("sends")
            yield b"{"
            await sent.wait()
            yield b"}"

        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(message: dict[str, Any]) -> None:
            if message["type"] == "http.response.body":
                begun.append("reads")
                await read.wait()

        scope = {
            "type": "http", "method": "GET", "path": "/openapi.json", "raw_path": b"/openapi.json",
            "query_string": b"", "headers": [], "client": ("127.0.0.1", 1), "state": {},
            "server": ("test", 80), "scheme": "http", "root_path": "", "http_version": "1.1",
        }  # fmt: skip
        headers = {"Content-Type": "application/json", "Idempotency-Key": "slow"}
        slow = [
            asyncio.create_task(api.http.post("/v1/accounts", content=slowly(), headers=headers)),
            asyncio.create_task(api.app(scope, receive, send)),
        ]

        async def both_wait() -> bool:
            return set(begun) == {"sends", "reads"} and crowd.number == 0

        await until_awaited(both_wait)
        assert (await api.http.get("/v1/rulesets")).status_code == 200
        assert not any(each.done() for each in slow)
        sent.set()
        read.set()
        refusal, _ = await asyncio.gather(*slow)
        assert refusal.status_code == 400
        assert crowd.number == 0


async def test_the_time_of_clients_is_not_the_time_of_answers() -> None:
    now = [0.0]
    crowd = Crowd(2_000, lambda: now[0])

    async def client(seconds: float) -> None:
        now[0] += seconds

    for _ in range(64):
        place = crowd.enter("POST", "/v1/me")
        await place.resting(client(30.0))
        place.leave()
        await place.resting(client(30.0))  # of an answer that is sent after that
    kept = [crowd.enter("POST", "/v1/me") for _ in range(65)]
    assert crowd.number == len(kept)


async def test_a_request_that_rests_in_several_tasks_is_one_request() -> None:
    crowd = Crowd(2_000)
    place, gates = crowd.enter("GET", "/v1/me"), [asyncio.Event() for _ in range(3)]
    rests = [asyncio.create_task(place.resting(each.wait())) for each in gates]
    for gate, rest in zip(gates, rests, strict=True):
        await asyncio.sleep(0)
        assert crowd.number == 0
        gate.set()
        await rest
    assert crowd.number == 1
    place.leave()
    assert crowd.number == 0


async def test_a_poll_that_waits_is_a_stream_and_not_under_way(serving: Any) -> None:
    async with serving(process_requests=2) as api:
        owner, _, tournament, _, table = await api.playing()
        tag = {"If-None-Match": (await owner.get(f"/v1/tables/{table}")).headers["etag"]}
        feed = f"/v1/tournaments/{tournament}/events"
        last = (await owner.get(feed, params={"limit": 200})).json()["items"][-1]["cursor"]
        polls: list[asyncio.Task[Any]] = []

        async def all_wait() -> bool:
            limits = api.app.limits
            return bool(limits.streams.number == len(polls) and limits.crowd.number == 0)

        try:
            # A single read is under way at a time.
            for path in ("/v1/me/turns?wait=20", f"/v1/tables/{table}?wait=20") * 2:
                polls.append(asyncio.create_task(owner.get(path, headers=tag)))
                await until_awaited(all_wait)
            waiting = owner.get(feed, params={"after": last, "wait": 20})
            polls.append(asyncio.create_task(waiting))
            await until_awaited(all_wait)
            assert (await owner.get("/v1/me")).status_code == 200
            assert not any(each.done() for each in polls)
        finally:
            for each in polls:
                each.cancel()
            await asyncio.gather(*polls, return_exceptions=True)
        assert api.app.limits.crowd.number == 0
