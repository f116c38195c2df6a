"""
The standing sandbox: its league of the month always has an open tournament of each ruleset.

As soon as somebody has entered one, house bots take the free seats and play begins. All
processes derive the same identifier for a step. So another process may repeat a step, also after a
restart.
"""

import asyncio
from typing import Final

import structlog

from engine.errors import CommandRejected
from engine.kit.house_bots import HOUSE, STRENGTHS, is_house_bot
from engine.tournament.model.commands import Cancel
from engine.tournament.model.errors import TournamentFull
from engine.tournament.model.state import Registering
from engine.values import LeagueId, TournamentId, aggregate_of, stream_of
from service.announcing.sandbox import OFFERED, TABLE_SEATS, Offered, Sandbox
from service.announcing.sandbox_leagues import earlier
from service.api.http.following.news import News
from service.api.table.my_following import subjects_in
from service.base.errors import ServiceError
from service.director.house_bots import seat_house_bots
from service.director.runtime import GONE, Runtime
from service.director.submitting import start_tournament, submit_to_tournament
from service.log.streams import tournament_stream

FILL_SECONDS: Final = 2.0
"""The time after the first entry in which other players may still take a seat."""

PLAYING_MAX: Final = 50
"""The most tournaments that are played at a time. With more entries the next ones wait."""

_LOOK_SECONDS: Final = 5.0
_RETRY_SECONDS: Final = 1.0

_log = structlog.get_logger(__name__)


class StandingSandbox:
    """Keeps the sandbox league of each month open, until *stopping* is set."""

    def __init__(self, runtime: Runtime, news: News, stopping: asyncio.Event) -> None:
        self._runtime = runtime
        self._news = news
        self._stopping = stopping
        self._sandbox = Sandbox(runtime)
        self._due: dict[TournamentId, float] = {}
        """The instant at which each entered tournament is to start."""

    async def keep(self) -> None:
        """Check the open tournaments whenever one has news. After an error, begin again."""
        while not self._stopping.is_set():
            try:
                await self._follow()
            except (ServiceError, CommandRejected, *GONE) as error:
                _log.warning("the sandbox league waits", error=f"{type(error).__name__}: {error}")
                await asyncio.sleep(_RETRY_SECONDS)

    async def _follow(self) -> None:
        """Follow the league of this month to the month's end."""
        loop, league = asyncio.get_running_loop(), self._sandbox.league
        with self._news.watching() as watch:
            await watch.begin(league, {stream_of(league)})
            while not self._stopping.is_set() and self._sandbox.league == league:
                watch.take()
                opened = [await self._look(league, each) for each in OFFERED]
                for each in earlier(self._runtime.clock.now()):
                    await self._end(each)
                self._due = {each: due for each, due in self._due.items() if each in opened}
                watch.follow(league, {stream_of(league), *map(stream_of, opened)})
                due = min(self._due.values(), default=loop.time() + _LOOK_SECONDS)
                await watch.wait(max(0.0, min(_LOOK_SECONDS, due - loop.time())))

    async def _end(self, league: LeagueId) -> None:
        """
        End a league of an earlier month.

        Tournaments that somebody has entered are played to the end. The others are cancelled.
        """
        runtime = self._runtime
        for stream in await subjects_in(runtime.pool, league):
            if not stream.startswith("tournament-"):
                continue
            here = TournamentId(aggregate_of(stream))
            state = (await runtime.writer.load(league, tournament_stream(here))).state
            if not isinstance(state, Registering):
                continue
            if any(not is_house_bot(each.player) for each in state.entrants):
                await self._start(league, state)
            else:
                command = Cancel(reason="sandbox_ended", now=runtime.clock.now())
                order = runtime.order(f"sandbox/cancel/{here}")
                await submit_to_tournament(runtime, league, here, command, order)
        await self._sandbox.end(league)

    async def _look(self, league: LeagueId, ruleset: Offered) -> TournamentId:
        """Return the open tournament of *ruleset*. Start it first if that is due."""
        state = await self._sandbox.open_now(league, ruleset)
        here = state.terms.tournament
        if all(is_house_bot(each.player) for each in state.entrants):
            return here
        now = asyncio.get_running_loop().time()
        due = self._due.setdefault(here, now + FILL_SECONDS)
        full = len(state.entrants) >= TABLE_SEATS
        if now < due and not full:
            return here
        if await self._busy(league):
            self._due[here] = now + FILL_SECONDS
            return here
        await self._start(league, state)
        return (await self._sandbox.open_now(league, ruleset)).terms.tournament

    async def _busy(self, league: LeagueId) -> bool:
        """Return whether the most tournaments allowed are being played."""
        streams = await subjects_in(self._runtime.pool, league)
        not_over = sum(each.startswith("tournament-") for each in streams)
        return not_over - len(OFFERED) >= PLAYING_MAX

    async def _start(self, league: LeagueId, state: Registering) -> None:
        """Give the free seats to house bots of all strengths, and begin play."""
        runtime, here = self._runtime, state.terms.tournament
        for strength in STRENGTHS[: TABLE_SEATS - len(state.entrants)]:
            order = runtime.order(f"sandbox/seat/{here}/{strength}")
            try:
                await seat_house_bots(runtime, league, here, (1, strength), HOUSE, order)
            except TournamentFull:
                break  # another player has taken the seat
        await start_tournament(runtime, league, here, runtime.clock.now())
