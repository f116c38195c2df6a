"""The first questions about a new evening, and their answers."""

import re
from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from zoneinfo import ZoneInfo, available_timezones

import msgspec
from babel.numbers import get_currency_precision

from engine.rulesets import PRESETS
from service.console.asking import Ask
from service.console.numbers import decimal
from service.console.screens.evening.typed import Values

CURRENCIES = ("EUR", "USD", "GBP", "CHF", "CAD", "AUD", "DKK", "NOK", "PLN", "SEK")
_DEFAULT_ZONES = {"de": "Europe/Berlin", "en": "Europe/London"}
_LIKE = re.compile(r"(trn|tpl)_[0-9a-f]{32}|ssn_[0-9a-f]{32}/rec_[0-9a-f]{32}")
_THURSDAY, _WEEK = 3, 7
_EVENING = "19:00"
_YEARS = (1971, 9000)
MINUTES_MIN, MINUTES_MAX = 15, 31 * 1440
"""The shortest evening that is planned here, and the longest that the API takes."""

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


def questions(ask: Ask, now: datetime, zone: str | None) -> Questions:
    """Return the answers in the address, with sensible ones for those that are missing."""
    chosen = _one_of(ask.query("zone"), ZONES, usual_zone(ask, zone))
    local = now.astimezone(ZoneInfo(chosen))
    today = local.date()
    thursday = today + timedelta(days=(_THURSDAY - today.weekday() - 1) % _WEEK + 1)
    found = Questions(
        name=ask.query("name") or ask.gettext("Sabacc night"),
        date=_day(ask.query("date"), thursday),
        time=_clock(ask.query("time"), _EVENING),
        zone=chosen,
        often=_one_of(ask.query("often"), ("once", "weekly", "fortnightly", "monthly"), "weekly"),
        players=_number(ask.query("players"), 12, 2, 1000),
        minutes=_number(ask.query("minutes"), 180, MINUTES_MIN, MINUTES_MAX),
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
        minutes=_number(own.get("minutes", ("",))[-1], asked.minutes, MINUTES_MIN, MINUTES_MAX),
        price=asked.price if amount is None else amount,
        date=_day(own.get("date", ("",))[-1], date.fromisoformat(asked.date)),
        time=_clock(own.get("time", ("",))[-1], asked.time),
    )


def unread(own: Values) -> tuple[str, ...]:
    """Return the fields ``date`` and ``time`` that hold something else, which is not taken."""
    found = []
    if "date" in own and _day(own["date"][-1], date.min) == date.min.isoformat():
        found.append("date")
    if "time" in own and not _clock(own["time"][-1], ""):
        found.append("time")
    return tuple(found)


def amount_of(text: str) -> Decimal | None:
    """Return an amount of money as it is typed, such as ``5`` or ``5,50``, or None."""
    found = decimal(text)
    return found if found is not None and found < 10**9 else None


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


def _clock(text: str, default: str) -> str:
    try:
        return time.fromisoformat(text).strftime("%H:%M")
    except ValueError:
        return default
