"""The metrics of a worker and of the projector, which they read with their own logins."""

import time
import urllib.request
from collections.abc import Iterable

import psycopg
import pytest
from prometheus_client import CollectorRegistry
from prometheus_client.core import Metric

from service.base import metrics
from service.base.settings import SettingsInvalid
from service.projections.following import measuring as projections
from service.projections.models.all import ALL
from service.tasks import measuring
from tests.service.api.conftest import serving  # noqa: F401 - a fixture
from tests.support.databases import TestDatabase
from tests.support.projecting import projecting


def told(found: Iterable[Metric]) -> dict[str, float]:
    """Return the samples by name and label."""
    return {
        " ".join((each.name, *each.labels.values())): each.value
        for metric in found
        for each in metric.samples
    }


@pytest.mark.anyio
async def test_the_worker_tells_of_jobs_messages_audits_and_heads(
    database: TestDatabase,
    serving,  # noqa: F811
) -> None:
    async with serving() as api:
        await api.league()
    with psycopg.connect(database.url("holotable_worker")) as worker:
        before = told(measuring.measured(worker, signing=True))
        assert before["holotable_leagues"] == 1
        assert before["holotable_unsigned_seconds"] > 0
        assert before["holotable_jobs_waiting table.watch"] == 0
        assert before["holotable_heartbeat_timestamp_seconds api"] > 1.7e9
        worker.execute(
            """
            INSERT INTO job (occurrence, task, args, due_at, state)
            VALUES ('a', 'table.watch', '{}', service_time() - interval '90 s', 'ready'),
                   ('b', 'table.watch', '{}', service_time() + interval '90 s', 'ready'),
                   ('c', 'of.a.newer.program', '{}', service_time(), 'dead')
            """
        )
        worker.execute(
            """
            INSERT INTO audit_report (id, league, scope, state, requested_at, finished_at)
            SELECT 'adt_x', name, name, 'failed', service_time(), service_time()
              FROM (SELECT 'lge_' || replace(league::text, '-', '') AS name FROM key) AS it
            """
        )
        worker.execute(
            "INSERT INTO quarantine (league, consumer, position, reason) "
            "SELECT league, 'arming', 0, 'x' FROM key"
        )
        worker.execute(
            "INSERT INTO operator_deed (size, at, actor, kind, about)"
            " VALUES (0, service_time(), 'operator x', 'backup_taken', 'b')"
        )
        after = told(measuring.measured(worker, signing=False))
    assert after["holotable_jobs_waiting table.watch"] == 1
    assert 90 <= after["holotable_jobs_oldest_seconds table.watch"] < 200
    assert after["holotable_jobs_dead other"] == 1
    assert after["holotable_audits_failed"] == 1
    assert after["holotable_quarantined arming"] == 1
    assert "holotable_unsigned_seconds" not in after
    assert before["holotable_backup_last_timestamp_seconds"] == 0
    assert time.time() - after["holotable_backup_last_timestamp_seconds"] < 200


@pytest.mark.anyio
async def test_the_projector_tells_how_far_each_projection_is_behind(
    database: TestDatabase,
    serving,  # noqa: F811
) -> None:
    def seen() -> dict[str, float]:
        with psycopg.connect(database.url("holotable_project")) as connection:
            return told(projections.measured(connection))

    assert seen()["holotable_projection_behind_events members"] == 0
    async with serving() as api:
        await api.league()
    behind = seen()
    assert behind["holotable_projection_behind_events members"] >= 1
    assert behind["holotable_projection_behind_seconds members"] > 0
    async with projecting(database) as runner:
        await runner.catch_up()
    caught_up = seen()
    assert all(caught_up[f"holotable_projection_behind_events {each.name}"] == 0 for each in ALL)
    assert all(caught_up[f"holotable_projection_broken {each.name}"] == 0 for each in ALL)


@pytest.mark.anyio
async def test_an_absent_database_is_a_metric_and_no_error() -> None:
    registry = CollectorRegistry()
    url = "postgresql://nobody:nothing@127.0.0.1:1/none"
    registry.register(metrics.DatabaseMetrics(url, projections.measured))
    assert registry.get_sample_value("holotable_database_up") == 0


def test_processes_share_an_address_by_taking_one_port_each() -> None:
    first = metrics.serve("127.0.0.1:19464", 40)
    second = metrics.serve("127.0.0.1:19464", 40)
    assert first is not None
    assert second is not None
    assert first < second
    with urllib.request.urlopen(f"http://127.0.0.1:{second}/metrics") as answer:
        assert b"holotable_commands_total" in answer.read()
    with pytest.raises(SettingsInvalid, match="taken"):
        metrics.serve(f"127.0.0.1:{first}", 1)
