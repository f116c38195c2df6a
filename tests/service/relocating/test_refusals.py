"""Two copies of a league never live: every order of commands, mistakes and kills."""

import asyncio
import signal
from pathlib import Path
from uuid import UUID

import asyncpg
import psycopg
import pytest

from engine.values import number_of
from service.audit.run.league import audit_league
from service.base.database import async_engine
from service.base.errors import CheckpointRefused
from service.base.settings import environment
from service.log.keys import Keys
from service.relocating.contents import End, Part, Rows, decode, encode
from service.relocating.sealed_file import SealedWriter, messages
from service.transparency.memory import memory_faults
from service.transparency.signing import asking
from tests.service.cli.test_cuts import locked, until_alone, until_waiting
from tests.service.cli.test_dry_runs import contents
from tests.service.league_night import Night, named, played
from tests.service.relocating.cells import WHY, Cell, code, moved
from tests.service.relocating.test_moving import sign
from tests.support.commands import begun

NAMED = "INSERT INTO account (id, login, name, created_at) VALUES (%s, %s, 'Han', %s) RETURNING 1"
FOUNDED = "2026-01-01T00:00:00Z"


@pytest.fixture
def night(old: Cell) -> Night:
    """A league in play. Its players have accounts, which programs made."""
    made = asyncio.run(played(old.database, steps_max=12))
    for index, player in enumerate(made.players):
        old.rows(NAMED, number_of(player), f"player{index}", FOUNDED)
    return made


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "league.packed"


def stage(cell: Cell, league: str) -> tuple[str | None, bool]:
    """Return where the league stands, and whether it is suspended."""
    query = "SELECT relocation, suspended_at IS NOT NULL FROM append_turn WHERE league = %s"
    [found] = cell.rows(query, number_of(league)) or [("absent", True)]
    return found[0], found[1]


def open_copies(cells: tuple[Cell, ...], league: str) -> int:
    return sum(stage(each, league) == (None, False) for each in cells)


def test_a_league_is_suspended_first_and_then_packed_and_a_dry_run_does_neither(
    old: Cell, night: Night, file: Path
) -> None:
    asked = old.packing(night.league, file)
    assert "still takes commands" in old.refused(*asked)
    old.done("league", "suspend", night.league, *WHY)
    before = contents(old.database)
    assert "dry run" in old.done(*asked, "--dry-run")
    assert (contents(old.database), file.exists()) == (before, False)
    old.done(*asked)
    assert stage(old, night.league) == ("packed", True)
    assert file.stat().st_mode & 0o777 == 0o600
    assert "exists already" in old.refused(*asked)
    assert b"hand_opened" not in file.read_bytes()  # a short word may be there by chance
    again = list(old.packing(night.league, file.with_name("again")))
    again[again.index("cell 2")] = "cell 3"
    old.done(*again)
    assert old.rows("SELECT cell FROM league_relocation") == [("cell 3",)]


def test_no_command_opens_a_copy_without_the_code_of_the_other_cell(
    old: Cell, new: Cell, night: Night, file: Path
) -> None:
    old.suspended_and_packed(night.league, file)
    arrival = code("arr_", new.done(*new.unpacking(file)))
    for more in ((), ("--release", "rel_" + "0" * 32), ("--release", arrival)):
        said = new.refused("league", "restore", night.league, *more, *WHY)
        assert f"league release {night.league} {arrival}" in said
    with pytest.raises(psycopg.errors.CheckViolation):
        new.rows("UPDATE append_turn SET suspended_at = NULL RETURNING 1")
    assert stage(new, night.league) == ("unpacked", True)
    opening = ("epoch", "open", night.league, "--operator", "Lobot", "--reason", "a drill")
    for cell, its, step in ((old, "packed", "worthless"), (new, "unpacked", "--release CODE")):
        assert f"{night.league} is {its}" in cell.refused(*opening)
        said = " ".join(cell.told("doctor").stdout.split())
        assert f"{night.league} is {its}, and closed" in said and step in said
    assert "already, from this file" in new.done(*new.unpacking(file))
    assert arrival in new.done(*new.unpacking(file)), "the code is shown again"
    assert "waits for its release" in new.refused(*new.packing(night.league, file.with_name("b")))


