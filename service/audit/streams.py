"""
What a league's streams mean: every event folded, and at tables decided again.

What the engine answers today to what was asked then must be what is stored, to the byte.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import accumulate
from typing import Any

import msgspec
import structlog

from engine.aggregates import DECIDERS
from engine.errors import EngineError
from engine.league.events import LeagueCreated
from engine.season.events import TournamentHead, TournamentsRecorded
from engine.table import evolution, recall
from engine.table.decisions import decide_through
from engine.table.events import DealVoided, HandSettled, TableBeaconAwaited, TableOpened
from engine.table.state import Table
from engine.tournament.fairness.events import BeaconAwaited
from engine.tournament.heads.events import TableHead, TablesRecorded
from engine.values import TournamentId, stream_of
from service.audit import beacon
from service.audit.chain import Boxes, open_commitments
from service.audit.dealt import Dealt
from service.audit.drawn import drawn
from service.audit.floors import FloorAudit
from service.audit.hands import NEEDS_BEFORE, HandAudit
from service.audit.knockouts import KnockoutAudit
from service.audit.overdue import check_deal
from service.audit.report import Figures, Findings
from service.audit.rulings import AttachedAudits, check_again
from service.audit.seasons import SeasonAudit
from service.errors import EventUnreadable
from service.eventstore.codec import Codec, category_of
from service.eventstore.record import Recorded
from service.keys import LeagueKeys

_log = structlog.get_logger()

_FOLDS, _DECISIONS, _READABLE = ("folds",), ("decisions",), ("readable",)
DEFECTS = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError)
"""What a forged event may provoke in code that expects a possible one."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass
class _Stream:
    """A stream being folded; ``group`` are the events of its current command."""

    state: Any
    broken: bool = False
    command: str = ""
    group: list[tuple[Any, int]] = field(default_factory=list)
    at: datetime = _EPOCH
    """When the group was appended."""


class _Command(msgspec.Struct):
    command_id: str


_decode_command = msgspec.json.Decoder(_Command).decode

_CLOSING = (HandSettled, DealVoided)
"""Whose decks are counted: a figure over one in play would tell of its cards."""


