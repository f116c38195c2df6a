"""
Checking the meaning of a league's streams: events are folded, and tables decided again.

The engine's answer today must equal the stored answer to the same request, byte by byte.
"""

from collections.abc import Iterable
from datetime import datetime

import structlog

from engine.coordination.aggregates import DECIDERS, Event
from engine.errors import EngineError
from engine.league.events import LeagueCreated
from engine.season.events import SeasonClosed, TournamentsRecorded
from engine.table.model.events import DealVoided, HandSettled, TableBeaconAwaited, TableOpened
from engine.table.model.state import Table
from engine.tournament.model.events.fairness import BeaconAwaited
from engine.tournament.model.events.heads import TablesRecorded
from engine.tournament.model.state import State as TournamentState
from engine.values import SeasonId, TournamentId, stream_of
from service.audit.bytes.chain import Links
from service.audit.event import knockouts, rulings
from service.audit.event.knockouts import KnockoutAudit
from service.audit.event.rulings import AttachedAudits, check_again
from service.audit.event.tournament import TournamentAudit
from service.audit.play import beacon
from service.audit.play.dealt import Dealt
from service.audit.play.deciding import DEFECTS, FOLLOWING, Deciding, find_difference
from service.audit.play.hands import HANDLED, HandAudit
from service.audit.report import Figures, Findings
from service.audit.run.ends import EndsAudit
from service.audit.run.overdue import Presence, check_deal
from service.audit.run.reading import FoldedStream, Followed, Group, LeagueReading
from service.audit.said import Said, said
from service.audit.season.fates import WithTerms
from service.audit.season.seasons import SeasonAudit
from service.base.errors import EventUnreadable
from service.log.codec import category_of
from service.log.keys import LeagueKeys
from service.log.record import Recorded

_log = structlog.get_logger()

_CLOSING = frozenset((HandSettled, DealVoided))
"""Events that close a deal. Decks are counted only then, to reveal no cards in play."""

_COMPARED = knockouts.TELLING | rulings.TELLING
"""Events that are compared with others at the end."""

_NOTED = _CLOSING | _COMPARED

_THERE = Presence()

FATES_SINCE = 3
"""The first schema version of ``season_closed`` that has fates."""

_FAR = frozenset(
    (
        LeagueCreated,
        TablesRecorded,
        TournamentsRecorded,
        SeasonClosed,
        TableBeaconAwaited,
        BeaconAwaited,
    )
)
"""Events that refer to other streams, or to the whole league."""


