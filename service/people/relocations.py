"""
Marks of a league that moves to another cell, so that never two copies of it take commands.

The old cell marks the league as *packed* and copies it into a file. The new cell unpacks the file
and draws an arrival code for its copy. The old cell releases the league for one arrival code, for
ever. The release code that follows from both opens that one copy. Before its release, the old cell
may keep the league instead. The file is then worthless, because nothing can release its copies.

So a league is closed in both cells between the packing and the release, and a kill in between
leaves it closed. The append function reads the mark in the row that it locks anyway.

Every function works in the caller's transaction. For a dry run, roll it back.
"""

import hmac
from datetime import datetime
from typing import Final, Literal, NamedTuple, cast
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncConnection

from engine.league.roles import Role
from engine.values import identifier, number_of
from service.base.drivers import Connection, Driver
from service.base.errors import StreamNotFound
from service.log.keys import driver_of
from service.log.subscription import DOORS
from service.people import operator_log
from service.people.memberships import roles_of

Stage = Literal["packed", "released", "unpacked"]
"""Where a league stands between two cells: two stages of the old cell, one of the new."""

ARRIVAL: Final = "arr_"
RELEASE: Final = "rel_"
"""The beginnings of the two codes. Neither is a secret: they prevent mistakes, not malice."""

STAYS: Final = """
    NOT EXISTS (SELECT FROM append_turn moving
                 WHERE moving.league = {league} AND moving.relocation IS NOT NULL)
"""
"""
The condition that a league is not between two cells.

Nothing of a league that is between two cells is sent to anybody, because the other cell sends it.
"""

_LABEL: Final = b"holotable/relocation/1"
_DIGITS: Final = 32

_TURN = "SELECT suspended_at, relocation FROM append_turn WHERE league = $1 FOR UPDATE"
_STAGE = "SELECT relocation FROM append_turn WHERE league = $1"
_MARK = "UPDATE append_turn SET relocation = $2 WHERE league = $1"
_KNOWN = "SELECT number, secret, cell, arrival FROM league_relocation WHERE league = $1"
_KEEP = """
    INSERT INTO league_relocation (league, number, secret, cell, arrival, since)
    VALUES ($1, $2, $3, $4, $5, service_time())
    ON CONFLICT (league) DO UPDATE
       SET number = excluded.number, secret = excluded.secret, cell = excluded.cell,
           arrival = excluded.arrival, since = excluded.since
"""
_NAME = "UPDATE league_relocation SET arrival = $2 WHERE league = $1"
_RENAME = "UPDATE league_relocation SET cell = $2 WHERE league = $1"
_FORGET = "DELETE FROM league_relocation WHERE league = $1"
_QUARANTINED = "SELECT EXISTS (SELECT FROM quarantine WHERE league = $1)"
_HERE = """
    SELECT EXISTS (SELECT FROM events WHERE league = $1)
        OR EXISTS (SELECT FROM append_turn WHERE league = $1)
        OR EXISTS (SELECT FROM key WHERE league = $1)
"""
_ELSEWHERE = "SELECT league FROM append_turn WHERE relocation IN ('released', 'unpacked')"
_GIVEN_UP = "SELECT league FROM append_turn WHERE relocation = 'released'"
_CLOSED_TURN = """
    INSERT INTO append_turn (league, suspended_at, relocation, here_since, maintenance)
    VALUES ($1, $2, 'unpacked', $2, EXISTS (SELECT FROM maintenance))
"""


class RelocationRefused(Exception):
    """
    The reason why a league cannot be moved.

    Args:
        why: One sentence.
        step: What the operator can do.
    """

    def __init__(self, why: str, step: str) -> None:
        super().__init__(why)
        self.step = step


class Relocation(NamedTuple):
    """A league's way from one cell to another."""

    number: UUID
    secret: bytes
    """32 bytes, from which release codes follow. Both cells know them."""

    cell: str
    """The other cell, in the operator's words."""

    arrival: str | None
    """The code of the copy on the new cell. The old cell knows it from the release on."""


class Released(NamedTuple):
    """A league that was given up."""

    code: str
    """The release code."""

    before: bool
    """True if it had been released to the same copy already."""


class Turn(NamedTuple):
    """The row that a league's appends lock."""

    suspended_at: datetime | None
    stage: Stage | None


