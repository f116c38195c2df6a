"""The values that a disclosure opens, with their salts, for one auditor."""

import msgspec

from engine.tournament.model.events import RegistrationOpened
from engine.values import HOUSE
from service.base.documents import Json
from service.director.disputes.evidence import Stretch
from service.director.runtime import Runtime
from service.log.codec import openings_for
from service.log.keys import LeagueKeys
from service.log.record import Recorded, league_number
from service.log.streams import tournament_stream

CHUNK = 1_000


class Opened(msgspec.Struct, frozen=True, kw_only=True):
    """One opened value. The commitment in its event follows from salt and value."""

    position: int
    """The position of the event in the league's log."""

    stream: str
    """The stream of the event."""

    version: int
    """The number of the event in its stream."""

    type: str
    """The type of the event."""

    pointer: str
    """A JSON pointer (RFC 6901) into the event's data."""
    salt: str
    """The salt of the commitment, in hexadecimal."""

    value: Json
    """The hidden value, any JSON."""


async def of_stretch(runtime: Runtime, league: str, where: Stretch) -> list[Opened]:
    """Return all sealed values in a stretch of a stream, opened, in the order of the log."""
    store, number, after = runtime.writer.store, league_number(league), 0
    keys, found = await store.keys(number), []
    while True:
        rows = await store.stream(number, where.stream, after, CHUNK)
        for row in rows:
            if where.first <= row.position <= where.last:
                found += _opened(row, keys)
        if len(rows) < CHUNK or rows[-1].position > where.last:
            return found
        after = rows[-1].stream_version


async def of_masters(runtime: Runtime, league: str, tournament: str) -> list[Opened]:
    """Return the masters of a tournament, from the event that committed to them."""
    where = Stretch(tournament_stream(tournament), 0, 2**62)
    tag = RegistrationOpened.__struct_config__.tag
    return [each for each in await of_stretch(runtime, league, where) if each.type == tag]


def _opened(row: Recorded, keys: LeagueKeys) -> list[Opened]:
    return [
        Opened(
            position=row.position,
            stream=row.stream,
            version=row.stream_version,
            type=row.type,
            pointer=pointer,
            salt=salt,
            value=value,
        )
        for pointer, (salt, value) in openings_for(row, HOUSE, keys).items()
    ]