class StreamAudit:
    """
    Takes the events of some streams of a league, by position.

    Args:
        keys: Open the league's sealed values.
        findings: Where faults go.
        streams: Those it answers for.  Others, which they refer to, are only followed.
        tournament: If given, the stream of the one tournament whose hands are decided again.
    """

    def __init__(
        self,
        keys: LeagueKeys,
        findings: Findings,
        streams: Iterable[str],
        tournament: str | None = None,
    ) -> None:
        self._keys = keys
        self._findings = findings
        self._own = frozenset(streams)
        self._only = tournament
        self._codec = Codec(DECIDERS)
        self._streams: dict[str, _Stream] = {}
        self._heads: dict[str, tuple[int, bytes]] = {}
        self._last: dict[str, int] = {}
        """Position of each stream's last event."""

        self._metadata, self._command = b"", ""
        """Of the append in hand."""

        self._knockouts = KnockoutAudit(findings)
        self._attached = AttachedAudits(findings)
        self._tables: dict[str, HandAudit] = {}
        self._floors: dict[str, FloorAudit] = {}
        self._floor_of: dict[str, str] = {}
        self._season_audits: dict[str, SeasonAudit] = {}
        self._seasons: set[str] = set()
        """Those with events that still wait for the end of their command."""

        self._dealt = Dealt()
        self._events = 0
        self._sandbox = False
        self._late = 0
        """Rounds of a beacon that had come when they were named."""

    def read(self, recorded: Recorded) -> None:
        """Open one event, and fold what its command has led to."""
        command = self._command_of(recorded)
        if self._seasons:
            self._settle_seasons(command)
        name = recorded.stream
        self._heads[name] = (recorded.stream_version, recorded.hash)
        self._last[name] = recorded.position
        stream = self._streams.get(name)
        if stream is None:
            decider = DECIDERS.get(category_of(name))
            initial = None if decider is None else decider.initial
            stream = self._streams[name] = _Stream(initial, broken=decider is None)
        if name not in self._own:
            self._follow(recorded, stream)
            return
        self._events += 1
        if command != stream.command:
            self._decide(name, stream)
            stream.command, stream.at = command, recorded.at
        boxes = open_commitments(recorded, self._keys, self._findings)
        event = self._open(recorded, stream, boxes)
        if event is not None:
            stream.group.append((event, recorded.position))
            if category_of(name) == "season":
                self._seasons.add(name)

    def _command_of(self, recorded: Recorded) -> str:
        if recorded.metadata != self._metadata:
            self._metadata = recorded.metadata
            try:
                self._command = _decode_command(recorded.metadata).command_id
            except msgspec.MsgspecError:  # forged; the bytes are another unit's
                self._command = recorded.event_id.hex
        return self._command

    def _follow(self, recorded: Recorded, stream: _Stream) -> None:
        """Fold what another unit answers for; where it breaks there, it is not known here."""
        if stream.broken:
            return
        try:
            event = self._codec.decode(recorded, self._keys)
            stream.state = DECIDERS[category_of(recorded.stream)].evolve(stream.state, event)
        except (EventUnreadable, EngineError, *DEFECTS):
            stream.broken = True

    def _settle_seasons(self, command: str) -> None:
        """Fold what seasons have awarded, before the results it was awarded for are corrected."""
        for name in [each for each in self._seasons if self._streams[each].command != command]:
            self._seasons.discard(name)
            self._decide(name, self._streams[name])

    def end(self, now: datetime) -> None:
        """Fold what is left, and compare sums that span streams, as they stand at *now*."""
        for name, stream in self._streams.items():
            self._decide(name, stream)
        self.check_deals(now)
        self._knockouts.end()
        self._attached.end()
        for name, floor in self._floors.items():
            floor.entropy.end()
            tables = [table for table, its in self._floor_of.items() if its == name]
            whole = not any(self._streams[table].broken for table in tables)
            if whole and all(self._tables[table].hand is None for table in tables):
                floor.balance(sum(self._tables[table].chips for table in tables))
        for name, season in self._season_audits.items():
            if not self._streams[name].broken:
                season.end(self._streams[name].state)

    def check_deals(self, now: datetime) -> None:
        """Check at *now* that every deal which has begun is played on."""
        for name, stream in self._streams.items():
            if isinstance(stream.state, Table) and not stream.broken:
                check_deal(name, stream.state, self._last[name], now, self._findings)

    def figures(self) -> Figures:
        """Return what was counted."""
        tables = self._tables.values()
        return Figures(
            events=self._events,
            hands=sum(hands.hands for hands in tables),
            openings=sum(hands.openings for hands in tables),
            omissions=sum(hands.omissions for hands in tables),
            lapsed_rounds=self._late + sum(hands.lapsed for hands in tables),
            voided_deals=sum(hands.deals_voided for hands in tables),
            sandbox=self._sandbox,
            dealt=self._dealt.kept(),
        )

    def _open(self, recorded: Recorded, stream: _Stream, boxes: Boxes | None) -> Any:
        if stream.broken:
            if stream.state is None:
                what = "there are no such streams"
                self._findings.hold("readable", False, recorded.position, recorded.stream, what)
            return None
        try:
            event = self._codec.decode(recorded, self._keys, boxes)
        except EventUnreadable as error:
            stream.broken = True
            self._findings.hold("readable", False, recorded.position, recorded.stream, error.detail)
            return None
        if event.__struct_config__.tag == recorded.type:
            self._findings.held(_READABLE)
        else:
            what = "the type is not the event's"
            self._findings.hold("readable", False, recorded.position, recorded.stream, what)
        try:
            self._across(event, recorded, stream)
        except DEFECTS as error:
            self._break(recorded.stream, stream, recorded.position, error)
            return None
        return event

    def _across(self, event: Any, recorded: Recorded, stream: _Stream) -> None:
        """See what an event says of other streams, or of the whole league."""
        match event:
            case LeagueCreated():
                self._sandbox = event.sandbox
            case TablesRecorded():
                self._compare_tables(event, recorded)
            case TournamentsRecorded():
                for each in event.tournaments:
                    self._compare_head(stream_of(each.tournament), each, recorded)
            case TableBeaconAwaited() | BeaconAwaited():
                self._late += beacon.named_late(event, stream.state, recorded, self._findings)

    def _compare_head(
        self, stream: str, head: TableHead | TournamentHead, recorded: Recorded
    ) -> None:
        """Compare what was written above a stream when it was over with the stream itself."""
        version, hash_ = self._heads.get(stream, (0, b""))
        held = (version, hash_.hex()) == (head.version, head.hash)
        what = f"{stream} had {head.version} events then, and another end; it has {version} here"
        self._findings.hold("heads", held, recorded.position, recorded.stream, what)

    def _compare_tables(self, event: TablesRecorded, recorded: Recorded) -> None:
        for head in event.tables:
            name = stream_of(head.table)
            self._compare_head(name, head, recorded)
            waiting = self._streams.get(name)
            if waiting is not None:
                self._decide(name, waiting)
            hands = self._tables[name].hands if name in self._tables else 0
            what = f"{head.hands} hands were settled at {name}, {hands} are here"
            self._findings.hold(
                "heads", hands == head.hands, recorded.position, recorded.stream, what
            )
        named = {stream_of(head.table) for head in event.tables}
        opened = {name for name, floor in self._floor_of.items() if floor == recorded.stream}
        what = f"{len(opened - named)} tables of this tournament are not among those recorded"
        self._findings.hold("heads", opened <= named, recorded.position, recorded.stream, what)

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
        elif category == "dispute":

            def hold(held: bool, position: int, what: str) -> None:
                self._findings.hold("decisions", held, position, name, what)

            check_again(stream.state, group, stream.at, hold)
        checker = self._checker(category, name)
        evolve = DECIDERS[category].evolve
        done = 0
        try:
            for event, position in group:
                before = stream.state
                stream.state = folded[done] if done < len(folded) else evolve(before, event)
                if type(event) in _CLOSING and isinstance(checker, HandAudit):
                    self._count_deck(checker)
                if checker is not None:
                    checker.see(event, position, before)
                self._knockouts.see(name, event, position)
                self._attached.see(name, event, position)
                done += 1
        except (EngineError, *DEFECTS) as error:
            self._break(name, stream, group[done][1], error)
        self._findings.held(_FOLDS, done)

    def _count_deck(self, table: HandAudit) -> None:
        pile = table.now().piles.get(1)
        if pile is not None:  # else the beacon it waited for never spoke
            self._dealt.see(table.deck, pile.cards)

    def _placed(self, name: str, stream: _Stream, group: list[tuple[Any, int]]) -> bool:
        """Remember to which tournament a table belongs; its first event must say so."""
        if name not in self._floor_of:
            first, position = group[0]
            if not isinstance(first, TableOpened):
                self._break(name, stream, position, LookupError("a table was never opened"))
                return False
            try:
                self._floor_of[name] = stream_of(first.tournament)
            except DEFECTS as error:
                self._break(name, stream, position, error)
                return False
        return True

    def _decide_table(self, name: str, stream: _Stream, group: list[tuple[Any, int]]) -> list[Any]:
        """
        Ask the table again what each command leads to.

        Returns:
            Its state after each event, as far as it can be decided; events that were
            decided as they stand all have the state after their command.
        """
        state = stream.state
        folded: list[Any] = []
        position = group[0][1]
        try:
            for part in recall.parts_of([event for event, _ in group]):
                position = group[len(folded)][1]
                decided, after = decide_through(state, recall.command_of(part), drawn)
                if held := decided == part:
                    self._findings.held(_DECISIONS)
                else:
                    at = _first_difference(decided, part, group[len(folded) :])
                    what = "decided again, the events are others"
                    self._findings.hold("decisions", False, at, name, what)
                if held and NEEDS_BEFORE.isdisjoint(map(type, part)):
                    # Deciding has applied these very events, and nobody asks what was between.
                    folded += [after] * len(part)
                else:
                    folded += accumulate(part, evolution.evolve, initial=state)
                    del folded[-len(part) - 1]
                state = folded[-1]
        except (EngineError, *DEFECTS) as error:
            what = f"decided again, it is refused: {type(error).__name__}"
            self._findings.hold("decisions", False, position, name, what)
        return folded

    def _checker(self, category: str, name: str) -> HandAudit | FloorAudit | SeasonAudit | None:
        if category == "season":
            made = SeasonAudit(name, self._findings, self._tournament)
            return self._season_audits.setdefault(name, made)
        if category == "tournament":
            return self._floors.setdefault(name, FloorAudit(name, self._findings))
        if category != "table":
            return None
        found = self._tables.get(name)
        if found is None:
            floor = self._floor_of[name]
            found = HandAudit(name, self._findings, lambda: self._floor(floor))
            self._tables[name] = found
        return found

    def _floor(self, floor: str) -> FloorAudit | None:
        self._settle(floor)
        return self._floors.get(floor)

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
        _log.info("audit_found_break", stream=name, position=position, kind=type(error).__name__)
        what = f"cannot follow what stands before it: {type(error).__name__}"
        self._findings.hold("folds", False, position, name, what)


def _first_difference(
    decided: tuple[Any, ...], stored: tuple[Any, ...], group: list[tuple[Any, int]]
) -> int:
    for index, (event, position) in enumerate(group[: len(stored)]):
        if index >= len(decided) or decided[index] != event:
            return position
    return group[min(len(decided), len(stored)) - 1][1] if decided else group[0][1]
