"""The interface of a game at the table. Each game implements it in its own module."""

from collections.abc import Callable
from datetime import datetime
from typing import NamedTuple

from engine.hand.betting import CardSource, LegalAction
from engine.table.games.course import Course
from engine.table.model.commands import CardVerb
from engine.table.model.events import CardTurnTaken
from engine.table.model.hand import Decision
from engine.table.model.state import Place, Table


class CardAnswer(NamedTuple):
    """A permitted card action, chosen by the player or by the clock."""

    decision: Decision
    place: Place
    verb: CardVerb
    source: CardSource | None
    card: str | None
    fee: int
    salt: str | None
    """The salt for hidden values. None if the clock answers."""

    timed_out: bool
    now: datetime


class CardTurns(NamedTuple):
    """The card turns of a game that has them."""

    verbs: frozenset[CardVerb]
    """All card actions of the game."""

    actions: Callable[[Table, Place], tuple[LegalAction, ...]]
    """Returns the legal actions of the seat on turn, including ``stand``."""

    taken: Callable[[Course, CardAnswer], CardTurnTaken]
    """Returns the event of a legal action."""

    field: bool
    """True if the game has a static field."""

    earliest_call: Callable[[Table], int | None]
    """Returns the first card round in which the hand may be called. None if it never may."""


class Game(NamedTuple):
    """The functions of one game."""

    step: Callable[[Course, datetime], None]
    """
    Takes the next automatic step, or opens the next decision.

    A step stops where the hand may be over. The caller checks before each step that two or more
    seats are live.
    """

    turns: CardTurns | None = None
