"""An older copy is restored, and play goes on before anybody opens an epoch."""

import asyncio
from collections.abc import Callable
from typing import Any

import psycopg
import pytest

from engine.values import number_of
from service.base.errors import CheckpointRefused
from service.base.settings import environment
from tests.service.api.conftest import Person
from tests.service.api.proof.test_evidence import heads, project, signing
from tests.service.audit.test_audit import audited
from tests.support.commands import Ended, in_fork
from tests.support.databases import TestDatabase

pytestmark = pytest.mark.anyio

__all__ = ["signing"]


async def invite(owner: Person, league: str, times: int) -> str:
    """Append *count* events, and return the position of the last one, as a client keeps it."""
    position = ""
    for _ in range(times):
        made = await owner.post(f"/v1/leagues/{league}/invitations", {})
        assert made.status_code == 201, made.text
        position = made.json()["position"]
    return position


async def read_on(owner: Person, league: str, **after: str) -> tuple[int, str]:
    """Read on from what a client has kept. Return the status, and the problem's code."""
    answer = await owner.get(
        f"/v1/leagues/{league}/{'events' if 'after' in after else 'tournaments'}", params=after
    )
    return answer.status_code, answer.json().get("code", "")


def restore_copy(database: TestDatabase, league: str, events: int) -> None:
    """Take a league back to its first events and their heads, as restoring an older copy does."""
    with psycopg.connect(database.url("postgres")) as connection:
        for relation, column in (("events", "position"), ("checkpoint", "size - 1")):
            connection.execute(f"ALTER TABLE {relation} DISABLE TRIGGER USER".encode())
            connection.execute(
                f"DELETE FROM {relation} WHERE league = %s AND {column} >= %s".encode(),
                [number_of(league), events],
            )
            connection.execute(f"ALTER TABLE {relation} ENABLE TRIGGER USER".encode())
        connection.execute("ALTER TABLE events ENABLE ALWAYS TRIGGER events_are_append_only")
        connection.execute("DELETE FROM tree_node WHERE league = %s", [number_of(league)])


async def opened(database: TestDatabase, league: str) -> Ended:
    asked = ("epoch", "open", league, "--operator", "Lobot", "--reason", "a drill")
    told = environment(database.settings("holotable_migrate"))
    return await asyncio.to_thread(in_fork, asked, told)


@pytest.mark.parametrize("played_on", [1, 9], ids=["less", "more"])
async def test_who_has_seen_the_lost_history_is_told_however_much_was_played_since(
    serving: Callable[[], Any], signing: Callable[[], Any], database: TestDatabase, played_on: int
) -> None:
    """
    The epoch is opened late, so that the new log may be longer than the lost one.

    Its events have positions that lost events had. No cursor, position, head or receipt of the lost
    history leads into it.
    """
    async with signing() as sign:
        async with serving() as api:
            owner, league = await api.league()
            shared = await invite(owner, league, 3)
            kept = (await sign(league)).size
            lost = await invite(owner, league, 5)
            page = (await owner.get(f"/v1/leagues/{league}/events", params={"limit": 200})).json()
            cursor, last = page["items"][-1]["cursor"], len(page["items"]) - 1
            signed = await sign(league)
            size = signed.size
            proof = f"/v1/leagues/{league}/proofs/inclusion?index={last}"
            leaf = (await owner.get(f"{proof}&size={size}")).json()["leaf"]
        restore_copy(database, league, kept)
        async with serving() as api:
            owner.http = api.http
            await invite(owner, league, played_on)
            with pytest.raises(CheckpointRefused, match="does not continue"):
                await sign(league)

            done = await opened(database, league)
            assert done.returncode == 0, done.stderr
            assert f"of which the first {kept} are proven the same" in done.stdout
            done = await opened(database, league)  # again, without a head of the new epoch
            assert f"of which the first {kept} are proven the same" in done.stdout
            newest = await invite(owner, league, 9)  # this process learns of it
            again = await sign(league)
            await project(database)
            assert (again.origin[-2:], again.size > size) == ("/2", True)

            assert await read_on(owner, league, after=cursor) == (400, "invalid_cursor")
            assert await read_on(owner, league, min_position=lost) == (400, "invalid_cursor")
            assert (await read_on(owner, league, min_position=shared))[0] == 200
            assert (await read_on(owner, league, min_position=newest))[0] == 200
            now = (await owner.get(f"{proof}&size={again.size}")).json()
            assert now["leaf"] != leaf
            newer, older = await heads(owner, league)
            assert (newer["epoch"], older["epoch"], older["size"]) == (2, 0, kept)
            epochs = (await owner.get(f"/v1/leagues/{league}/epochs")).json()["items"]
            assert [(each["size"], each["operator"]) for each in epochs] == [(kept, "Lobot")] * 2
    report = await audited(database, league)
    assert not [each for each in report.checks if each.failed], report.text()


async def test_without_a_signed_head_nothing_tells_what_was_lost(
    serving: Callable[[], Any], database: TestDatabase
) -> None:
    async with serving() as api:
        owner, league = await api.league()
        await invite(owner, league, 2)
    done = await opened(database, league)
    assert (done.returncode, "proven" in done.stdout) == (0, False), done.stderr
