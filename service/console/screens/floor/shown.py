"""The screen of the floor: the clock, the tables with their seats, and the latest events."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

import msgspec

from engine.coordination.views import FloorTable
from engine.rulesets import Amounts
from service.api.public.floor_shapes import PublicFloor, PublicFloorTable
from service.api.tournament.entrants import EntrantShown
from service.api.tournament.floors import Floor
from service.api.tournament.tournaments import TournamentShown
from service.console.languages import Spoken
from service.console.screens.evening.entry import (
    BEFORE_PLAY,
    NO_ENTRY_RULES,
    EntryRules,
    entry_rules,
)
from service.console.screens.floor.happened import Told
from service.console.screens.floor.selling import first_of, rebuys_of
from service.console.screens.floor.starting import absentees, loses_places, owe_the_entry

_WAITING = frozenset({"registered", "rebuy_open"})
"""The states of an entry that has no seat while others play."""


class Powers(msgspec.Struct, kw_only=True):
    """The reader's powers. The API decides; they only hide buttons that it would refuse."""

    clock: bool = False
    """The clock, breaks, and the seating."""

    rules: bool = False
    """Rulings on players, hands and the end of play."""

    sells: bool = False
    """Rebuys and add-ons for a player, and withdrawals."""

    starts: bool = False
    """Drawing the seats, and entering house bots before the draw."""

    own: str | None = None
    """The entry of staff who play themselves. They may order nothing about their own seat."""

    @property
    def any(self) -> bool:
        """True if the reader directs this evening in some way."""
        return self.clock or self.rules or self.sells


class SeatSeen(msgspec.Struct, kw_only=True):
    """A player with a seat, or without one."""

    entrant: str
    player: str | None
    name: str | None
    bot: bool
    seat: int | None
    stack: int = 0
    wager: int = 0
    dealt: bool = True
    away: bool = False
    penalty: int = 0
    disqualified: bool = False
    status: str = "playing"


class TableSeen(msgspec.Struct, kw_only=True):
    """An open table."""

    id: str
    number: int
    doing: str
    button: int
    hand_number: int
    hand: str | None = None
    deal: int | None = None
    level: int
    amounts: Amounts
    seats: tuple[SeatSeen, ...]
    seat_count: int
    breaks_next: bool
    """True if this table breaks before all others."""


class ClockSeen(msgspec.Struct, kw_only=True):
    """The level in force, and the time until the next one."""

    level: int
    amounts: Amounts
    next_amounts: Amounts | None
    due: datetime | None
    """The end of the level, or null while the clock stands or if there is no clock."""

    left_seconds: int | None
    """The time left in the level, or null without a clock."""

    runs: bool
    """True if levels go by the tournament's clock."""


