"""
The items of a player's stream, made one at a time from the newest state.

A slow reader skips items that have become outdated meanwhile.
"""

from datetime import datetime

from msgspec.structs import replace

from engine.table.model.events import HandSettled
from engine.table.model.state import Table
from engine.values import identifier, stream_of
from service.api.http.reading.called import names_at
from service.api.table.my_differences import AFTER_HANDS, BEFORE_HANDS, Difference, Kind, about
from service.api.table.my_following import WAITING, Following, LeagueNow, Mine
from service.api.table.my_items import (
    CaughtUpItem,
    DisputeItem,
    HandOverItem,
    LeagueLeftItem,
    MyItem,
    ResetItem,
    TurnItem,
)
from service.api.table.told import NOTHING, Facts, InLeague, cursor_of
from service.api.table.views import read_of, seen_with_clock, unnamed
from service.log.record import Recorded
from service.log.writer import Loaded


class Telling:
    """
    Makes the items for one player.

    Args:
        following: The streams that the player follows.
        told: The reader's knowledge, by league. It changes with each item.
        again: True to send open turns again that the reader knows already. A reader that was
            restarted may have received them without answering.
    """

    def __init__(self, following: Following, told: dict[str, InLeague], *, again: bool) -> None:
        self._following = following
        self._told = told
        self._again = {
            tournament
            for known in told.values()
            for tournament, facts in known.tournaments.items()
            if again and facts.decision is not None
        }

    @property
    def cursor(self) -> str:
        """The cursor of a reader who has received every item so far."""
        return cursor_of(self._told)

    def caught_up(self, now: datetime) -> CaughtUpItem:
        """Return the item that says that the reader is up to date."""
        return CaughtUpItem(cursor=self.cursor, at=now)

    async def next(self, now: datetime) -> MyItem | None:
        """Return the next item, or None if the reader is up to date."""
        for league in sorted(self._following.left & self._told.keys()):
            del self._told[league]
            return LeagueLeftItem(cursor=self.cursor, at=now, league=league)
        for league, here in self._following.leagues.items():
            known = self._told.get(league)
            if known is None:
                known = self._told[league] = InLeague(here.epoch)
            elif known.epoch != here.epoch:
                self._told[league] = InLeague(here.epoch)
                return ResetItem(cursor=self.cursor, at=now, league=league)
            item = await self._in_league(league, here, known)
            if item is not None:
                return item
        return None

    async def _in_league(self, league: str, here: LeagueNow, known: InLeague) -> MyItem | None:
        for subject in tuple(here.changed):
            mine = here.tournaments.get(subject)
            if mine is not None:
                item = await self._in_tournament(mine, known)
            else:
                item = self._in_dispute(league, subject, here, known)
            if item is not None:
                return item
            here.changed.pop(subject, None)
        return None

    def _in_dispute(
        self, league: str, dispute: str, here: LeagueNow, known: InLeague
    ) -> MyItem | None:
        loaded = here.disputes[dispute]
        phase, before = loaded.state.phase, known.disputes.get(dispute)
        if phase == before or (phase not in WAITING and before is None):
            return None
        known.disputes[dispute] = phase
        if phase not in WAITING:
            del known.disputes[dispute]
        return DisputeItem(
            cursor=self.cursor,
            at=loaded.at,
            league=league,
            tournament=loaded.state.opened.subject.tournament,
            dispute=dispute,
            state=phase,
        )

    async def _in_tournament(self, mine: Mine, known: InLeague) -> MyItem | None:
        told = known.tournaments.get(mine.id, NOTHING)
        if mine.id in self._again:
            self._again.discard(mine.id)
            if (told.table, told.decision) == (mine.facts.table, mine.facts.decision):
                told = replace(told, decision=None, deadline=None)
        found = _first(BEFORE_HANDS, told, mine) or await self._hand_over(told, mine)
        found = found or _first(AFTER_HANDS, told, mine)
        if found is None:
            return None
        if found.after is None:
            known.tournaments.pop(mine.id, None)
            self._following.drop(mine.league, mine.id)
        else:
            known.tournaments[mine.id] = found.after
        found.item.cursor = self.cursor
        if isinstance(found.item, TurnItem | HandOverItem):
            view = found.item.view
            seated = (each.entrant for each in view.seats)
            names = await names_at(self._following.shell, mine.loaded.state, seated)
            found.item.view = replace(view, names=names)
        return found.item

    async def _hand_over(self, told: Facts, mine: Mine) -> Difference | None:
        if told.table is None:
            return None
        row = await self._end_after(told, mine)
        table = None if row is None else await self._table(identifier("tbl", told.table), mine)
        if row is None or table is None:
            return None
        codec = self._following.shell.runtime.writer.codec
        event = codec.public(row.stream, row.type, row.schema_version, row.data)
        if not isinstance(event, HandSettled):
            return None
        seen = seen_with_clock(table.state, mine.player.entrant, mine.loaded.state)
        item = HandOverItem(
            **about(mine),
            at=row.at,
            table=table.state.table,
            hand=event.hand,
            number=event.number,
            ending=event.ending,
            winners=event.winners,
            stacks=event.stacks,
            view=unnamed(read_of(mine.league, table, seen)),
        )
        return Difference(item, replace(told, version=row.stream_version))

    async def _end_after(self, told: Facts, mine: Mine) -> Recorded | None:
        """Return the first end of a hand at the known table that has not been sent."""
        if told.table is None:
            return None
        table = identifier("tbl", told.table)
        if told.table != mine.facts.table:
            # The player has left the table, perhaps by the end of a hand that was not sent yet.
            found = await self._following.ends_at(mine.league, table, told.version)
            return found[0] if found else None
        while mine.ends:
            row = mine.ends[0]
            if row.stream == stream_of(table) and row.stream_version > told.version:
                return row
            mine.ends.popleft()
        return None

    async def _table(self, table: str, mine: Mine) -> Loaded[Table] | None:
        """Return a table of *mine*'s tournament, or None if it belongs to another one."""
        if mine.table is not None and mine.table.state.table == table:
            return mine.table
        found = await self._following.table(mine.league, table)
        return found if found is not None and found.state.tournament == mine.id else None


def _first(kinds: tuple[Kind, ...], told: Facts, mine: Mine) -> Difference | None:
    """Return the first difference of *kinds*, or None."""
    found = (kind(told, mine) for kind in kinds)
    return next((each for each in found if each is not None), None)
