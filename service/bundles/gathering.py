"""
Finding the events that a bundle holds.

Only their positions are kept, so that a season of any length needs little memory. The
events are read again when the bundle is written.

Source: ``api-spec/bundle.md``, section 2.
"""

from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final
from uuid import UUID

import asyncpg
import msgspec
from sqlalchemy.ext.asyncio import AsyncConnection

from engine.coordination.aggregates import DECIDERS
from engine.dispute.values import LED_TO
from engine.tournament.model.events import PlayStarted
from engine.tournament.model.events.entering import TableAdded
from engine.tournament.model.events.rounds import FinalSeated, RoundSeated
from engine.values import stream_of
from service.base.documents import Document
from service.base.errors import NotOver, StreamNotFound
from service.bundles.lines import Kind
from service.bundles.log import Log
from service.log.addresses import league_of_stream
from service.log.codec import Codec
from service.log.read import CHUNK, voided_by
from service.log.record import Recorded
from service.projections.reads import queries

CODEC: Final = Codec(DECIDERS)

_OVER = ("tournament_finished", "tournament_cancelled")
_OPENS_TABLES = ("play_started", "table_added", "round_seated", "final_seated")
_PILES = ("hand_opened", "pile_committed")
_FREEZES = ("result_frozen", "standings_frozen")
_ACTS: Final = frozenset(LED_TO.values())
_LOOK_BACK: Final = 20
"""Events read at a time when looking back for a ruling."""

_NOTHING = "it does not exist, or you may not see it"


@dataclass(slots=True)
class Gathered:
    """The positions of a bundle's events in the league's log, ascending after gathering."""

    positions: list[int] = field(default_factory=list)
    before: dict[int, bytes] = field(default_factory=dict)
    """For each stretch that begins inside a stream: its first position, and the hash before it."""

    hidden: list[int] = field(default_factory=list)
    """Positions of events with values that can be opened."""

    piles: list[int] = field(default_factory=list)
    """Positions of events that commit to a pile of cards."""

    voided: set[int] = field(default_factory=set)
    """Positions of voided events."""

    def void(self, recorded: Recorded) -> None:
        """Add the position of a voided event."""
        self.positions.append(recorded.position)
        self.voided.add(recorded.position)

    def add(self, recorded: Recorded, *, opens: bool = True) -> None:
        """Add an event. Without *opens*, its sealed values stay closed."""
        self.positions.append(recorded.position)
        if recorded.type in _PILES:
            self.piles.append(recorded.position)
        if opens and recorded.sealed is not None and not recorded.stream.startswith("league-"):
            self.hidden.append(recorded.position)