def test_a_league_that_stays_makes_every_file_of_it_worthless(
    old: Cell, new: Cell, night: Night, file: Path
) -> None:
    old.suspended_and_packed(night.league, file)
    arrival = code("arr_", new.done(*new.unpacking(file)))
    old.done("league", "restore", night.league, *WHY)
    assert stage(old, night.league) == (None, False)
    assert "is not packed" in old.refused("league", "release", night.league, arrival, *WHY)
    assert stage(new, night.league) == ("unpacked", True)
    again = file.with_name("again")
    old.suspended_and_packed(night.league, again)
    said = old.refused("league", "release", night.league, arrival, *WHY)
    assert "is no arrival code of" in said, "the copy is of the first file"
    assert "is in this cell already" in new.refused(*new.unpacking(again))
    assert open_copies((old, new), night.league) == 0


def test_of_two_copies_of_one_file_only_one_is_ever_released(
    old: Cell, new: Cell, night: Night, file: Path, tmp_path: Path, cluster
) -> None:
    old.suspended_and_packed(night.league, file)
    with cluster.fresh() as database:
        third = Cell(database, "8d" * 32, None, tmp_path / "old")
        first = code("arr_", new.done(*new.unpacking(file)))
        second = code("arr_", third.done(*third.unpacking(file)))
        assert first != second
        release = code("rel_", old.done("league", "release", night.league, first, *WHY))
        assert release in old.done("league", "release", night.league, first, *WHY), "shown again"
        said = old.refused("league", "release", night.league, second, *WHY)
        assert f"released to cell 2, as {first}" in said
        third.refused("league", "restore", night.league, "--release", release, *WHY)
        new.done("league", "restore", night.league, "--release", release, *WHY)
        assert open_copies((old, new, third), night.league) == 1
    assert "lives in another cell" in old.refused(*old.packing(night.league, file.with_name("b")))
    assert "in this cell already" in old.told(*old.unpacking(file)).stderr or "packed in this" in (
        old.told(*old.unpacking(file)).stderr
    )


def test_the_signer_knows_a_league_that_an_older_backup_of_the_old_cell_brings_back(
    old: Cell, new: Cell, night: Night, file: Path
) -> None:
    async def faults() -> list[str]:
        connection = await asyncpg.connect(old.database.url("holotable_worker"))
        try:
            async with asking(old.settings("holotable_worker")) as signer:
                assert signer is not None
                return (await memory_faults(connection, signer))[1]
        finally:
            await connection.close()

    async def audited() -> dict[str, list[str]]:
        engine = async_engine(old.database.url("holotable_audit"), 2)
        settings = old.settings("holotable_audit")
        try:
            async with engine.connect() as audits, asking(settings) as signer:
                keys = Keys(old.secret_key)
                report = await audit_league(audits, keys, night.league, signer=signer)
                return {check.name: [each.what for each in check.faults] for check in report.checks}
        finally:
            await engine.dispose()

    old.suspended_and_packed(night.league, file)
    moved(old, new, night.league, file)
    assert asyncio.run(faults()) == []
    assert not any(asyncio.run(audited()).values())
    with psycopg.connect(old.database.url("postgres")) as connection:
        connection.execute("ALTER TABLE append_turn DISABLE TRIGGER ALL")
        connection.execute("UPDATE append_turn SET relocation = NULL, suspended_at = NULL")
    with pytest.raises(CheckpointRefused, match="later epoch"):
        asyncio.run(sign(old, night.league))
    [fault] = asyncio.run(faults())
    assert fault.startswith(f"{night.league}: it was released to another cell")
    [fault] = asyncio.run(audited())["tree"]
    assert "the league was released to another cell" in fault


def test_a_file_with_another_passphrase_a_changed_bit_or_a_missing_end_writes_nothing(
    old: Cell, new: Cell, night: Night, file: Path
) -> None:
    old.suspended_and_packed(night.league, file)
    empty, whole = contents(new.database), file.read_bytes()
    new.passphrase.write_text("another\n")
    assert "does not open with this passphrase" in new.refused(*new.unpacking(file))
    new.passphrase.write_text(old.passphrase.read_text())
    damaged = bytearray(whole)
    damaged[-9] ^= 1
    last = whole[: -(4 + int.from_bytes(b"", "big"))]
    for content, said in (
        (bytes(damaged), "is damaged"),
        (last, "is cut off or damaged"),
        (whole + b"\0", "is cut off or damaged"),
        (b"PK" + whole, "is no packed league"),
    ):
        file.write_bytes(content)
        assert said in new.refused(*new.unpacking(file))
    file.write_bytes(_without_last(whole))
    assert "is cut off" in new.refused(*new.unpacking(file))
    assert contents(new.database) == empty


