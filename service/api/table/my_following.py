"""
The streams that a player follows, and the states of their subjects.

A player follows the own events of each league, the tournaments that they are entered in, the tables
that they sit at, and the disputes about these. The set changes with seats and entries.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeVar
from uuid import UUID

import asyncpg
import msgspec
from msgspec.structs import replace

from engine.dispute.state import Claimed
from engine.table.model.events import HandSettled
from engine.table.model.state import State as TableState
from engine.table.model.state import Table
from engine.tournament.model.state import Drafted, State, Unannounced
from engine.values import EntrantId, aggregate_of, identifier, number_of, stream_of
from service.api.http.access.entered import identifiers_of
from service.api.http.access.phases import entering_of
from service.api.http.access.rights import role_in
from service.api.http.following.watching import KEPT_MAX, Fresh, Watch
from service.api.http.shell import Shell
from service.api.table.my_facts import Entered, entered, facts_of, is_over, seating_of
from service.api.table.told import NOTHING, Facts, InLeague
from service.base.errors import EventUnreadable
from service.director.entry_times import held
from service.log.catalogue import tag_of
from service.log.read import heads_of, read_last_of_types, voided
from service.log.record import Recorded, league_number
from service.log.streams import Stream, dispute_stream, table_stream, tournament_stream
from service.log.writer import Loaded
from service.people.memberships import roles_of
from service.people.tokens import Principal
from service.projections.applying.checkpoints import believed

StateT = TypeVar("StateT", bound=msgspec.Struct)

WAITING = ("open", "appealed")
"""The phases of a dispute that waits for a ruling."""

HAND_OVER = tag_of(HandSettled)

LOOKS_MAX = 8
"""Tournaments and disputes that one request loads at a time. A forged cursor may name hundreds."""

_log = logging.getLogger(__name__)

# The read models may lag or stand still, so the log's newer streams are read too.
_SUBJECTS = f"""
    SELECT 'tournament-' || substr(tournament, 5) AS stream, announced_position AS place
      FROM reads.tournament
     WHERE league = $1 AND state NOT IN ('finished', 'cancelled', 'discarded')
     UNION
    SELECT 'dispute-' || substr(dispute, 5), opened_position FROM reads.dispute
     WHERE league = $1 AND state IN ('open', 'appealed')
     UNION
    SELECT stream, position FROM events
     WHERE league = $2 AND stream_version = 1
       AND (stream LIKE 'tournament-%' OR stream LIKE 'dispute-%')
       AND position > coalesce((
        SELECT min(it.position) FROM reads.checkpoint done
         CROSS JOIN LATERAL (SELECT {believed()} AS position) it
         WHERE done.league = $1 AND done.name IN ('tournaments', 'disputes')
        HAVING count(it.position) = 2), -1)
     ORDER BY place
"""  # noqa: S608 - a constant


@dataclass(slots=True)
class Mine:
    """A tournament that the player is entered in, or may get a place in."""

    league: str
    id: str
    player: Entered
    loaded: Loaded[State]
    facts: Facts
    table: Loaded[Table] | None = None
    """The table of ``facts.table``."""

    ends: deque[Recorded] = field(default_factory=lambda: deque(maxlen=KEPT_MAX))
    """Ends of hands at the player's table, oldest first, that may not have been sent."""


@dataclass(slots=True)
class LeagueNow:
    """A league that the player belongs to."""

    epoch: int
    tournaments: dict[str, Mine] = field(default_factory=dict)
    disputes: dict[str, Loaded[Claimed]] = field(default_factory=dict)
    changed: dict[str, None] = field(default_factory=dict)
    """Tournaments and disputes whose differences have not all been sent, in order."""

    looking: set[str] = field(default_factory=set)
    """Streams that are watched while they are looked at for the first time."""


