"""
The commands behind recorded events.

Events hold everything their command asked for. An audit can therefore check
``decide(state, command) == events`` from the log alone.
"""

from collections.abc import Callable, Sequence
from typing import Any

from engine.errors import InvariantViolated
from engine.table.model import commands, events
from engine.table.model.commands import Command
from engine.table.model.events import Event
from engine.table.model.state import SUDDEN_DEATH

CardEvent = events.SelectionCommitted | events.ImprovementCommitted
TurnEvent = events.SeatActed | events.CardTurnTaken
_CARD_EVENTS = frozenset((events.SelectionCommitted, events.ImprovementCommitted))
_BY_CLOCK = _CARD_EVENTS | {events.SeatActed, events.CardTurnTaken}
"""Answers to decisions, which may come from the clock."""


def commands_of(appended: Sequence[Event]) -> tuple[Command, ...]:
    """Return the commands that caused the events of one append at one table, in order."""
    return tuple(command_of(part) for part in parts_of(appended))


def parts_of(appended: Sequence[Event]) -> tuple[tuple[Event, ...], ...]:
    """
    Divide the events of one append by the commands that caused them.

    Raises:
        InvariantViolated: If the first event cannot begin a command.
    """
    begun = 0
    parts: list[Sequence[Event]] = []
    for index, event in enumerate(appended):
        if type(event) in _COMMANDS and _begins(event, appended[begun:index]):
            if index:
                parts.append(appended[begun:index])
            begun = index
        elif not index:
            raise InvariantViolated(f"{type(event).__name__} is not the first of a command")
    if appended:
        parts.append(appended[begun:])
    return tuple(map(tuple, parts))


def _begins(event: Any, part: Sequence[Any]) -> bool:
    """Return whether *event* begins another command than the one that caused *part*."""
    kind = type(event)
    if kind in _CARD_EVENTS:
        same = bool(part) and type(part[0]) is kind and part[0].decision == event.decision
        return not (event.timed_out and same)
    if kind is events.SeatWentAway:
        return bool(event.cause == "stepped_away")
    if kind is events.HandCalled:
        return event.decision is not None
    return True


def command_of(part: tuple[Event, ...]) -> Command:
    """Return the command behind one part of an append, as :func:`parts_of` divides it."""
    first: Any = part[0]
    if type(first) in _BY_CLOCK and first.timed_out:
        return _time_out(first, part)
    if isinstance(first, events.HandOpened):
        return _open_hand(first, part[1:])
    return _COMMANDS[type(first)](first)


def _time_out(first: TurnEvent | CardEvent, part: tuple[Event, ...]) -> commands.TimeOut:
    salts = tuple(event.cards.salt.hex() for event in part if isinstance(event, CardEvent))
    return commands.TimeOut(decision=first.decision, salts=salts, now=first.at)


def _open_table(event: events.TableOpened) -> Command:
    return commands.OpenTable(
        table=event.table,
        tournament=event.tournament,
        number=event.number,
        ruleset=event.ruleset,
        ruleset_hash=event.ruleset_hash,
        decision_seconds=event.decision_seconds,
        grace_seconds=event.grace_seconds,
        seats=event.seats,
        seat_count=event.seat_count,
        now=event.at,
    )


def _await_beacon(event: events.TableBeaconAwaited) -> Command:
    return commands.AwaitBeacon(
        chain=event.chain, openings=event.openings, omissions=event.omissions, now=event.at
    )


def _open_hand(event: events.HandOpened, following: tuple[Event, ...] = ()) -> Command:
    mixed = (each.pulse for each in following[:1] if isinstance(each, events.TableBeaconMixed))
    return commands.OpenHand(
        hand=event.hand,
        seeds=event.seeds.value,
        deal=event.deal,
        stage=event.stage,
        round=event.round,
        tournament_version=event.tournament_version,
        tournament_head=event.tournament_head,
        openings=event.openings,
        omissions=event.omissions,
        pulse=next(mixed, None),
        last=event.last,
        only=tuple(books.seat for books in event.seats if books.dealt)
        if event.stage == SUDDEN_DEATH
        else (),
        penalties=event.penalties,
        level=_level_in_force(event.level),
        declared=tuple(books.seat for books in event.seats if books.rebuy_declared),
        escrow=event.escrow,
        now=event.at,
    )


def _level_in_force(level: events.Level) -> commands.LevelInForce | None:
    if level.set_by is None:
        return None
    return commands.LevelInForce(number=level.number, amounts=level.amounts, set_by=level.set_by)


def _select(event: events.SelectionCommitted) -> Command:
    return commands.Select(
        entrant=event.entrant,
        decision=event.decision,
        cards=event.cards.value,
        salt=event.cards.salt.hex(),
        now=event.at,
    )


