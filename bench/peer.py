"""
The service that a user might write instead: one row of JSON state for each table, and a lock.

A request checks its token, locks the table's row, decides with the same engine, stores the state
and one event, and commits. It takes the same actions as ours, and answers with the events as the
player sees them. It keeps neither hashes, seals, receipts nor the keys of requests, and notifies
nobody else. So each of its actions does less than one of ours.
"""

import hmac
from collections.abc import Sequence
from datetime import UTC, datetime
from secrets import token_hex
from typing import Any, get_args, get_origin
from uuid import uuid4

import msgspec
import sqlalchemy as sa
import uvicorn
from litestar import Litestar, Request, Response, get, post
from litestar.di import Provide
from litestar.exceptions import HTTPException, NotAuthorizedException
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from bench import hands
from engine.errors import CommandRejected
from engine.table.decider import decider
from engine.table.model.state import Table
from engine.table.read.view import seen_by
from engine.values import EntrantId, Sealed, SealedCard
from service.api.table.actions import Action
from service.api.table.commanding import command_of

CONNECTIONS = 20
"""Connections of the pool: more than of the bare endpoint, because some wait for a row's lock."""

KEEP_ALIVE_SECONDS = 300
"""A connection must outlive the rounds of the other sides, during which it is idle."""

_SECRET = token_hex(32).encode()

_metadata = sa.MetaData()
_table = sa.Table(
    "bench_table",
    _metadata,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("version", sa.BigInteger, nullable=False),
    sa.Column("state", sa.JSON, nullable=False),
)
_event = sa.Table(
    "bench_event",
    _metadata,
    sa.Column("id", sa.BigInteger, sa.Identity(), primary_key=True),
    sa.Column("table", sa.Text, nullable=False),
    sa.Column("version", sa.BigInteger, nullable=False),
    sa.Column("at", sa.TIMESTAMP(timezone=True), nullable=False),
    sa.Column("happened", sa.JSON, nullable=False),
)
_LOCK = sa.select(_table.c.version, _table.c.state).where(_table.c.id == sa.bindparam("table"))
_LOCK = _LOCK.with_for_update()
_READ = sa.select(_table.c.state).where(_table.c.id == sa.bindparam("table"))
_STORE = (
    sa.update(_table)
    .where(_table.c.id == sa.bindparam("table"))
    .values(version=sa.bindparam("now_at"), state=sa.bindparam("now"))
)


def service(url: str) -> Litestar:
    """Return the application, on the database *url*."""
    database = create_async_engine(
        url.replace("postgresql://", "postgresql+asyncpg://"),
        pool_size=CONNECTIONS,
        max_overflow=0,
        json_serializer=lambda value: _stored.encode(value).decode(),
        json_deserializer=msgspec.json.Decoder(Table, dec_hook=_read_hidden).decode,
    )

    async def make_relations() -> None:
        async with database.begin() as connection:
            await connection.run_sync(_metadata.create_all)

    return Litestar(
        [open_table, read_table, act],
        on_startup=[make_relations],
        openapi_config=None,
        logging_config=None,
        dependencies={"database": Provide(lambda: database, sync_to_thread=False)},
    )


@post("/tables")
async def open_table(database: AsyncEngine) -> dict[str, Any]:
    """Open a table of six, deal its first hand, and return a token for each seat."""
    name = f"tbl_{uuid4().hex}"
    _, table = decider.carry_out(decider.initial, hands.opening(name, _now()))
    _, table = decider.carry_out(table, hands.following(table, _now))
    async with database.begin() as connection:
        await connection.execute(sa.insert(_table).values(id=name, version=1, state=table))
    assert isinstance(table, Table)
    return {"id": name, "tokens": [_token(place.entrant) for place in table.places]}


@get("/v1/tables/{table:str}")
async def read_table(
    table: str, request: Request[Any, Any, Any], database: AsyncEngine
) -> Response[bytes]:
    """Return the table as the caller sees it."""
    viewer = _entrant_of(request)
    async with database.connect() as connection:
        state: Table = (await connection.execute(_READ, {"table": table})).scalar_one()
    return _answer(msgspec.json.encode(seen_by(state, viewer)))


@post("/v1/tables/{table:str}/actions", status_code=200)
async def act(
    table: str, data: Action, request: Request[Any, Any, Any], database: AsyncEngine
) -> Response[bytes]:
    """Carry out an action, and deal the next hand if it ended one."""
    viewer = _entrant_of(request)
    async with database.begin() as connection:
        version, state = (await connection.execute(_LOCK, {"table": table})).one()
        command = command_of(data, entrant=viewer, now=_now(), salt=lambda: token_hex(32))
        try:
            told, after = decider.carry_out(state, command)
        except CommandRejected as error:
            raise HTTPException(error.code, status_code=409) from error
        happened: Sequence[msgspec.Struct] = told
        assert isinstance(after, Table)
        if after.idle:
            dealt, after = decider.carry_out(after, hands.following(after, _now))
            happened = (*told, *dealt)
        await connection.execute(_STORE, {"table": table, "now_at": version + 1, "now": after})
        await connection.execute(
            sa.insert(_event).values(table=table, version=version + 1, at=_now(), happened=happened)
        )
    return _answer(_seen(told, viewer, version + 1))


def _seen(happened: Sequence[msgspec.Struct], viewer: EntrantId, version: int) -> bytes:
    """Return the answer to an action, in which others' hidden values are closed."""
    mine = f"entrant:{viewer}"

    def shown(value: Any) -> Any:
        if mine in value.audiences:
            return _in_the_open(value)
        return None

    events = [{"type": each.__struct_config__.tag, "data": each} for each in happened]
    return msgspec.json.encode({"version": version, "events": events}, enc_hook=shown)


def _answer(body: bytes) -> Response[bytes]:
    return Response(body, media_type="application/json")


def _in_the_open(value: Any) -> Any:
    if isinstance(value, SealedCard):
        return [value.card, value.salt.hex(), value.pile, value.position, value.audiences]
    if isinstance(value, Sealed):
        return [value.value, value.salt.hex(), value.audiences]
    raise TypeError(type(value).__name__)


def _read_hidden(type_: Any, read: Any) -> Any:
    if type_ is SealedCard:
        card, salt, pile, position, audiences = read
        return SealedCard(card, bytes.fromhex(salt), pile, position, tuple(audiences))
    if get_origin(type_) is Sealed:
        value, salt, audiences = read
        held = msgspec.convert(value, get_args(type_)[0])
        return Sealed(held, bytes.fromhex(salt), tuple(audiences))
    raise TypeError(repr(type_))


_stored = msgspec.json.Encoder(enc_hook=_in_the_open)


def _now() -> datetime:
    return datetime.now(UTC)


def _token(entrant: EntrantId) -> str:
    return f"{entrant}.{hmac.digest(_SECRET, entrant.encode(), 'sha256').hex()}"


def _entrant_of(request: Request[Any, Any, Any]) -> EntrantId:
    given = request.headers.get("authorization", "").removeprefix("Bearer ")
    entrant = EntrantId(given.partition(".")[0])
    if not hmac.compare_digest(given, _token(entrant)):
        raise NotAuthorizedException
    return entrant


def serve(url: str, port: int) -> None:
    """Serve until a signal comes."""
    uvicorn.run(
        service(url), host="127.0.0.1", port=port, log_level="warning",
        access_log=False, server_header=False, timeout_keep_alive=KEEP_ALIVE_SECONDS,
    )  # fmt: skip