def _without_last(whole: bytes) -> bytes:
    """Leave out the last message of a file, and nothing else."""
    at = len(b"holotable/league/1") + 24
    places = []
    while at < len(whole):
        places.append(at)
        at += 4 + int.from_bytes(whole[at : at + 4], "big")
    return whole[: places[-1]]


def test_events_of_another_league_in_a_file_are_not_taken(
    old: Cell, new: Cell, night: Night, file: Path
) -> None:
    old.suspended_and_packed(night.league, file)
    empty, passphrase = contents(new.database), old.passphrase.read_text().strip()
    said = [decode(each) for each in messages(file, passphrase)]
    with file.open("wb") as forged:
        sealed = SealedWriter(forged, passphrase)
        for before, each in zip([None, *said], said, strict=False):
            if isinstance(before, Rows) and before.relation == "events":
                assert isinstance(each, Part)
                sealed.write(encode(Part(data=_with_a_stranger(each.data, night.league))))
            elif isinstance(each, End):
                sealed.write(encode(End(rows=each.rows | {"events": each.rows["events"] + 1})))
            else:
                sealed.write(encode(each))
    assert "does not hold what it names" in new.refused(*new.unpacking(file))
    assert contents(new.database) == empty


def _with_a_stranger(rows: bytes, league: str) -> bytes:
    """Put a copy of the first row before it, in PostgreSQL's binary format, of another league."""
    begins = 19
    at, columns = begins + 2, int.from_bytes(rows[begins : begins + 2], "big")
    first = rows[begins:at]
    for _ in range(columns):
        length = int.from_bytes(rows[at : at + 4], "big", signed=True)
        value = rows[at + 4 : at + 4 + max(length, 0)]
        if length == len(UUID(int=0).bytes) and value != number_of(league).bytes:
            value = UUID(int=9).bytes  # the event's identifier
        value = value.replace(number_of(league).bytes, UUID(int=8).bytes)
        first += rows[at : at + 4] + value
        at += 4 + max(length, 0)
    return rows[:begins] + first + rows[begins:]


def test_another_schema_is_refused(old: Cell, new: Cell, night: Night, file: Path) -> None:
    old.done("league", "suspend", night.league, *WHY)
    old.rows("UPDATE alembic_version SET version_num = '0009' RETURNING 1")
    old.done(*old.packing(night.league, file))
    old.rows("UPDATE alembic_version SET version_num = %s RETURNING 1", _newest(new))
    assert "the league is of schema 0009" in new.refused(*new.unpacking(file))


def _newest(cell: Cell) -> str:
    return str(cell.rows("SELECT version_num FROM alembic_version")[0][0])


def test_a_log_that_was_changed_in_the_old_cell_is_not_taken(
    old: Cell, new: Cell, night: Night, file: Path
) -> None:
    with psycopg.connect(old.database.url("postgres")) as connection:
        connection.execute("ALTER TABLE events DISABLE TRIGGER ALL")
        connection.execute("UPDATE events SET at = at + interval '1 us' WHERE position = 7")
        connection.execute("ALTER TABLE events ENABLE ALWAYS TRIGGER events_are_append_only")
    old.suspended_and_packed(night.league, file)
    empty = contents(new.database)
    assert "the log does not hold: position 7" in new.refused(*new.unpacking(file))
    assert contents(new.database) == empty


