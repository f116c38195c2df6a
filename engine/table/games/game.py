"""The questions that every game answers at the table; one module each answers them."""

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
    """A card action that is allowed, as asked or as the clock takes it."""

    decision: Decision
    place: Place
    verb: CardVerb
    source: CardSource | None
    card: str | None
    fee: int
    salt: str | None
    """For what is hidden; none where the clock answers."""

    timed_out: bool
    now: datetime


class CardTurns(NamedTuple):
    """How card turns are taken in a game that has them."""

    verbs: frozenset[CardVerb]
    """The card actions that the game knows at all."""

    actions: Callable[[Table, Place], tuple[LegalAction, ...]]
    """What a seat whose card turn it is may do, ``stand`` among it."""

    taken: Callable[[Course, CardAnswer], CardTurnTaken]
    """What an action that is among these does."""

    field: bool
    """Whether there is a static field."""

    earliest_call: Callable[[Table], int | None]
    """The first round in which the hand may be called; none if it never is."""


class Game(NamedTuple):
    """A game, as far as the machine asks."""

    step: Callable[[Course, datetime], None]
    """
    Do what happens next by itself, or open the next decision.

    Nothing more once a hand may be over: whether two can still win is asked before each.
    """

    turns: CardTurns | None = None
