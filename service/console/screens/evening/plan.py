"""A new evening as the console proposes it: tables, levels, breaks, prizes, times."""

import math
from collections.abc import Sequence
from datetime import date, datetime, timedelta

import msgspec

from engine.rulesets import CoruscantShift, preset
from engine.rulesets.parts import Blinds, EachDealtOnce, LevelStep, OpenEnd
from engine.tournament.model.terms import EntryTerms
from service.api.rules.evaluating import StructureShown
from service.base.documents import Document
from service.console.asking import Ask
from service.console.calling import Problem
from service.console.numbers import listed
from service.console.screens.evening.ends import Ends, Unknown, simulated_ends
from service.console.screens.evening.entry import if_too_few
from service.console.screens.evening.prices import Prices, fees_over, prices_of, sold
from service.console.screens.evening.questions import Questions
from service.console.screens.evening.shares import prizes_of, proposed_shares
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
from service.console.words import lasting

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
_DAY_MINUTES = 1440
"""The longest evening that levels and breaks are proposed for. A longer one has longer levels."""

_SECONDS_READ = 120
_WEEKDAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
_WEEK = 7


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
    """The minutes of play before the last hands, or None if they are not called by the clock."""

    prices: Prices
    pool: int
    """The prizes in minor units, if everybody comes and pays for an entry."""

    prizes: tuple[int, ...]
    """The prizes of the paid places then."""

    sold: tuple[str, ...] = ()
    """The fees beside an entry, and the prices and the chips of rebuys and of the add-on."""

    decision: str = ""
    """The time for a decision in words, if its seconds are hard to read."""

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


async def proposal(
    ask: Ask, asked: Questions, own: Values, content: Document, key: str
) -> Proposal:
    """
    Return tables, levels, breaks and prizes that fit the answers.

    Args:
        own: The fields that the organiser has set. All other fields are computed.
        content: The announcement of the earlier evening, if there is one.
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
        prices=Prices(),
        pool=0,
        prizes=(),
        was={"table_seats": str(even)},
        ends_at=asked.start + timedelta(minutes=asked.minutes),
        too_few=_too_few(ask, own),
        decision=_decision(ask, number(own, "decision_seconds") or 0),
    )
    if isinstance(game, CoruscantShift) and not ends_itself:
        await _rising(ask, asked, own, found, key)
    if found.last_hands_minutes:
        found.was["last_hands"] = str(found.last_hands_minutes)
        if "last_hands" in own:
            found.last_hands_minutes = number(own, "last_hands")
            ends = found.last_hands_minutes or asked.minutes
            found.ends_at = asked.start + timedelta(minutes=ends)
    if found.charges:
        _price(ask, asked, own, content, found)
    return found


def _price(ask: Ask, asked: Questions, own: Values, content: Document, found: Proposal) -> None:
    """Put the prices, the prizes and the sentences about them into a proposal."""
    prices = prices_of(own, asked.currency, asked.players, asked.minor, {})
    found.was["payouts"] = ", ".join(map(str, proposed_shares(asked.players)))
    found.prices, found.pool = prices, prices.entry * asked.players
    fees = fees_over(content, prices, asked.currency)
    found.sold = sold(ask.language, fees, found.stack, asked.currency, rebuys=prices.rebuys)
    if found.pool and prices.shares:
        found.prizes = prizes_of(found.pool, prices.shares, asked.players)


def _too_few(ask: Ask, own: Values) -> str:
    """Return what happens at the start if too few are there. An untouched form lets it wait."""
    entry = msgspec.convert(entry_terms_of(own or {"postpone": ("yes",)}), EntryTerms)
    return if_too_few(ask.language, entry, number(own, "entrants_min") or ENTRANTS_MIN)


def _decision(ask: Ask, seconds: int) -> str:
    return f"= {lasting(seconds, ask.language)}" if seconds > _SECONDS_READ else ""


async def _rising(ask: Ask, asked: Questions, own: Values, found: Proposal, key: str) -> None:
    """Put levels, breaks and the simulated end into a proposal for a game whose bets rise."""
    number_of_breaks = max(0, math.ceil(asked.minutes / _BREAK_AFTER_MINUTES) - 1)
    if asked.minutes > _DAY_MINUTES:
        number_of_breaks = 0
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
        found.breaks = tuple(sorted({*(listed(own["breaks"][-1]) or ())}))
    await _simulated(ask, asked, own, found, key)


async def _simulated(ask: Ask, asked: Questions, own: Values, found: Proposal, key: str) -> None:
    """Put the lengths of the levels and the simulated end into a proposal."""
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


async def _levels(
    ask: Ask, asked: Questions, stack: int, minutes: int, key: str
) -> tuple[LevelStep, ...]:
    """Return levels of whole minutes, or none without levels or with too short a stack."""
    within = min(minutes, _DAY_MINUTES)
    wanted = {
        "players": asked.players, "stack": stack, "minutes": within, "ruleset": asked.ruleset,
    }  # fmt: skip
    try:
        made = await ask.api.send("POST", "/v1/structures", wanted, StructureShown, key=key)
    except Problem as problem:
        if problem.code != "invalid_ruleset":
            raise
        return ()
    return tuple(
        msgspec.structs.replace(
            each, length=max(1, round(each.length * minutes / within / 60)) * 60
        )
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
