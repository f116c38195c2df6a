"""
The effects of a freeze and of a ruling on other streams, in the same append.

A ruling acts through ordinary commands. It never edits events.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import msgspec

from engine import dispute, season, tournament
from engine.coordination import policies
from engine.dispute import commands as asked
from engine.dispute.errors import DisputeInvalid
from engine.dispute.events import DisputeUnfrozen
from engine.dispute.state import Claimed
from engine.dispute.state import State as Dispute
from engine.dispute.values import LED_TO, Act, Subject
from engine.errors import Wording
from engine.season.commands import AdjustPoints
from engine.season.commands import Command as SeasonCommand
from engine.season.freezing import FreezeStandings, ReleaseStandings
from engine.tournament.model.commands import Command as TournamentCommand
from engine.tournament.model.commands.freezing import FreezeResult, ReleaseResult
from engine.values import Stream, stream_of
from service.director.corrections import counted_still, demand_of_league
from service.director.runtime import Runtime
from service.director.submitting import decided_with_tables
from service.log.streams import season_stream, tournament_stream
from service.log.writer import States, StreamEvents


@dataclass(frozen=True, slots=True, kw_only=True)
class Acts:
    """The commands that a ruling carries out, on its tournament and on its season."""

    tournament: tuple[TournamentCommand, ...] = ()
    season: tuple[SeasonCommand, ...] = ()

    def __bool__(self) -> bool:
        """Return whether there is any command."""
        return bool(self.tournament or self.season)


async def frozen(
    states: States, stream: Stream[Dispute], command: asked.Freeze | asked.Unfreeze
) -> list[StreamEvents]:
    """Freeze or release the tournament and the season of a dispute, and return the entries."""
    state = (await states.load(stream)).state
    events = dispute.decider.decide(state, command)
    if not isinstance(state, Claimed) or not events:
        return [StreamEvents(stream, events)]
    holds = isinstance(command, asked.Freeze)
    return [StreamEvents(stream, events), *await _followed(states, state, command.now, holds=holds)]


async def ruled(
    runtime: Runtime, states: States, stream: Stream[Dispute], command: asked.Rule, acts: Acts
) -> list[StreamEvents]:
    """
    Return the entries of a ruling and of all its acts, for one append.

    Raises:
        CommandRejected: If the dispute refuses the ruling, or a stream refuses an act. It is
            ``DisputeInvalid`` if an act would change nothing.
    """
    state = (await states.load(stream)).state
    events = dispute.decider.decide(state, command)
    if not isinstance(state, Claimed):
        return [StreamEvents(stream, events)]
    subject, entries = state.opened.subject, []
    release = any(isinstance(each, DisputeUnfrozen) for each in events)
    if subject.tournament is not None and (release or acts.tournament):
        commands = (*_releasing(state, command.now, release=release), *acts.tournament)
        there = tournament_stream(subject.tournament)
        entries += await decided_with_tables(runtime, states, there, commands, command.now)
        entries += await counted_still(states, there, entries, command.now)
    if subject.season is not None and (release or acts.season):
        standings = season_stream(subject.season)
        changes = acts.season
        if release:
            name = state.opened.dispute
            changes = (ReleaseStandings(dispute=name, now=command.now), *changes)
        before = (await states.load(standings)).state
        for act in acts.season:
            if isinstance(act, AdjustPoints):
                await demand_of_league(states, before, act.adjustment.player)
        decided, _ = policies.decide_in_turn(season.decider, before, changes)
        entries.append(StreamEvents(standings, decided))
    _demand_all_done(subject, acts, entries)
    return [StreamEvents(stream, events), *entries]


def _demand_all_done(subject: Subject, acts: Acts, entries: Sequence[StreamEvents]) -> None:
    """
    Check that every act led to its event, so that a ruling never names an act without effect.

    Raises:
        DisputeInvalid: If an act would change nothing.
    """
    due = Counter(
        (str(stream_of(act.subject)), LED_TO[act.command]) for act in taken(subject, acts)
    )
    done = Counter(
        (str(entry.stream), event.__struct_config__.tag)
        for entry in entries
        for event in entry.events
    )
    if any(done[each] < number for each, number in due.items()):
        raise DisputeInvalid(problem=Wording("an act of the ruling would change nothing"))


def taken(subject: Subject, acts: Acts) -> tuple[Act, ...]:
    """Return the acts in the form that the ruling records: command names with their subjects."""
    about: tuple[tuple[str | None, tuple[msgspec.Struct, ...]], ...] = (
        (subject.tournament, acts.tournament),
        (subject.season, acts.season),
    )
    return tuple(
        Act(command=str(each.__struct_config__.tag), subject=str(name))
        for name, commands in about
        for each in commands
    )


def _releasing(state: Claimed, now: datetime, *, release: bool) -> tuple[ReleaseResult, ...]:
    return (ReleaseResult(dispute=state.opened.dispute, now=now),) if release else ()


async def _followed(
    states: States, state: Claimed, now: datetime, *, holds: bool
) -> list[StreamEvents]:
    subject, name, entries = state.opened.subject, state.opened.dispute, []
    if subject.tournament is not None:
        there = tournament_stream(subject.tournament)
        result = FreezeResult if holds else ReleaseResult
        result_before = (await states.load(there)).state
        told = result(dispute=name, now=now)
        entries.append(StreamEvents(there, tournament.decider.decide(result_before, told)))
    if subject.season is not None:
        standings = season_stream(subject.season)
        change = FreezeStandings if holds else ReleaseStandings
        before = (await states.load(standings)).state
        asks = change(dispute=name, now=now)
        entries.append(StreamEvents(standings, season.decider.decide(before, asks)))
    return entries
