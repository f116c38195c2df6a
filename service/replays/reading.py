"""Reading the events of one hand from the log: verified by its chain, and opened."""

from engine.coordination.aggregates import DECIDERS
from engine.table.model.events import HandOpened
from engine.table.read.replay import Happened, Replay, replayed
from engine.values import number_of, stream_of
from service.base.drivers import Driver
from service.base.errors import StreamNotFound
from service.log.canonical import NO_HASH
from service.log.codec import Codec
from service.log.keys import LeagueKeys
from service.log.read import CHUNK, read_stream, verify, voided
from service.log.record import Recorded
from service.projections.reads.hand_rows import HandRow

_codec = Codec(DECIDERS)

_VERSION = """
    SELECT stream_version FROM events WHERE league = $1 AND stream = $2 AND position = $3
"""


async def read_replay(
    connection: Driver, row: HandRow, keys: LeagueKeys, perspective: str
) -> Replay:
    """
    Return the replay of the hand in *row*.

    Args:
        connection: An asyncpg connection, or a pool of them.
        perspective: ``public``, ``auditor`` or an ``ent_…``. The caller checks that the
            reader may use it.

    Raises:
        StreamNotFound: If the log does not hold the hand.
        EventUnreadable: If an event cannot be read or its hash is wrong.
    """
    league, stream = number_of(row.league), stream_of(row.table)
    first = await connection.fetchval(_VERSION, league, stream, row.first_position)
    if first is None:
        raise StreamNotFound("it does not exist, or you may not see it")
    # The event before the hand is read only for its hash.
    link = await read_stream(connection, league, stream, first - 2, 1) if first > 1 else []
    [opening] = await read_stream(connection, league, stream, 0, 1)
    verify([opening])
    played: list[Happened] = []
    head, after = (link[0].hash if link else NO_HASH), first - 1
    while True:
        rows = await read_stream(connection, league, stream, after, CHUNK)
        away = await voided(connection, row.league)
        for each in rows:
            head = each.hash if each.position in away else verify((each,), head)
        decoded = [_happened(each, keys) for each in rows if each.position not in away]
        over = next((at for at, each in enumerate(decoded) if _another(each, row.hand)), None)
        played += decoded[:over]
        if over is not None or len(rows) < CHUNK:
            break
        after = rows[-1].stream_version
    found = replayed(_codec.decode(opening, keys), played, perspective)
    if found is None or found.hand != row.hand:
        raise StreamNotFound("it does not exist, or you may not see it")
    return found


def _happened(recorded: Recorded, keys: LeagueKeys) -> Happened:
    event = _codec.decode(recorded, keys)
    return Happened(event=event, version=recorded.stream_version, at=recorded.at)


def _another(happened: Happened, hand: str) -> bool:
    return isinstance(happened.event, HandOpened) and happened.event.hand != hand
