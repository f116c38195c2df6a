"""A new evening as the console proposes it: tables, levels, breaks, prizes, times."""

import math
import re
from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from zoneinfo import ZoneInfo, available_timezones

import msgspec
from babel.numbers import get_currency_precision

from engine.rulesets import PRESETS, CoruscantShift, preset
from engine.rulesets.parts import Blinds, EachDealtOnce, LevelStep, OpenEnd
from engine.tournament.model.terms import EntryTerms
from service.api.rules.evaluating import StructureShown
from service.console.asking import Ask
from service.console.calling import Problem
from service.console.numbers import decimal
from service.console.screens.evening.ends import Ends, Unknown, simulated_ends
from service.console.screens.evening.entry import if_too_few
from service.console.screens.evening.typed import (
    Values,
    entry_terms_of,
    levels_of,
    number,
    rebuys_of,
    rows_for,
    rows_of,
    written,
)

CURRENCIES = ("EUR", "USD", "GBP", "CHF", "CAD", "AUD", "DKK", "NOK", "PLN", "SEK")
STACK = 1000
ENTRANTS_MIN = 2
_SEATS = 8
"""The most players that a proposal puts at a table."""

_BREAK_SECONDS = 600
_BREAK_AFTER_MINUTES = 75
"""The longest time of play without a break."""

_LATE_LEVEL = 3
_MINUTES_MIN = 45
_LATER = 1.2
"""
The factor by which simulated evenings with blinds outlast the time that their levels are made for
(the median).

Levels are made for players who raise with good cards, and half of the simulated players are
careful. With antes there is no difference, because everybody pays in every hand.
"""
_DEFAULT_ZONES = {"de": "Europe/Berlin", "en": "Europe/London"}
_PLACES = (
    (4, (100,)),
    (8, (65, 35)),
    (16, (50, 30, 20)),
    (30, (40, 27, 19, 14)),
    (math.inf, (34, 22, 16, 12, 9, 7)),
)
"""The shares of the paid places, by the largest number of players they are meant for."""

_LIKE = re.compile(r"(trn|tpl)_[0-9a-f]{32}|ssn_[0-9a-f]{32}/rec_[0-9a-f]{32}")
_WEEKDAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
_THURSDAY, _WEEK = 3, 7
_EVENING = "19:00"
_YEARS = (1971, 9000)
_AREAS = ("Africa", "America", "Asia", "Atlantic", "Australia", "Europe", "Indian", "Pacific")
ZONES = tuple(sorted(each for each in available_timezones() if each.partition("/")[0] in _AREAS))


class Questions(msgspec.Struct, kw_only=True):
    """The answers to the first questions, in the address of the proposal."""

    name: str
    date: str
    time: str
    zone: str
    often: str
    """``once``, ``weekly``, ``fortnightly`` or ``monthly``."""

    players: int
    minutes: int
    ruleset: str
    price: Decimal
    currency: str
    like: str = ""
    """The source of the evening: an earlier one, a template or a plan. Empty without one."""

    @property
    def start(self) -> datetime:
        """The local start, with its zone."""
        day, clock = date.fromisoformat(self.date), time.fromisoformat(self.time)
        return datetime.combine(day, clock, ZoneInfo(self.zone))

    @property
    def minor(self) -> int:
        """The price in minor units of the currency."""
        return int(self.price * 10 ** get_currency_precision(self.currency))


class Break(msgspec.Struct, kw_only=True):
    """A break after a level."""

    level: int
    seconds: int


class Proposal(msgspec.Struct, kw_only=True):
    """The evening proposed for the answers, with the fields that the organiser has set."""

    tables: int
    seats: int
    stack: int
    rows: tuple[tuple[str, ...], ...]
    """
    The levels as they stand in the form: small and big blind, ante, minutes. Empty if the game has
    no levels that rise by the clock.
    """

    least: int | None = None
    """The minutes that proposed levels take, if the organiser asked for a shorter evening."""

    minutes: tuple[int, int] | None
    """The lengths of the shortest and of the longest level that ends, or null without levels."""

    breaks: tuple[int, ...]
    """The levels after which a break comes."""

    late_level: int | None
    rebuys_level: int | None
    """The last level in which rebuys are sold, or None."""

    ends_itself: bool
    """True for a game that ends after a number of hands, or when the house closes the table."""

    charges: bool
    """False in a casino, which has no price and no waitlist."""

    last_hands_minutes: int | None
    shares: tuple[int, ...]
    """The shares of the paid places, or none without a price."""

    pool: int
    """The prizes in minor units, if everybody comes."""

    was: dict[str, str]
    """The proposed values of the fields that depend on others, by field."""

    ends_at: datetime
    """The planned end."""

    too_few: str
    """The effect of too few players at the start."""

    ends: Ends | None = None
    """The simulated end, or null if nobody can say."""

    ends_unknown: Unknown = ""
    """The reason for which a game with levels has no simulated end."""


