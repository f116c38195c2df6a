"""
Packing a league into a file, so that another cell can unpack it.

First the league is marked, and from then on nothing is appended to it and nothing of it is sent.
Then transactions that began before the mark end. Then one snapshot is copied. A run that was killed
in between is repeated: every file of one mark holds the same log.
"""

import asyncio
from collections.abc import Callable, Coroutine
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple
from uuid import UUID

import asyncpg
import httpx

from engine.values import number_of
from service.backups.taking import end_of
from service.base import drafts
from service.base.addresses import asyncpg_dsn
from service.base.drivers import Driver
from service.base.settings import Settings
from service.log.keys import Keys
from service.log.read import last_position
from service.notices import browsers
from service.people import emails
from service.people.relocations import Relocation, RelocationRefused
from service.people.sealed_addresses import AddressKeys
from service.relocating import people
from service.relocating.contents import CHUNK, End, Header, Part, Rows, Secrets, encode
from service.relocating.people import PlayersSeen
from service.relocating.relations import COPIED, Copied, columns_of
from service.relocating.sealed_file import SealedWriter
from service.transparency import ledger
from service.transparency.signing import SignerAway, asking, sign_head

# Waits for the transactions that write there, and holds up later ones only for a moment. One at a
# time, so that nobody waits for a relation while this command holds another.
_WAIT = "LOCK TABLE {} IN SHARE MODE"
_WRITTEN = (
    "notice", "notice_occasion", "webhook_delivery", "job", "text", "account", "token",
    "calendar_key", "webhook", "entered_player", "screen_key", "confidential_claim",
)  # fmt: skip
_PATIENCE_SECONDS = 20
_PATIENCE = f"SET LOCAL lock_timeout = '{_PATIENCE_SECONDS}s'"
_PAUSE = "SELECT pg_sleep(0.05)"
# Each transaction holds a lock on its own virtual number until it ends.
_UNDERWAY = """
    SELECT virtualxid FROM pg_locks JOIN pg_stat_activity USING (pid)
     WHERE locktype = 'virtualxid' AND mode = 'ExclusiveLock' AND datname = current_database()
       AND usename IN ('holotable_api', 'holotable_worker')
"""
_KEY = "SELECT key_id, wrapped FROM key WHERE league = $1"
_STANDS = """
    SELECT t.suspended_at, r.since, transaction_timestamp() AS now
      FROM append_turn t JOIN league_relocation r ON r.league = t.league
     WHERE t.league = $1 AND t.relocation = 'packed' AND r.number = $2
"""
_PEOPLE = "SELECT count(*) FROM going_person"
_SHARED = "SELECT count(*) FROM going_person WHERE shared"
_TOKENS = "SELECT count(*) FROM going_token"

Write = Callable[[object], None]


class Packed(NamedTuple):
    """The contents of a file that was packed."""

    events: int
    rows: dict[str, int]
    people: int
    shared: int
    """The accounts that another league of the old cell knows too."""

    tokens: int
    size: int
    """The size of the file in bytes."""


async def pack(
    settings: Settings, league: str, relocation: Relocation, target: Path, passphrase: str
) -> Packed:
    """
    Write a league that is marked as packed into the new file *target*.

    Args:
        settings: With the login of ``holotable_migrate``. With a signer, a head of the whole log is
            signed first.

    Raises:
        RelocationRefused: If the league is not marked any more, its last head is missing, or
            another transaction does not end.
        FileExistsError: If *target* exists.
    """
    connection = await asyncpg.connect(asyncpg_dsn(settings.database_url))
    try:
        with drafts.new_file(target) as draft, draft.open("wb") as file:
            await _sign(connection, settings, number_of(league))
            await _wait_for_others(connection)
            for relation in _WRITTEN:
                await _wait(connection, relation)
            sealed = SealedWriter(file, passphrase)
            async with connection.transaction(isolation="repeatable_read"):
                found = await _copy(
                    connection,
                    settings,
                    league,
                    relocation,
                    lambda said: sealed.write(encode(said)),
                )
            return found._replace(size=sealed.size)
    finally:
        await connection.close()


async def _wait_for_others(connection: asyncpg.Connection) -> None:
    """
    Wait until every transaction of the service has ended that may have found the league open.

    It may have looked before the suspension and not have written yet. No lock shows that.
    """
    before = {each for (each,) in await connection.fetch(_UNDERWAY)}
    try:
        async with asyncio.timeout(_PATIENCE_SECONDS):
            while before.intersection(each for (each,) in await connection.fetch(_UNDERWAY)):
                await connection.execute(_PAUSE)
    except TimeoutError as error:
        why = f"a transaction of the service has been open for {_PATIENCE_SECONDS} seconds"
        raise RelocationRefused(why, "run the command again when it has ended") from error


async def _wait(connection: asyncpg.Connection, relation: str) -> None:
    """Wait until every transaction that has begun to write in a relation has ended."""
    try:
        async with connection.transaction():
            await connection.execute(_PATIENCE)
            await connection.execute(_WAIT.format(relation))
    except asyncpg.LockNotAvailableError as error:
        why = f"something has been writing in {relation} for 20 seconds"
        raise RelocationRefused(why, "run the command again when it has ended") from error


