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
from engine.rulesets.parts import EachDealtOnce, LevelStep, OpenEnd
from service.api.league.evaluating import StructureShown
from service.console.asking import Ask
from service.console.calling import Problem
from service.console.numbers import decimal

CURRENCIES = ("EUR", "USD", "GBP", "CHF", "CAD", "AUD", "DKK", "NOK", "PLN", "SEK")
STACK = 1000
_SEATS = 8
"""The most players at a table that a proposal has."""

_BREAK_SECONDS = 600
_BREAK_AFTER_MINUTES = 75
"""The time that people play without a break."""

_LATE_LEVEL = 3
_MINUTES_MIN = 45
_DEFAULT_ZONES = {"de": "Europe/Berlin", "en": "Europe/London"}
_PLACES = (
    (4, (100,)),
    (8, (65, 35)),
    (16, (50, 30, 20)),
    (30, (40, 27, 19, 14)),
    (math.inf, (34, 22, 16, 12, 9, 7)),
)
"""The shares of the paid places, by the most players that they are for."""

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
    """What is proposed for the answers."""

    tables: int
    seats: int
    stack: int
    levels: tuple[LevelStep, ...]
    """Empty if the game has no levels that rise by the clock."""

    breaks: tuple[Break, ...]
    late_level: int | None
    ends_itself: bool
    """True for a game that ends after a round of deals, or when the house closes the table."""

    charges: bool
    """False in a casino, which has no price and no line of people who wait."""

    last_hands_minutes: int | None
    shares: tuple[int, ...]
    pool: int
    """The prizes in minor units, if everybody comes."""

    ends_at: datetime


def questions(ask: Ask, now: datetime, zone: str | None) -> Questions:
    """Return the answers that the address holds, and sensible ones for what it lacks."""
    known = zone or _DEFAULT_ZONES.get(ask.language.code, ZONES[0])
    chosen = _one_of(ask.query("zone"), ZONES, known)
    today = now.astimezone(ZoneInfo(chosen)).date()
    thursday = today + timedelta(days=(_THURSDAY - today.weekday() - 1) % _WEEK + 1)
    return Questions(
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
    )


async def proposal(ask: Ask, asked: Questions, key: str) -> Proposal:
    """Return tables, levels, breaks and prizes that fit the answers."""
    game = preset(asked.ruleset)
    seats_max = min(_SEATS, game.max_players)
    tables = 1 if isinstance(game.end, OpenEnd) else math.ceil(asked.players / seats_max)
    seats = min(max(2, math.ceil(asked.players / tables)), game.max_players)
    ends_itself = isinstance(game.end, OpenEnd | EachDealtOnce)
    breaks = 0 if ends_itself else max(0, math.ceil(asked.minutes / _BREAK_AFTER_MINUTES) - 1)
    levels: tuple[LevelStep, ...] = ()
    if isinstance(game, CoruscantShift) and not ends_itself:
        minutes = max(_MINUTES_MIN, asked.minutes - breaks * _BREAK_SECONDS // 60)
        levels = await _levels(ask, asked, minutes, key)
    charges = not isinstance(game.end, OpenEnd)
    shares = next(each for most, each in _PLACES if asked.players <= most)
    paid = charges and asked.price > 0
    return Proposal(
        tables=tables,
        seats=seats,
        stack=STACK if levels else game.starting_stack or 0,
        levels=levels,
        breaks=_breaks(levels, breaks, asked.minutes),
        late_level=_LATE_LEVEL if len(levels) > _LATE_LEVEL else None,
        ends_itself=ends_itself,
        charges=charges,
        last_hands_minutes=None if levels or ends_itself else asked.minutes,
        shares=shares if paid else (),
        pool=asked.minor * asked.players if paid else 0,
        ends_at=asked.start + timedelta(minutes=asked.minutes),
    )


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


async def _levels(ask: Ask, asked: Questions, minutes: int, key: str) -> tuple[LevelStep, ...]:
    wanted = {
        "players": asked.players, "stack": STACK, "minutes": minutes, "ruleset": asked.ruleset,
    }  # fmt: skip
    try:
        made = await ask.api.send("POST", "/v1/structures", wanted, StructureShown, key=key)
    except Problem as problem:
        if problem.code != "invalid_ruleset":
            raise
        return ()  # a game without bets that rise by levels
    return made.levels


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