class Gatherer:
    """Finds the events that a bundle needs in one league's log."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._gathered = Gathered()
        self._disputes: dict[str, None] = {}
        """Streams of disputes that froze or changed something here, in the order found."""

        self._voided: frozenset[int] = frozenset()

    async def gather(self, kind: Kind, subject: str, table: str | None = None) -> Gathered:
        """
        Return the positions of a bundle's events.

        Args:
            table: The table of the hand *subject*, or None for other kinds.

        Raises:
            NotOver: If the subject is still being played.
            StreamNotFound: If the subject does not exist.
        """
        league = f"league-{self._log.league.hex}"
        voidings = [each for each in await self._log.voidings() if each.stream == league]
        self._voided = voided_by(each.data.decode() for each in voidings)
        (created,) = await self._log.stream(league, 0, 1)
        self._gathered.add(created)
        if kind == "hand":
            await self._hand(subject, str(table))
        elif kind == "tournament":
            await self._tournament(subject)
        else:
            await self._season(subject)
        for stream in self._disputes:
            async for recorded in self._stream(stream):
                self._gathered.add(recorded)
        await self._repairs(created, voidings)
        for places in (self._gathered.positions, self._gathered.hidden, self._gathered.piles):
            places.sort()
        return self._gathered

    async def _repairs(self, last: Recorded, voidings: Sequence[Recorded]) -> None:
        """Add *voidings* of events in the bundle. *last* is the last league event added."""
        for voiding in voidings:
            if voided_by([voiding.data.decode()]).isdisjoint(self._gathered.voided):
                continue
            if voiding.stream_version > last.stream_version + 1:
                [before] = await self._log.stream(voiding.stream, voiding.stream_version - 2, 1)
                self._gathered.before[voiding.position] = before.hash
            self._gathered.add(voiding)
            last = voiding

    async def _hand(self, hand: str, table: str) -> None:
        opening, settled, last, number, inside = None, -1, b"", None, False
        named: list[tuple[Recorded, bytes]] = []
        async for recorded in self._rows(stream_of(table)):
            if recorded.position in self._voided:
                if named:
                    named.append((recorded, last))
                if inside:
                    self._gathered.void(recorded)
                last = recorded.hash
                continue
            if recorded.stream_version == 1:
                opening = CODEC.decode(recorded, None)
                self._gathered.add(recorded)
            if recorded.type == "hand_opened":
                opened = CODEC.decode(recorded, None)
                if number is not None and opened.number > number:
                    break
                if opened.hand == hand and number is None:
                    number, inside = opened.number, True
                    self._begin([*named, (recorded, last)])
                named = []
            if named or recorded.type == "table_beacon_awaited":
                # The next hand begins here, even if it is not the wanted one.
                named.append((recorded, last))
            if inside:
                self._gathered.add(recorded)
                if recorded.type == "hand_settled":
                    settled = recorded.position
            last = recorded.hash
        if number is None or opening is None:
            raise StreamNotFound(_NOTHING)
        if settled < 0:
            raise NotOver("the hand is still in play")
        async for recorded in self._stream(stream_of(opening.tournament), settled):
            self._gathered.add(recorded)

    def _begin(self, stretch: list[tuple[Recorded, bytes]]) -> None:
        """Add the events before a hand's opening that belong to it, and the hash before them."""
        first, before = stretch[0]
        if first.stream_version > 2:
            self._gathered.before[first.position] = before
        for recorded, _ in stretch[:-1]:
            if recorded.position in self._voided:
                self._gathered.void(recorded)
            else:
                self._gathered.add(recorded)

    async def _tournament(self, tournament: str) -> None:
        opening, over = [], False
        async for recorded in self._stream(stream_of(tournament)):
            self._gathered.add(recorded)
            await self._judged(recorded)
            over = over or recorded.type in _OVER
            if recorded.type in _OPENS_TABLES:
                opening.append(CODEC.decode(recorded, None))
        if not over:
            raise NotOver("the tournament is not over")
        for table in tables_of(opening):
            last = ""
            async for recorded in self._stream(stream_of(table)):
                self._gathered.add(recorded)
                last = recorded.type
            if last != "table_closed":
                raise NotOver("a table of the tournament is still open")

    async def _season(self, season: str) -> None:
        counted: dict[str, None] = {}
        announced: dict[str, None] = {}
        async for recorded in self._stream(stream_of(season)):
            self._gathered.add(recorded)
            await self._judged(recorded)
            if recorded.type == "points_awarded":
                counted[_data(recorded)["tournament"]] = None
            announced |= dict.fromkeys(_announced(recorded))
        for tournament in counted:
            await self._tournament(tournament)
        for tournament in announced.keys() - counted.keys():
            # These events show the fate of the tournament, which may still be played.
            async for recorded in self._stream(stream_of(tournament)):
                self._gathered.add(recorded, opens=False)

    async def _judged(self, recorded: Recorded) -> None:
        """Note the dispute that froze the subject of *recorded* or led to *recorded*."""
        if recorded.type in _FREEZES:
            self._disputes[stream_of(_data(recorded)["dispute"])] = None
        elif recorded.type in _ACTS and (ruling := await self._ruling(recorded)) is not None:
            self._disputes[ruling] = None

    async def _ruling(self, recorded: Recorded) -> str | None:
        """Return the stream of the dispute that was ruled in the same append, before *recorded*."""
        command, end = recorded.about().command_id, recorded.position
        while end > 0:
            first = max(0, end - _LOOK_BACK)
            for before in reversed(await self._log.at(range(first, end))):
                if before.position in self._voided:
                    continue
                if before.about().command_id != command:
                    return None
                if before.type == "dispute_ruled":
                    return before.stream
            end = first
        return None

    async def _stream(self, stream: str, until: int | None = None) -> AsyncIterator[Recorded]:
        """Yield the events of a stream up to a position. Voided events only add their positions."""
        async for recorded in self._rows(stream):
            if until is not None and recorded.position > until:
                break
            if recorded.position in self._voided:
                self._gathered.void(recorded)
            else:
                yield recorded

    async def _rows(self, stream: str) -> AsyncIterator[Recorded]:
        after = 0
        while True:
            chunk = await self._log.stream(stream, after)
            for recorded in chunk:
                yield recorded
            after = chunk[-1].stream_version if chunk else after
            if len(chunk) < CHUNK:
                break
        if not after:
            raise StreamNotFound(_NOTHING)


def _data(recorded: Recorded) -> Document:
    document: Document = msgspec.json.decode(recorded.data)
    return document


def _announced(recorded: Recorded) -> list[str]:
    """Return the tournaments that an event of a season names as announced for it."""
    if recorded.type == "tournament_added":
        return [_data(recorded)["tournament"]]
    if recorded.type == "season_closed":
        return [each["tournament"] for each in _data(recorded).get("fates") or ()]
    return []


def tables_of(events: Iterable[msgspec.Struct]) -> list[str]:
    """Return the tables that a tournament opens, in order and without repetition."""
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
    connection: AsyncConnection, pool: asyncpg.Pool, kind: Kind, subject: str
) -> tuple[UUID, str | None]:
    """
    Return the league of *subject*, and the table if *subject* is a hand.

    Raises:
        StreamNotFound: If the subject does not exist.
    """
    table = None
    if kind == "hand":
        row = await queries.hand(connection, subject)
        if row is None:
            raise StreamNotFound(_NOTHING)
        table = row.table
    league = await league_of_stream(pool, stream_of(table or subject))
    if league is None:
        raise StreamNotFound(_NOTHING)
    return league, table