class FloorScreen(msgspec.Struct, kw_only=True):
    """The page of the floor."""

    id: str
    league: str
    league_name: str | None
    """The name of the league for a stranger. A member's account knows it."""

    name: str
    state: str
    now: datetime
    may: Powers
    etag: str | None
    """The version that an edit of the breaking order names."""

    clock: ClockSeen | None
    entrants: int
    left: int
    average: int
    break_ends: datetime | None
    break_left: int | None
    """The seconds left of a break while nobody can act, so that it stands still. Else null."""

    next_break: datetime | None
    break_after_level: int | None
    hand_for_hand: int | None
    last_hands: int | None
    closing: bool
    tables: tuple[TableSeen, ...]
    outside: tuple[SeatSeen, ...]
    """Players in the tournament who have no seat."""

    breaking_order: tuple[int, ...]
    rebuys: Mapping[str, int]  # the next rebuy of each entrant who may take or declare one
    add_ons: bool
    house_bots: bool
    """True if house bots may enter now."""

    bots_have_no_money: bool
    """True if only the money at stake keeps house bots out."""

    happened: tuple[Told, ...]
    """The latest events, newest first."""

    out: tuple[tuple[int, str | None], ...]
    """The latest eliminations: place and name. Only for strangers, whose list has no knock-outs."""

    starts_at: datetime | None = None
    """The time at which play begins by itself, for members, before play."""

    entry: EntryRules = NO_ENTRY_RULES
    """The rules of entry that still hold, for members."""

    warning: str = ""
    """The entrants who lose their places if the seats are drawn now, in words."""

    unpaid: str = ""
    """The entrants who have not paid for their entry when play begins, in words."""

    winners: tuple[str, ...] = ()  # once the evening is finished
    pays: bool = False
    """True if the reader may see the money of the evening, and there is any."""

    def moves(self, seat: SeatSeen, table: TableSeen | None) -> bool:
        """Return whether the reader may move the player at *seat* to another table."""
        seated = table is not None and len(self.tables) > 1
        return self.may.clock and seated and seat.entrant != self.may.own

    def acts_on(self, seat: SeatSeen, table: TableSeen | None) -> bool:
        """Return whether the reader may do anything about the player at *seat*."""
        add_ons = self.add_ons and table is not None
        sells = self.may.sells and (bool(self.rebuys) or add_ons)
        return not seat.disqualified and (self.may.rules or sells or self.moves(seat, table))

    def holds(self, table: TableSeen) -> bool:
        """Return whether the reader may hold and release *table*."""
        return self.may.clock and all(each.entrant != self.may.own for each in table.seats)

    def acts_at(self, table: TableSeen) -> bool:
        """Return whether the reader may do anything at *table*."""
        breaks = self.may.clock and len(self.breaking_order) > 1
        voids = self.may.rules and table.hand is not None
        return breaks or voids or self.holds(table)

    @property
    def bots_enter(self) -> bool:
        """True if the reader may enter house bots now. Staff who play may until play begins."""
        before = self.may.starts and self.state == "registering"
        return self.house_bots and (self.may.sells or before)


def member_screen(
    shown: TournamentShown,
    floor: Floor,
    may: Powers,
    etag: str | None,
    happened: tuple[Told, ...],
    language: Spoken,
    unpaid: Sequence[EntrantShown] = (),
) -> FloorScreen:
    """Return the floor as a member of the league sees it."""
    seen, absent = floor.floor, absentees(shown) if may.starts else ()
    called = {each.id: each.name for each in shown.entrants}
    order = seen.breaking_order
    due = None if seen.next_break is None else seen.next_break.due
    return FloorScreen(
        id=shown.id,
        league=shown.league,
        league_name=None,
        name=shown.name,
        state=shown.state,
        now=floor.now,
        may=may,
        etag=etag,
        clock=_clock(shown, floor),
        entrants=seen.entrants,
        left=seen.entrants_left,
        average=seen.average_stack,
        break_ends=seen.break_ends,
        break_left=_break_left(seen.break_ends, floor.closed_since),
        next_break=due,
        break_after_level=None if seen.next_break is None else seen.next_break.after_level,
        hand_for_hand=seen.hand_for_hand,
        last_hands=seen.last_hands,
        closing=seen.closing,
        tables=tuple(_table(each, called, order) for each in seen.tables),
        outside=_outside(shown.entrants) if shown.state in ("running", "paused") else (),
        breaking_order=order,
        rebuys=rebuys_of(shown, floor),
        add_ons=shown.fees.add_on is not None,
        house_bots=_open_to_house_bots(shown) and shown.currency is None,
        bots_have_no_money=_open_to_house_bots(shown) and shown.currency is not None,
        happened=happened,
        out=(),
        starts_at=shown.starts_at if shown.state in BEFORE_PLAY else None,
        entry=entry_rules(language, shown, floor.now),
        warning=loses_places(language, absent) if absent else "",
        unpaid=owe_the_entry(language, unpaid) if unpaid else "",
        winners=first_of(shown.entrants),
        pays=shown.currency is not None,
    )


