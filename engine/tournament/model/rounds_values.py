"""What commands, events and states of scheduled rounds are made of."""

from typing import Literal

import msgspec

from engine.tournament.model.values import Standing
from engine.values import Chips, EntrantId, Seat, TableId


class _Part(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    pass


class RoundDraw(_Part, frozen=True, kw_only=True):
    """Which random draw decided: use ``draws``, table 0, hand ``number``; ``order`` came out."""

    number: int
    label: Literal["seats", "order", "final", "lot"]
    order: tuple[EntrantId, ...]


class RoundSeat(_Part, frozen=True, kw_only=True):
    """Where somebody sits in a round, and with what stack."""

    entrant: EntrantId
    seat: Seat
    stack: Chips


class RoundTable(_Part, frozen=True, kw_only=True):
    """A table of a round."""

    table: TableId
    number: int
    """In the tournament, where no number comes twice."""

    place: int
    """In its round, from 1."""

    seats: tuple[RoundSeat, ...]


class Score(_Part, frozen=True, kw_only=True):
    """
    What an entrant has won in the rounds so far, in the order in which it ranks.

    Points have two fraction digits.
    """

    entrant: EntrantId
    rank: int
    shared: int
    """How many hold this rank together."""

    points: str
    wins: int
    """Rounds in which the first place at the table was the entrant's, or shared."""

    chips: int
    """Won, less what was lost."""


class Meetings(_Part, frozen=True, kw_only=True):
    """How often those who are seated have met, this round included."""

    fewest: int
    """Times that the two have met who met least."""

    most: int
    again: int
    """Pairs that meet in this round though they met before."""


class RoundScore(_Part, frozen=True, kw_only=True):
    """How somebody did at a table of a round."""

    entrant: EntrantId
    place: int
    shared: int
    stack: Chips
    points: str


class RoundResult(_Part, frozen=True, kw_only=True):
    """How one table of a round ended."""

    table: TableId
    number: int
    place: int
    """Of the table in its round."""

    scores: tuple[RoundScore, ...]
    """The best first."""


class RoundBust(_Part, frozen=True, kw_only=True):
    """Who lost the last chip in a round, and in which hand."""

    entrant: EntrantId
    table: TableId
    hand: int
    stack_at_start: Chips


class RoundPenalty(_Part, frozen=True, kw_only=True):
    """Hands that somebody has still to miss when a round is over."""

    entrant: EntrantId
    hands: int


class TableEnd(_Part, frozen=True, kw_only=True):
    """What everybody at a table had when the round was over there."""

    table: TableId
    stacks: tuple[Standing, ...]
