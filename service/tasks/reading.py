"""Events as the ticker reads them: as rows, decoded without the keys of their league."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from engine.coordination.aggregates import DECIDERS
from engine.values import identifier
from service.log.codec import Codec
from service.log.record import Recorded
from service.tasks.asking import Found

_codec = Codec(DECIDERS)


class Unfit(Exception):
    """An event cannot be used. The exception's cause gives the reason."""

    def __init__(self, position: int) -> None:
        super().__init__(f"position {position}")
        self.position = position


@dataclass(frozen=True, slots=True)
class Row:
    """The columns that are read of an event. The ticker needs no sealed part."""

    position: int
    stream: str
    stream_version: int
    event_id: UUID
    type: str
    schema_version: int
    data: str
    at: str
    """The instant as text, because a forged one may fit no ``datetime``."""

    request: str | None = None
    """The request that the metadata name. It may be forged too."""


def decoded(league: UUID, row: Row, now: datetime) -> Found:
    """
    Return the event of a row.

    Raises:
        Exception: Of any kind. Someone who can write to the log can forge anything.
    """
    recorded = Recorded(
        position=row.position,
        stream=row.stream,
        stream_version=row.stream_version,
        event_id=row.event_id,
        type=row.type,
        schema_version=row.schema_version,
        at=now,  # events that arm jobs carry their due instants in their data
        data=row.data.encode(),
        sealed=None,
        metadata=b"",
        hash=b"",
        league=league,
    )
    return Found(
        league=identifier("lge", league),
        event_id=row.event_id,
        subject=UUID(hex=row.stream.partition("-")[2]),
        version=row.stream_version,
        event=_codec.decode(recorded, keys=None),
    )
