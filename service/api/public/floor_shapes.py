"""The floor of a public tournament, as an answer shows it."""

from datetime import datetime

import msgspec

from engine.coordination.views import BreakView, Doing, FloorLevel
from engine.kit.denominations import Denomination
from engine.rulesets import Amounts
from engine.table.read.view_parts import NextLevelView
from engine.tournament.model.state import Phase
from service.api.tournament.changes import KnockedOut, SeatChanged


class PublicSeat(msgspec.Struct, kw_only=True):
    """An occupied seat."""

    seat: int
    """The number of the seat, from 1."""

    entrant: str
    """The entrant, `ent_…`."""

    player: str | None
    """The player, `plr_…`, or null if the entry is no longer known."""

    name: str | None
    """The player's name now, or null if the entry is no longer known."""

    bot: bool
    """True if the entrant is a program."""

    stack: int
    """Chips behind the seat. Chips put into the hand are `wager`."""

    wager: int
    """The chips that the seat has put into the hand in play."""

    disqualified: bool
    """True if the entrant is disqualified. The seat is taken until the hand in play ends."""


class PublicFloorTable(msgspec.Struct, kw_only=True):
    """An open table with its seats."""

    id: str
    """The table, `tbl_…`."""

    number: int
    """The table's number in the tournament."""

    doing: Doing
    """The state of play at this moment."""

    hand: str | None
    """The hand in play, or null between hands. Its replay is public once it is over."""

    hand_number: int
    """The number of the hand opened last, or 0 before the first."""

    level: int
    """The level of the hand in play or next, from 1."""

    amounts: Amounts
    """The forced bets of that level."""

    sabacc_pot: int
    """The chips in the Sabacc pot, or 0 in a game without one."""

    seats: tuple[PublicSeat, ...]
    """The occupied seats."""


class PublicFloor(msgspec.Struct, kw_only=True):
    """The floor of a tournament: every open table with its stacks, and never a card."""

    tournament: str
    """The tournament, `trn_…`."""

    league: str
    """The league, `lge_…`."""

    league_name: str
    """The league's name now."""

    name: str
    """The tournament's name."""

    state: Phase
    """The phase of the tournament."""

    entrants: int
    """The number of entries, with the eliminated ones."""

    entrants_left: int
    """The number of players who are still in, or 0 once the tournament is over."""

    average_stack: int
    """Chips in play for each seated entrant, rounded down, or 0 if nobody sits."""

    level: FloorLevel | None
    """The level of the hands opened now, or null if each table counts its own levels."""

    next_level: NextLevelView | None
    """The next level of the clock, or null without a clock or at the last level."""

    break_ends: datetime | None
    """The end of the present break, or null without a break."""

    next_break: BreakView | None
    """The next break after a level, or null if none is planned."""

    denominations: tuple[Denomination, ...]
    """The chips of the game by name and value, or nothing if its rules name none."""

    closed_since: datetime | None
    """
    The instant since which an operator lets nobody change anything, or null. The clocks stand from
    then on.
    """

    seat_changes: tuple[SeatChanged, ...]
    """The changes of seats in the last ten minutes, newest first, at most 50."""

    knocked_out: tuple[KnockedOut, ...]
    """The entrants who were eliminated last, newest first, at most 5."""

    tables: tuple[PublicFloorTable, ...]
    """The open tables, by number."""