async def _sign(connection: Driver, settings: Settings, league: UUID) -> None:
    """Have the old cell's signer sign the whole log, if there is a signer."""
    try:
        async with asking(settings) as signer:
            if signer is not None:
                await sign_head(connection, signer, league)
    except (SignerAway, httpx.HTTPError) as error:
        step = "start the signer, and run the command again"
        raise RelocationRefused(f"the signer does not answer: {error}", step) from error


async def _copy(
    connection: asyncpg.Connection,
    settings: Settings,
    league: str,
    relocation: Relocation,
    write: Write,
) -> Packed:
    """Write everything of a league, as one snapshot shows it."""
    number = number_of(league)
    await people.begin(connection, number, league)
    write(await _header(connection, league, relocation))
    seen, rows = PlayersSeen(), {}
    rows["events"] = await _relation(connection, "events", COPIED["events"], write, seen.look)
    await people.find(connection, seen)
    for name, answer in COPIED.items():
        if name != "events":
            rows[name] = await _relation(connection, name, answer, write)
    write(await _secrets(connection, settings, number))
    write(End(rows=rows))
    people_named = await connection.fetchval(_PEOPLE)
    shared = await connection.fetchval(_SHARED)
    tokens = await connection.fetchval(_TOKENS)
    return Packed(rows["events"], rows, people_named, shared, tokens, size=0)


async def _header(connection: asyncpg.Connection, league: str, relocation: Relocation) -> Header:
    number = number_of(league)
    stands = await connection.fetchrow(_STANDS, number, relocation.number)
    if stands is None:
        raise RelocationRefused(f"{league} is not packed any more", "run the command again")
    await ledger.grow(connection, number, await last_position(connection, number) + 1)
    log = await end_of(connection, number)
    if log.signed < log.events and await _ever(connection):
        step = "set HOLOTABLE_SIGNER_URL and HOLOTABLE_SIGNER_TOKEN, and run the command again"
        raise RelocationRefused(f"the last head covers {log.signed} of {log.events} events", step)
    return Header(
        holotable=version("holotable"),
        schema=await connection.fetchval("SELECT version_num FROM alembic_version"),
        league=league,
        events=log.events,
        root=log.root,
        epoch=log.epoch,
        signed=log.signed,
        head=log.head,
        number=relocation.number,
        secret=relocation.secret,
        packed_at=stands["now"],
        suspended_at=stands["suspended_at"],
    )


async def _ever(connection: Driver) -> bool:
    """Return whether heads are signed in this cell at all."""
    return bool(await connection.fetchval("SELECT EXISTS (SELECT FROM checkpoint)"))


async def _relation(
    connection: asyncpg.Connection,
    name: str,
    answer: Copied,
    write: Write,
    look: Callable[[bytes], None] = lambda _: None,
) -> int:
    """Write the rows of one relation, and return their number."""
    columns = await columns_of(connection, name)
    write(Rows(relation=name, columns=columns))
    waiting = bytearray()

    async def take(data: bytes) -> None:
        look(data)
        waiting.extend(data)
        if len(waiting) >= CHUNK:
            write(Part(data=bytes(waiting)))
            waiting.clear()

    quoted = ", ".join(answer.instead.get(each, f'"{each}"') for each in columns)
    order = "position" if name == "events" else answer.order
    asked = f"SELECT {quoted} FROM public.{name} WHERE {answer.rows}"  # noqa: S608
    if order is not None:
        asked += f" ORDER BY {order}"
    done: str = await _copied(connection, asked, take)
    write(Part(data=bytes(waiting)))
    return int(done.removeprefix("COPY "))


async def _copied(
    connection: asyncpg.Connection, query: str, take: Callable[[bytes], Coroutine[None, None, None]]
) -> str:
    return str(await connection.copy_from_query(query, output=take, format="binary"))


async def _secrets(connection: Driver, settings: Settings, league: UUID) -> Secrets:
    """Open everything that a key of this cell's settings seals."""
    row = await connection.fetchrow(_KEY, league)
    if row is None:
        raise RelocationRefused("the league has no key", "audit it first")
    keys, addresses = Keys(*settings.secret_keys), AddressKeys(*settings.secret_keys)
    mails = await connection.fetch(
        f"SELECT account, address, wanted FROM account_email WHERE {COPIED['account_email'].rows}"  # noqa: S608
    )
    targets = await connection.fetch(
        f"SELECT id, target FROM push_subscription WHERE {COPIED['push_subscription'].rows}"  # noqa: S608
    )
    return Secrets(
        key_id=row["key_id"],
        key=keys.opened(league, row["key_id"], row["wrapped"]),
        addresses={
            each["account"].hex: {
                column: addresses.opened(emails.RELATION, each["account"], each[column])
                for column in ("address", "wanted")
                if each[column] is not None
            }
            for each in mails
        },
        browsers={
            each["id"].hex: addresses.opened(browsers.RELATION, each["id"], each["target"])
            for each in targets
        },
    )