def questions(ask: Ask, now: datetime, zone: str | None) -> Questions:
    """Return the answers in the address, with sensible ones for those that are missing."""
    chosen = _one_of(ask.query("zone"), ZONES, usual_zone(ask, zone))
    local = now.astimezone(ZoneInfo(chosen))
    today = local.date()
    thursday = today + timedelta(days=(_THURSDAY - today.weekday() - 1) % _WEEK + 1)
    found = Questions(
        name=ask.query("name") or ask.gettext("Sabacc night"),
        date=_day(ask.query("date"), thursday),
        time=_clock(ask.query("time")),
        zone=chosen,
        often=_one_of(ask.query("often"), ("once", "weekly", "fortnightly", "monthly"), "weekly"),
        players=_number(ask.query("players"), 12, 2, 1000),
        minutes=_number(ask.query("minutes"), 180, 15, 1440),
        ruleset=_one_of(ask.query("ruleset"), tuple(PRESETS), "better"),
        price=amount_of(ask.query("price")) or Decimal(0),
        currency=_one_of(ask.query("currency"), CURRENCIES, CURRENCIES[0]),
        like=ask.query("like") if _LIKE.fullmatch(ask.query("like")) else "",
    )
    return _tonight(found, local) if ask.query("tonight") else found


def usual_zone(ask: Ask, known: str | None) -> str:
    """Return the zone that is *known*, or a likely one for the reader's language."""
    return known or _DEFAULT_ZONES.get(ask.language.code, ZONES[0])


