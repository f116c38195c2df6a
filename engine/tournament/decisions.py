"""Which events a command to a tournament leads to."""

from datetime import datetime
from typing import assert_never

from engine.tournament import levels, starting
from engine.tournament.chips import casino, rebuying
from engine.tournament.correcting import decisions as correcting
from engine.tournament.entering import announcing, late, places, registration
from engine.tournament.entering import decisions as who_enters
from engine.tournament.fairness import decisions as fairness
from engine.tournament.floor import decisions as on_the_floor
from engine.tournament.freezing import decisions as freezing
from engine.tournament.heads import decisions as heads
from engine.tournament.model import entering_commands as entering
from engine.tournament.model import fairness_commands as of_fairness
from engine.tournament.model import floor_commands
from engine.tournament.model import freezing_commands as of_freezing
from engine.tournament.model import money_commands as of_money
from engine.tournament.model import rounds_commands as of_rounds
from engine.tournament.model.commands import (
    AddOn,
    Announce,
    BuyBackItem,
    Cancel,
    CloseEarly,
    CloseWindows,
    Command,
    DeclareRebuy,
    Finish,
    Leave,
    OpenRegistration,
    Pause,
    RaiseLevels,
    RecordBreak,
    RecordBrought,
    RecordBusts,
    RecordLeaves,
    RecordMoves,
    Register,
    Resume,
    StakeItem,
    StartPlay,
    Withdraw,
)
from engine.tournament.model.correcting_commands import CorrectResult, Forfeit, Reaward
from engine.tournament.model.entering_events import LateRegistrationClosed
from engine.tournament.model.events import Event
from engine.tournament.model.fairness_errors import SeatsBeingDrawn
from engine.tournament.model.heads_commands import RecordTables
from engine.tournament.model.state import Registering, Running, State, running_of
from engine.tournament.money import dealing
from engine.tournament.money import decisions as money
from engine.tournament.results import ranking
from engine.tournament.rounds import decisions as rounds
from engine.tournament.seating import moving


def decide(state: State, command: Command) -> tuple[Event, ...]:
    """
    Return the events that *command* causes in *state*; none if it is already so.

    Raises:
        CommandRejected: If the rules forbid the command.
    """
    if freezing.waits(command):
        freezing.demand_free(state)
    if isinstance(state, Registering) and state.fairness.waiting:
        _demand_settled(command)
    return dealing.without_parties(state, _followed(state, command))


def _followed(state: State, command: Command) -> tuple[Event, ...]:
    """Return the events that *command* causes, with those that follow for others."""
    events = _decided(state, command)
    if isinstance(command, floor_commands.Disqualify | entering.RecordPurge):
        events = _with_bubble(state, events, command.now)
    if events and isinstance(state, Running) and state.entering.late:
        events = late.concluded(state, events, getattr(command, "table_ids", ()))
        now = getattr(command, "now", None)
        # Whatever may close it, a clock, a call or the end of a break, says when it is.
        if now is not None and any(isinstance(each, LateRegistrationClosed) for each in events):
            return _with_bubble(state, events, now)
    return events


_Coming = (
    Register
    | Withdraw
    | of_fairness.CommitEntropy
    | entering.Approve
    | entering.AnswerOffer
    | entering.CheckIn
)


def _demand_settled(command: Command) -> None:
    """
    Check that *command* leaves everybody where the beacon's round will find them.

    Raises:
        SeatsBeingDrawn: If it does not.
    """
    if isinstance(command, _Coming):
        raise SeatsBeingDrawn


_Chips = (
    DeclareRebuy
    | StakeItem
    | BuyBackItem
    | AddOn
    | Leave
    | RecordBrought
    | RecordLeaves
    | CloseEarly
)


def _decided(state: State, command: Command) -> tuple[Event, ...]:
    """Ask whoever decides on this concern."""
    if isinstance(command, entering.Command):
        return who_enters.decide(state, command)
    if isinstance(command, of_freezing.Command):
        return freezing.decide(state, command)
    if isinstance(command, of_fairness.Command):
        return fairness.decide(state, command)
    if isinstance(command, CorrectResult | Forfeit | Reaward):
        return correcting.decide(state, command)
    if isinstance(command, of_money.Command):
        return money.decide(state, command)
    if isinstance(command, of_rounds.Command):
        return rounds.decide(state, command)
    if isinstance(command, floor_commands.Command):
        return on_the_floor.decide(running_of(state), command)
    if isinstance(command, _Chips):
        return _with_chips(state, command)
    match command:
        case Announce():
            return announcing.announce(state, command)
        case OpenRegistration():
            return registration.open_registration(state, command)
        case Register():
            return _registered(state, command)
        case Withdraw():
            return places.withdraw(state, command)
        case StartPlay():
            return starting.start_play(state, command)
        case RecordBusts():
            return _with_bubble(state, ranking.record_busts(state, command), command.now)
        case CloseWindows():
            return _with_bubble(state, ranking.close_windows(state, command), command.now)
        case RecordMoves():
            return moving.record_moves(state, command)
        case RecordBreak():
            return moving.record_break(state, command)
        case _:
            return _led(state, command)


def _led(
    state: State, command: Pause | Resume | RaiseLevels | Cancel | RecordTables | Finish
) -> tuple[Event, ...]:
    """Decide on what leads a whole tournament."""
    match command:
        case Pause():
            return starting.pause(state, command)
        case Resume():
            return starting.resume(state, command)
        case RaiseLevels():
            return levels.raise_levels(running_of(state), command)
        case Cancel():
            return starting.cancel(state, command)
        case RecordTables():
            return heads.decide(state, command)
        case Finish():
            return ranking.finish(state, command)
        case _:
            assert_never(command)


def _registered(state: State, command: Register) -> tuple[Event, ...]:
    if not isinstance(state, Running):
        return places.register(state, command)
    return (
        casino.sit_down(state, command) if casino.is_casino(state) else late.enter(state, command)
    )


def _with_chips(state: State, command: _Chips) -> tuple[Event, ...]:
    """Decide on chips that come to a table, or leave it, besides the play."""
    match command:
        case DeclareRebuy():
            return rebuying.declare(state, command)
        case StakeItem():
            return rebuying.stake(state, command)
        case BuyBackItem():
            return rebuying.buy_back(state, command)
        case AddOn() | Leave() | RecordBrought() | RecordLeaves():
            return casino.decide(state, command)
        case CloseEarly():
            return rounds.closed(state, casino.close(state, command))
        case _:
            assert_never(command)


def _with_bubble(state: State, events: tuple[Event, ...], now: datetime) -> tuple[Event, ...]:
    """Return *events*, by which somebody may have gone out, and what the floor makes of it."""
    if not events or not isinstance(state, Running) or state.in_round:
        return events
    return on_the_floor.with_bubble(state, events, now)
