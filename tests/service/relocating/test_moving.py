"""A league moves to another cell in the middle of a hand, and is played to its end there."""

import asyncio
import subprocess
import sys
from pathlib import Path
from typing import Any

import asyncpg
import httpx
import psycopg
import pytest

from engine.values import number_of
from service.audit.run.league import audit_league
from service.base.database import async_engine
from service.base.settings import environment
from service.log.keys import Keys
from service.transparency.note import open_note, parse_checkpoint
from service.transparency.signing import asking, sign_head
from service.transparency.tree import consistent
from tests.service.api.conftest import Person
from tests.service.api.proof.test_evidence import project
from tests.service.api.table.test_commands import answer_to, turn
from tests.service.relocating.cells import WHY, Cell, code
from tests.service.relocating.conftest import NEW_KEY, OLD_KEY
from tests.support.commands import in_fork
from tests.support.waiting import until_awaited
from tests.verifier.loading import PROGRAM

pytestmark = pytest.mark.anyio

STEPS = 5
"""Actions before the move: the hand in play is the second or third, and open."""


async def act(people: list[Person], table: str, steps: int) -> None:
    for _ in range(steps):
        person, view = await turn(people, table)
        answer = await person.post(f"/v1/tables/{table}/actions", answer_to(view))
        assert answer.is_success, answer.text


async def sign(cell: Cell, league: str) -> str:
    """Have a head signed as a worker does, and return its note."""
    connection = await asyncpg.connect(cell.database.url("holotable_worker"))
    try:
        async with asking(cell.settings("holotable_worker")) as signer:
            assert signer is not None
            await sign_head(connection, signer, number_of(league))
    finally:
        await connection.close()
    query = "SELECT note FROM checkpoint WHERE league = %s ORDER BY size DESC LIMIT 1"
    return str(cell.rows(query, number_of(league))[0][0])


async def play_on(people: list[Person], tournament: str, table: str) -> None:
    """Play until the tournament is over. Between two hands it is nobody's turn for a moment."""

    async def over() -> bool:
        for person in people:
            view = (await person.get(f"/v1/tables/{table}")).json()
            if view["my_turn"]:
                answer = await person.post(f"/v1/tables/{table}/actions", answer_to(view))
                assert answer.is_success, answer.text
        shown = (await people[0].get(f"/v1/tournaments/{tournament}")).json()
        return bool(shown["state"] == "finished")

    await until_awaited(over)


def over_there(people: list[Person], http: httpx.AsyncClient) -> list[Person]:
    """Return the same people with the same tokens, at another cell."""
    return [
        Person(http, {"id": each.player, "login": each.login}, each.headers["Authorization"][7:])
        for each in people
    ]


async def consistent_with(person: Person, league: str, seen: str, now: str) -> bool:
    """Return whether a head of the old cell, kept by an outsider, leads to one of the new cell."""
    older = parse_checkpoint(open_note(seen, OLD_KEY.verifier_key()))
    newer = parse_checkpoint(open_note(now, NEW_KEY.verifier_key()))
    assert older.origin == newer.origin
    path = f"/v1/leagues/{league}/proofs/consistency?old={older.size}&new={newer.size}"
    proof = [bytes.fromhex(each) for each in (await person.get(path)).json()["path"]]
    return older.size < newer.size and consistent(
        older.size, older.root, newer.size, newer.root, proof
    )


async def passes_its_audit(cell: Cell, league: str) -> None:
    await project(cell.database)
    engine = async_engine(cell.database.url("holotable_audit"), 2)
    async with engine.connect() as connection:
        report = await audit_league(connection, Keys(cell.secret_key), league)
    await engine.dispose()
    assert report.passed, report.text()


async def verifies(cell: Cell, tournament: str, file: Path) -> None:
    """Check a bundle of the tournament with the verifier, which has none of this code."""
    told = environment(cell.settings("holotable_audit"))
    asked = ("bundle", "tournament", tournament, "--viewer", "auditor", "-o", str(file))
    made = await asyncio.to_thread(in_fork, asked, told)
    assert made.returncode == 0, made.stderr
    keys = file.with_suffix(".keys")
    keys.write_text(f"{NEW_KEY.verifier_key()}\n")
    verified = await asyncio.to_thread(
        subprocess.run,
        [sys.executable, str(PROGRAM), str(file), "--keys", str(keys)],
        capture_output=True,
        text=True,
    )
    assert verified.returncode == 0, verified.stdout + verified.stderr


async def test_a_hand_in_play_goes_on_in_the_other_cell_and_everything_proves_it(
    old: Cell, new: Cell, tmp_path: Path
) -> None:
    file = tmp_path / "league.packed"
    async with old.serving() as before, new.serving() as after:
        owner, league, tournament, people, table = await before.playing(hands_max=4)
        seen = await sign(old, league)
        await act(people, table, STEPS)
        person, view = await turn(people, table)
        assert view["hand"] is not None, "a hand is in play"
        await project(old.database)
        said = await asyncio.to_thread(old.suspended_and_packed, league, file)
        assert "3 accounts (0 of them also in other leagues here)" in said
        packed = old.log(league)
        await takes_no_audit(owner, league)

        arrival = code("arr_", await asyncio.to_thread(new.done, *new.unpacking(file)))
        assert new.log(league) == packed, "byte for byte"
        await project(new.database)
        moved = over_there(people, after.http)
        [mover] = over_there([person], after.http)
        await takes_no_audit(*over_there([owner], after.http), league)
        waits = await mover.post(f"/v1/tables/{table}/actions", answer_to(view))
        assert (waits.status_code, waits.json()["code"]) == (403, "league_suspended")
        assert (await mover.get(f"/v1/tables/{table}")).json()["hand"] == view["hand"]

        asked = ("league", "release", league, arrival, *WHY)
        release = code("rel_", await asyncio.to_thread(old.done, *asked))
        opened = ("league", "restore", league, "--release", release, *WHY)
        await asyncio.to_thread(new.done, *opened)
        await play_on(moved, tournament, table)

        now = await sign(new, league)
        [mine] = over_there([owner], after.http)
        assert await consistent_with(mine, league, seen, now)
        await passes_its_audit(new, league)
        await verifies(new, tournament, tmp_path / "night.bundle")
        await lives_elsewhere(old, person, league, table, view)
        assert old.log(league) == packed == new.log(league)[: len(packed)]


async def takes_no_audit(owner: Person, league: str) -> None:
    """No worker would run it, so it would wait for ever."""
    answer = await owner.post(f"/v1/leagues/{league}/audits", {"tournament": None})
    assert (answer.status_code, answer.json()["code"]) == (403, "league_suspended"), answer.text


async def lives_elsewhere(
    old: Cell, person: Person, league: str, table: str, view: dict[str, Any]
) -> None:
    """The old copy takes nothing from anybody, and no command opens it again."""
    gone = await person.post(f"/v1/tables/{table}/actions", answer_to(view))
    assert (gone.status_code, gone.json()["code"]) == (403, "league_suspended")
    said = await asyncio.to_thread(old.refused, "league", "restore", league, *WHY)
    assert "lives in another cell: it was released to cell 2, as arr_" in said
    for forced in ("suspended_at = NULL", "suspended_at = NULL, relocation = NULL"):
        with pytest.raises(psycopg.Error, match=r"suspended_while_it_moves|released to another"):
            old.rows(f"UPDATE append_turn SET {forced} RETURNING 1")