def arrival_code(league: UUID, secret: bytes, drawn: bytes) -> str:
    """
    Return the arrival code of a copy.

    Its second half follows from the first, so the old cell notices a code that was mistyped or is
    of another file. Otherwise it could give the league up to nobody.

    Args:
      drawn: 8 random bytes.
    """
    begins = ARRIVAL + drawn.hex()
    return begins + _mac(secret, league, begins)[: _DIGITS // 2]


def release_code(league: UUID, relocation: Relocation) -> str:
    """Return the code that opens the copy of *league* with the relocation's arrival code."""
    return RELEASE + _mac(relocation.secret, league, str(relocation.arrival))[:_DIGITS]


def _mac(secret: bytes, league: UUID, about: str) -> str:
    return hmac.digest(secret, _LABEL + league.bytes + about.encode(), "sha256").hex()


async def begin(
    connection: Connection, league: str, by: str, drawn: Relocation, reason: str
) -> Relocation:
    """
    Mark a suspended league as packed. From the commit on, nothing at all is appended to it.

    Args:
      drawn: The number and secret of a new relocation. A league that is packed already keeps its
        own, so that every file of it is equally good. Only the other cell's name is the new one.

    Raises:
      StreamNotFound: If there is no such league.
      RelocationRefused: If the league is not suspended, or something of it waits for an operator.
    """
    driver, number = await driver_of(connection), _number(league)
    turn = await _locked(driver, league)
    if turn.stage == "released":
        raise await _gone(driver, league)
    if turn.stage == "unpacked":
        step = f"run `holotable league restore {league} --release CODE` first"
        raise RelocationRefused(f"{league} has come here and waits for its release", step)
    if turn.suspended_at is None:
        step = f"run `holotable league suspend {league} --reason WHY` first"
        raise RelocationRefused(f"{league} still takes commands", step)
    if await driver.fetchval(_QUARANTINED, number):
        step = "run `holotable quarantine list`, and release it first"
        raise RelocationRefused(f"{league} is in quarantine", step)
    before = await known(driver, number)
    if turn.stage == "packed" and before is not None:
        if before.cell != drawn.cell:
            await driver.execute(_RENAME, number, drawn.cell)
            await operator_log.add(driver, [number], by, "league_packed", league, reason)
        return before._replace(cell=drawn.cell)
    await driver.execute(_KEEP, number, drawn.number, drawn.secret, drawn.cell, None)
    await driver.execute(_MARK, number, "packed")
    await operator_log.add(driver, [number], by, "league_packed", league, reason)
    return drawn


async def release(
    connection: Connection, league: str, arrival: str, by: str, reason: str
) -> Released:
    """
    Give a packed league up to the copy with this arrival code, for ever.

    The same code is returned again for the same copy, and never one for another copy.

    Raises:
      StreamNotFound: If there is no such league.
      RelocationRefused: If the league is not packed, the code is of no copy of it, or the league
        was released to another copy.
    """
    driver, number = await driver_of(connection), _number(league)
    turn, going = await _locked(driver, league), await known(driver, number)
    if going is None or turn.stage not in ("packed", "released"):
        step = f"run `holotable league pack {league} FILE` first"
        raise RelocationRefused(f"{league} is not packed", step)
    if turn.stage == "released" and going.arrival != arrival:
        raise await _gone(driver, league)
    if arrival != arrival_code(number, going.secret, _drawn_in(arrival)):
        step = "give the code that `holotable league unpack` printed for the last packed file"
        raise RelocationRefused(f"{arrival} is no arrival code of {league}", step)
    going = going._replace(arrival=arrival)
    if turn.stage == "packed":
        await driver.execute(_NAME, number, arrival)
        await driver.execute(_MARK, number, "released")
        said = f"to {going.cell}, {arrival}: {reason}"[: operator_log.REASON_MAX]
        await operator_log.add(driver, [number], by, "league_released", league, said)
    return Released(release_code(number, going), turn.stage == "released")


def _drawn_in(arrival: str) -> bytes:
    """Return the random half of an arrival code, or nothing if it has another form."""
    try:
        return bytes.fromhex(arrival.removeprefix(ARRIVAL)[: _DIGITS // 2])
    except ValueError:
        return b""


async def arrive(
    driver: Driver, league: UUID, coming: Relocation, suspended_at: datetime, by: str, reason: str
) -> None:
    """Close the copy of a league that a file brings here, until its release code comes."""
    await driver.execute(_CLOSED_TURN, league, suspended_at)
    await driver.execute(
        _KEEP, league, coming.number, coming.secret, coming.cell, str(coming.arrival)
    )
    name = identifier("lge", league)
    await operator_log.add(driver, [league], by, "league_unpacked", name, reason)
    await driver.execute("SELECT pg_notify($1, 'league')", DOORS)


async def is_here(driver: Driver, league: UUID) -> bool:
    """Return whether this cell has anything of a league, also of one that it gave up."""
    return bool(await driver.fetchval(_HERE, league))


async def stage_of(driver: Driver, league: UUID) -> Stage | None:
    """Return the stage of a league between two cells, or None if it is in one."""
    found: Stage | None = await driver.fetchval(_STAGE, league)
    return found


async def elsewhere(connection: Connection) -> frozenset[str]:
    """
    Return the leagues whose copy here does not count, because the other cell has the living one.

    They were given up, or wait for their release. What such a copy says of its people stays as it
    is, and nobody can change it here.
    """
    rows = await (await driver_of(connection)).fetch(_ELSEWHERE)
    return frozenset(identifier("lge", league) for (league,) in rows)


async def given_up(connection: Connection) -> frozenset[str]:
    """Return the leagues that this cell released for ever. One that arrives is not among them."""
    rows = await (await driver_of(connection)).fetch(_GIVEN_UP)
    return frozenset(identifier("lge", league) for (league,) in rows)


async def roles_here(connection: AsyncConnection, player: str) -> dict[str, Role]:
    """
    Return *player*'s roles here, without leagues that moved to another cell.

    A copy that was left behind by a move shows its roles for ever, so it cannot count.
    """
    gone = await elsewhere(connection)
    roles = await roles_of(connection, player)
    return {league: role for league, role in roles.items() if league not in gone}


async def known(driver: Driver, league: UUID) -> Relocation | None:
    """Return the last relocation of a league from or to this cell."""
    row = await driver.fetchrow(_KNOWN, league)
    return None if row is None else Relocation(*row)


async def end(connection: Connection, league: str, code: str | None, by: str, reason: str) -> None:
    """
    End a league's stay between two cells, if it is there, so that it may be restored.

    A packed league that is not released stays in this cell: its file is worthless from then on.
    A league that has come here needs its release code.

    Raises:
      StreamNotFound: If there is no such league.
      RelocationRefused: If the code is missing or wrong, or the league was released.
    """
    driver, number = await driver_of(connection), _number(league)
    turn, relocation = await _locked(driver, league), await known(driver, number)
    if turn.stage == "released":
        raise await _gone(driver, league)
    if turn.stage is None or relocation is None:
        return
    if turn.stage == "unpacked" and (
        code is None or not hmac.compare_digest(code, release_code(number, relocation))
    ):
        step = f"run `holotable league release {league} {relocation.arrival} --reason WHY` on the "
        step += "old cell, and give the code that it prints: --release CODE"
        said = "needs its release code" if code is None else "has another release code"
        raise RelocationRefused(f"{league} {said}: its other copy may still be kept", step)
    await driver.execute(_MARK, number, None)
    if turn.stage == "packed":
        await driver.execute(_FORGET, number)
        await operator_log.add(driver, [number], by, "league_kept", league, reason)


async def _locked(driver: Driver, league: str) -> Turn:
    """Lock the league's row until the transaction ends, and return it."""
    row = await driver.fetchrow(_TURN, _number(league))
    if row is None:
        raise StreamNotFound(f"there is no league {league}")
    return Turn(row["suspended_at"], cast("Stage | None", row["relocation"]))


async def _gone(driver: Driver, league: str) -> RelocationRefused:
    gone = await known(driver, _number(league))
    cell, arrival = ("another cell", "-") if gone is None else (gone.cell, gone.arrival)
    return RelocationRefused(
        f"{league} lives in another cell: it was released to {cell}, as {arrival}",
        "work on it there; its copy here stays closed for ever",
    )


def _number(league: str) -> UUID:
    try:
        number = number_of(league)
    except ValueError:
        number = None
    if number is None or identifier("lge", number) != league:
        raise StreamNotFound(f"there is no league {league}")
    return number
