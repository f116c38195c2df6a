"""The messages of a packed league, in the order of the file."""

from datetime import datetime
from typing import Final, Literal
from uuid import UUID

import msgspec

CHUNK: Final = 1 << 20
"""The number of bytes of rows that one message holds at least, unless it is a relation's last."""


class Header(msgspec.Struct, frozen=True, kw_only=True, tag="header"):
    """The first message: the league, its log's end, and what the new cell must be like."""

    format: Literal[1] = 1
    holotable: str
    """The version of the program that packed the league."""

    schema: str
    """The revision of the database schema, which both cells need."""

    league: str
    events: int
    root: str
    """The root of the tree over all events (RFC 6962), in hexadecimal."""

    epoch: int
    signed: int
    """The size of the newest signed head of this epoch, or 0 if there is none."""

    head: str | None
    number: UUID
    secret: bytes
    """The number and the secret of the relocation."""

    packed_at: datetime
    suspended_at: datetime


class Rows(msgspec.Struct, frozen=True, kw_only=True, tag="rows"):
    """The beginning of a relation's rows."""

    relation: str
    columns: tuple[str, ...]


class Part(msgspec.Struct, frozen=True, kw_only=True, tag="part"):
    """Some bytes of a relation's rows, in PostgreSQL's binary format of COPY."""

    data: bytes


class Secrets(msgspec.Struct, frozen=True, kw_only=True, tag="secrets"):
    """Everything that a key of the old cell's settings had sealed."""

    key_id: UUID
    key: bytes
    """The league's key. It opens every hidden card."""

    addresses: dict[str, dict[str, str]]
    """The e-mail addresses of each account, by column."""

    browsers: dict[str, str]
    """The target of each push subscription."""

    def __repr__(self) -> str:
        return f"Secrets({self.key_id}, {len(self.addresses)}, {len(self.browsers)})"


class End(msgspec.Struct, frozen=True, kw_only=True, tag="end"):
    """The last message: the number of rows of each relation, so that nothing can be cut off."""

    rows: dict[str, int]


Message = Header | Rows | Part | Secrets | End

encode = msgspec.msgpack.Encoder().encode
decode = msgspec.msgpack.Decoder(Message).decode
