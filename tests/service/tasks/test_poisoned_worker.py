"""A real worker serves a league that plays while another is full of malformed events."""

import base64
import json
from datetime import timedelta
from typing import Any
from uuid import uuid4

import psycopg
import pytest
from kombu import Connection
from structlog.testing import capture_logs

from engine.tournament.model.state import Running
from engine.values import number_of, stream_of
from service.base.settings import environment
from service.cli import quarantine as commands
from service.cli.doctor import examine
from service.director import submitting
from service.director.runtime import Runtime, open_runtime
from service.log.catalogue import events_by_category, tag_of
from service.people import quarantine
from service.tasks import jobs
from service.tasks.broker import install, transport
from tests.service.director.test_clocks import rules
from tests.service.director.test_directing import announced
from tests.service.tasks.due_work import broker, workers
from tests.service.tasks.test_worker import children
from tests.support.databases import TestDatabase
from tests.support.poison import MALFORMED, owning, plant
from tests.support.projecting import projecting
from tests.support.waiting import until_awaited

pytestmark = pytest.mark.anyio

SECRET = "what nobody may read in a log"
LEVELS = "SELECT count(*) > 0 FROM events WHERE league = $1 AND type = 'level_raised'"
AUDITED = "SELECT state = 'passed' FROM audit_report WHERE id = 'adt_healthy'"


async def test_a_league_of_malformed_events_harms_no_other_and_goes_on_after_its_release(
    database: TestDatabase,
) -> None:
    async with (
        open_runtime(database.settings("holotable_api")) as runtime,
        owning(database) as owner,
    ):
        poisoned, _ = await announced(runtime, 0)
        planted = [
            await plant(owner, poisoned, kind, data, version=version)
            for kind, data, version in everything()
        ]
        with broker(database), workers(database, 0, processes=1) as (worker,):
            before = children(worker.pid)

            async def held() -> list[str]:
                return [str(each) for each in await quarantine.held(runtime.pool)]

            (first,) = await until_awaited(held)
            assert f"{poisoned} arming at position {planted[0]}: EventUnreadable" in first

            league, name = await announced(runtime, 3, rules=rules(2, 600), decision_seconds=1)
            await submitting.start_tournament(runtime, league, name, runtime.clock.now())
            await until_awaited(lambda: played_on(runtime, league, name))
            await until_awaited(lambda: runtime.pool.fetchval(LEVELS, number_of(league)))
            audit = jobs.Job(
                occurrence="audit:healthy",
                task="audit.run",
                args={"league": league, "report": "adt_healthy"},
                due_at=runtime.clock.now() - timedelta(seconds=1),
            )
            with psycopg.connect(database.url("holotable_worker")) as connection:
                jobs.arm_now(connection, audit)
            await until_awaited(lambda: runtime.pool.fetchval(AUDITED), 60)

            migrate = database.settings("holotable_migrate")
            assert await commands.release(migrate, poisoned, "arming", skip=True) == 0

            async def further() -> bool:
                return any(f"at position {planted[1]}:" in each for each in await held())

            await until_awaited(further)
            assert children(worker.pid) == before
        async with projecting(database) as runner:
            await runner.catch_up()
        assert {held for _, held in runner.stopped} == {poisoned}


def everything() -> list[tuple[str, str, int]]:
    """Return every event type with malformed data, an unknown type and an unknown version."""
    kinds = [tag_of(event) for events in events_by_category().values() for event in events]
    # Events that arm jobs come first, so that skipping one leads to the next.
    kinds.sort(key=lambda kind: kind not in ("break_started", "round_ended"))
    found = [(kind, MALFORMED[at % len(MALFORMED)], 1) for at, kind in enumerate(kinds)]
    return [*found, ("cake_baked", "{}", 1), ("break_started", "{}", 99)]


async def played_on(runtime: Runtime, league: str, name: str) -> bool:
    """Return True once a decision of the tournament has timed out, as its deadline demands."""
    state = (await runtime.writer.load(league, stream_of(name))).state
    if not isinstance(state, Running):
        return False
    table = (await runtime.writer.load(league, stream_of(state.tables[0].table))).state
    return table.decision is not None and table.decision.turn > 1


