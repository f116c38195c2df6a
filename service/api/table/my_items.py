"""The items of a player's stream: turns, seats, moves, offers, rebuys, disputes."""

from datetime import datetime
from typing import Literal, TypeAlias

import msgspec

from engine.dispute.state import Phase as DisputePhase
from engine.table.model.events import SeatStack
from engine.tournament.model.state import Phase
from service.api.table.views import TableNamed

EntryStatus = Literal[
    "applied", "refused", "waitlisted", "offered", "entered", "out", "withdrawn"
]  # fmt: skip
"""
The place of a player in a tournament. ``withdrawn`` means that the player is no longer entered.
"""


class _Item(msgspec.Struct, kw_only=True, tag_field="type"):
    cursor: str
    """Continue after this item with ``Last-Event-ID`` or ``after``."""

    at: datetime
    """The instant of the last event that the item takes into account, by the server's clock."""


class _Told(_Item, kw_only=True):
    league: str
    """The league of the tournament."""

    tournament: str
    """The tournament that the item is about."""


class SeatAt(msgspec.Struct, frozen=True, kw_only=True):
    """A seat at a table."""

    table: str
    """The table."""

    seat: int
    """The number of the seat, from 1."""


class TurnItem(_Told, kw_only=True, tag="turn"):
    """
    A decision waits for the viewer. Answer with ``POST /v1/tables/{table}/actions``.

    It is sent again if its deadline changes, and when a stream begins while it is open.
    """

    table: str
    """The table that waits."""

    decision: str
    """The token of the decision, unique at its table. Send it with the action."""

    deadline: datetime
    """The instant until which the action must arrive."""

    view: TableNamed
    """The table as the viewer sees it, with the legal actions in ``legal``."""


class TurnClosedItem(_Told, kw_only=True, tag="turn_closed"):
    """
    A decision from an earlier item no longer waits for the viewer: answered, timed out or void.
    """

    table: str
    """The table of the decision."""

    decision: str
    """The token of the decision that is closed."""


class HandOverItem(_Told, kw_only=True, tag="hand_over"):
    """
    A hand at the viewer's table has ended.

    After a cursor come the hands that have ended since, at most the last 50 of a table.
    """

    table: str
    """The table of the hand."""

    hand: str
    """The hand that has ended. ``GET /v1/hands/{hand}/replay`` shows it."""

    number: int
    """The number of the hand at its table, from 1."""

    ending: Literal["showdown", "folds"]
    """``folds`` if everybody but the winner folded."""

    winners: tuple[int, ...]
    """The seats that got a share of the main pot. May be empty."""

    stacks: tuple[SeatStack, ...]
    """The chips of every seat after the hand, busts included."""

    view: TableNamed
    """
    The table as the viewer sees it now. ``view.last_hand`` shows the end of the hand until the next
    hand opens.
    """


class SeatItem(_Told, kw_only=True, tag="seat"):
    """The viewer has got a seat."""

    table: str
    """The table."""

    seat: int
    """The number of the seat, from 1."""

    stack: int
    """The viewer's chips at the table."""


class UnseatedItem(_Told, kw_only=True, tag="unseated"):
    """The viewer has no seat any more. An item ``entry`` says if the viewer is out."""

    table: str
    """The table that the viewer has left."""

    seat: int
    """The number of the seat there."""


class MoveItem(_Told, kw_only=True, tag="move"):
    """The viewer sits elsewhere now: moved, redrawn, or the old table was broken."""

    from_: SeatAt = msgspec.field(name="from")
    """The seat before."""

    to: SeatAt
    """The seat now."""

    stack: int
    """The viewer's chips at the table."""


class EntryItem(_Told, kw_only=True, tag="entry"):
    """The viewer's place in the tournament has changed."""

    entrant: str
    """The viewer's entry. A re-entry is another entrant."""

    status: EntryStatus
    """The viewer's place in the tournament."""

    place: int | None
    """The place in the result, if the viewer is out and the place is known."""


class OfferItem(_Told, kw_only=True, tag="offer"):
    """A free place is offered to the viewer, or the offer has ended."""

    until: datetime | None
    """The instant until which the viewer may answer. Null if the offer has ended."""


class RebuyWindowItem(_Told, kw_only=True, tag="rebuy_window"):
    """The viewer has busted and may come back, or can no longer do so."""

    open: bool
    """True until the table's next hand. False once the window has closed."""

    rebuy: bool
    """True if a rebuy is allowed. Otherwise only a staked item brings the viewer back."""

    number: int | None
    """The number of this rebuy among the viewer's, from 1. Null once the window has closed."""


class TournamentItem(_Told, kw_only=True, tag="tournament"):
    """The state of a tournament that the viewer is entered in. Nothing follows its end."""

    state: Phase
    """The tournament's phase."""

    check_in: bool
    """True if check-in is open."""


class DisputeItem(_Item, kw_only=True, tag="dispute"):
    """A dispute about a tournament that the viewer is entered in, or one that the viewer claims."""

    league: str
    """The league of the dispute."""

    tournament: str | None
    """The disputed tournament, or null if the dispute is about a season."""

    dispute: str
    """The dispute."""

    state: DisputePhase
    """The phase of the dispute."""


class LeagueLeftItem(_Item, kw_only=True, tag="league_left"):
    """The viewer no longer belongs to the league. Nothing more comes from it."""

    league: str
    """The league that the viewer has left."""


class ResetItem(_Item, kw_only=True, tag="reset"):
    """
    An operator has begun the league's log again, and its last events may be lost.

    Forget everything about the league. The present state follows.
    """

    league: str
    """The league."""


class CaughtUpItem(_Item, kw_only=True, tag="caught_up"):
    """The items so far are the whole present state. All later items are news."""


MyItem: TypeAlias = (
    TurnItem | TurnClosedItem | HandOverItem | SeatItem | UnseatedItem | MoveItem | EntryItem
    | OfferItem | RebuyWindowItem | TournamentItem | DisputeItem | LeagueLeftItem | ResetItem
    | CaughtUpItem
)  # fmt: skip
"""An item of a player's stream, distinguished by its ``type``."""


class MyItems(msgspec.Struct, kw_only=True):
    """
    The items after a cursor.

    To read later items, continue after the last item's ``cursor``, or after the same cursor as
    before if there is none.
    """

    items: tuple[MyItem, ...]
    """The items in order."""

    next_cursor: str | None
    """The cursor for the next page, or null if the items reach the present state."""

    more: bool
    """True if there are more items now."""
