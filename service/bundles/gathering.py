"""
Which events a bundle holds, and which of their values.

Source: ``api-spec/bundle.md``, section 2.
"""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncConnection

from engine.season.events import PointsAwarded
from engine.table.events import HandOpened, HandSettled, TableClosed
from engine.tournament.entering.events import TableAdded
from engine.tournament.events import PlayStarted, TournamentCancelled, TournamentFinished
from engine.tournament.rounds.events import FinalSeated, RoundSeated
from engine.values import stream_of
from service.addresses import league_of_stream
from service.bundles.lines import Kind
from service.errors import NotOver, StreamNotFound
from service.eventstore.codec import Codec
from service.eventstore.read import CHUNK
from service.eventstore.record import Recorded
from service.projections import queries

_OVER = (TournamentFinished, TournamentCancelled)


Read = Callable[[str, int, int], Awaitable[list[Recorded]]]


@dataclass(slots=True)
class Gathered:
    """Events by position, and the hash before each stretch that does not begin a stream."""

    league: UUID
    events: dict[int, Recorded] = field(default_factory=dict)
    before: dict[int, bytes] = field(default_factory=dict)

    def add(self, events: Iterable[Recorded], before: bytes | None = None) -> None:
        """Add a stretch of one stream; *before* is the hash of what stands before it."""
        for index, recorded in enumerate(events):
            self.events[recorded.position] = recorded
            if index == 0 and before is not None:
                self.before[recorded.position] = before

    def ordered(self) -> list[Recorded]:
        """Return the events by position."""
        return [self.events[position] for position in sorted(self.events)]


class Gatherer:
    """
    Reads what a bundle needs of one league.

    Args:
        read: Returns events of a stream: which, after which version, how many at most.
    """

    def __init__(self, read: Read, league: UUID, codec: Codec) -> None:
        self._read = read
        self._codec = codec
        self.gathered = Gathered(league)

    async def gather(self, kind: Kind, subject: str, table: str | None = None) -> Gathered:
        """
        Return the events of a bundle.

        Args:
            table: Where the hand *subject* was played.

        Raises:
            NotOver: While it is still being played.
            StreamNotFound: If there is no such thing.
        """
        self.gathered.add(await self._stream(f"league-{self.gathered.league.hex}", until=1))
        if kind == "hand":
            await self._hand(subject, str(table))
        elif kind == "tournament":
            await self._tournament(subject)
        else:
            await self._season(subject)
        return self.gathered

    async def _hand(self, hand: str, table: str) -> None:
        events = await self._stream(stream_of(table))
        opened = [self._decode(each) for each in events]
        hands = [
            (index, each.hand, each.number)
            for index, each in enumerate(opened)
            if isinstance(each, HandOpened)
        ]
        number = next((number for _, named, number in hands if named == hand), None)
        if number is None:
            raise StreamNotFound("there is nothing here under this name")
        start = next(index for index, _, its in hands if its == number)
        end = next((index for index, _, its in hands if its > number), len(events))
        settled = [index for index in range(start, end) if isinstance(opened[index], HandSettled)]
        if not settled:
            raise NotOver("the hand is still being played")
        self.gathered.add(events[:1])
        self.gathered.add(events[start:end], events[start - 1].hash if start > 1 else None)
        last = events[settled[-1]].position
        above = await self._stream(stream_of(opened[0].tournament))
        self.gathered.add(each for each in above if each.position < last)

    async def _tournament(self, tournament: str) -> None:
        events = await self._stream(stream_of(tournament))
        decoded = [self._decode(each) for each in events]
        if not any(isinstance(each, _OVER) for each in decoded):
            raise NotOver("the tournament is still being played")
        self.gathered.add(events)
        for table in tables_of(decoded):
            played = await self._stream(stream_of(table))
            if not isinstance(self._decode(played[-1]), TableClosed):
                raise NotOver("a table of the tournament is still open")
            self.gathered.add(played)

    async def _season(self, season: str) -> None:
        events = await self._stream(stream_of(season))
        self.gathered.add(events)
        awarded = [self._decode(each) for each in events]
        named = [each.tournament for each in awarded if isinstance(each, PointsAwarded)]
        for tournament in dict.fromkeys(named):
            await self._tournament(tournament)

    async def _stream(self, stream: str, until: int | None = None) -> list[Recorded]:
        found: list[Recorded] = []
        while until is None or len(found) < until:
            limit = CHUNK if until is None else until - len(found)
            chunk = await self._read(stream, len(found), limit)
            found += chunk
            if len(chunk) < limit:
                break
        if not found:
            raise StreamNotFound("there is nothing here under this name")
        return found

    def _decode(self, recorded: Recorded) -> Any:
        return self._codec.decode(recorded, None)


def tables_of(events: Sequence[Any]) -> list[str]:
    """Return every table a tournament opens, in order."""
    found: list[str] = []
    for each in events:
        match each:
            case PlayStarted(tables=tables):
                found += tables
            case TableAdded(table=table):
                found.append(table)
            case RoundSeated(tables=seated):
                found += [table.table for table in seated]
            case FinalSeated(assignments=assignments):
                found += [place.table for place in assignments]
    return list(dict.fromkeys(found))


async def located(
    connection: AsyncConnection, pool: Any, kind: Kind, subject: str
) -> tuple[UUID, str | None]:
    """
    Return the league of *subject*, and the table of a hand.

    Raises:
        StreamNotFound: If there is no such thing.
    """
    table = None
    if kind == "hand":
        row = await queries.hand(connection, subject)
        if row is None:
            raise StreamNotFound("there is nothing here under this name")
        table = row.table
    league = await league_of_stream(pool, stream_of(table or subject))
    if league is None:
        raise StreamNotFound("there is nothing here under this name")
    return league, table
