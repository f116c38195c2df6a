"""The parts of the commands, events and states of scheduled rounds."""

from typing import Literal

import msgspec

from engine.tournament.model.values import Standing
from engine.values import Chips, EntrantId, Seat, TableId


class _Part(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    pass


class RoundDraw(_Part, frozen=True, kw_only=True):
    """
    The random draw that decided, with its outcome ``order``. Its seed has the use ``draws``, table
    0, hand ``number``.
    """

    number: int
    label: Literal["seats", "order", "final", "lot"]
    order: tuple[EntrantId, ...]


class RoundSeat(_Part, frozen=True, kw_only=True):
    """The seat and stack of an entrant in a round."""

    entrant: EntrantId
    """The entrant in the seat."""

    seat: Seat
    """The seat at the table, from 1."""

    stack: Chips
    """The chips at the start of the round."""


class RoundTable(_Part, frozen=True, kw_only=True):
    """A table of a round."""

    table: TableId
    """The table's identifier."""

    number: int
    """The table's number in the tournament. No number is used twice."""

    place: int
    """The table's place in the round, from 1."""

    seats: tuple[RoundSeat, ...]
    """The seats that are taken, by number."""


class Score(_Part, frozen=True, kw_only=True):
    """
    The total of an entrant over the rounds so far.

    The members are in the order in which they rank. Points have two fraction digits.
    """

    entrant: EntrantId
    """The entrant with this score."""

    rank: int
    """The rank among all scores, from 1."""

    shared: int
    """The number of entrants who share this rank."""

    points: str
    """Points of all rounds so far."""

    wins: int
    """The rounds in which the entrant won the table, alone or shared."""

    chips: int
    """Chips won, less chips lost."""


class Meetings(_Part, frozen=True, kw_only=True):
    """The meetings of the seated entrants so far, this round included."""

    fewest: int
    """The lowest number of meetings of any pair."""

    most: int
    """The highest number of meetings of any pair."""

    again: int
    """The pairs that meet in this round and have met before."""


class RoundScore(_Part, frozen=True, kw_only=True):
    """An entrant's score at a table of a round."""

    entrant: EntrantId
    """The entrant with this score."""

    place: int
    """The place at the table, from 1."""

    shared: int
    """The number of entrants who share the places from `place` on."""

    stack: Chips
    """The chips at the end of the round."""

    points: str
    """Points for the round, with two fraction digits."""


class RoundResult(_Part, frozen=True, kw_only=True):
    """The result of one table of a round."""

    table: TableId
    """The table's identifier."""

    number: int
    """The table's number in the tournament."""

    place: int
    """The place of the table in its round."""

    scores: tuple[RoundScore, ...]
    """The scores at the table, the best first."""


class RoundBust(_Part, frozen=True, kw_only=True):
    """An entrant who busted in a round, with the hand."""

    entrant: EntrantId
    table: TableId
    hand: int
    stack_at_start: Chips


class RoundPenalty(_Part, frozen=True, kw_only=True):
    """The penalty hands that an entrant still has to sit out after a round."""

    entrant: EntrantId
    hands: int


class TableEnd(_Part, frozen=True, kw_only=True):
    """The stacks at a table when the round ended there."""

    table: TableId
    stacks: tuple[Standing, ...]
