"""The decisions of all commands to a tournament."""

from collections.abc import Callable
from datetime import datetime
from typing import Never, TypeVar

from engine.decider import Cases
from engine.tournament import levels, starting
from engine.tournament.chips import casino, rebuying
from engine.tournament.correcting import decisions as correcting
from engine.tournament.entering import announcing, late, places, registration
from engine.tournament.entering import decisions as who_enters
from engine.tournament.entering.house_bots import as_house_bot
from engine.tournament.fairness import decisions as fairness
from engine.tournament.floor import decisions as on_the_floor
from engine.tournament.freezing import decisions as freezing
from engine.tournament.heads import decisions as heads
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
    entering,
)
from engine.tournament.model.commands import fairness as of_fairness
from engine.tournament.model.commands import floor as floor_commands
from engine.tournament.model.commands.heads import RecordTables
from engine.tournament.model.commands.rounds import SeatRound
from engine.tournament.model.errors.fairness import SeatsBeingDrawn
from engine.tournament.model.events import Event
from engine.tournament.model.events.entering import LateRegistrationClosed
from engine.tournament.model.state import Registering, Running, State, running_of
from engine.tournament.money import dealing
from engine.tournament.money import decisions as money
from engine.tournament.results import ranking
from engine.tournament.rounds import decisions as rounds
from engine.tournament.seating import moving


def decide(state: State, command: Command) -> tuple[Event, ...]:
    """
    Return the events that *command* causes in *state*, or none if nothing would change.

    Raises:
        CommandRejected: If the rules forbid the command.
    """
    if freezing.waits(command):
        freezing.demand_free(state)
    if isinstance(state, Registering) and state.fairness.waiting:
        _demand_settled(command)
    return dealing.without_parties(state, _followed(state, command))


def _followed(state: State, command: Command) -> tuple[Event, ...]:
    """Return the events that *command* causes, with their consequences for other entrants."""
    events = _DECIDED[type(command)](state, command)
    if isinstance(command, floor_commands.Disqualify | entering.RecordPurge):
        events = _with_bubble(state, events, command.now)
    if not events or isinstance(command, Announce):
        return events
    if isinstance(state, Running) and state.entering.late:
        fresh = command.table_ids if isinstance(command, _BringsTables) else ()
        events = late.concluded(state, events, fresh)
        if any(isinstance(each, LateRegistrationClosed) for each in events):
            return _with_bubble(state, events, command.now)
    return events


_BringsTables = (
    Register | StartPlay | entering.Approve | entering.ChangeTerms | entering.CheckIn | SeatRound
)
"""Commands with identifiers for tables that may have to be added."""


_Coming = (
    Register
    | Withdraw
    | of_fairness.CommitEntropy
    | entering.ChangeTerms
    | entering.Approve
    | entering.AnswerOffer
    | entering.CheckIn
    | entering.UndoCheckIn
)


def _demand_settled(command: Command) -> None:
    """
    Check that *command* changes no entrant while the seats wait for the beacon's pulse.

    Raises:
        SeatsBeingDrawn: If the command would change an entrant.
    """
    if isinstance(command, _Coming):
        raise SeatsBeingDrawn


def _registered(state: State, command: Register) -> tuple[Event, ...]:
    command = as_house_bot(state, command)
    if not isinstance(state, Running):
        return places.register(state, command)
    return (
        casino.sit_down(state, command) if casino.is_casino(state) else late.enter(state, command)
    )


def _close_early(state: State, command: CloseEarly) -> tuple[Event, ...]:
    return rounds.closed(state, casino.close(state, command))


def _record_busts(state: State, command: RecordBusts) -> tuple[Event, ...]:
    return _with_bubble(state, ranking.record_busts(state, command), command.now)


def _close_windows(state: State, command: CloseWindows) -> tuple[Event, ...]:
    return _with_bubble(state, ranking.close_windows(state, command), command.now)


def _with_bubble(state: State, events: tuple[Event, ...], now: datetime) -> tuple[Event, ...]:
    """
    Return *events*, which may eliminate somebody, and the hand-for-hand play that they may begin.
    """
    if not events or not isinstance(state, Running) or state.in_round:
        return events
    return on_the_floor.with_bubble(state, events, now)


Asked = TypeVar("Asked")


def _in_play(
    cases: Cases[Running, Asked, tuple[Event, ...]],
) -> Cases[State, Asked, tuple[Event, ...]]:
    """Return *cases* for any state. They refuse unless the tournament is running."""
    return Cases({kind: _running(then) for kind, then in cases.items()})


def _running(
    then: Callable[[Running, Asked], tuple[Event, ...]],
) -> Callable[[State, Asked], tuple[Event, ...]]:
    return lambda state, command: then(running_of(state), command)


_DECIDED = (
    Cases[State, Never, tuple[Event, ...]]()
    .on(Announce, announcing.announce)
    .on(OpenRegistration, registration.open_registration)
    .on(Register, _registered)
    .on(Withdraw, places.withdraw)
    .on(StartPlay, starting.start_play)
    .on(RecordBusts, _record_busts)
    .on(CloseWindows, _close_windows)
    .on(RecordMoves, moving.record_moves)
    .on(RecordBreak, moving.record_break)
    .on(DeclareRebuy, rebuying.declare)
    .on(StakeItem, rebuying.stake)
    .on(BuyBackItem, rebuying.buy_back)
    .on(AddOn, casino.add_on)
    .on(Leave, casino.leave)
    .on(RecordBrought, casino.bring_in)
    .on(RecordLeaves, casino.cash_out)
    .on(CloseEarly, _close_early)
    .on(Pause, starting.pause)
    .on(Resume, starting.resume)
    .on(RaiseLevels, _running(levels.raise_levels))
    .on(Cancel, starting.cancel)
    .on(RecordTables, heads.decide)
    .on(Finish, ranking.finish)
    .and_all(who_enters.DECIDED)
    .and_all(freezing.DECIDED)
    .and_all(fairness.DECIDED)
    .and_all(correcting.DECIDED)
    .and_all(money.DECIDED)
    .and_all(_in_play(rounds.DECIDED))
    .and_all(_in_play(on_the_floor.DECIDED))
)
