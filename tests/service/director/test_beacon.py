"""Pulses of a public beacon are fetched over HTTP and verified, and deals wait for them."""

import asyncio
import contextlib
import json
import sys
from collections.abc import Iterator
from datetime import timedelta
from hashlib import sha256
from typing import Any

import asyncpg
import pytest
from msgspec.structs import replace

from engine.kit.beacon import Pulse, time_of
from engine.table.model.events import HandOpened, TableBeaconAwaited, TableBeaconMixed
from engine.tournament.model.events.fairness import BeaconAwaited
from engine.tournament.model.state import Finished, Registering, Running
from engine.values import number_of, stream_of
from service.base.settings import Settings, SettingsInvalid
from service.director import beacon, submitting
from service.director.beacon import BeaconSilent, Drand, beacon_of, signed
from service.director.next_hand import open_next_hand
from service.director.runtime import Runtime, open_runtime
from service.tasks.duties import DUTIES
from service.tasks.jobs import ClaimedJob
from service.tasks.ticker import Ticker
from tests.service.audit.test_audit import audited
from tests.service.director.test_directing import announced, bet_everything, played
from tests.support.databases import TestDatabase
from tests.support.drand import Holders, Relay, relaying, settings_of
from tests.support.waiting import until_awaited
from tests.vectors.beacon import GENUINE, QUICKNET

pytestmark = pytest.mark.anyio

SOON = 200_000
"""Microseconds."""


@pytest.fixture
def relay() -> Iterator[Relay]:
    with relaying(Holders()) as made:
        yield made


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """
    Let pulses come a fifth of a second after they are named. Otherwise each takes four seconds.

    tests/service/api/tournament/test_beacon.py waits for the true margin.
    """
    monkeypatch.setattr("engine.kit.beacon.MARGIN", timedelta(microseconds=SOON))
    monkeypatch.setattr("service.audit.play.beacon._MARGIN", SOON)


def test_genuine_rounds_of_quicknet_verify_and_nothing_else_does() -> None:
    """Two pulses that drand published verify. With another number, key or signature they fail."""
    first, second = GENUINE
    assert signed(QUICKNET, first)
    assert signed(QUICKNET, second)
    infinity = "c0" + "00" * 47
    other = Holders().chain
    for pulse in (
        replace(first, round=first.round + 1),
        replace(first, round=second.round),
        replace(first, randomness=second.randomness),
        _resigned(first, second.signature),
        _resigned(first, infinity),
        _resigned(first, "00" * 48),
        _resigned(first, first.signature[:-2] + "38"),
    ):
        assert not signed(QUICKNET, pulse)
    assert not signed(replace(QUICKNET, public_key=other.public_key), first)
    nobody = replace(QUICKNET, public_key="c0" + "00" * 95)
    assert not signed(nobody, _resigned(first, infinity))


def _resigned(pulse: Pulse, signature: str) -> Pulse:
    """Return *pulse* with another signature and the randomness derived from it."""
    digest = sha256(bytes.fromhex(signature)).hexdigest()
    return replace(pulse, signature=signature, randomness=digest)


async def test_a_round_is_taken_from_the_first_relay_that_gives_it_signed(relay: Relay) -> None:
    holders = relay.holders
    number = holders.latest()
    with relaying(holders) as second:
        drand = Drand(holders.chain, [relay.url, second.url])
        assert await drand.fetch(number) == holders.said(number)
        assert (relay.asked, second.asked) == ([number], [])
        thief = Holders(7)

        def forged(asked: int, told: dict[str, Any]) -> tuple[int, bytes]:
            pulse = thief.said(asked)
            mine = {"signature": pulse.signature, "randomness": pulse.randomness}
            return 200, json.dumps(told | mine).encode()

        def out_of_order(asked: int, _: dict[str, Any]) -> tuple[int, bytes]:
            pulse = holders.said(asked - 1)
            text = {"round": pulse.round, "signature": pulse.signature}
            return 200, json.dumps(text | {"randomness": pulse.randomness}).encode()

        def renamed(asked: int, told: dict[str, Any]) -> tuple[int, bytes]:
            pulse = holders.said(asked - 1)
            mine = {"signature": pulse.signature, "randomness": pulse.randomness}
            return 200, json.dumps(told | mine).encode()

        tricks: list[Any] = [
            forged,
            out_of_order,
            renamed,
            lambda _, told: (200, json.dumps(told | {"randomness": "00" * 32}).encode()),
            lambda _, told: (200, json.dumps(told | {"signature": "00" * 48}).encode()),
            lambda _, told: (200, json.dumps(told | {"signature": "zz"}).encode()),
            lambda _, told: (
                200,
                json.dumps(told | {"signature": told["signature"] + "\n"}).encode(),
            ),
            lambda _, told: (200, json.dumps(told | {"more": "0" * 20_000}).encode()),
            lambda *_: (200, b"\xff\xfe"),
            lambda *_: (200, b"[]"),
            lambda *_: (200, b"{" * 20_000),
            lambda *_: (500, b"later"),
            lambda *_: (302, b""),
        ]
        for trick in tricks:
            relay.trick = trick
            assert await drand.fetch(number) == holders.said(number)
            second.trick = trick
            with pytest.raises(BeaconSilent):
                await drand.fetch(number)
            second.trick = None
        with pytest.raises(BeaconSilent):
            await drand.fetch(holders.latest() + 60)
        await drand.aclose()


