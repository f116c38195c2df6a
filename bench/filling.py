"""
Fill a log with copies of a league that was played.

A copy has the played league's events under other identifiers. Its hashes are computed again, so its
chains and its tree hold, and projections read it as they read any league. Only its sealed values
cannot be opened: they are sealed under the played league's key.
"""

import re
from collections.abc import Iterator, Sequence
from hashlib import md5, sha256
from uuid import UUID

import asyncpg

from service.log.canonical import NO_HASH, leaf, microseconds
from service.log.read import read_league
from service.log.record import Recorded

COLUMNS = (
    "league", "position", "stream", "stream_version", "event_id", "type", "schema_version", "at",
    "data", "sealed", "metadata", "hash",
)  # fmt: skip
_IDENTIFIER = re.compile(r"(?<![0-9a-f])[0-9a-f]{32}(?![0-9a-f])")


class Template:
    """The events of a league, ready to be copied."""

    def __init__(self, rows: Sequence[Recorded]) -> None:
        self._rows = rows
        self._league = rows[0].league.hex
        self._texts = [
            (_IDENTIFIER.split(text), _IDENTIFIER.findall(text))
            for row in rows
            for text in (row.stream, row.data.decode(), row.metadata.decode())
        ]
        self._known = {each for _, found in self._texts for each in found} | {self._league}

    def __len__(self) -> int:
        return len(self._rows)

    def copy(self, number: int) -> Iterator[tuple[object, ...]]:
        """Yield the rows of copy *number*, a league of its own."""
        new = {
            each: md5(f"{number}/{each}".encode(), usedforsecurity=False).hexdigest()
            for each in self._known
        }
        league, heads = UUID(new[self._league]), dict[str, bytes]()
        texts = iter(self._texts)
        for row in self._rows:
            stream, data, metadata = (_joined(*next(texts), new) for _ in range(3))
            entry = leaf(
                league, heads.get(stream, NO_HASH), stream, row.stream_version, row.event_id,
                microseconds(row.at), row.type, row.schema_version, data.encode(),
                sha256(metadata.encode()).digest(), row.sealed,
            )  # fmt: skip
            heads[stream] = sha256(entry).digest()
            yield (
                league, row.position, stream, row.stream_version, row.event_id, row.type,
                row.schema_version, row.at, data, row.sealed, metadata, heads[stream],
            )  # fmt: skip


def _joined(parts: list[str], found: list[str], new: dict[str, str]) -> str:
    whole = [parts[0]]
    for each, part in zip(found, parts[1:], strict=True):
        whole += (new[each], part)
    return "".join(whole)


async def fill(
    owner: asyncpg.Connection, league: UUID, events: int, leagues: int, done: int
) -> int:
    """
    Copy a played league until the log holds *events*, or *leagues* copies.

    Args:
      owner: A connection that may insert past the append function.
      done: The copies that the log holds already.

    Returns:
      The copies that the log holds now.
    """
    template = Template(await read_league(owner, league, limit=10_000_000))
    held: int = await owner.fetchval("SELECT count(*) FROM events")
    wanted = min(leagues, done + max(0, events - held) // len(template))
    for number in range(done, wanted):
        rows = template.copy(number)
        await owner.copy_records_to_table("events", records=rows, columns=COLUMNS)
    return wanted
