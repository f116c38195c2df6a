"""
Unpacking a league in its new cell, in one transaction: all of it is there and checked, or nothing.

The events go straight into the log. All other rows go into temporary relations first, where they
get this cell's keys and numbers. The league stays closed until its release code comes.
"""

from collections.abc import AsyncIterator, Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple, TypeVar
from uuid import UUID

import asyncpg

from engine.values import number_of
from service.backups.checking import faults_of
from service.backups.manifest import League
from service.base import migrations
from service.base.settings import Settings
from service.log.keys import Keys
from service.log.store import CHANNEL
from service.notices import browsers
from service.people import emails, relocations
from service.people.relocations import Relocation, RelocationRefused, arrival_code
from service.people.sealed_addresses import AddressKeys
from service.relocating import accounts
from service.relocating.accounts import Met
from service.relocating.contents import End, Header, Message, Part, Rows, Secrets, decode
from service.relocating.relations import COPIED, columns_of
from service.relocating.sealed_file import messages
from service.transparency import ledger

_EMPTY: Final = "CREATE TEMPORARY TABLE moved_{0} ON COMMIT DROP AS TABLE public.{0} WITH NO DATA"
_STREAMS: Final = """
    SELECT mine.stream FROM events mine
      JOIN events other ON other.stream = mine.stream AND other.stream_version = 1
     WHERE mine.league = $1 AND mine.stream_version = 1 AND other.league <> $1 LIMIT 1
"""
_COUNT: Final = "SELECT count(*) FROM events WHERE league = $1"
_KEY: Final = "INSERT INTO key (league, key_id, wrapped) VALUES ($1, $2, $3)"
_MAIL: Final = """
    UPDATE moved_account_email SET address = $2, digest = $3, wanted = $4 WHERE account = $1
"""
_BROWSER: Final = "UPDATE moved_push_subscription SET target = $2, digest = $3 WHERE id = $1"
_FORGET_BROWSERS: Final = """
    UPDATE moved_notice SET target = NULL
     WHERE target NOT IN (SELECT id FROM moved_push_subscription)
"""
_END_LEASES: Final = """
    UPDATE moved_job SET state = 'ready', lease_until = NULL, claim = claim + 1
     WHERE state = 'sent'
"""
_NAME_OUTAGES: Final = """
    UPDATE moved_outage SET process = process || ' before ' || $1 WHERE league IS NULL
"""
_OWN_OUTAGES: Final = "UPDATE moved_outage SET league = $1"
_SIGN: Final = """
    INSERT INTO job (occurrence, task, args, due_at)
    VALUES ('sign:' || $1, 'league.sign_head', json_build_object('league', $1::text),
            service_time())
    ON CONFLICT (occurrence) DO UPDATE
       SET state = 'ready', due_at = excluded.due_at, attempts = 0, lease_until = NULL
"""

_Kind = TypeVar("_Kind", bound=Message)


class Unpacked(NamedTuple):
    """The contents of a file that was unpacked."""

    league: str
    events: int
    arrival: str
    """The code by which the old cell releases the league to this copy."""

    before: bool
    """True if this file had been unpacked here already. Nothing was changed."""

    rows: dict[str, int]
    accounts: Met


async def unpack(
    connection: asyncpg.Connection,
    settings: Settings,
    file: Path,
    passphrase: str,
    chosen: Mapping[str, str],
    *,
    by: str,
    drawn: bytes,
) -> Unpacked:
    """
    Write a packed league into this cell, in the caller's transaction, and check it.

    Args:
        connection: With the login of ``holotable_migrate``.
        chosen: The operator's choices for accounts, see :func:`accounts.meet`.
        drawn: 8 random bytes for the arrival code.

    Raises:
        RelocationRefused: If the file or this cell does not fit, or a hash does not hold.
    """
    reader = _Reader(messages(file, passphrase), file)
    header = reader.one(Header)
    league = number_of(header.league)
    if await relocations.is_here(connection, league):
        return await _again(connection, header, league)
    _check_schema(header)
    secrets, rows = await _read(connection, reader)
    counted = await connection.fetchval(_COUNT, league)
    if not counted == rows["events"] == header.events:
        raise RelocationRefused(f"{file} does not hold what it names", "pack the league again")
    met = await accounts.meet(connection, chosen)
    await _seal(connection, settings, league, secrets)
    await _insert(connection, header.league, league)
    await _check(connection, header)
    code = arrival_code(league, header.secret, drawn)
    await _close(connection, header, code, by)
    await accounts.record(connection, met, by)
    return Unpacked(header.league, header.events, code, False, rows, met)


async def _read(
    connection: asyncpg.Connection, reader: "_Reader"
) -> tuple[Secrets, dict[str, int]]:
    """Read all rows, and return the secrets and the number of rows of each relation."""
    rows = {"events": await _rows(connection, reader, "events", "events")}
    for name in COPIED:
        if name != "events":
            await connection.execute(_EMPTY.format(name))
            rows[name] = await _rows(connection, reader, name, f"moved_{name}")
    secrets = reader.one(Secrets)
    reader.end(rows)
    return secrets, rows


async def _close(connection: asyncpg.Connection, header: Header, code: str, by: str) -> None:
    """Close the copy until its release code comes, and let the projector know of it."""
    league = number_of(header.league)
    coming = Relocation(header.number, header.secret, "the cell that packed it", code)
    said = f"{header.events} events, packed at {header.packed_at:%Y-%m-%dT%H:%M:%SZ}"
    await relocations.arrive(connection, league, coming, header.suspended_at, by, said)
    if header.signed:
        await connection.execute(_SIGN, header.league)
    news = f"{league.hex}:{header.events - 1}"
    await connection.execute("SELECT pg_notify($1, $2)", CHANNEL, news)