def stranger_screen(
    floor: PublicFloor, now: datetime, happened: tuple[Told, ...], winners: tuple[str, ...]
) -> FloorScreen:
    """Return the floor as a stranger sees it."""
    first = floor.tables[0] if floor.tables else None
    return FloorScreen(
        id=floor.tournament,
        league=floor.league,
        league_name=floor.league_name,
        name=floor.name,
        state=floor.state,
        now=now,
        may=Powers(),
        etag=None,
        clock=None if first is None else _level(first.level, first.amounts),
        entrants=floor.entrants,
        left=floor.entrants_left,
        average=floor.average_stack,
        break_ends=floor.break_ends,
        break_left=_break_left(floor.break_ends, floor.closed_since),
        next_break=None,
        break_after_level=None,
        hand_for_hand=None,
        last_hands=None,
        closing=False,
        tables=tuple(_public_table(each) for each in floor.tables),
        outside=(),
        breaking_order=(),
        rebuys={},
        add_ons=False,
        house_bots=False,
        bots_have_no_money=False,
        happened=happened,
        out=tuple((each.place, each.name) for each in floor.knocked_out),
        winners=winners,
    )


def table_names(floor: Floor) -> Mapping[str, str]:
    """Return the number of each open table, for the tables of a dry run."""
    return {each.table: str(each.number) for each in floor.floor.tables}


def _table(
    table: FloorTable, called: Mapping[str, str | None], order: tuple[int, ...]
) -> TableSeen:
    return TableSeen(
        id=table.table,
        number=table.number,
        doing=table.doing,
        button=table.button,
        hand_number=table.hand_number,
        hand=table.hand,
        deal=table.deal,
        level=table.level,
        amounts=table.amounts,
        seat_count=table.seat_count,
        breaks_next=len(order) > 1 and order[0] == table.number,
        seats=tuple(
            SeatSeen(
                entrant=each.entrant,
                player=each.player,
                name=called.get(each.entrant),
                bot=each.bot,
                seat=each.seat,
                stack=each.stack,
                wager=each.wager,
                dealt=each.dealt or table.hand is None,
                away=each.away,
                penalty=each.penalty,
                disqualified=each.disqualified,
            )
            for each in table.seats
        ),
    )


def _clock(shown: TournamentShown, floor: Floor) -> ClockSeen | None:
    clock = shown.clock
    if clock is not None:
        left = clock.left_seconds
        if clock.due is not None:
            now = floor.closed_since or floor.now
            left = max(0, int((clock.due - now).total_seconds()))
        return ClockSeen(
            level=clock.level,
            amounts=clock.amounts,
            next_amounts=clock.next_amounts,
            due=None if floor.closed_since else clock.due,
            left_seconds=left,
            runs=True,
        )
    first = floor.floor.tables[0] if floor.floor.tables else None
    return None if first is None else _level(first.level, first.amounts)


def _break_left(ends: datetime | None, closed_since: datetime | None) -> int | None:
    if ends is None or closed_since is None:
        return None
    return max(0, int((ends - closed_since).total_seconds()))


def _level(level: int, amounts: Amounts) -> ClockSeen:
    return ClockSeen(
        level=level, amounts=amounts, next_amounts=None, due=None, left_seconds=None, runs=False
    )


def _open_to_house_bots(shown: TournamentShown) -> bool:
    """Return whether house bots may enter, apart from the question of money."""
    opened = shown.state == "registering" or shown.late_registration
    return opened and shown.bots != "forbidden"


def _outside(entrants: Iterable[EntrantShown]) -> tuple[SeatSeen, ...]:
    return tuple(
        SeatSeen(
            entrant=each.id,
            player=each.player,
            name=each.name,
            bot=each.bot,
            seat=None,
            status=each.status,
        )
        for each in entrants
        if each.table is None and each.status in _WAITING
    )


def _public_table(table: PublicFloorTable) -> TableSeen:
    return TableSeen(
        id=table.id,
        number=table.number,
        doing=table.doing,
        button=0,
        hand_number=table.hand_number,
        level=table.level,
        amounts=table.amounts,
        seat_count=len(table.seats),
        breaks_next=False,
        seats=tuple(
            SeatSeen(
                entrant=each.entrant,
                player=each.player,
                name=each.name,
                bot=each.bot,
                seat=each.seat,
                stack=each.stack,
                wager=each.wager,
                disqualified=each.disqualified,
            )
            for each in table.seats
        ),
    )