async def test_a_relay_that_only_drips_does_not_keep_the_next_from_being_asked(
    relay: Relay, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every byte arrives in time, but the answer never ends."""
    monkeypatch.setattr(beacon, "_RELAY_SECONDS", 0.5)

    async def drip(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 9000\r\n\r\n")
        with contextlib.suppress(ConnectionError), contextlib.closing(writer):
            while True:
                writer.write(b" ")
                await writer.drain()
                await asyncio.sleep(0.05)

    dripping = await asyncio.start_server(drip, "127.0.0.1", 0)
    port = dripping.sockets[0].getsockname()[1]
    drand = Drand(relay.holders.chain, [f"http://127.0.0.1:{port}", relay.url])
    number = relay.holders.latest()
    async with asyncio.timeout(10):
        assert await drand.fetch(number) == relay.holders.said(number)
    await drand.aclose()
    dripping.close()
    await dripping.wait_closed()


async def test_a_relay_that_is_gone_is_silence() -> None:
    with relaying(Holders()) as gone:
        drand = Drand(gone.holders.chain, [gone.url])
    with pytest.raises(BeaconSilent):
        await drand.fetch(1)
    await drand.aclose()


def test_without_means_to_check_signatures_no_beacon_is_set_up(
    database: TestDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert beacon_of(database.settings()) is None
    settings = database.settings(beacon_urls="https://api.drand.sh")
    monkeypatch.setitem(sys.modules, "py_arkworks_bls12381", None)
    with pytest.raises(SettingsInvalid, match="holotable\\[beacon\\]"):
        beacon_of(settings)


def process(database: TestDatabase, relay: Relay, role: str = "holotable_api") -> Settings:
    return database.settings(role, **settings_of(relay.holders, relay))


async def started(runtime: Runtime, relay: Relay, entrants: int, **terms: Any) -> tuple[str, str]:
    league, name = await announced(runtime, entrants, beacon=relay.holders.chain, **terms)
    await submitting.start_tournament(runtime, league, name, runtime.clock.now())
    return league, name


async def state_of(runtime: Runtime, league: str, name: str) -> Any:
    return (await runtime.writer.load(league, stream_of(name))).state


async def running(runtime: Runtime, league: str, name: str) -> Running:
    async def found() -> Any:
        state = await state_of(runtime, league, name)
        return state if isinstance(state, Running) else None

    state = await until_awaited(found)
    assert isinstance(state, Running)
    return state


async def patiently_played(runtime: Runtime, league: str, name: str) -> Any:
    """Play to the end, although every deal waits seconds for its pulse."""

    async def over() -> Any:
        state = await state_of(runtime, league, name)
        if not isinstance(state, Running):
            return state
        for seating in state.tables:
            while await bet_everything(runtime, league, seating.table):
                pass
        return None

    return await until_awaited(over, 120)


async def log(runtime: Runtime, league: str, subject: str) -> list[Any]:
    """Return the (record, event) pairs of a stream."""
    store, number = runtime.writer.store, number_of(league)
    keys = await store.keys(number)
    rows = await store.stream(number, stream_of(subject), 0, 2000)
    return [(each, runtime.writer.codec.decode(each, keys)) for each in rows]


@pytest.mark.usefixtures("soon")
async def test_seats_and_every_deal_wait_for_a_round_that_was_not_there_when_it_was_named(
    database: TestDatabase, relay: Relay
) -> None:
    async with open_runtime(process(database, relay)) as runtime:
        league, name = await started(runtime, relay, 6)
        waiting = await state_of(runtime, league, name)
        assert isinstance(waiting, Registering)
        assert waiting.fairness.waiting
        tables = [each.table for each in (await running(runtime, league, name)).tables]
        assert isinstance(await patiently_played(runtime, league, name), Finished)
        chain = relay.holders.chain
        for record, event in await log(runtime, league, name):
            if isinstance(event, BeaconAwaited):
                assert record.at < time_of(chain, event.round)
        dealt = lapsed = 0
        named_rounds = 1
        for each in tables:
            table = await log(runtime, league, each)
            named = {e.round: r.at for r, e in table if isinstance(e, TableBeaconAwaited)}
            mixed = [(r.at, e.pulse) for r, e in table if isinstance(e, TableBeaconMixed)]
            dealt += len(mixed)
            lapsed += len(named) - len(mixed)
            named_rounds += len(named)
            assert len(mixed) == sum(isinstance(e, HandOpened) for _, e in table)
            for at, pulse in mixed:
                assert named[pulse.round] < time_of(chain, pulse.round) <= at + timedelta(seconds=1)
                assert pulse == relay.holders.said(pulse.round)
        assert dealt > 2
    report = await audited(database, league)
    assert {each.name: each.faults for each in report.checks if each.failed} == {}
    assert report.lapsed_rounds == lapsed
    connection = await asyncpg.connect(database.url("postgres"))
    await connection.execute("ALTER TABLE events DISABLE TRIGGER ALL")
    await connection.execute(
        "UPDATE events SET at = at + interval '1 hour' WHERE league = $1 AND type = ANY ($2)",
        number_of(league),
        ["beacon_awaited", "table_beacon_awaited"],
    )
    await connection.close()
    report = await audited(database, league)
    # Each pulse was named before its time. The changed dates make all of them late.
    assert report.lapsed_rounds == lapsed + named_rounds


@pytest.mark.usefixtures("soon")
async def test_a_beacon_that_is_down_holds_the_hand_until_it_answers(
    database: TestDatabase, relay: Relay
) -> None:
    """After a restart the house asks for the named pulse again, and for no other."""
    async with open_runtime(process(database, relay)) as runtime:
        league, name = await started(runtime, relay, 3, hands_max=1)
        (seating,) = (await running(runtime, league, name)).tables
        relay.trick = lambda *_: (503, b"down")

        async def named() -> Any:
            events = [event for _, event in await log(runtime, league, seating.table)]
            return next((each for each in events if isinstance(each, TableBeaconAwaited)), None)

        awaited = await until_awaited(named)
        count = len(relay.asked)

        async def asked() -> bool:
            return relay.asked[count:].count(awaited.round) > 2

        await until_awaited(asked)
    async with open_runtime(process(database, relay)) as runtime:
        assert len(await log(runtime, league, seating.table)) == 2
        relay.trick = None
        await open_next_hand(runtime, league, seating.table, fresh=True)
        kinds = [event for _, event in await log(runtime, league, seating.table)]
        opened = next(each for each in kinds if isinstance(each, HandOpened))
        mixed = next(each for each in kinds if isinstance(each, TableBeaconMixed))
        assert mixed.pulse == relay.holders.said(awaited.round)
        assert opened.openings == awaited.openings


@pytest.mark.usefixtures("soon")
async def test_seats_wait_for_a_beacon_that_is_down_and_are_drawn_by_the_worker_once(
    database: TestDatabase, relay: Relay, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.director.beacon.PATIENCE", timedelta(0))
    relay.trick = lambda *_: (503, b"down")
    async with open_runtime(process(database, relay)) as runtime:
        league, name = await started(runtime, relay, 3)
        number = (await state_of(runtime, league, name)).fairness.awaited
        again = await submitting.draw_by_beacon(runtime, league, name)
        assert again is not None
        assert isinstance(await state_of(runtime, league, name), Registering)
    relay.trick = None
    job = armed(process(database, relay, "holotable_worker"))
    async with (
        open_runtime(process(database, relay)) as one,
        open_runtime(process(database, relay, "holotable_worker")) as other,
    ):
        drawing = (DUTIES[job.task].do(each, job.args) for each in (one, other))
        assert await asyncio.gather(*drawing) == [None, None]
        state = await state_of(one, league, name)
        assert isinstance(state, Running)
        assert state.fairness.pulse == relay.holders.said(number)
        kinds = [type(event).__name__ for _, event in await log(one, league, name)]
        assert kinds.count("SeatsDrawn") == kinds.count("BeaconRecorded") == 1


def armed(settings: Settings) -> ClaimedJob:
    """Return the job for the seat draw that a ticker finds in the log."""
    found: list[ClaimedJob] = []
    ticker = Ticker(settings, found.append)
    while ticker.tick():
        pass
    ticker.stop()
    (draw,) = (each for each in found if each.task == "tournament.draw")
    return draw


async def test_a_tournament_that_names_no_beacon_asks_for_none(
    database: TestDatabase, relay: Relay
) -> None:
    """A beacon is set up, but nothing waits for it and no event mentions it."""
    async with open_runtime(process(database, relay)) as runtime:
        league, name = await announced(runtime, 3, hands_max=1)
        await submitting.start_tournament(runtime, league, name, runtime.clock.now())
        state = await played(runtime, league, name)
        assert isinstance(state, Finished)
        kinds = {record.type for record, _ in await log(runtime, league, name)}
        assert not any("beacon" in each for each in kinds)
    assert relay.asked == []
