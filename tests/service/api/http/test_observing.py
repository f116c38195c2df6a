"""A request leaves a line in the log and moves the metrics, and neither tells a secret."""

import io
import json
from collections.abc import Callable
from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest
from prometheus_client import REGISTRY, generate_latest

from service.api.http.wire.observing import Observer
from service.base import metrics
from service.base.telemetry import Lines
from service.log.record import league_number
from tests.service.api.table.test_commands import answer_to, turn

pytestmark = pytest.mark.anyio

Serving = Callable[..., Any]
"""The fixture that opens an API."""


def counted(operation: str, status: int) -> float:
    """Return how many answers of this process the counter holds."""
    labels = {"operation": operation, "status": str(status)}
    return REGISTRY.get_sample_value("holotable_http_requests_total", labels) or 0


async def test_one_id_is_in_the_answer_the_problem_the_event_and_the_access_log(
    serving: Serving,
) -> None:
    written = io.StringIO()
    async with serving() as api:
        observer = Observer(Lines("api", written, None))
        api.app._observer = observer
        owner, league = await api.league()
        ours = str(uuid4())
        made = await owner.post(
            f"/v1/leagues/{league}/invitations", {}, headers={"X-Request-Id": ours}
        )
        assert made.headers["X-Request-Id"] == ours
        store = api.app.shell.runtime.writer.store
        rows = await store.league(league_number(league), -1, 64)
        assert rows[-1].about().correlation_id == ours
        refused = await owner.get("/v1/leagues/lge_0", headers={"X-Request-Id": UUID(ours).hex})
        assert refused.json()["instance"] == f"urn:uuid:{ours}"
        strange = await owner.get("/v1/me", headers={"X-Request-Id": "a'; DROP TABLE"})
        assert UUID(strange.headers["X-Request-Id"])
        observer.flush()
    lines = [json.loads(line) for line in written.getvalue().splitlines()]
    mine = [line for line in lines if line["request_id"] == ours]
    assert [(line["operation"], line["status"]) for line in mine] == [
        ("invite", 201),
        ("read_league", refused.status_code),
    ]
    assert mine[0]["subject"] == league


async def test_no_secret_of_a_path_a_header_or_a_card_is_in_the_log_or_the_metrics(
    serving: Serving,
) -> None:
    written = io.StringIO()
    async with serving() as api:
        observer = Observer(Lines("api", written, None))
        api.app._observer = observer
        owner, league, _, people, table = await api.playing()
        made = await owner.post(f"/v1/leagues/{league}/invitations", {})
        code = made.json()["code"]
        await (await api.person()).post(f"/v1/invitations/{code}/accept")
        await api.http.get(f"/v1/leagues/{league}?key=holo_link_secret")
        person, view = await turn(people, table)
        await person.post(f"/v1/tables/{table}/actions", answer_to(view))
        observer.flush()
    told = written.getvalue() + generate_latest().decode()
    assert table in told  # the request was counted
    assert code not in told
    assert "holo_link_secret" not in told
    assert all(each.headers["Authorization"].split()[1] not in told for each in people)
    assert all(card not in told for card in view["me"]["cards"])
    assert league not in generate_latest().decode()


async def test_requests_are_counted_by_operation_whatever_the_path(serving: Serving) -> None:
    async with serving() as api:
        before = counted("none", 404), counted("read_me", 200), counted("console.missing", 404)
        person = await api.person()
        unknown: httpx.Response = await person.get("/v1/nothing/of/the/kind")
        assert unknown.status_code == 404
        await person.get("/v1/me")
        await api.http.get("/no-such-page", headers={"Accept": "text/html"})
        after = counted("none", 404), counted("read_me", 200), counted("console.missing", 404)
    assert [b - a for a, b in zip(before, after, strict=True)] == [1, 1, 1]


async def test_commands_are_counted_by_outcome(serving: Serving) -> None:
    def outcome(name: str) -> float:
        return metrics.COMMANDS.labels(name)._value.get()

    async with serving() as api:
        before = outcome("decided"), outcome("refused")
        owner, _, tournament, _, _ = await api.playing()
        again = await owner.post(f"/v1/tournaments/{tournament}/registrations")
        assert again.status_code == 409
        decided, refused = outcome("decided") - before[0], outcome("refused") - before[1]
    assert decided >= 5
    assert refused == 1
