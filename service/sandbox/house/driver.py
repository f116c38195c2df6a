"""
The process ``bots``: it finds the decisions that wait for house bots.

It watches the leagues that have house bots, as the API does for players' streams. Each event is
read once and wakes the tables that it concerns. A slow sweep of everything finds missed events. The
process may be killed at any time. Then the clock answers for its bots until it is back.
"""

import asyncio
import signal
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import Final

import structlog

from engine.errors import CommandRejected
from engine.kit.house_bots import is_house_bot
from engine.league.state import Created
from engine.tournament.model.commands.entering import AnswerOffer, CheckIn
from engine.tournament.model.state import Cancelled, Registering, State
from engine.tournament.model.values import Entry
from engine.tournament.model.values.entering import Applicant
from engine.values import EntrantId, PlayerId, TableId, aggregate_of, stream_of
from service.api.http.access.phases import entering_of, entries_of, tables_of
from service.api.http.following.news import News
from service.api.http.following.watching import Watch
from service.api.table.my_facts import is_over
from service.api.table.my_following import subjects_in
from service.base import metrics, telemetry
from service.base.errors import EventUnreadable, ServiceError
from service.base.health import Schema, beating
from service.base.settings import Settings
from service.director.closing_heads import tables_opened
from service.director.runtime import GONE, Runtime, open_runtime, settle
from service.director.submitting import submit_to_tournament
from service.log.read import KNOWN
from service.log.streams import league_stream, tournament_stream
from service.log.subscription import Subscription
from service.projections.applying.checkpoints import believed
from service.sandbox.house.playing import Bots, play, seed_of
from service.sandbox.house.standing import StandingSandbox

LOOK_SECONDS: Final = 1.0
"""The time between two searches for leagues that have got their first house bot."""

SWEEP_LOOKS: Final = 5
"""After this many searches, every table is looked at again, and every unreadable stream."""

_RETRY_SECONDS: Final = 1.0

# The read models may lag or stand still, so the log's newer events are read too. The characters
# are those with which every house bot's identifier begins.
_LEAGUES = f"""
    SELECT league FROM reads.member WHERE player >= $1 AND player < $2
     UNION
    SELECT it.name
      FROM known
     CROSS JOIN LATERAL (SELECT replace(known.league::text, '-', '')) digits(hex)
     CROSS JOIN LATERAL (SELECT 'lge_' || digits.hex) it(name)
      LEFT JOIN reads.checkpoint done ON done.name = 'members' AND done.league = it.name
     CROSS JOIN LATERAL (
        SELECT data::text AS data FROM events
         WHERE league = known.league AND position > coalesce({believed()}, -1)
           AND stream = 'league-' || digits.hex AND type = 'member_added'
     ) new
     WHERE strpos(new.data, $1) > 0
"""  # noqa: S608 - a constant
_BEGIN: Final = "plr_686f757365628"
_END: Final = "plr_686f757365629"

_log = structlog.get_logger(__name__)


@dataclass(slots=True)
class _Followed:
    """A league with house bots."""

    bots: frozenset[PlayerId] = frozenset()
    tournaments: dict[str, Bots] = field(default_factory=dict)
    """The house bots in each tournament that is not over, or in which hands still go on."""

    tables: dict[TableId, str] = field(default_factory=dict)
    """The tournament of each table of these that is open, or was when it was cancelled."""

    left_out: set[str] = field(default_factory=set)
    """The streams that could not be read. Each sweep tries them again."""


