"""The engine's commands for the actions that players send."""

from collections.abc import Callable
from datetime import datetime
from typing import TypedDict

from engine.table.model.commands import (
    Act,
    CallHand,
    Command,
    FieldCards,
    Improve,
    Select,
    ShowHand,
    TakeCardTurn,
)
from engine.values import EntrantId, HandId
from service.api.table.actions import (
    Action,
    Buy,
    Call,
    CallTheHand,
    Check,
    Draw,
    Field,
    Fold,
    Gain,
    ImproveSelection,
    Junk,
    RaiseTo,
    SelectCards,
    Show,
    Stand,
    Stay,
    Swap,
    Trade,
)


class _Acting(TypedDict):
    entrant: EntrantId
    decision: str
    now: datetime


def command_of(
    action: Action, *, entrant: EntrantId, now: datetime, salt: Callable[[], str]
) -> Command:
    """
    Return the command for an action of *entrant*.

    Args:
        salt: Returns 32 random bytes in hexadecimal, to commit to hidden cards.
    """
    if isinstance(action, Show):
        return ShowHand(entrant=entrant, hand=HandId(action.decision), now=now)
    seat: _Acting = {"entrant": entrant, "decision": action.decision, "now": now}
    match action:
        case SelectCards(cards=cards):
            return Select(**seat, cards=cards or (), salt=salt())
        case ImproveSelection(cards=cards):
            return Improve(**seat, cards=cards or (), salt=salt())
        case Field(cards=cards):
            return FieldCards(**seat, cards=cards or ())
        case CallTheHand():
            return CallHand(**seat)
        case Fold() | Check() | Call() | Stay() | RaiseTo():
            return _bet(seat, action)
        case _:
            return _card_turn(seat, action, salt())


def _bet(seat: _Acting, action: Fold | Check | Call | Stay | RaiseTo) -> Act:
    match action:
        case Fold():
            return Act(**seat, verb="fold")
        case Check():
            return Act(**seat, verb="check")
        case Call(expected=expected):
            return Act(**seat, verb="call", expected=expected)
        case Stay(expected=expected):
            return Act(**seat, verb="stay", expected=expected)
        case RaiseTo(amount=amount):
            return Act(**seat, verb="raise_to", amount=amount)


def _card_turn(
    seat: _Acting, action: Stand | Draw | Trade | Gain | Swap | Junk | Buy, salt: str
) -> TakeCardTurn:
    match action:
        case Stand():
            return TakeCardTurn(**seat, verb="stand", salt=salt)
        case Junk():
            return TakeCardTurn(**seat, verb="junk", salt=salt)
        case Draw(source=source):
            return TakeCardTurn(**seat, verb="draw", source=source, salt=salt)
        case Gain(source=source):
            return TakeCardTurn(**seat, verb="gain", source=source, salt=salt)
        case Buy(source=source):
            return TakeCardTurn(**seat, verb="buy", source=source, salt=salt)
        case Trade(card=card, source=source):
            return TakeCardTurn(**seat, verb="trade", card=card, source=source, salt=salt)
        case Swap(card=card, source=source):
            return TakeCardTurn(**seat, verb="swap", card=card, source=source, salt=salt)