class _Reader:
    """Reads the messages of a file in the one order that they may have."""

    def __init__(self, sealed: Iterator[bytes], file: Path) -> None:
        self._sealed, self._file = sealed, file
        self._next: Message | None = None
        self._step()

    def _step(self) -> None:
        sealed = next(self._sealed, None)
        self._next = None if sealed is None else decode(sealed)

    def one(self, kind: type[_Kind]) -> _Kind:
        """Return the next message, which must be of this kind."""
        found = self._next
        if not isinstance(found, kind):
            raise RelocationRefused(f"{self._file} is cut off", "pack the league again")
        self._step()
        return found

    async def parts(self) -> AsyncIterator[bytes]:
        """Yield the bytes up to the next message of another kind."""
        while isinstance(self._next, Part):
            yield self.one(Part).data

    def end(self, rows: dict[str, int]) -> None:
        """Read the last message, which must name the *rows* that were read."""
        if self.one(End).rows != rows or self._next is not None:
            raise RelocationRefused(f"{self._file} has another end", "pack the league again")


async def _again(connection: asyncpg.Connection, header: Header, league: UUID) -> Unpacked:
    """Return the arrival code once more, for the same file in the same cell."""
    before = await relocations.known(connection, league)
    stage = await relocations.stage_of(connection, league)
    if before is None or before.number != header.number or before.arrival is None:
        raise RelocationRefused(
            f"{header.league} is in this cell already", "unpack it in a cell that has never had it"
        )
    if stage == "released":
        raise RelocationRefused(
            f"{header.league} was packed in this cell", "unpack the file in another cell"
        )
    return Unpacked(header.league, header.events, before.arrival, True, {}, Met(0, ()))


def _check_schema(header: Header) -> None:
    here = migrations.newest()
    if header.schema != here:
        raise RelocationRefused(
            f"the league is of schema {header.schema}, and this program is of {here}",
            "upgrade both cells to the same version, and pack the league again",
        )


async def _rows(connection: asyncpg.Connection, reader: _Reader, name: str, target: str) -> int:
    rows = reader.one(Rows)
    if rows.relation != name:
        raise RelocationRefused(f"the file holds {rows.relation}, not {name}", "pack it again")
    done = await connection.copy_to_table(
        target, source=reader.parts(), columns=rows.columns, format="binary"
    )
    return int(str(done).removeprefix("COPY "))


async def _seal(
    connection: asyncpg.Connection, settings: Settings, league: UUID, secrets: Secrets
) -> None:
    """Give this cell's keys to everything that a key of the old cell's settings had sealed."""
    keys, addresses = Keys(*settings.secret_keys), AddressKeys(*settings.secret_keys)
    wrapped = keys.wrap(league, secrets.key_id, secrets.key)
    await connection.execute(_KEY, league, secrets.key_id, wrapped)
    for person, its in secrets.addresses.items():
        number = UUID(hex=person)
        boxes = {
            column: addresses.close(emails.RELATION, number, text) for column, text in its.items()
        }
        digest = addresses.digests(its["address"])[0] if "address" in its else None
        box = boxes.get("address")
        await connection.execute(_MAIL, number, box, digest, boxes.get("wanted"))
    for browser, target in secrets.browsers.items():
        number = UUID(hex=browser)
        box = addresses.close(browsers.RELATION, number, target)
        digest = addresses.digests(browsers.endpoint_in(addresses, number, box))[0]
        await connection.execute(_BROWSER, number, box, digest)


async def _insert(connection: asyncpg.Connection, name: str, league: UUID) -> None:
    """Insert all rows but the events, which are in the log already."""
    await connection.execute(_FORGET_BROWSERS)
    await connection.execute(_END_LEASES)
    await connection.execute(_NAME_OUTAGES, name)
    await connection.execute(_OWN_OUTAGES, league)
    for relation, answer in COPIED.items():
        if relation == "events":
            continue
        columns = ", ".join(f'"{each}"' for each in await columns_of(connection, relation))
        known = "ON CONFLICT DO NOTHING" if answer.known else ""
        try:
            await connection.execute(
                f"INSERT INTO public.{relation} ({columns})"  # noqa: S608
                f" SELECT {columns} FROM moved_{relation} ORDER BY ctid {known}"
            )
        except asyncpg.IntegrityConstraintViolationError as error:
            raise RelocationRefused(
                f"something of the league is in this cell already: {error.constraint_name}",
                "unpack it in another cell",
            ) from error


async def _check(connection: asyncpg.Connection, header: Header) -> None:
    """Hash every event again, and compare chains, tree and signed heads with the old cell's."""
    end = League(
        events=header.events,
        root=header.root,
        epoch=header.epoch,
        signed=header.signed,
        head=header.head,
    )
    if found := await faults_of(connection, header.league, end):
        said = "; ".join(each.said for each in found[:5])
        raise RelocationRefused(f"the log does not hold: {said}", "audit it in the old cell")
    await ledger.grow(connection, number_of(header.league), header.events)
    if (stream := await connection.fetchval(_STREAMS, number_of(header.league))) is not None:
        step = "this league cannot come to this cell"
        raise RelocationRefused(f"another league here has {stream}", step)
