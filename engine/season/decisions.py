"""The decisions of a season: the events that each command causes."""

from typing import Never

from msgspec.structs import replace

from engine.decider import Cases
from engine.kit.rng import master_commitment
from engine.season import closing, correcting, freezing, importing, merging
from engine.season.awarding import awarded, demand_placings, field_of
from engine.season.commands import (
    AddTournament,
    AdjustPoints,
    AwardPoints,
    CloseSeason,
    Command,
    ImportResults,
    MergeResults,
    OpenSeason,
    RecordTournaments,
    ReviseAward,
    RevokeAward,
    VoidAdjustment,
)
from engine.season.errors import (
    SeasonClosedAlready,
    SeasonNotClosed,
    SeasonTermsFixed,
)
from engine.season.events import (
    Event,
    SeasonOpened,
    TournamentAdded,
    TournamentsRecorded,
)
from engine.season.lots import MASTER
from engine.season.schedule import commands as planning
from engine.season.schedule.decisions import decide as decide_schedule
from engine.season.state import Opened, State, opened_of
from engine.season.terms import demand_sound
from engine.values import HOUSE, Sealed, number_of


def decide(state: State, command: Command) -> tuple[Event, ...]:
    """
    Return the events that *command* causes in *state*, or no events if nothing would change.

    Raises:
        CommandRejected: If the rules forbid the command.
    """
    if isinstance(command, OpenSeason):
        return _open(state, command)
    return _DECIDED[type(command)](opened_of(state), command)


def _demand_open(state: Opened) -> None:
    if state.closed:
        raise SeasonClosedAlready


def _demand_free(state: Opened) -> None:
    _demand_open(state)
    freezing.demand_free(state.frozen)


def _open(state: State, command: OpenSeason) -> tuple[Event, ...]:
    terms = SeasonOpened(
        season=command.season,
        league=command.league,
        name=command.name,
        points=command.points,
        scale=command.scale,
        aggregation=command.aggregation,
        minimum_games=command.minimum_games,
        overall=command.overall,
        bonuses=command.bonuses,
        tie_breaks=command.tie_breaks,
        master_commitment=master_commitment(
            number_of(command.season), MASTER, bytes.fromhex(command.master)
        ),
        master=Sealed(command.master, bytes.fromhex(command.salt), (HOUSE,)),
    )
    if isinstance(state, Opened):
        if _without_master(state.terms) != _without_master(terms):
            raise SeasonTermsFixed
        return ()
    demand_sound(command)
    return (terms,)


def _without_master(terms: SeasonOpened) -> SeasonOpened:
    return replace(terms, master=None, master_commitment=None)


def _award(state: Opened, command: AwardPoints) -> tuple[Event, ...]:
    if state.tournament(command.tournament) is not None:
        return ()
    _demand_open(state)
    demand_placings(command.placings)
    return awarded(state.terms, command, field_of(command))


def _add(state: Opened, command: AddTournament) -> tuple[Event, ...]:
    if command.tournament in state.added:
        return ()
    _demand_open(state)
    importing.demand_stated_by_others(state)
    return (TournamentAdded(tournament=command.tournament),)


def _record(state: Opened, command: RecordTournaments) -> tuple[Event, ...]:
    """Record the heads of a closed season's tournaments, unless they are recorded already."""
    if not state.closed:
        raise SeasonNotClosed
    if state.recorded:
        return ()
    return (TournamentsRecorded(tournaments=command.tournaments, at=command.now),)


def _revise(state: Opened, command: ReviseAward) -> tuple[Event, ...]:
    _demand_open(state)
    return correcting.revise(state, command)


def _revoke(state: Opened, command: RevokeAward) -> tuple[Event, ...]:
    _demand_free(state)
    return correcting.revoke(state, command)


def _adjust(state: Opened, command: AdjustPoints) -> tuple[Event, ...]:
    _demand_free(state)
    return correcting.adjust(state, command)


def _void(state: Opened, command: VoidAdjustment) -> tuple[Event, ...]:
    _demand_free(state)
    return correcting.void(state, command)


def _merge(state: Opened, command: MergeResults) -> tuple[Event, ...]:
    _demand_free(state)
    return merging.merge(state, command)


def _import(state: Opened, command: ImportResults) -> tuple[Event, ...]:
    _demand_free(state)
    return importing.import_results(state, command)


def _freeze(state: Opened, command: freezing.Command) -> tuple[Event, ...]:
    return freezing.decide(state.frozen, command, closes_at=state.schedule.closes_at)


def _plan(state: Opened, command: planning.Command) -> tuple[Event, ...]:
    _demand_open(state)
    return decide_schedule(state.schedule, command)


_DECIDED = (
    Cases[Opened, Never, tuple[Event, ...]]()
    .on(AwardPoints, _award)
    .on(ReviseAward, _revise)
    .on(RevokeAward, _revoke)
    .on(AdjustPoints, _adjust)
    .on(VoidAdjustment, _void)
    .on(MergeResults, _merge)
    .on(ImportResults, _import)
    .on(AddTournament, _add)
    .on(CloseSeason, closing.close_season)
    .on(RecordTournaments, _record)
    .on(freezing.FreezeStandings, _freeze)
    .on(freezing.ReleaseStandings, _freeze)
    .on(planning.PlanFixtures, _plan)
    .on(planning.ReplanFixtures, _plan)
    .on(planning.EndFixtures, _plan)
    .on(planning.ChangeFixture, _plan)
    .on(planning.PlaceFixture, _plan)
    .on(planning.ScheduleClose, _plan)
)