class Driver:
    """Plays all house bots, until *stopping* is set."""

    def __init__(self, runtime: Runtime, news: News, stopping: asyncio.Event) -> None:
        self._runtime = runtime
        self._news = news
        self._stopping = stopping
        self._seed = seed_of(runtime.settings.secret_key)
        self._leagues: dict[str, _Followed] = {}
        self._playing: dict[str, asyncio.Task[None]] = {}
        self._again: set[str] = set()

    async def drive(self) -> None:
        """Follow and play. After an error, begin again with everything."""
        while not self._stopping.is_set():
            try:
                with self._news.watching() as watch:
                    await self._follow(watch)
            except (ServiceError, *GONE) as error:
                _log.warning(
                    "house bots wait for the log", error=f"{type(error).__name__}: {error}"
                )
                await asyncio.sleep(_RETRY_SECONDS)
            finally:
                self._leagues.clear()
        for task in tuple(self._playing.values()):
            task.cancel()
        await asyncio.gather(*self._playing.values(), return_exceptions=True)

    async def _follow(self, watch: Watch) -> None:
        loop, looks, due = asyncio.get_running_loop(), 0, 0.0
        while not self._stopping.is_set():
            if loop.time() >= due:
                due = loop.time() + LOOK_SECONDS
                looks += 1
                await self._look_for_leagues(watch)
                if looks % SWEEP_LOOKS == 0:
                    await self._sweep(watch)
            for league, streams in watch.take().items():
                await self._look_at_each(watch, league, streams)
            await watch.wait(max(0.0, due - loop.time()))

    async def _look_for_leagues(self, watch: Watch) -> None:
        rows = await self._runtime.pool.fetch(KNOWN + _LEAGUES, _BEGIN, _END)
        for league in sorted(row["league"] for row in rows):
            if league not in self._leagues:
                await self._enter(watch, league)

    async def _enter(self, watch: Watch, league: str) -> None:
        """Watch a league, then read it. This order leaves no gap between the two."""
        await watch.begin(league, {stream_of(league)})
        self._leagues[league] = _Followed()
        await self._look_at_each(watch, league, (stream_of(league),))

    async def _look_at_each(self, watch: Watch, league: str, streams: Iterable[str]) -> None:
        """Check everything that has news.

        An unreadable stream must not stop the bots of the others.
        """
        left_out = self._leagues[league].left_out
        for stream in streams:
            try:
                await self._look(watch, league, stream)
                left_out.discard(stream)
            except EventUnreadable as error:
                if stream not in left_out:
                    _log.warning("house bots leave a stream out", stream=stream, error=error.detail)
                left_out.add(stream)

    async def _look(self, watch: Watch, league: str, stream: str) -> None:
        if stream.startswith("table-"):
            self._play(league, TableId(aggregate_of(stream)))
        elif stream.startswith("tournament-"):
            await self._look_at_tournament(watch, league, aggregate_of(stream))
        elif stream == stream_of(league):
            await self._look_at_league(watch, league)

    async def _look_at_league(self, watch: Watch, league: str) -> None:
        state = (await self._runtime.writer.load(league, league_stream(league))).state
        members = state.members if isinstance(state, Created) else ()
        bots = frozenset(each.player for each in members if is_house_bot(each.player))
        followed = self._leagues[league]
        joined, followed.bots = bots - followed.bots, bots
        self._watch(watch, league)
        if joined:
            # They joined and entered in one append, when nobody watched their names yet.
            streams = await subjects_in(self._runtime.pool, league)
            await self._look_at_each(watch, league, streams)

    async def _look_at_tournament(self, watch: Watch, league: str, tournament: str) -> None:
        followed, stream = self._leagues[league], tournament_stream(tournament)
        state = (await self._runtime.writer.load(league, stream)).state
        there: tuple[Entry | Applicant, ...] = (*entries_of(state), *entering_of(state).waiting)
        bots = {each.entrant: each.player for each in there if is_house_bot(each.player)}
        open_now = {each.table: tournament for each in tables_of(state)} if bots else {}
        if bots and isinstance(state, Cancelled) and not state.recorded:
            # The hands in play go on. The ends of the tables are recorded once all are closed.
            streams = await tables_opened(self._runtime, league, tournament)
            open_now = {TableId(aggregate_of(each)): tournament for each in streams}
        followed.tables = {
            each: its for each, its in followed.tables.items() if its != tournament
        } | open_now
        if bots and (open_now or not is_over(state)):
            followed.tournaments[tournament] = bots
        else:
            followed.tournaments.pop(tournament, None)
        self._watch(watch, league)
        self._runtime.later(self._answer_for(league, tournament, state, bots))
        for table in open_now:
            self._play(league, table)

    def _watch(self, watch: Watch, league: str) -> None:
        """Watch the league, its bots' names, and where the bots play."""
        followed = self._leagues[league]
        keys = {stream_of(league), *followed.bots}
        keys.update(stream_of(each) for each in (*followed.tournaments, *followed.tables))
        watch.follow(league, keys)

    async def _answer_for(
        self, league: str, tournament: str, state: State, bots: dict[EntrantId, PlayerId]
    ) -> None:
        """Accept each bot's offer of a place, and check each bot in, if check-in is open."""
        if not isinstance(state, Registering):
            return
        offered = {each.entrant for each in state.entering.offers()}
        for entrant, player in bots.items():
            now = self._runtime.clock.now()
            command: AnswerOffer | CheckIn
            if entrant in offered:
                what, command = "offer", AnswerOffer(entrant=entrant, accepted=True, now=now)
            elif state.entering.check_in_opened and entrant not in state.entering.checked_in:
                what, command = "check_in", CheckIn(entrant=entrant, now=now)
            else:
                continue
            # Check-in may open again, and staff may undo it. So one bot may check in twice.
            asked = f"house_bot/{what}/{entrant}/{state.version}"
            order = self._runtime.order(asked, actor=player)
            try:
                await submit_to_tournament(self._runtime, league, tournament, command, order)
            except CommandRejected as refusal:
                _log.warning("a house bot was refused", entrant=entrant, code=refusal.code)

    async def _sweep(self, watch: Watch) -> None:
        for league, followed in self._leagues.items():
            for table in followed.tables:
                self._play(league, table)
            await self._look_at_each(watch, league, tuple(followed.left_out))

    def _play(self, league: str, table: TableId) -> None:
        """Play at a table in the background.

        News that arrives during the play is checked afterwards.
        """
        followed = self._leagues[league]
        tournament = followed.tables.get(table)
        bots = None if tournament is None else followed.tournaments.get(tournament)
        if not bots:
            return
        if table in self._playing:
            self._again.add(table)
            return
        work = partial(play, self._runtime, league, table, bots, self._seed)
        task = asyncio.create_task(_logged(table, work), name=f"house-bots-{table}")
        self._playing[table] = task
        task.add_done_callback(lambda _: self._played(league, table))

    def _played(self, league: str, table: TableId) -> None:
        del self._playing[table]
        if table in self._again and not self._stopping.is_set() and league in self._leagues:
            self._again.discard(table)
            self._play(league, table)


