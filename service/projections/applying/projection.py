"""
A projection: a name, a version, and a handler for each event that changes its rows.

A handler never reads the time, a random number or another read model, so the same log always
gives the same rows. An event that cannot be applied is never skipped.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, TypeVar

import msgspec
import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from engine.values import aggregate_of
from service.log.catalogue import tag_of
from service.projections.applying.changes import Changes

NOTHING = -1
"""Checkpoint of a projection that has applied nothing. A league's first event has position 0."""

Event = TypeVar("Event", bound=msgspec.Struct)

Read_co = TypeVar("Read_co", bound=msgspec.Struct, covariant=True)


class ProjectionBroken(Exception):
    """An event could not be applied. The league waits here until an operator releases it."""

    def __init__(self, name: str, league: str, position: int, reason: str) -> None:
        super().__init__(f"{name} of {league} stopped before position {position}: {reason}")
        self.name, self.league, self.position, self.reason = name, league, position, reason


class Happened(msgspec.Struct, Generic[Read_co], frozen=True, gc=False):
    """
    An event as projections see it, with its league, position and stream.

    The event is the engine's type, upcast to the current schema version. Its hidden values stay
    sealed, because a projection holds no keys.
    """

    league: str
    position: int
    stream: str
    stream_version: int
    at: datetime
    event: Read_co

    @property
    def type(self) -> str:
        """Name of the event in storage."""
        return str(self.event.__struct_config__.tag)

    @property
    def subject(self) -> str:
        """Identifier of the aggregate that the stream belongs to."""
        return aggregate_of(self.stream)


Handler = Callable[[Changes, Happened[Any]], None]  # of its own event
"""Handles one type of event. :func:`on` has checked that the handler fits the type."""

Load = Callable[[AsyncConnection, Changes, list[Happened[msgspec.Struct]]], Awaitable[None]]

Settle = Callable[[Changes], None]

_Entry = tuple[str, Handler]


def on(event: type[Event], handler: Callable[[Changes, Happened[Event]], None]) -> _Entry:
    """Return the entry for :attr:`Projection.handlers` that handles one type of event."""
    return tag_of(event), handler


@dataclass(frozen=True, slots=True, kw_only=True)
class Projection:
    """One read model."""

    name: str
    version: int
    relations: tuple[sa.Table, ...]
    handlers: Mapping[str, Handler]
    """
    By event type, made with :func:`on`. Other known types are passed over. An unknown type
    stops the projection.
    """

    load: Load | None = None
    """Loads rows of this projection that the handlers need from earlier batches."""

    settle: Settle | None = None
    """Writes, after the last event of a batch, the rows that depend on several events together."""

    async def gather(
        self, connection: AsyncConnection, batch: list[Happened[msgspec.Struct]]
    ) -> Changes:
        """
        Return the read-model rows that *batch* inserts, updates or deletes.

        Raises:
            ProjectionBroken: If a handler cannot apply an event.
        """
        changes = Changes()
        if not batch:
            return changes
        if self.load is not None:
            await self.load(connection, changes, batch)
        handlers, at = self.handlers, batch[-1]
        try:
            for at in batch:
                handlers[at.type](changes, at)
            if self.settle is not None:
                self.settle(changes)
        except (LookupError, TypeError, ValueError, ArithmeticError) as error:
            reason = f"{at.type}: {type(error).__name__} {error}"
            raise ProjectionBroken(self.name, at.league, at.position, reason) from error
        return changes
