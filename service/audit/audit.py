"""
Reading a league's log from the first event on, and proving it.

Events are folded and, at tables, decided again: what the engine answers today to
what was asked then must be what is stored, to the byte.  Read in chunks; what
is appended meanwhile is left for the next audit.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import datetime
from itertools import accumulate
from time import monotonic
from typing import Any

import httpx
import sqlalchemy as sa
import structlog
from sqlalchemy.ext.asyncio import AsyncConnection

from engine.aggregates import DECIDERS
from engine.errors import EngineError
from engine.league.events import LeagueCreated
from engine.season.events import TournamentHead, TournamentsRecorded
from engine.table import recall
from engine.table.events import TableOpened
from engine.table.state import Table
from engine.tournament.heads.events import TableHead, TablesRecorded
from engine.values import TournamentId, number_of, stream_of
from service.audit.chain import Boxes, Chains, open_commitments
from service.audit.floors import FloorAudit
from service.audit.hands import NEEDS_BEFORE, HandAudit
from service.audit.knockouts import KnockoutAudit
from service.audit.overdue import check_deal, check_jobs
from service.audit.report import Findings, Report
from service.audit.seasons import SeasonAudit
from service.audit.tree import TreeAudit
from service.errors import EventUnreadable
from service.eventstore.codec import Codec, category_of
from service.eventstore.read import last_position, read_league
from service.eventstore.record import Recorded
from service.keys import Keys, LeagueKeys, driver_of
from service.projections.comparing import compare_league
from service.projections.models import ALL
from service.projections.projection import ProjectionBroken

CHUNK = 2_000
"""Positions fetched at once."""

log = structlog.get_logger()

Progress = Callable[[int, int], Awaitable[None]]
"""Told how many events are done, and how many there are."""

_DEFECTS = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError)
"""What a forged event may provoke in code that expects a possible one."""


async def audit_league(
    connection: AsyncConnection,
    keys: Keys,
    league: str,
    *,
    tournament: str | None = None,
    progress: Progress | None = None,
    signer: httpx.AsyncClient | None = None,
) -> Report:
    """
    Prove a league's log, and that its read models follow from it.

    Args:
        connection: Of its own, of a role that may read log, keys and read models;
            transactions are made and ended here.
        keys: Open the league's sealed values.
        tournament: Decide only this tournament's hands again; bytes and chains are
            always proved whole, because they are one thing.
        progress: Told now and then how far it is.
        signer: Asked what it remembers; without one only the kept heads are compared.

    Returns:
        The report; whatever does not hold is in it and raises nothing.

    Raises:
        EventUnreadable: If the league's key is missing or another secret wrapped it.
    """
    began = monotonic()
    driver = await driver_of(connection)
    number = number_of(league)
    auditor = Auditor(await keys.of(connection, number), tournament)
    await auditor.tree.prepare(driver, number, signer)
    await connection.rollback()
    now = await driver.fetchval("SELECT clock_timestamp()")
    until = await last_position(driver, number)
    after = -1
    while after < until:
        rows = await read_league(driver, number, after, min(CHUNK, until - after))
        for recorded in rows:
            auditor.read(recorded)
        if not rows:
            break
        after = rows[-1].position
        if progress is not None:
            await progress(after + 1, until + 1)
    auditor.end(until, now)
    await check_jobs(driver, league, auditor.findings)
    if tournament is None:
        await _compare(connection, league, auditor.findings)
    return auditor.findings.close(auditor.report(league, until, monotonic() - began))


async def _compare(connection: AsyncConnection, league: str, findings: Findings) -> None:
    findings.hold("projections", True, -1, "", "")
    differences = []
    for projection in ALL:
        try:
            differences += await compare_league(connection, league, (projection,))
        except ProjectionBroken as error:
            findings.hold("projections", False, error.position, projection.name, error.reason)
        except (*_DEFECTS, sa.exc.IntegrityError, sa.exc.DataError) as error:
            what = f"cannot be made from this log: {type(error).__name__}"
            findings.hold("projections", False, -1, projection.name, what)
    for found in differences:
        what = (
            f"relation {found.relation}: {found.only_live} rows that the log does not give, "
            f"{found.only_rebuilt} missing"
        )
        findings.hold("projections", False, -1, found.name, what)


@dataclass
class _Stream:
    """A stream being folded; ``group`` are the events of its current command."""

    state: Any
    broken: bool = False
    command: str = ""
    group: list[tuple[Any, int]] = field(default_factory=list)


class Auditor:
    """Takes a league's events one after another."""

    def __init__(self, keys: LeagueKeys, tournament: str | None = None) -> None:
        self._keys = keys
        self._asked = tournament
        self._only = None if tournament is None else stream_of(tournament)
        self._codec = Codec(DECIDERS)
        self._streams: dict[str, _Stream] = {}
        self.findings = Findings()
        self.chains = Chains(self.findings)
        self.tree = TreeAudit(self.findings)
        self.knockouts = KnockoutAudit(self.findings)
        self.tables: dict[str, HandAudit] = {}
        self.floors: dict[str, FloorAudit] = {}
        self.seasons: dict[str, SeasonAudit] = {}
        self._floor_of: dict[str, str] = {}
        self._seasons: set[str] = set()
        """Those with events that still wait for the end of their command."""

        self.events = 0
        self.sandbox = False

    def read(self, recorded: Recorded) -> None:
        """Check one event's bytes, open it, and fold what its command has led to."""
        self.events += 1
        command = self.chains.follow(recorded)
        self.tree.add(recorded.hash)
        if self._seasons:
            self._settle_seasons(command)
        stream = self._streams.get(recorded.stream)
        if stream is None:
            initial = DECIDERS[category_of(recorded.stream)].initial
            stream = self._streams[recorded.stream] = _Stream(initial)
        if command != stream.command:
            self._decide(recorded.stream, stream)
            stream.command = command
        boxes = open_commitments(recorded, self._keys, self.findings)
        event = self._open(recorded, stream, boxes)
        if event is not None:
            stream.group.append((event, recorded.position))
            if category_of(recorded.stream) == "season":
                self._seasons.add(recorded.stream)

    def _settle_seasons(self, command: str) -> None:
        """Fold what seasons have awarded, before the results it was awarded for are corrected."""
        for name in [each for each in self._seasons if self._streams[each].command != command]:
            self._seasons.discard(name)
            self._decide(name, self._streams[name])

    def end(self, until: int, now: datetime) -> None:
        """Fold what is left, and compare sums that span streams, as they stand at *now*."""
        for name, stream in self._streams.items():
            self._decide(name, stream)
        self.check_deals(now)
        found = self.findings.hold
        dense = self.events == until + 1
        said = f"{self.events} events up to position {until}"
        found("positions", dense, until, "", said, count=0)
        self.tree.end()
        self.knockouts.end()
        for name, floor in self.floors.items():
            floor.entropy.end()
            tables = [table for table, its in self._floor_of.items() if its == name]
            whole = not any(self._streams[table].broken for table in tables)
            if whole and all(self.tables[table].hand is None for table in tables):
                floor.balance(sum(self.tables[table].chips for table in tables))
        for name, season in self.seasons.items():
            if not self._streams[name].broken:
                season.end(self._streams[name].state)

    def check_deals(self, now: datetime) -> None:
        """Check at *now* that every deal which has begun is played on."""
        for name, stream in self._streams.items():
            if isinstance(stream.state, Table) and not stream.broken:
                check_deal(name, stream.state, self.chains.last[name], now, self.findings)

    def report(self, league: str, until: int, seconds: float) -> Report:
        """Return what was read of *league* up to position *until*, without the findings."""
        return Report(
            league=league,
            tournament=self._asked,
            sandbox=self.sandbox,
            events=self.events,
            streams=len(self.chains.heads),
            hands=sum(hands.hands for hands in self.tables.values()),
            openings=sum(hands.openings for hands in self.tables.values()),
            omissions=sum(hands.omissions for hands in self.tables.values()),
            voided_deals=sum(hands.deals_voided for hands in self.tables.values()),
            last_position=until,
            seconds=round(seconds, 3),
        )

    def _open(self, recorded: Recorded, stream: _Stream, boxes: Boxes | None) -> Any:
        if stream.broken:
            return None
        try:
            event = self._codec.decode(recorded, self._keys, boxes)
        except EventUnreadable as error:
            stream.broken = True
            self.findings.hold("readable", False, recorded.position, recorded.stream, error.detail)
            return None
        named = event.__struct_config__.tag == recorded.type
        self.findings.hold(
            "readable", named, recorded.position, recorded.stream, "the type is not the event's"
        )
        match event:
            case LeagueCreated():
                self.sandbox = event.sandbox
            case TablesRecorded():
                self._compare_tables(event, recorded)
            case TournamentsRecorded():
                for each in event.tournaments:
                    self._compare_head(stream_of(each.tournament), each, recorded)
        return event

    def _compare_head(
        self, stream: str, head: TableHead | TournamentHead, recorded: Recorded
    ) -> None:
        """Compare what was written above a stream when it was over with the stream itself."""
        version, hash_ = self.chains.heads.get(stream, (0, b""))
        held = (version, hash_.hex()) == (head.version, head.hash)
        what = f"{stream} had {head.version} events then, and another end; it has {version} here"
        self.findings.hold("heads", held, recorded.position, recorded.stream, what)

    def _compare_tables(self, event: TablesRecorded, recorded: Recorded) -> None:
        for head in event.tables:
            name = stream_of(head.table)
            self._compare_head(name, head, recorded)
            waiting = self._streams.get(name)
            if waiting is not None:
                self._decide(name, waiting)
            table = self.tables.get(name)
            hands = 0 if table is None else table.hands
            what = f"{head.hands} hands were settled at {name}, {hands} are here"
            held = hands == head.hands
            self.findings.hold("heads", held, recorded.position, recorded.stream, what)
        named = {stream_of(head.table) for head in event.tables}
        opened = {name for name, floor in self._floor_of.items() if floor == recorded.stream}
        what = f"{len(opened - named)} tables of this tournament are not among those recorded"
        self.findings.hold("heads", opened <= named, recorded.position, recorded.stream, what)

    def _decide(self, name: str, stream: _Stream) -> None:
        """Decide the gathered command again, then fold and check its events one by one."""
        group, stream.group = stream.group, []
        if not group or stream.broken:
            return
        category = category_of(name)
        folded: list[Any] = []
        if category == "table":
            if not self._placed(name, stream, group):
                return
            if self._only in (None, self._floor_of[name]):
                folded = self._decide_table(name, stream, group)
        checker = self._checker(category, name)
        evolve = DECIDERS[category].evolve
        for index, (event, position) in enumerate(group):
            before = stream.state
            try:
                done = index < len(folded)
                stream.state = folded[index] if done else evolve(before, event)
                if checker is not None:
                    checker.see(event, position, before)
                self.knockouts.see(name, event, position)
            except (EngineError, *_DEFECTS) as error:
                self._break(name, stream, position, error)
                return
            self.findings.hold("folds", True, position, name, "")

    def _placed(self, name: str, stream: _Stream, group: list[tuple[Any, int]]) -> bool:
        """Remember to which tournament a table belongs; its first event must say so."""
        if name not in self._floor_of:
            first, position = group[0]
            if not isinstance(first, TableOpened):
                self._break(name, stream, position, LookupError("a table was never opened"))
                return False
            self._floor_of[name] = stream_of(first.tournament)
        return True

    def _decide_table(self, name: str, stream: _Stream, group: list[tuple[Any, int]]) -> list[Any]:
        """
        Ask the table again what each command leads to.

        Returns:
            Its state after each event, as far as it can be decided; events that were
            decided as they stand all have the state after their command.
        """
        decider = DECIDERS["table"]
        state = stream.state
        folded: list[Any] = []
        position = group[0][1]
        try:
            for part in recall.parts_of([event for event, _ in group]):
                rest = group[len(folded) :]
                position = rest[0][1]
                decided, after = decider.carry_out(state, recall.command_of(part))
                held = decided == part
                at = position if held else _first_difference(decided, part, rest)
                what = "decided again, the events are others"
                self.findings.hold("decisions", held, at, name, what)
                if held and NEEDS_BEFORE.isdisjoint(map(type, part)):
                    # Deciding has applied these very events, and nobody asks what was between.
                    folded += [after] * len(part)
                else:
                    folded += accumulate(part, decider.evolve, initial=state)
                    del folded[-len(part) - 1]
                state = folded[-1]
        except (EngineError, *_DEFECTS) as error:
            what = f"decided again, it is refused: {type(error).__name__}"
            self.findings.hold("decisions", False, position, name, what)
        return folded

    def _checker(self, category: str, name: str) -> HandAudit | FloorAudit | SeasonAudit | None:
        if category == "season":
            made = SeasonAudit(name, self.findings, self._tournament)
            return self.seasons.setdefault(name, made)
        if category == "tournament":
            return self.floors.setdefault(name, FloorAudit(name, self.findings))
        if category != "table":
            return None
        found = self.tables.get(name)
        if found is None:
            floor = self._floor_of[name]
            found = HandAudit(name, self.findings, lambda: self._floor(floor))
            self.tables[name] = found
        return found

    def _floor(self, floor: str) -> FloorAudit | None:
        self._settle(floor)
        return self.floors.get(floor)

    def _tournament(self, tournament: TournamentId) -> Any:
        floor = stream_of(tournament)
        self._settle(floor)
        stream = self._streams.get(floor)
        return None if stream is None else stream.state

    def _settle(self, floor: str) -> None:
        """Fold a tournament's own events that still wait for the end of their command."""
        stream = self._streams.get(floor)
        if stream is not None and stream.group:
            self._decide(floor, stream)

    def _break(self, name: str, stream: _Stream, position: int, error: Exception) -> None:
        stream.broken = True
        log.info("audit_found_break", stream=name, position=position, kind=type(error).__name__)
        what = f"cannot follow what stands before it: {type(error).__name__}"
        self.findings.hold("folds", False, position, name, what)


def _first_difference(
    decided: tuple[Any, ...], stored: tuple[Any, ...], group: list[tuple[Any, int]]
) -> int:
    for index, (event, position) in enumerate(group[: len(stored)]):
        if index >= len(decided) or decided[index] != event:
            return position
    return group[min(len(decided), len(stored)) - 1][1] if decided else group[0][1]