async def _logged(table: TableId, work: Callable[[], Awaitable[None]]) -> None:
    try:
        await work()  # made here, because a task may be cancelled before it begins
        metrics.BOT_ACTIONS.labels("played").inc()
    except Exception as error:  # noqa: BLE001
        metrics.BOT_ACTIONS.labels("failed").inc()
        # A fault at one table must not stop the bots of all others. The sweep tries it again.
        _log.warning("house bots stopped", table=table, error=f"{type(error).__name__}: {error}")


def run(settings: Settings) -> None:
    """Play the house bots of every league until SIGTERM or SIGINT."""
    telemetry.configure(settings, "bots")
    metrics.serve(settings.metrics_address, ready=Schema(settings.database_url))
    asyncio.run(_run(settings))


async def _run(settings: Settings) -> None:
    stopping, loop = asyncio.Event(), asyncio.get_running_loop()
    for each in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(each, stopping.set)
    async with open_runtime(settings, None, stopping) as runtime:
        news = News(runtime.writer, Subscription(settings.database_url), stopping)
        await news.start()
        try:
            settle()
            _log.info("house_bots_play")
            work = [Driver(runtime, news, stopping).drive()]
            if settings.sandbox:
                work.append(StandingSandbox(runtime, news, stopping).keep())
            async with beating("the event loop"):
                await asyncio.gather(*work)
        finally:
            await news.aclose()
