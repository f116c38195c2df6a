"""The generator is tested every night on fresh seeds, and every audit tests the dealt decks."""

import json
from datetime import timedelta
from itertools import islice

import asyncpg
import psycopg
import pytest

from engine.kit.cards import DECKS
from service.audit.play.dealt import Dealt, judged
from service.audit.play.fresh import measured
from service.audit.report import Findings
from service.base.settings import Settings
from service.director.runtime import open_runtime
from service.tasks import arming, randomness
from tests.engine.kit.randomness import Shuffle, cyclic, fair, naive, streams
from tests.service.audit.test_audit import audited, faults
from tests.service.league_night import played
from tests.support.databases import TestDatabase
from tests.support.logs import utcnow

DECK = DECKS["d62"]


def dealt(shuffle: Shuffle, decks: int) -> dict[str, list[int]]:
    counts = Dealt()
    for stream in islice(streams("dealt"), decks):
        counts.see(DECK, shuffle(stream, DECK))
    return counts.kept()


@pytest.mark.parametrize(
    ("shuffle", "decks", "failed"), [(fair, 2_000, 0), (naive, 2_000, 1), (cyclic, 2_000, 1)]
)
def test_dealt_decks_of_a_biased_shuffle_are_found(
    shuffle: Shuffle, decks: int, failed: int
) -> None:
    findings = Findings()
    parts = [dealt(shuffle, decks)]
    found = judged(parts, findings)

    assert found["d62"].decks == decks
    assert findings.checks["randomness"].failed == failed
    assert (found["d62"].p_value or 0) < 1e-6 if failed else (found["d62"].p_value or 0) > 1e-3


def test_of_too_few_decks_nothing_is_said_and_parts_add_up() -> None:
    findings = Findings()
    few = dealt(naive, 300)
    assert judged([few], findings)["d62"].p_value is None
    together = judged([few, few, few], findings)["d62"]
    assert (together.decks, together.p_value is None) == (900, False)


def test_the_same_master_gives_the_same_statistics_and_another_others() -> None:
    one, again, other = (measured(seed, share=0.1) for seed in (b"1" * 32, b"1" * 32, b"2" * 32))
    assert one == again != other
    assert len(one) > 20 and min(*one.values(), *other.values()) > 1e-6


@pytest.mark.long
@pytest.mark.anyio
async def test_a_night_is_measured_once_kept_and_shown_by_audits(database: TestDatabase) -> None:
    night = await played(database)
    ids = {"night": "2026-11-21"}
    async with open_runtime(database.settings("holotable_worker")) as runtime:
        await randomness.measure_randomness(runtime, ids)
        kept = await runtime.pool.fetchrow("SELECT master, p_values FROM fairness_run")
        await randomness.measure_randomness(runtime, ids)
        assert await runtime.pool.fetchrow("SELECT master, p_values FROM fairness_run") == kept
    assert json.loads(kept["p_values"]) == measured(kept["master"])

    report = await audited(database, night.league)

    assert faults(report) == {}, report.text()
    assert report.generator is not None and report.generator.night == "2026-11-21"
    assert "in the night of 2026-11-21; the lowest" in report.text()
    assert report.decks["d62"].decks == report.hands
    assert "every card at every position: too few to say" in report.text()


@pytest.mark.anyio
async def test_an_alarm_of_the_night_fails_every_audit_after_it(database: TestDatabase) -> None:
    night = await played(database)
    superuser = await asyncpg.connect(database.url("postgres"))
    await superuser.execute(
        "INSERT INTO fairness_run (night, master, p_values) VALUES ('2026-11-20', $1, $2)",
        bytes(32),
        json.dumps({"places of d62": 0.4, "target dice": 1e-9}),
    )
    await superuser.close()

    report = await audited(database, night.league)

    assert faults(report) == {"randomness": 1}
    assert report.first_bad is not None and "target dice, p = 1e-09" in report.first_bad


def test_the_night_arms_one_measurement_however_often_it_ticks(database: TestDatabase) -> None:
    settings: Settings = database.settings("holotable_worker", nightly_audit="03:00")
    at = utcnow().replace(hour=3, minute=10, second=0)
    with psycopg.connect(database.url("holotable_worker"), autocommit=True) as worker:
        for _ in range(2):
            arming.nightly(worker, at, settings)
        rows = worker.execute("SELECT occurrence FROM job WHERE task = 'randomness.measure'")
        assert rows.fetchall() == [(f"randomness:{at:%Y-%m-%d}",)]


def test_a_night_whose_hour_begins_before_midnight_is_armed_after_it_too(
    database: TestDatabase,
) -> None:
    settings: Settings = database.settings("holotable_worker", nightly_audit="23:30")
    midnight = utcnow().replace(hour=0, minute=0, second=0, microsecond=0)
    asked = "SELECT occurrence FROM job WHERE task = 'randomness.measure'"
    with psycopg.connect(database.url("holotable_worker"), autocommit=True) as worker:
        for minutes in (-31, 30):
            arming.nightly(worker, midnight + timedelta(minutes=minutes), settings)
        assert worker.execute(asked).fetchall() == []
        for minutes in (10, 29):
            arming.nightly(worker, midnight + timedelta(minutes=minutes), settings)
        before = midnight - timedelta(days=1)
        assert worker.execute(asked).fetchall() == [(f"randomness:{before:%Y-%m-%d}",)]