class Following:
    """
    The tournaments and tables that one player follows, for one request.

    Args:
        only: The league to narrow the stream to, or None.
        told: The reader's knowledge, by league. Tournaments in it are looked at even if they are
            over.
    """

    def __init__(
        self,
        shell: Shell,
        principal: Principal,
        watch: Watch,
        only: str | None,
        told: dict[str, InLeague],
    ) -> None:
        self.leagues: dict[str, LeagueNow] = {}
        self.left: set[str] = set()
        """The leagues that the player no longer belongs to."""

        self.shell = shell
        self._principal = principal
        self._player = principal.account.player
        self._watch = watch
        self._only = only
        self._told = told
        self._looks = asyncio.Semaphore(LOOKS_MAX)

    async def begin(self) -> None:
        """Read every league of the player, and watch them. No later news is missed."""
        async with self.shell.engine.connect() as connection:
            roles = await roles_of(connection, self._player)
        self.left.update(self._told.keys() - roles.keys())
        await asyncio.gather(*(self._enter(each) for each in roles if self._wanted(each)))

    async def look_for_leagues(self) -> None:
        """Look for leagues that the player has joined since the last look."""
        joined = (await self.shell.joined.of(self._player)) - self.leagues.keys()
        await asyncio.gather(*(self._enter(each) for each in joined if self._wanted(each)))

    async def refresh(self) -> None:
        """Read everything again that has news."""
        for league, streams in self._watch.take().items():
            if league not in self.leagues:
                continue
            # The channel has made this process's copy of the league as new as its news.
            if await role_in(self.shell, self._principal, league, fresh=False) is None:
                self._leave(league)
            else:
                await self._look_again(league, streams)

    async def look_at_offers(self) -> None:
        """Read the open offers again. No event tells that an outage has moved their ends."""
        for league, now in tuple(self.leagues.items()):
            for mine in tuple(now.tournaments.values()):
                if mine.facts.offer is not None:
                    await self._look_at(league, mine.id, 0, {})

    async def ends_at(self, league: str, table: str, after: int) -> list[Recorded]:
        """Return the last ends of hands at *table* after a version of its stream, oldest first."""
        rows = await read_last_of_types(
            self.shell.pool, league, stream_of(table), [HAND_OVER], after, KEPT_MAX
        )
        away = await voided(self.shell.pool, league) if rows else frozenset()
        return [row for row in rows if row.position not in away]

    def drop(self, league: str, subject: str) -> None:
        """Stop following a tournament or a dispute."""
        now = self.leagues[league]
        now.tournaments.pop(subject, None)
        now.disputes.pop(subject, None)
        now.changed.pop(subject, None)
        self._follow(league)

    async def table(self, league: str, table: str, version: int = 0) -> Loaded[Table] | None:
        """Return a table at *version* or a later one, or None if it does not exist."""
        return _opened(await self._load(league, table_stream(table), version))

    def _wanted(self, league: str) -> bool:
        return self._only is None or league == self._only

    async def _enter(self, league: str) -> None:
        """Watch a league, then read it. So there is no gap between the two."""
        try:
            await self._watch.begin(league, {self._player, stream_of(league)})
            if await role_in(self.shell, self._principal, league) is None:
                self._leave(league)
                return
            now = LeagueNow(await self.shell.runtime.writer.epoch(league))
            subjects = await subjects_in(self.shell.pool, league)
            if (told := self._told.get(league)) is not None:
                known = (stream_of(each) for each in (*told.tournaments, *told.disputes))
                subjects = list(dict.fromkeys((*subjects, *known)))
            now.looking.update(subjects)
            self.leagues[league] = now
            self._follow(league)
            versions = await self._versions(league, subjects)
            await asyncio.gather(
                *(self._first_look(league, each, versions[each]) for each in subjects)
            )
        except EventUnreadable as error:
            # An unreadable league must not silence the others. Its own routes give the reason.
            _log.warning("a player's stream leaves a league out: %s", error.detail)
            self.leagues.pop(league, None)
            self._watch.follow(league, frozenset())
            return
        self.left.discard(league)
        order = {aggregate_of(each): None for each in subjects}
        now.changed = {each: None for each in order if each in now.changed}
        now.looking.clear()
        self._follow(league)

    def _leave(self, league: str) -> None:
        self.left.add(league)
        self.leagues.pop(league, None)
        self._watch.follow(league, frozenset())

    async def _versions(self, league: str, streams: list[str]) -> dict[str, int | None]:
        """
        Return the version of this process's copy of each stream, or None for a copy that is old.

        One statement compares all copies with the log.
        """
        if not streams:
            return {}
        number, writer = number_of(league), self.shell.runtime.writer
        heads = await heads_of(self.shell.pool, [(number, each) for each in streams])
        found: dict[str, int | None] = {}
        for stream, head in zip(streams, heads, strict=True):
            copy = writer.known(league, stream_of(aggregate_of(stream)))
            same = copy is not None and head == (copy.version, copy.hash)
            found[stream] = copy.version if same and copy is not None else None
        return found

    async def _first_look(self, league: str, stream: str, version: int | None) -> None:
        try:
            async with self._looks:
                if stream.startswith("dispute-"):
                    await self._look_at_dispute(league, aggregate_of(stream), version)
                else:
                    await self._look_at(league, aggregate_of(stream), version, {})
        except EventUnreadable as error:
            _log.warning("a player's stream leaves %s out: %s", stream, error.detail)

    async def _look_again(self, league: str, streams: Mapping[str, Fresh]) -> None:
        now, followed = self.leagues[league], self._watch.keys(league)
        now.looking.update(each for each in streams if each not in followed)
        self._follow(league)
        tables = {
            aggregate_of(each): fresh for each, fresh in streams.items() if each[:6] == "table-"
        }
        for mine in tuple(now.tournaments.values()):
            fresh = None if mine.table is None else tables.get(mine.table.state.table)
            if fresh is not None:
                mine.ends.extend(fresh.kept)
                if stream_of(mine.id) not in streams:
                    await self._look_at(league, mine.id, 0, tables)
        for stream, fresh in streams.items():
            version = fresh.version if stream in followed else None
            if stream.startswith("tournament-"):
                await self._look_at(league, aggregate_of(stream), version, tables)
            elif stream.startswith("dispute-"):
                await self._look_at_dispute(league, aggregate_of(stream), version)
        now.looking.clear()
        self._follow(league)

    async def _look_at(
        self, league: str, tournament: str, version: int | None, tables: Mapping[str, Fresh]
    ) -> None:
        now = self.leagues[league]
        loaded = await self._load(league, tournament_stream(tournament), version)
        state, told = loaded.state, self._told_of(league, tournament)
        player = entered(self.shell, tournament, state, self._player)
        new = told is None and tournament not in now.tournaments
        # No item is ever about a draft, so a cursor that names one was forged.
        forged = isinstance(state, Unannounced | Drafted)
        if forged or (new and (player is None or is_over(state))):
            return
        mine = now.tournaments.get(tournament)
        if player is None:
            player = Entered(_entrant_before(mine, told), "withdrawn")
        if mine is None:
            mine = now.tournaments[tournament] = Mine(league, tournament, player, loaded, NOTHING)
            if told is not None and told.table is not None:
                table = identifier("tbl", told.table)
                mine.ends.extend(await self.ends_at(league, table, told.version))
        mine.player, mine.loaded = player, loaded
        mine.table = await self._table_of(mine, tables)
        mine.facts = await self._lengthened(mine, facts_of(state, player, mine.table))
        now.changed[tournament] = None

    async def _lengthened(self, mine: Mine, facts: Facts) -> Facts:
        """Return *facts* with the end of the offer that outages have moved, recorded or not."""
        if facts.offer is None:
            return facts
        shell = self.shell
        until = shell.doors.closed_since(mine.league) or shell.now()
        state = await held(shell.pool, league_number(mine.league), mine.loaded.state, until)
        waiter = entering_of(state).waiter(mine.player.entrant)
        return facts if waiter is None else replace(facts, offer=waiter.offered_until)

    async def _table_of(self, mine: Mine, tables: Mapping[str, Fresh]) -> Loaded[Table] | None:
        """Return the table at which *mine* sits, at the version that the news names or later."""
        league, entrant = mine.league, mine.player.entrant
        seating = seating_of(self.shell, mine.id, mine.loaded.state, entrant)
        if seating is None:
            return None
        stream = table_stream(seating.table)
        if stream not in self._watch.keys(league):
            self.leagues[league].looking.add(stream)
            self._follow(league)
            loaded = await self._load(league, stream, None)
        else:
            fresh = tables.get(seating.table)
            loaded = await self._load(league, stream, 0 if fresh is None else fresh.version)
        if isinstance(loaded.state, Table) and loaded.state.place_of(entrant) is None:
            # The events of one append may be read in two parts.
            loaded = await self._load(league, stream, None)
        return _opened(loaded)

    async def _look_at_dispute(self, league: str, dispute: str, version: int | None) -> None:
        now = self.leagues[league]
        loaded = await self._load(league, dispute_stream(dispute), version)
        state, told = loaded.state, self._told.get(league)
        if not isinstance(state, Claimed):
            return
        known = dispute in now.disputes or (told is not None and dispute in told.disputes)
        if known or (state.phase in WAITING and await self._concerned(league, state)):
            now.disputes[dispute] = Loaded(state, loaded.version, loaded.hash, loaded.at)
            now.changed[dispute] = None

    async def _concerned(self, league: str, dispute: Claimed) -> bool:
        subject = dispute.opened.subject
        mine = dispute.opened.claimant in await identifiers_of(self.shell, league, self._player)
        if mine or subject.tournament is None:
            return mine
        loaded = await self._load(league, tournament_stream(subject.tournament), 0)
        return entered(self.shell, subject.tournament, loaded.state, self._player) is not None

    def _told_of(self, league: str, tournament: str) -> Facts | None:
        told = self._told.get(league)
        return None if told is None else told.tournaments.get(tournament)

    def _follow(self, league: str) -> None:
        """Watch everything in *league* that the player follows now."""
        now = self.leagues[league]
        keys = {self._player, stream_of(league), *now.looking, *map(stream_of, now.disputes)}
        for mine in now.tournaments.values():
            keys |= {mine.id, stream_of(mine.id)}
            if mine.table is not None:
                keys.add(stream_of(mine.table.state.table))
        self._watch.follow(league, keys)

    async def _load(
        self, league: str, stream: Stream[StateT], version: int | None
    ) -> Loaded[StateT]:
        """Return a stream's state at *version* or later, or as of the log's end for None."""
        writer = self.shell.runtime.writer
        known = None if version is None else writer.known(league, stream)
        if known is not None and version is not None and known.version >= version:
            return known
        return await writer.load(league, stream)


def _opened(loaded: Loaded[TableState]) -> Loaded[Table] | None:
    state = loaded.state
    if not isinstance(state, Table):
        return None
    return Loaded(state, loaded.version, loaded.hash, loaded.at)


def _entrant_before(mine: Mine | None, told: Facts | None) -> EntrantId:
    """Return the entrant that the player was before the entry was withdrawn."""
    if mine is not None:
        return mine.player.entrant
    number = None if told is None else told.entrant
    return EntrantId(identifier("ent", number or UUID(int=0)))


async def subjects_in(pool: asyncpg.Pool, league: str) -> list[str]:
    """
    Return the streams of tournaments that are not over, and of disputes that wait for a ruling.

    They are in the order of their positions.
    """
    rows = await pool.fetch(_SUBJECTS, league, number_of(league))
    return list(dict.fromkeys(row["stream"] for row in rows))