def test_logins_that_are_taken_are_never_merged_by_a_guess(
    old: Cell, new: Cell, night: Night, file: Path
) -> None:
    new.rows(NAMED, number_of(named("plr", "somebody else")), "player0", FOUNDED)
    old.suspended_and_packed(night.league, file)
    assert "the login player0 is taken here" in new.refused(*new.unpacking(file))
    other = ("--account", "player0=player1")
    assert "two accounts would be called player1" in new.refused(*new.unpacking(file, *other))
    unknown = ("--account", "lando=lando2")
    assert "the file has no account lando" in new.refused(*new.unpacking(file, *unknown))
    chosen = ("--account", "player0=player9")
    before = contents(new.database)
    assert "player0 becomes player9 here" in new.done(*new.unpacking(file, *chosen, "--dry-run"))
    assert contents(new.database) == before
    moved(old, new, night.league, file, *chosen)
    query = "SELECT login FROM account WHERE id = %s"
    assert new.rows(query, number_of(night.players[0])) == [("player9",)]
    kinds = new.rows("SELECT kind, reason FROM operator_deed WHERE kind = 'account_mapped'")
    assert kinds == [("account_mapped", "player0 becomes player9 here")]


def test_an_account_that_is_here_already_is_kept_only_if_it_is_the_same_and_is_named(
    old: Cell, new: Cell, night: Night, file: Path
) -> None:
    new.rows(NAMED, number_of(night.players[0]), "elsewhere", FOUNDED)
    old.suspended_and_packed(night.league, file)
    assert "player0 is here already, as elsewhere" in new.refused(*new.unpacking(file))
    same = ("--account", "player0=elsewhere")
    new.rows("UPDATE account SET created_at = created_at + interval '1 us' RETURNING 1")
    assert "is here already, and is another account" in new.refused(*new.unpacking(file, *same))
    new.rows("UPDATE account SET created_at = created_at - interval '1 us' RETURNING 1")
    moved(old, new, night.league, file, *same)
    query = "SELECT login FROM account WHERE id = %s"
    assert new.rows(query, number_of(night.players[0])) == [("elsewhere",)]


def test_a_kill_while_unpacking_leaves_nothing_and_the_same_command_does_it(
    old: Cell, new: Cell, night: Night, file: Path
) -> None:
    """It is killed at its first relation, in the middle, and at its very last statement."""
    old.suspended_and_packed(night.league, file)
    empty = contents(new.database)
    told = environment(new.settings("holotable_migrate"))
    for relation in ("events", "refused_command", "outage", "operator_deed"):
        with locked(new.database, relation), begun(new.unpacking(file), told) as command:
            until_waiting(new.database)
            command.kill()
            assert command.end().returncode == -signal.SIGKILL
        until_alone(new.database)
        assert contents(new.database) == empty, relation
    moved(old, new, night.league, file)
    assert open_copies((old, new), night.league) == 1


def test_a_kill_while_packing_leaves_a_closed_league_and_no_file(
    old: Cell, new: Cell, night: Night, file: Path
) -> None:
    old.done("league", "suspend", night.league, *WHY)
    told = environment(old.settings("holotable_migrate"))
    for relation, left in (("append_turn", None), ("webhook_delivery", "packed")):
        with locked(old.database, relation), begun(old.packing(night.league, file), told) as it:
            until_waiting(old.database)
            it.kill()
            it.end()
        until_alone(old.database)
        assert (stage(old, night.league), file.exists()) == ((left, True), False)
    old.done(*old.packing(night.league, file))
    assert not list(file.parent.glob("*.part"))
    moved(old, new, night.league, file)


def test_a_kill_at_the_release_and_at_the_opening_is_repeated(
    old: Cell, new: Cell, night: Night, file: Path
) -> None:
    old.suspended_and_packed(night.league, file)
    arrival = code("arr_", new.done(*new.unpacking(file)))
    asked = ("league", "release", night.league, arrival, *WHY)
    assert "rel_" not in old.done(*asked, "--dry-run")
    _killed(old, asked)
    assert stage(old, night.league) == ("packed", True)
    release = code("rel_", old.done(*asked))
    opened = ("league", "restore", night.league, "--release", release, *WHY)
    _killed(new, opened)
    assert stage(new, night.league) == ("unpacked", True)
    new.done(*opened)
    assert open_copies((old, new), night.league) == 1


def _killed(cell: Cell, asked: tuple[str, ...]) -> None:
    """Kill a command at the entry that it writes into the operators' log."""
    told = environment(cell.settings("holotable_migrate"))
    with locked(cell.database, "operator_deed"), begun(asked, told) as command:
        until_waiting(cell.database)
        command.kill()
        command.end()
    until_alone(cell.database)
