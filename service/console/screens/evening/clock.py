"""The room's clock for a TV: level, time, blinds, remaining players and latest changes."""

import asyncio
from collections.abc import Iterable
from datetime import datetime
from typing import Literal, TypeVar

import msgspec

from engine.rulesets import Amounts, Ruleset
from engine.rulesets.parts import Levels
from service.api.http.reading.paging import Page as Listed
from service.api.http.shell import shell_of
from service.api.tournament.changes import KnockedOut, SeatChanged
from service.api.tournament.entering import AnnouncementListed
from service.console.asking import Ask, seen_by
from service.console.declaring import page
from service.console.pages import Page
from service.console.screens.evening.entry import BEFORE_PLAY

LINES_MAX = 4
"""Lines in each list, so that all of it can be read across the room."""

MOVES_SECONDS = 180
"""A change of seat stays on the screen this long."""

NOTICE_SECONDS = 900
"""An announcement stays on the screen this long."""

_BEFORE_PLAY = BEFORE_PLAY | {"draft"}

Said = TypeVar("Said", SeatChanged, AnnouncementListed)

Moment = Literal["before", "seating", "level", "break", "paused", "over", "cancelled"]


class Level(msgspec.Struct):
    """A level with its forced bets."""

    number: int
    amounts: Amounts


class NextLevel(msgspec.Struct):
    """The next level. At most one of the last three members is set."""

    number: int
    amounts: Amounts
    hands_left: int | None = None
    due: datetime | None = None
    left_seconds: int | None = None


class ClockBreak(msgspec.Struct):
    """A planned break."""

    after_level: int
    seconds: int
    due: datetime | None
    left_seconds: int | None


class Chip(msgspec.Struct):
    """One kind of chip."""

    name: str
    credits: int


class ClockTable(msgspec.Struct):
    """The members of a table that the clock reads."""

    level: int
    amounts: Amounts
    next_level: NextLevel | None = None


class ClockFloor(msgspec.Struct, kw_only=True):
    """The members of the floor that the clock reads, for members and strangers."""

    state: str
    entrants: int
    entrants_left: int
    average_stack: int
    level: Level | None
    next_level: NextLevel | None
    break_ends: datetime | None
    next_break: ClockBreak | None
    denominations: tuple[Chip, ...]
    hand_for_hand: int | None = None
    last_hands: int | None = None
    closed_since: datetime | None = None
    """The instant since which the clock stands, because an operator lets nobody change anything."""

    seat_changes: tuple[SeatChanged, ...] = ()
    knocked_out: tuple[KnockedOut, ...] = ()
    tables: tuple[ClockTable, ...]


class _MembersFloor(msgspec.Struct):
    floor: ClockFloor
    closed_since: datetime | None
    seat_changes: tuple[SeatChanged, ...]
    knocked_out: tuple[KnockedOut, ...]


class Placed(msgspec.Struct):
    """An entrant with the place."""

    name: str | None
    placing: int | None


class _Money(msgspec.Struct):
    prizes: tuple[int, ...]


class ClockTerms(msgspec.Struct):
    """The terms of the floor that the clock reads."""

    last_hands_at: datetime | None = None


class ClockTournament(msgspec.Struct, kw_only=True):
    """The members of the tournament that the clock reads, for members and strangers."""

    id: str
    league: str | None = None
    """Null for the holder of a screen key."""

    name: str
    starts_at: datetime
    place: str | None
    ruleset: Ruleset
    currency: str | None
    entrants: tuple[Placed, ...]
    money: _Money | None = None
    floor: ClockTerms = msgspec.field(default_factory=ClockTerms)
    """Empty for strangers."""

    prizes: tuple[int, ...] = ()


class Counting(msgspec.Struct):
    """The large time."""

    until: datetime | None
    """The instant it counts down to, or null while the clock stands."""

    seconds: int
    """The time left when the page is made."""

    total: int | None
    """The length of the whole countdown, or null if it is unknown."""


class ClockScreen(msgspec.Struct, kw_only=True):
    """The clock of the room."""

    id: str
    closed: bool = False
    """True while an operator lets nobody change anything, so that the clock stands."""

    name: str
    place: str | None
    moment: Moment
    now: datetime
    """The server's time, by which the page corrects the clock of the TV."""

    starts_at: datetime
    counting: Counting | None
    hands_left: int | None
    """Hands to the next level, if levels count hands."""

    level: Level | None
    next_level: NextLevel | None
    growth: str
    """The kind of the ruleset's escalation."""

    next_break: ClockBreak | None
    hand_for_hand: bool
    last_hands: int | None
    last_hands_at: datetime | None = None
    """The time of the last hands while they are still to come, or null."""

    entered: int
    left: int
    average: int
    prizes: tuple[int, ...]
    currency: str | None
    chips: tuple[Chip, ...]
    out: tuple[KnockedOut, ...]
    moves: tuple[SeatChanged, ...]
    notices: tuple[AnnouncementListed, ...]
    results: tuple[Placed, ...]
    """The first places once the tournament is over."""

    topic: str
    """The topic of the live part. Levels by hands depend on every table."""


@page("/tournaments/{tournament:str}/clock", open=True, from_log=True)
async def clock(ask: Ask, tournament: str) -> Page:
    """Show the clock as the reader may see it."""
    return Page("evening/clock.html", await seen_by(ask, _as_member, _as_stranger, tournament))


