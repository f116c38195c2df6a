"""Signing jobs are armed by new events, retried without a signer, and ended by a refusal."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import asyncpg
import psycopg
import pytest

from engine.values import number_of
from service.base.settings import Settings
from service.cli.checks.finding import CheckFailed
from service.cli.doctor import CHECKS
from service.cli.epoch import open_epoch
from service.director.runtime import open_runtime
from service.tasks import arming, jobs
from service.tasks.child import perform
from service.transparency.note import SigningKey
from tests.service.director.test_directing import announced
from tests.support.databases import TestDatabase
from tests.support.signers import running_signer

pytestmark = pytest.mark.anyio

NOW = datetime(2026, 1, 1, tzinfo=UTC)
LEASE = timedelta(seconds=30)
NOBODY = "http://127.0.0.1:9"
KEY = SigningKey("holotable.example", bytes(range(32)))


@pytest.fixture
async def league(database: TestDatabase) -> str:
    async with open_runtime(database.settings("holotable_api")) as runtime:
        return (await announced(runtime, 2))[0]


@pytest.fixture
def worker(database: TestDatabase) -> Iterator[psycopg.Connection]:
    with psycopg.connect(database.url("holotable_worker"), autocommit=True) as connection:
        yield connection


@pytest.fixture
def signer(tmp_path: Path) -> Iterator[str]:
    """Yield the address of a signer that serves over a real socket."""
    with running_signer(KEY, tmp_path / "signer") as address:
        yield address


def settings(database: TestDatabase, signer: str | None, **changes: Any) -> Settings:
    return database.settings("holotable_worker", signer_url=signer, **changes)


def signing(worker: psycopg.Connection) -> list[tuple[Any, ...]]:
    """Return the state, time, attempts and last error of the jobs that sign."""
    return worker.execute(
        "SELECT state, due_at, attempts, last_error FROM job WHERE task = 'league.sign_head'"
    ).fetchall()


async def run(worker: psycopg.Connection, told: Settings) -> None:
    """Perform the signing job as a worker does, without waiting until it is due."""
    worker.execute("UPDATE job SET due_at = now() WHERE task = 'league.sign_head'")
    found = [job for job in jobs.claim(worker, LEASE) if job.task == "league.sign_head"]
    async with open_runtime(told) as runtime:
        for job in found:
            await perform(runtime, job.job_id, job.claim)


async def test_news_arm_one_job_a_league_for_when_they_may_be_signed(
    database: TestDatabase, worker: psycopg.Connection, league: str
) -> None:
    told = settings(database, NOBODY, sign_seconds=40)
    assert arming.follow(worker, NOW, told)
    async with open_runtime(database.settings("holotable_api")) as runtime:
        await announced(runtime, 2)
    arming.follow(worker, NOW + timedelta(seconds=10), told)
    later = NOW + timedelta(seconds=50)
    assert [row[:2] for row in signing(worker)] == [
        ("ready", NOW + timedelta(seconds=40)),
        ("ready", later),
    ]


async def test_without_a_signer_nothing_is_armed(
    database: TestDatabase, worker: psycopg.Connection, league: str
) -> None:
    assert arming.follow(worker, NOW, settings(database, None))
    assert signing(worker) == []


@pytest.mark.parametrize("strange", [False, True], ids=["away", "another token"])
async def test_a_signer_that_gives_no_answer_is_asked_again_however_often(
    database: TestDatabase, worker: psycopg.Connection, league: str, signer: str, strange: bool
) -> None:
    away = {"signer": NOBODY} if not strange else {"signer": signer, "signer_token": "x" * 32}
    told = settings(database, **away)
    arming.follow(worker, NOW, told)
    for _ in range(jobs.ATTEMPTS_MAX + 1):
        await run(worker, told)
        ((state, due_at, attempts, _),) = signing(worker)
        assert (state, attempts) == ("ready", 0)
        assert due_at > datetime.now(UTC)
    await run(worker, settings(database, signer))
    assert signing(worker)[0][0] == "done"
    assert worker.execute("SELECT count(*) FROM checkpoint").fetchone() == (1,)


async def test_a_log_that_was_cut_ends_the_job_in_a_refusal_and_the_doctor_says_so(
    database: TestDatabase, worker: psycopg.Connection, league: str, signer: str
) -> None:
    told = settings(database, signer)
    arming.follow(worker, NOW, told)
    await run(worker, told)
    connection = await asyncpg.connect(database.url("postgres"))
    assert "each is in its log" in await CHECKS["signer"](connection, told)
    await connection.execute("ALTER TABLE events DISABLE TRIGGER USER")
    await connection.execute(
        "DELETE FROM events WHERE league = $1 AND position > 2", number_of(league)
    )
    jobs.come_again(
        worker,
        jobs.Job(
            occurrence=f"sign:{league}",
            task="league.sign_head",
            args={"league": league},
            due_at=NOW,
        ),
    )
    await run(worker, told)
    ((state, _, _, error),) = signing(worker)
    assert (state, error) == ("done", "checkpoint_refused")
    with pytest.raises(CheckFailed, match=f"{league}: .* the log has 3: it was cut or restored"):
        await CHECKS["signer"](connection, told)

    operator = database.settings("holotable_migrate", signer_url=signer)
    assert await open_epoch(operator, league, "Lobot", "a drill") == 0
    arming.follow(worker, NOW, told)
    await run(worker, told)
    assert "each is in its log" in await CHECKS["signer"](connection, told)
    heads = await connection.fetch("SELECT epoch, size FROM checkpoint ORDER BY epoch")
    assert [tuple(head) for head in heads][1:] == [(1, 3)]
    await connection.close()


async def test_epochs_that_the_signer_knows_already_are_passed_over(
    database: TestDatabase, worker: psycopg.Connection, league: str, signer: str
) -> None:
    """A restore removed the record of epoch 1, but the signer remembers it."""
    told = settings(database, signer)
    operator = database.settings("holotable_migrate", signer_url=signer)
    assert await open_epoch(operator, league, "Lobot", "a drill") == 0
    arming.follow(worker, NOW, told)
    await run(worker, told)
    connection = await asyncpg.connect(database.url("postgres"))
    await connection.execute("ALTER TABLE epoch_opening DISABLE TRIGGER USER")
    await connection.execute("DELETE FROM epoch_opening")
    await connection.execute("DELETE FROM league_epoch")

    assert await open_epoch(operator, league, "Lobot", "a restore") == 0
    epochs = await connection.fetch("SELECT epoch FROM league_epoch")
    await connection.close()
    assert [row["epoch"] for row in epochs] == [2]


@pytest.mark.parametrize(
    ("league_id", "operator", "reason"),
    [("lge_nothing", "Lobot", "x"), (f"lge_{0:032x}", "Lobot", "x"), (None, " ", "x")],
)
async def test_an_epoch_wants_a_league_an_operator_and_a_reason(
    database: TestDatabase, league: str, league_id: str | None, operator: str, reason: str
) -> None:
    told = database.settings("holotable_migrate")
    assert await open_epoch(told, league_id or league, operator, reason) == 2