SEND = "INSERT INTO pgmq.q_{} (vt, message) VALUES (clock_timestamp(), %s::jsonb)"
QUEUES = ("long", "outside", "play")
PUT_AWAY = "SELECT " + ", ".join(f"(SELECT count(*) FROM pgmq.a_{queue})" for queue in QUEUES)


def messages(job: str) -> list[str | None]:
    """Return invalid messages that the broker's login can send, the last ones almost valid."""

    def encoded(*body: Any) -> str:
        return base64.b64encode(json.dumps(body).encode()).decode()

    wanted = {"job_id": job, "claim": 1, "args": {"league": SECRET}}
    whole = {
        "headers": {"task": "table.boundary", "id": job},
        "properties": {"body_encoding": "base64", "delivery_tag": "1", "delivery_info": {}},
        "content-type": "application/json",
        "content-encoding": "utf-8",
        "body": encoded([], wanted, {}),
    }
    changed: list[dict[str, Any]] = [
        {"headers": {"task": "cake.bake", "id": job}},
        {"headers": {"id": job}},
        {"headers": None},
        {"properties": {"body_encoding": "rot13", "delivery_tag": "1"}},
        {"body": encoded([], wanted | {"job_id": SECRET}, {})},
        {"body": encoded([], wanted | {"claim": 1 << 70}, {})},
        {"body": encoded([SECRET], wanted, {})},
        {"body": "!"},
        {"body": base64.b64encode(b"[[], {").decode()},
    ]
    odd = ["{}", "[]", "7", "null", f'"{SECRET}"', "[" * 3000 + "]" * 3000, "9" * 6000, None]
    return [*odd, *(json.dumps(whole | each) for each in changed)]


async def test_messages_that_nobody_can_read_are_put_away_and_no_process_dies_of_them(
    database: TestDatabase, capsys: pytest.CaptureFixture[str]
) -> None:
    sent = messages(str(uuid4()))
    async with open_runtime(database.settings("holotable_api")) as runtime:
        with broker(database) as url, workers(database, 0, processes=1) as (worker,):
            before = children(worker.pid)
            with psycopg.connect(url, autocommit=True) as thief:
                for queue in QUEUES:
                    thief.cursor().executemany(SEND.format(queue), [(each,) for each in sent])

                async def put_away() -> bool:
                    return thief.execute(PUT_AWAY).fetchone() == (len(sent),) * 3

                league, name = await announced(runtime, 3, rules=rules(2, 600), decision_seconds=1)
                await submitting.start_tournament(runtime, league, name, runtime.clock.now())
                await until_awaited(put_away, 60)
            await until_awaited(lambda: played_on(runtime, league, name), 60)
            assert children(worker.pid) == before
            settings = database.settings("holotable_worker", broker_url=database.broker_url)
            assert await examine(environment(settings)) == 1
    said = capsys.readouterr().out
    counts = ", ".join(f"{queue}: {len(sent)}" for queue in QUEUES)
    assert f"unreadable messages were put away ({counts})" in said
    assert SECRET not in said


def test_a_message_that_is_put_away_is_named_by_queue_and_number_alone(
    database: TestDatabase,
) -> None:
    with broker(database) as url:
        install(database.broker_url)
        settings = database.settings("holotable_worker", broker_url=database.broker_url)
        options = transport(settings)
        with (
            Connection(
                options["broker_url"],
                transport=options["broker_transport"],
                transport_options=options["broker_transport_options"],
            ) as connection,
            capture_logs() as logged,
        ):
            queue = connection.SimpleQueue("play")
            sent = messages(str(uuid4()))
            with psycopg.connect(url, autocommit=True) as thief:
                thief.cursor().executemany(SEND.format("play"), [(each,) for each in sent])
            with pytest.raises(queue.Empty):
                queue.get_nowait()
            queue.close()
    assert logged == [
        {"event": "message_unreadable", "log_level": "error", "queue": "play", "message": number}
        for number in range(1, len(sent) + 1)
    ]