async def _as_member(ask: Ask, tournament: str) -> ClockScreen:
    above = f"/v1/tournaments/{tournament}"
    shown, whole, notices = await asyncio.gather(
        ask.api.get(above, ClockTournament),
        ask.api.get(f"{above}/floor", _MembersFloor),
        ask.api.get(f"{above}/announcements", Listed[AnnouncementListed]),
    )
    floor = whole.floor
    floor.closed_since = whole.closed_since
    floor.seat_changes, floor.knocked_out = whole.seat_changes, whole.knocked_out
    return clock_screen(shown, floor, tuple(notices.items), shell_of(ask.request).now())


async def _as_stranger(ask: Ask, tournament: str) -> ClockScreen:
    above = f"/v1/public/tournaments/{tournament}"
    shown, floor = await asyncio.gather(
        ask.api.get(above, ClockTournament), ask.api.get(f"{above}/floor", ClockFloor)
    )
    return clock_screen(shown, floor, (), shell_of(ask.request).now())


def clock_screen(
    shown: ClockTournament,
    floor: ClockFloor,
    notices: tuple[AnnouncementListed, ...],
    now: datetime,
    topic: str = "",
) -> ClockScreen:
    """
    Return the screen of the clock.

    Args:
        topic: The topic of the live part. The default is the tournament, with its tables if levels
            count hands.
    """
    moment = _moment(floor)
    ahead = max(floor.tables, key=lambda each: each.level, default=None)
    level, coming = floor.level, floor.next_level
    if level is None and ahead is not None:
        level, coming = Level(ahead.level, ahead.amounts), ahead.next_level
    placed = [each for each in shown.entrants if each.placing is not None]
    prizes = shown.prizes if shown.money is None else shown.money.prizes
    return ClockScreen(
        id=shown.id,
        closed=floor.closed_since is not None,
        name=shown.name,
        place=shown.place,
        moment=moment,
        now=now,
        starts_at=shown.starts_at,
        counting=_counting(moment, shown, floor, now),
        hands_left=None if coming is None else coming.hands_left,
        level=level,
        next_level=coming,
        growth=str(shown.ruleset.escalation.__struct_config__.tag),
        next_break=_next_break(floor),
        hand_for_hand=floor.hand_for_hand is not None,
        last_hands=floor.last_hands,
        last_hands_at=shown.floor.last_hands_at if floor.last_hands is None else None,
        entered=floor.entrants,
        left=floor.entrants_left,
        average=floor.average_stack,
        prizes=tuple(each for each in prizes if each)[:LINES_MAX],
        currency=shown.currency,
        chips=floor.denominations[: LINES_MAX + 2],
        out=floor.knocked_out[:LINES_MAX],
        moves=_recent(floor.seat_changes, MOVES_SECONDS, now)[:LINES_MAX],
        notices=_recent([each for each in reversed(notices) if each.text], NOTICE_SECONDS, now)[:2],
        results=tuple(sorted(placed, key=lambda each: each.placing or 0))[:LINES_MAX],
        topic=topic or (shown.id if floor.level is not None else f"floor:{shown.id}"),
    )


def _recent(items: Iterable[Said], seconds: int, now: datetime) -> tuple[Said, ...]:
    """Return the items that are not older than *seconds*."""
    return tuple(each for each in items if (now - each.at).total_seconds() <= seconds)


def _moment(floor: ClockFloor) -> Moment:
    if floor.state in _BEFORE_PLAY:
        return "before"
    if floor.state == "seating":
        return "seating"
    if floor.state == "finished":
        return "over"
    if floor.state in ("cancelled", "discarded"):
        return "cancelled"
    if floor.state == "paused":
        return "paused"
    return "level" if floor.break_ends is None else "break"


def _next_break(floor: ClockFloor) -> ClockBreak | None:
    """Return the next break. While the clock stands, nobody knows when it begins."""
    coming = floor.next_break
    if coming is None or floor.closed_since is None:
        return coming
    return msgspec.structs.replace(coming, due=None)


def _counting(
    moment: Moment, shown: ClockTournament, floor: ClockFloor, now: datetime
) -> Counting | None:
    """Return the countdown to show, or None if there is none."""
    if moment == "before":
        return _until(shown.starts_at, None, now)
    if moment == "break" and floor.break_ends is not None:
        if floor.closed_since is None:
            return _until(floor.break_ends, None, now)
        return Counting(None, _until(floor.break_ends, None, floor.closed_since).seconds, None)
    coming = floor.next_level
    if moment not in ("level", "paused") or coming is None:
        return None
    total = _length(shown.ruleset, coming.number - 1)
    if coming.due is not None and floor.closed_since is not None:
        return Counting(None, _until(coming.due, total, floor.closed_since).seconds, total)
    if coming.due is not None and moment == "level":
        return _until(coming.due, total, now)
    return None if coming.left_seconds is None else Counting(None, coming.left_seconds, total)


def _until(at: datetime, total: int | None, now: datetime) -> Counting:
    return Counting(at, max(0, round((at - now).total_seconds())), total)


def _length(ruleset: Ruleset, number: int) -> int | None:
    """Return the seconds of level *number*, or None if levels do not go by the clock."""
    escalation = ruleset.escalation
    if not isinstance(escalation, Levels) or escalation.by != "clock":
        return None
    return escalation.levels[number - 1].length if number <= len(escalation.levels) else None
