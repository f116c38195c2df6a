"""Which events a command to a season leads to."""

from msgspec.structs import replace

from engine.kit.rng import master_commitment
from engine.season import closing, correcting, freezing
from engine.season.awarding import awarded, demand_placings, field_of
from engine.season.commands import (
    AddTournament,
    AdjustPoints,
    AwardPoints,
    CloseSeason,
    Command,
    OpenSeason,
    RecordTournaments,
    ReviseAward,
    RevokeAward,
    VoidAdjustment,
)
from engine.season.errors import (
    SeasonClosedAlready,
    SeasonNotClosed,
    SeasonNotOpened,
    SeasonTermsFixed,
)
from engine.season.events import (
    Event,
    SeasonOpened,
    TournamentAdded,
    TournamentsRecorded,
)
from engine.season.lots import MASTER
from engine.season.schedule.decisions import decide as decide_schedule
from engine.season.state import Opened, State
from engine.season.terms import demand_sound
from engine.values import HOUSE, Sealed, number_of


def decide(state: State, command: Command) -> tuple[Event, ...]:
    """
    Return the events that *command* causes in *state*; none if it is already so.

    Raises:
        CommandRejected: If the rules forbid the command.
    """
    match command:
        case OpenSeason():
            return _open(state, command)
        case AwardPoints():
            return _award(_opened(state), command)
        case ReviseAward():
            return correcting.revise(_open_still(state), command)
        case RevokeAward():
            return correcting.revoke(_free(state), command)
        case AdjustPoints():
            return correcting.adjust(_free(state), command)
        case VoidAdjustment():
            return correcting.void(_free(state), command)
        case CloseSeason():
            return closing.close(_opened(state), command)
        case AddTournament():
            return _add(_opened(state), command)
        case RecordTournaments():
            return _record(_opened(state), command)
        case freezing.FreezeStandings() | freezing.ReleaseStandings():
            opened = _opened(state)
            closes_at = opened.schedule.closes_at
            return freezing.decide(opened.frozen, command, closes_at=closes_at)
        case _:
            return decide_schedule(_open_still(state).schedule, command)


def _opened(state: State) -> Opened:
    if not isinstance(state, Opened):
        raise SeasonNotOpened
    return state


def _open_still(state: State) -> Opened:
    opened = _opened(state)
    if opened.closed:
        raise SeasonClosedAlready
    return opened


def _free(state: State) -> Opened:
    opened = _open_still(state)
    freezing.demand_free(opened.frozen)
    return opened


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
    if state.closed:
        raise SeasonClosedAlready
    demand_placings(command.placings)
    return awarded(state.terms, command, field_of(command))


def _add(state: Opened, command: AddTournament) -> tuple[Event, ...]:
    if command.tournament in state.added:
        return ()
    if state.closed:
        raise SeasonClosedAlready
    return (TournamentAdded(tournament=command.tournament),)


def _record(state: Opened, command: RecordTournaments) -> tuple[Event, ...]:
    """Return the heads of the tournaments of a closed season; nothing if they stand already."""
    if not state.closed:
        raise SeasonNotClosed
    if state.recorded:
        return ()
    return (TournamentsRecorded(tournaments=command.tournaments, at=command.now),)
