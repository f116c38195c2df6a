"""
The standing sandbox league: it always has an open tournament of each ruleset.

As soon as somebody has entered one, house bots take the free seats and play begins. Every step has
an identifier of its own that all processes derive alike. So it may be repeated, by another process
or after a restart.
"""

import asyncio
from typing import Final

import structlog

from engine.errors import CommandRejected
from engine.kit.house_bots import HOUSE, STRENGTHS, is_house_bot
from engine.tournament.model.errors import TournamentFull
from engine.tournament.model.state import Registering
from engine.values import TournamentId, stream_of
from service.announcing.sandbox import OFFERED, SANDBOX, TABLE_SEATS, Offered, Sandbox
from service.api.http.news import News
from service.api.table.my_following import subjects_in
from service.base.errors import ServiceError
from service.director.house_bots import seat_house_bots
from service.director.runtime import GONE, Runtime
from service.director.submitting import start_tournament

FILL_SECONDS: Final = 2.0
"""The time in which others may take a seat after the first entry, before house bots do."""

PLAYING_MAX: Final = 50
"""The tournaments that are played at a time. With more entries the next ones wait."""

_LOOK_SECONDS: Final = 5.0
_RETRY_SECONDS: Final = 1.0

_log = structlog.get_logger(__name__)


class Standing:
    """Keeps the sandbox league open, until *stopping* is set."""

    def __init__(self, runtime: Runtime, news: News, stopping: asyncio.Event) -> None:
        self._runtime = runtime
        self._news = news
        self._stopping = stopping
        self._sandbox = Sandbox(runtime)
        self._due: dict[TournamentId, float] = {}
        """The time at which each tournament that somebody has entered is to start."""

    async def keep(self) -> None:
        """Look at the open tournaments whenever one has news. After an error, begin again."""
        while not self._stopping.is_set():
            try:
                await self._follow()
            except (ServiceError, CommandRejected, *GONE) as error:
                _log.warning("the sandbox league waits", error=f"{type(error).__name__}: {error}")
                await asyncio.sleep(_RETRY_SECONDS)

    async def _follow(self) -> None:
        loop = asyncio.get_running_loop()
        with self._news.watching() as watch:
            await watch.begin(SANDBOX, {stream_of(SANDBOX)})
            while not self._stopping.is_set():
                watch.take()
                opened = [await self._look(each) for each in OFFERED]
                self._due = {each: due for each, due in self._due.items() if each in opened}
                watch.follow(SANDBOX, {stream_of(SANDBOX), *map(stream_of, opened)})
                due = min(self._due.values(), default=loop.time() + _LOOK_SECONDS)
                await watch.wait(max(0.0, min(_LOOK_SECONDS, due - loop.time())))

    async def _look(self, ruleset: Offered) -> TournamentId:
        """Return the open tournament of *ruleset*. Start it first if that is due."""
        state = await self._sandbox.open_now(ruleset)
        here = state.terms.tournament
        if all(is_house_bot(each.player) for each in state.entrants):
            return here
        now = asyncio.get_running_loop().time()
        due = self._due.setdefault(here, now + FILL_SECONDS)
        full = len(state.entrants) >= TABLE_SEATS
        if now < due and not full:
            return here
        if await self._busy():
            self._due[here] = now + FILL_SECONDS
            return here
        await self._start(state)
        return (await self._sandbox.open_now(ruleset)).terms.tournament

    async def _busy(self) -> bool:
        """Return whether as many tournaments are played as may be."""
        streams = await subjects_in(self._runtime.pool, SANDBOX)
        not_over = sum(each.startswith("tournament-") for each in streams)
        return not_over - len(OFFERED) >= PLAYING_MAX

    async def _start(self, state: Registering) -> None:
        """Give the free seats to house bots of all strengths, and begin play."""
        runtime, here = self._runtime, state.terms.tournament
        for strength in STRENGTHS[: TABLE_SEATS - len(state.entrants)]:
            order = runtime.order(f"sandbox/seat/{here}/{strength}")
            try:
                await seat_house_bots(runtime, SANDBOX, here, (1, strength), HOUSE, order)
            except TournamentFull:
                break  # somebody else has taken the seat
        await start_tournament(runtime, SANDBOX, here, runtime.clock.now())