def _improve(event: events.ImprovementCommitted) -> Command:
    return commands.Improve(
        entrant=event.entrant,
        decision=event.decision,
        cards=event.cards.value,
        salt=event.cards.salt.hex(),
        now=event.at,
    )


def _act(event: events.SeatActed) -> Command:
    return commands.Act(
        entrant=event.entrant,
        decision=event.decision,
        verb=event.verb,
        amount=event.amount,
        expected=event.expected,
        now=event.at,
    )


def _take_card_turn(event: events.CardTurnTaken) -> Command:
    card = None
    if event.given is not None:
        card = event.given.value
    elif event.shown is not None:
        card = event.shown.card
    return commands.TakeCardTurn(
        entrant=event.entrant,
        decision=event.decision,
        verb=event.verb,
        card=card,
        source=event.source,
        salt="00" * 32 if event.given is None else event.given.salt.hex(),
        now=event.at,
    )


def _field_cards(event: events.CardsFielded) -> Command:
    return commands.FieldCards(
        entrant=event.entrant,
        decision=event.decision,
        cards=tuple(card.card for card in event.cards),
        now=event.at,
    )


def _call_hand(event: events.HandCalled) -> Command:
    if event.entrant is None or event.decision is None:
        raise InvariantViolated("nobody called this hand")
    return commands.CallHand(entrant=event.entrant, decision=event.decision, now=event.at)


def _vacate(event: events.SeatsVacated) -> Command:
    return commands.VacateSeats(
        departures=tuple(placed.entrant for placed in event.departures),
        to_table=event.to_table,
        now=event.at,
    )


def _arrivals(event: events.ArrivalsSeated) -> Command:
    return commands.SeatArrivals(
        arrivals=event.arrivals,
        carry=event.carry,
        sabacc_pot=event.sabacc_pot,
        least_amounts=event.floor,
        restart=event.restart,
        now=event.at,
    )


def _wait(event: events.TableWaiting) -> Command:
    return commands.RecordWait(reason=event.reason, tournament_version=event.tournament_version)


def _show(event: events.HandShown) -> Command:
    return commands.ShowHand(entrant=event.entrant, hand=event.hand, now=event.at)


def _buy_chips(event: events.ChipsBought) -> Command:
    return commands.BuyChips(
        seat=event.seat,
        entrant=event.entrant,
        chips=event.chips,
        cause=event.cause,
        now=event.at,
    )


def _void_deal(event: events.DealVoided) -> Command:
    return commands.VoidDeal(
        hand=event.hand, deal=event.deal, cause=event.cause, reason=event.reason, now=event.at
    )


def _return_chips(event: events.ChipsReturned) -> Command:
    return commands.ReturnChips(entrant=event.entrant, chips=event.chips, now=event.at)


_COMMANDS: dict[type, Callable[[Any], Command]] = {
    events.TableOpened: _open_table,
    events.HandOpened: _open_hand,
    events.TableBeaconAwaited: _await_beacon,
    events.SelectionCommitted: _select,
    events.ImprovementCommitted: _improve,
    events.SeatActed: _act,
    events.CardTurnTaken: _take_card_turn,
    events.CardsFielded: _field_cards,
    events.HandCalled: _call_hand,
    events.HandShown: _show,
    events.ChipsBought: _buy_chips,
    events.HandQuit: lambda event: commands.QuitHand(
        entrant=event.entrant, rule=event.rule, now=event.at
    ),
    events.PenaltyImposed: lambda event: commands.ImposePenalty(
        entrant=event.entrant, hands=event.hands, rule=event.rule, now=event.at
    ),
    events.CarryAwarded: lambda event: commands.AwardCarry(now=event.at),
    events.ChipsReturned: _return_chips,
    events.DealVoided: _void_deal,
    events.SeatsVacated: _vacate,
    events.ArrivalsSeated: _arrivals,
    events.SeatWentAway: lambda event: commands.StepAway(entrant=event.entrant),
    events.SeatCameBack: lambda event: commands.ComeBack(entrant=event.entrant),
    events.TableHeld: lambda event: commands.HoldTable(reason=event.reason),
    events.TableResumed: lambda event: commands.ResumeTable(now=event.at),
    events.DecisionExtended: lambda event: commands.ExtendDecision(now=event.at),
    events.TableWaiting: _wait,
    events.TableClosed: lambda event: commands.CloseTable(reason=event.reason, now=event.at),
}

ASKED = frozenset((*_COMMANDS, events.TableBeaconMixed))
"""Events that hold the data of a command. All other events follow from these."""