class StreamAudit:
    """
    Takes the events of some streams of a league, by position.

    Args:
        keys: The keys that open the league's sealed values.
        findings: Collects faults.
        streams: The streams to check. Other streams, which they refer to, are only followed.
        tournament: If given, decide again only the hands of this tournament's stream.
        voided: Positions of voided events.
    """

    def __init__(
        self,
        keys: LeagueKeys,
        findings: Findings,
        streams: Iterable[str],
        tournament: str | None = None,
        voided: Iterable[int] = (),
    ) -> None:
        self._voided = frozenset(voided)
        self._findings = findings
        self._reading = LeagueReading(keys, findings)
        self._deciding = Deciding(keys)
        self._own, self._only = frozenset(streams), tournament
        self._streams: dict[str, FoldedStream] = {}
        self._links = Links(findings)
        self._knockouts = KnockoutAudit(findings)
        self._attached = AttachedAudits(findings)
        self._tables: dict[str, HandAudit] = {}
        self._tournaments: dict[str, TournamentAudit] = {}
        self._above: dict[str, str] = {}
        self._season_audits: dict[str, SeasonAudit] = {}
        self._seasons: set[str] = set()
        """Seasons with events that wait for the end of their command."""

        self._position = -1
        """Position of the last event. Positions must rise, and none may be negative."""

        self._dealt = Dealt()
        self._events = self._folds = 0
        self._sandbox = False
        self._late = 0
        """Pulses of a beacon that were already public when they were named."""

    def read(self, recorded: Recorded) -> None:
        """Read one event. If it begins an append, first fold the append before it."""
        position, name, metadata = recorded.position, recorded.stream, recorded.metadata
        if position <= self._position:
            # Otherwise it could be counted in place of an event that no stream has.
            what = said("it shares its position with another event, or is outside the log")
            self._findings.hold("positions", False, position, name, what, count=0)
        self._position = position
        if self._seasons:
            self._settle_seasons(metadata)
        stream = self._streams.get(name) or self._begun(name)
        stream.last = position
        if position in self._voided or not stream.own:
            self._pass_over(recorded, stream)
            return
        self._links.follow(recorded)
        self._events += 1
        if metadata != stream.metadata:
            self._decide(stream)
            stream.metadata, stream.at = metadata, recorded.at
        if (
            stream.category == "table"
            and FOLLOWING.get(recorded.type) == recorded.schema_version
            and not stream.broken
        ):
            # The content of this event is known once its command is decided again.
            stream.group.append((recorded, position))
            self._reading.left += 1
            return
        event = self._reading.read(recorded, stream)
        if event is None or (type(event) in _FAR and not self._across(event, recorded, stream)):
            return
        stream.group.append((event, position))
        if stream.category == "season":
            self._seasons.add(name)

    def _pass_over(self, recorded: Recorded, stream: FoldedStream) -> None:
        """Take only the hash of an event that is voided or that another unit checks."""
        if recorded.position not in self._voided:
            self._follow(recorded, stream)
        elif stream.own:
            self._events += 1
            self._decide(stream)
            self._reading.check_voided(recorded, self._links)
        self._links.skip(recorded)

    def _begun(self, name: str) -> FoldedStream:
        category = category_of(name)
        decider = DECIDERS.get(category)
        initial = None if decider is None else decider.initial
        made = FoldedStream(name, category, name in self._own, initial, broken=decider is None)
        self._streams[name] = made
        return made

    def _follow(self, recorded: Recorded, stream: FoldedStream) -> None:
        """Fold an event that another unit checks. Only that unit reports a break."""
        if stream.broken:
            return
        try:
            event = self._reading.follow(recorded)
            stream.state = DECIDERS[stream.category].evolve(stream.state, event)
        except (EventUnreadable, EngineError, *DEFECTS):
            stream.broken = True

    def _settle_seasons(self, metadata: bytes) -> None:
        """Fold the awards of seasons before corrections to the results they came from."""
        for name in [each for each in self._seasons if self._streams[each].metadata != metadata]:
            self._seasons.discard(name)
            self._decide(self._streams[name])

    def end(self, now: datetime, there: Presence = _THERE) -> None:
        """Fold the remaining events, and compare sums that span streams, as they are at *now*."""
        for stream in self._streams.values():
            self._decide(stream)
        self._reading.end()
        self._deciding.end(self._findings)
        self._findings.held(("folds",), self._folds)
        self._findings.held(("chains", "canonical"), self._events)
        self.check_deals(now, there)
        self._knockouts.end()
        self._attached.end()
        for name, audit in self._tournaments.items():
            audit.entropy.end()
            tables = [table for table, its in self._above.items() if its == name]
            whole = not any(self._streams[table].broken for table in tables)
            if whole and all(self._tables[table].hand is None for table in tables):
                audit.balance(sum(self._tables[table].chips for table in tables))
        for name, season in self._season_audits.items():
            if not self._streams[name].broken:
                season.end(self._streams[name].state)

    def check_deals(self, now: datetime, there: Presence = _THERE) -> None:
        """Check that every deal in progress is still played at *now*."""
        for name, stream in self._streams.items():
            if isinstance(stream.state, Table) and not stream.broken:
                check_deal(name, stream.state, stream.last, now, there, self._findings)

    def figures(self) -> Figures:
        """Return the counts so far."""
        tables = self._tables.values()
        return Figures(
            events=self._events,
            streams=sum(each.own and each.last >= 0 for each in self._streams.values()),
            hands=sum(hands.hands for hands in tables),
            openings=sum(hands.openings for hands in tables),
            omissions=sum(hands.omissions for hands in tables),
            lapsed_rounds=self._late + sum(hands.lapsed for hands in tables),
            voided_deals=sum(hands.deals_voided for hands in tables),
            sandbox=self._sandbox,
            dealt=self._dealt.kept(),
        )

    def _across(self, event: Event, recorded: Recorded, stream: FoldedStream) -> bool:
        """Check an event that refers to other streams. Return False if the check itself failed."""
        try:
            match event:
                case LeagueCreated():
                    self._sandbox = event.sandbox
                case TablesRecorded():
                    self._compare_tables(event, recorded)
                case SeasonClosed():
                    fates = recorded.schema_version < FATES_SINCE or event.fates is not None
                    what = said("the season was closed without the fates of its tournaments")
                    self._findings.hold("fates", fates, recorded.position, stream.name, what)
                case TournamentsRecorded():
                    ends = EndsAudit(self._findings, recorded)
                    for each in event.tournaments:
                        name = stream_of(each.tournament)
                        ends.compare(name, each, self._end_of(name))
                case TableBeaconAwaited():
                    self._late += beacon.named_late(event, event.chain, recorded, self._findings)
                case BeaconAwaited():
                    chain = stream.state.fairness.chain
                    self._late += beacon.named_late(event, chain, recorded, self._findings)
        except DEFECTS as error:
            self._break(stream, recorded.position, error)
            return False
        return True

    def _compare_tables(self, event: TablesRecorded, recorded: Recorded) -> None:
        ends = EndsAudit(self._findings, recorded)
        for head in event.tables:
            name = stream_of(head.table)
            ends.compare(name, head, self._end_of(name))
            waiting = self._streams.get(name)
            if waiting is not None:
                self._decide(waiting)
            ends.count(name, head, self._tables[name].hands if name in self._tables else 0)
        named = {stream_of(head.table) for head in event.tables}
        opened = {table for table, its in self._above.items() if its == recorded.stream}
        ends.missing(opened - named)

    def _end_of(self, stream: str) -> tuple[int, bytes]:
        return self._links.heads.get(stream, (0, b""))

    def _decide(self, stream: FoldedStream) -> None:
        """Decide the gathered command again, then fold and check its events one by one."""
        group, stream.group = stream.group, []
        if not group:
            return
        name, category = stream.name, stream.category
        followed = None
        if category == "table":
            group, followed = self._decided(stream, group)
        if stream.broken:
            return
        if category == "dispute":

            def hold(held: bool, position: int, what: Said) -> None:
                self._findings.hold("decisions", held, position, name, what)

            check_again(stream.state, group, stream.at, hold)
        if followed is None:
            followed = [(event, None) for event, _ in group]
        self._fold(stream, group, followed)

    def _decided(self, stream: FoldedStream, group: Group) -> tuple[Group, Followed | None]:
        """Decide a table's command again. Return its events, and their states if all agree."""
        due = not stream.broken and (stream.name in self._above or self._placed(stream, group))
        due = due and self._only in (None, self._above[stream.name])
        followed = None
        if due:
            followed = self._deciding.alike(stream.state, group)
        if followed is None:
            group = self._reading.whole(stream, group)
            if due and not stream.broken:
                find_difference(stream.name, stream.state, group, self._findings)
        return group, followed

    def _fold(self, stream: FoldedStream, group: Group, followed: Followed) -> None:
        """Check *group* event by event. *followed* holds the events and any known states."""
        checker = stream.checker or self._checker(stream)
        evolve = DECIDERS[stream.category].evolve
        # Most events at a table need no check beyond being decided again.
        telling = HANDLED if isinstance(checker, HandAudit) else None
        position = -1
        try:
            for (event, after), (_, position) in zip(followed, group, strict=True):
                before = stream.state
                stream.state = evolve(before, event) if after is None else after
                kind = type(event)
                if kind in _NOTED:
                    self._note(stream, event, position)
                if checker is not None and (telling is None or kind in telling):
                    checker.see(event, position, before)
        except (EngineError, *DEFECTS) as error:
            self._folds -= sum(each >= position for _, each in group)
            self._break(stream, position, error)
        self._folds += len(group)

    def _note(self, stream: FoldedStream, event: Event, position: int) -> None:
        if type(event) in _CLOSING and isinstance(stream.checker, HandAudit):
            pile = stream.checker.now().piles.get(1)
            if pile is not None:  # otherwise the beacon that the deal waited for never came
                self._dealt.see(stream.checker.deck, pile.cards)
        if type(event) in _COMPARED:
            self._knockouts.see(stream.name, event, position)
            self._attached.see(stream.name, event, position)

    def _placed(self, stream: FoldedStream, group: Group) -> bool:
        """Remember the tournament of a table, which the table's first event must name."""
        first, position = group[0]
        if not isinstance(first, TableOpened):
            self._break(stream, position, LookupError("a table was never opened"))
            return False
        try:
            self._above[stream.name] = stream_of(first.tournament)
        except DEFECTS as error:
            self._break(stream, position, error)
            return False
        return True

    def _checker(self, stream: FoldedStream) -> HandAudit | TournamentAudit | SeasonAudit | None:
        name, findings = stream.name, self._findings
        match stream.category:
            case "season":
                made = SeasonAudit(name, findings, self._tournament, self._announced)
                stream.checker = self._season_audits[name] = made
            case "tournament":
                stream.checker = self._tournaments[name] = TournamentAudit(name, findings)
            case "table":
                tournament = self._above[name]
                table = HandAudit(name, findings, lambda: self._audit_of(tournament))
                stream.checker = self._tables[name] = table
        return stream.checker

    def _audit_of(self, tournament: str) -> TournamentAudit | None:
        self._settle(tournament)
        return self._tournaments.get(tournament)

    def _tournament(self, tournament: TournamentId) -> TournamentState | None:
        name = stream_of(tournament)
        self._settle(name)
        stream = self._streams.get(name)
        state: TournamentState | None = None if stream is None else stream.state
        return state

    def _announced(self, season: SeasonId) -> dict[str, WithTerms | None]:
        """Return the tournaments announced for *season* so far, or None for those that broke."""
        found: dict[str, WithTerms | None] = {}
        for name, stream in self._streams.items():
            if stream.category != "tournament":
                continue
            self._settle(name)
            state = stream.state
            if isinstance(state, WithTerms) and state.terms.season == season:
                found[state.terms.tournament] = None if stream.broken else state
        return found

    def _settle(self, name: str) -> None:
        """Fold a tournament's events that still wait for the end of their command."""
        stream = self._streams.get(name)
        if stream is not None and stream.group:
            self._decide(stream)

    def _break(self, stream: FoldedStream, position: int, error: Exception) -> None:
        stream.broken = True
        name, kind = stream.name, type(error).__name__
        _log.info("audit_found_break", stream=name, position=position, kind=kind)
        what = said("does not follow from the events before it: %(kind)s", kind=kind)
        self._findings.hold("folds", False, position, name, what)