def _tonight(asked: Questions, local: datetime) -> Questions:
    """Return the answers for one evening that starts at the next full half hour."""
    start = local.replace(minute=local.minute // 30 * 30) + timedelta(minutes=30)
    return msgspec.structs.replace(
        asked, often="once", date=start.date().isoformat(), time=f"{start:%H:%M}"
    )


def retyped(asked: Questions, own: Values) -> Questions:
    """Return the answers, with the organiser's changes in the proposal."""
    price = own.get("price")
    amount = None if price is None else amount_of(price[-1] or "0")
    return msgspec.structs.replace(
        asked,
        players=_number(own.get("entrants_max", ("",))[-1], asked.players, 2, 1000),
        minutes=_number(own.get("minutes", ("",))[-1], asked.minutes, 15, 1440),
        price=asked.price if amount is None else amount,
    )


async def proposal(ask: Ask, asked: Questions, own: Values, key: str) -> Proposal:
    """
    Return tables, levels, breaks and prizes that fit the answers.

    Args:
        own: The fields that the organiser has set. All other fields are computed.
    """
    game = preset(asked.ruleset)
    open_end = isinstance(game.end, OpenEnd)
    ends_itself = isinstance(game.end, OpenEnd | EachDealtOnce)
    proposed = 1 if open_end else math.ceil(asked.players / min(_SEATS, game.max_players))
    even = min(max(2, math.ceil(asked.players / proposed)), game.max_players)
    seats = number(own, "table_seats") or even
    found = Proposal(
        tables=1 if open_end else math.ceil(asked.players / seats),
        seats=seats,
        stack=game.starting_stack or 0,
        rows=(),
        minutes=None,
        breaks=(),
        late_level=None,
        rebuys_level=None,
        ends_itself=ends_itself,
        charges=not open_end,
        last_hands_minutes=None if ends_itself else asked.minutes,
        shares=(),
        pool=0,
        was={"table_seats": str(even)},
        ends_at=asked.start + timedelta(minutes=asked.minutes),
        too_few=_too_few(ask, own),
    )
    if isinstance(game, CoruscantShift) and not ends_itself:
        await _rising(ask, asked, own, found, key)
    if found.last_hands_minutes:
        found.was["last_hands"] = str(found.last_hands_minutes)
    if found.charges and asked.price > 0:
        shares = next(each for most, each in _PLACES if asked.players <= most)
        found.was["payouts"] = ", ".join(map(str, shares))
        found.shares = numbers_of(own.get("payouts", ("",))[-1]) or shares
        found.pool = asked.minor * asked.players
    return found


def _too_few(ask: Ask, own: Values) -> str:
    """Return what happens at the start if too few are there. An untouched form lets it wait."""
    entry = msgspec.convert(entry_terms_of(own or {"postpone": ("yes",)}), EntryTerms)
    return if_too_few(ask.language, entry, number(own, "entrants_min") or ENTRANTS_MIN)


async def _rising(ask: Ask, asked: Questions, own: Values, found: Proposal, key: str) -> None:
    """Put levels, breaks and the simulated end into a proposal for a game whose bets rise."""
    number_of_breaks = max(0, math.ceil(asked.minutes / _BREAK_AFTER_MINUTES) - 1)
    play = asked.minutes - number_of_breaks * _BREAK_SECONDS // 60
    later = _LATER if isinstance(preset(asked.ruleset).forced, Blinds) else 1
    minutes = max(_MINUTES_MIN, round(play / later))
    stack = number(own, "starting_stack") or STACK
    levels = await _levels(ask, asked, stack, minutes, key)
    if not levels and stack != STACK:  # the stack is too short; the API reports that at its field
        levels = await _levels(ask, asked, STACK, minutes, f"{key}-stack")
    typed = rows_of(own)
    if not levels and not typed:
        return  # this game has no levels
    proposed = rows_for(levels)
    breaks = tuple(each.level for each in _breaks(levels, number_of_breaks, asked.minutes))
    late = _LATE_LEVEL if len(levels) > _LATE_LEVEL else None
    found.was |= {
        "levels": written(proposed),
        "breaks": ", ".join(map(str, breaks)),
        "late": str(late or ""),
        "rebuys_level": str(late or ""),
    }
    found.stack, found.rows, found.last_hands_minutes = stack, tuple(typed) or proposed, None
    found.least = _MINUTES_MIN if asked.minutes < _MINUTES_MIN and not typed else None
    found.breaks, found.late_level, found.rebuys_level = breaks, late, late
    if "breaks" in own:
        found.breaks = tuple(sorted({*numbers_of(own["breaks"][-1])}))
    played = levels_of(found.rows)
    if played:
        lengths = [each.length // 60 for each in played if each.length is not None]
        found.minutes = (min(lengths), max(lengths)) if lengths else None
        pause = 60 * (number(own, "break_minutes") or _BREAK_SECONDS // 60)
        wanted = {
            "players": asked.players,
            "table_seats": found.seats,
            "stack": found.stack,
            "ruleset": asked.ruleset,
            "levels": played,
            "breaks": [
                {"level": each, "seconds": pause} for each in found.breaks if 0 < each < len(played)
            ],
            "late": _late(own, found, len(played)),
            "rebuys": rebuys_of(own),
        }
        ends = await simulated_ends(ask, asked.start, wanted, f"{key}-ends")
        if isinstance(ends, Ends):
            found.ends = ends
        else:
            found.ends_unknown = ends


def _late(own: Values, found: Proposal, levels: int) -> dict[str, int] | None:
    """Return the last level of late registration as it stands in the form, or None without."""
    level = number(own, "late") if "late" in own else found.late_level
    return {"level": level} if level and level < levels else None


def rrule(often: str, first: str) -> str:
    """Return the rule (RFC 5545) of evenings that begin on the day *first*."""
    day = date.fromisoformat(first)
    weekday = _WEEKDAYS[day.weekday()]
    if often == "monthly":
        number = (day.day - 1) // _WEEK + 1
        return f"FREQ=MONTHLY;BYDAY={number if number <= 4 else -1}{weekday}"
    every = ";INTERVAL=2" if often == "fortnightly" else ""
    return f"FREQ=WEEKLY{every};BYDAY={weekday}"


def amount_of(text: str) -> Decimal | None:
    """Return an amount of money as it is typed, such as ``5`` or ``5,50``, or None."""
    found = decimal(text)
    return found if found is not None and found < 10**9 else None


def numbers_of(text: str) -> tuple[int, ...]:
    """Return the whole numbers in a text, such as the shares ``50, 30, 20``."""
    return tuple(int(each) for each in re.findall(r"\d{1,9}", text))


async def _levels(
    ask: Ask, asked: Questions, stack: int, minutes: int, key: str
) -> tuple[LevelStep, ...]:
    """Return levels of whole minutes, or none without levels or with too short a stack."""
    wanted = {
        "players": asked.players, "stack": stack, "minutes": minutes, "ruleset": asked.ruleset,
    }  # fmt: skip
    try:
        made = await ask.api.send("POST", "/v1/structures", wanted, StructureShown, key=key)
    except Problem as problem:
        if problem.code != "invalid_ruleset":
            raise
        return ()
    return tuple(
        msgspec.structs.replace(each, length=max(1, round(each.length / 60)) * 60)
        if each.length
        else each
        for each in made.levels
    )


def _breaks(levels: Sequence[LevelStep], number: int, minutes: int) -> tuple[Break, ...]:
    """Return breaks at even distances, each at the end of a level."""
    found: list[Break] = []
    for index in range(number):
        wanted = (index + 1) * minutes * 60 / (number + 1)
        passed = 0
        for level, step in enumerate(levels, 1):
            passed += step.length or 0
            if passed >= wanted - (step.length or 0) / 2:
                if not found or found[-1].level < level:
                    found.append(Break(level=level, seconds=_BREAK_SECONDS))
                break
    return tuple(found)


def _one_of(text: str, known: Sequence[str], default: str) -> str:
    return text if text in known else default


def _number(text: str, default: int, least: int, most: int) -> int:
    plain = text.strip()
    return min(max(int(plain), least), most) if plain.isdecimal() and len(plain) < 9 else default


def _day(text: str, default: date) -> str:
    try:
        found = date.fromisoformat(text)
    except ValueError:
        found = default
    # Close to the years 1 and 9999 an evening in a zone has no instant.
    return (found if _YEARS[0] <= found.year <= _YEARS[1] else default).isoformat()


def _clock(text: str) -> str:
    try:
        return time.fromisoformat(text).strftime("%H:%M")
    except ValueError:
        return _EVENING
