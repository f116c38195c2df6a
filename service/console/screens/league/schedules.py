"""The schedule of a league: the next evenings, a month at a glance, and calendars."""

import asyncio
from calendar import Calendar
from collections.abc import Sequence
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

import msgspec
from babel.dates import format_date, get_day_names
from markupsafe import Markup

from service.api.http.shell import shell_of
from service.api.league.leagues import LeagueShown
from service.api.public.leagues import PublicLeague, PublicSchedule, PublicScheduled
from service.api.season.calendars import CalendarKeyMade, Schedule
from service.console import links
from service.console.asking import Ask, seen_by
from service.console.declaring import form, page
from service.console.forms import Given
from service.console.pages import Page
from service.schedule.items import ScheduledItem

_BEHIND = timedelta(days=30)
_AHEAD = timedelta(days=120)
_JUST_NOW = timedelta(hours=12)
"""An evening that is late to begin stays among the next ones for this long."""

_MONTH = "%Y-%m"


Scheduled = ScheduledItem | PublicScheduled
"""An item of a schedule, for members and for strangers."""


class Evening(msgspec.Struct, kw_only=True):
    """An evening of the schedule."""

    tournament: str | None
    name: str
    starts_at: datetime
    zone: str | None
    phase: str
    """The phase of the evening, or its state in the schedule."""

    place: str | None
    entrants: int | None
    entrants_max: int | None
    waiting: int
    """The length of the waitlist. Strangers see no entrants."""

    winners: tuple[str | None, ...]
    """The names of those in first place, once the evening is over."""


class Day(msgspec.Struct, kw_only=True):
    """A day of the month, with the evenings that begin on it."""

    day: int
    at: str
    links: tuple[tuple[Markup, str], ...]
    """The text and the address of each evening."""

    today: bool
    other: bool
    """True for a day of the month before or after this one."""


class Month(msgspec.Struct, kw_only=True):
    """A month as weeks."""

    title: str
    weekdays: tuple[tuple[str, str], ...]
    weeks: tuple[tuple[Day, ...], ...]
    before: str
    after: str


class ScheduleScreen(msgspec.Struct, kw_only=True):
    """The schedule of a league."""

    league: str
    name: str
    member: bool
    host: str
    """The host and port that the reader's browser calls."""

    month: Month | None
    """The month, or null if the page lists the next evenings."""

    next: tuple[Evening, ...]
    past: tuple[Evening, ...]
    """Newest first."""


class SubscribedScreen(msgspec.Struct, kw_only=True):
    """The page with the addresses of the calendars, which are shown once."""

    league: str
    name: str
    host: str
    key: str | None
    """The key, or null if the form was sent a second time."""


@page("/leagues/{league:str}/schedule", open=True)
async def schedule(ask: Ask, league: str) -> Page:
    """Show the next evenings, or the month in the address."""
    return Page("league/schedule.html", await seen_by(ask, _as_member, _as_stranger, league))


@form("/leagues/{league:str}/schedule/subscribe", of=schedule)
async def subscribe(ask: Ask, given: Given, league: str) -> Page:
    """Make a key for calendar programs, and show the addresses with it."""
    made, shown = await asyncio.gather(
        ask.api.send("POST", "/v1/me/calendar-keys", None, CalendarKeyMade, key=given.key),
        ask.api.get(f"/v1/leagues/{league}", LeagueShown),
    )
    screen = SubscribedScreen(league=league, name=shown.name, host=host_of(ask), key=made.key)
    return Page("league/subscribed.html", screen)


def host_of(ask: Ask) -> str:
    """Return the host by which the reader's browser calls this server."""
    return str(ask.request.headers.get("host", "localhost"))


async def _as_member(ask: Ask, league: str) -> ScheduleScreen:
    now = shell_of(ask.request).now()
    since, until = _span(ask, now)
    span = {"from": since.isoformat(), "to": until.isoformat()}
    shown, found = await asyncio.gather(
        ask.api.get(f"/v1/leagues/{league}", LeagueShown),
        ask.api.get(f"/v1/leagues/{league}/schedule", Schedule, **span),
    )
    evenings = [evening_of(each) for each in found.items]
    return _screen(ask, league, shown.name, evenings, now, member=True)


async def _as_stranger(ask: Ask, league: str) -> ScheduleScreen:
    now = shell_of(ask.request).now()
    shown, found = await asyncio.gather(
        ask.api.get(f"/v1/public/leagues/{league}", PublicLeague),
        ask.api.get(f"/v1/public/leagues/{league}/schedule", PublicSchedule),
    )
    evenings = [evening_of(each) for each in found.items]
    return _screen(ask, league, shown.name, evenings, now, member=False)


def _screen(
    ask: Ask, league: str, name: str, evenings: Sequence[Evening], now: datetime, *, member: bool
) -> ScheduleScreen:
    coming, past = parted(evenings, now)
    return ScheduleScreen(
        league=league,
        name=name,
        member=member,
        host=host_of(ask),
        month=_month(ask, league, evenings, now) if ask.query("month") else None,
        next=tuple(coming),
        past=tuple(past),
    )


def phase_of(item: Scheduled) -> str:
    """Return the phase of an evening under way, or else its state in the schedule."""
    if item.standing != "on" or item.state is None:
        return item.standing
    # Strangers do not see whether check-in is open.
    open = isinstance(item, ScheduledItem) and item.check_in_open
    return "check_in" if open else item.state


def parted(evenings: Sequence[Evening], now: datetime) -> tuple[list[Evening], list[Evening]]:
    """Return the next evenings, earliest first, and all others, newest first."""
    coming = [each for each in evenings if _comes(each.phase, each.starts_at, now)]
    return coming, [each for each in reversed(evenings) if each not in coming]


def _comes(phase: str, starts_at: datetime, now: datetime) -> bool:
    """Return whether an evening is listed among the next ones."""
    if phase in ("seating", "running", "paused"):
        return True
    if phase in ("planned", "cancelled", "missed"):
        return starts_at >= now
    return phase not in ("over", "finished") and starts_at >= now - _JUST_NOW


def evening_of(item: Scheduled) -> Evening:
    """Return an evening as pages show it."""
    return Evening(
        tournament=item.tournament,
        name=item.name,
        starts_at=item.started_at or item.starts_at,
        zone=item.zone,
        phase=phase_of(item),
        place=item.place,
        entrants=item.entrants,
        entrants_max=item.entrants_max,
        waiting=(item.waiting or 0) if isinstance(item, ScheduledItem) else 0,
        winners=tuple(each.name for each in item.winners),
    )


def _asked_month(ask: Ask, now: datetime) -> date:
    """Return the first day of the month in the address, or of this month if it is malformed."""
    try:
        first = datetime.strptime(ask.query("month"), _MONTH).date()  # noqa: DTZ007 - a month
    except ValueError:
        return now.date().replace(day=1)
    return first if 1971 <= first.year <= 9000 else now.date().replace(day=1)


def _span(ask: Ask, now: datetime) -> tuple[datetime, datetime]:
    """Return the span to ask the API for: a month with a week on both sides, or the future."""
    if not ask.query("month"):
        return now - _BEHIND, now + _AHEAD
    first = datetime.combine(_asked_month(ask, now), datetime.min.time(), now.tzinfo)
    return first - timedelta(days=8), first + timedelta(days=45)


def _in_month(evening: Evening, local: datetime) -> Markup:
    """Return an evening in a day of the month. A phone has room for the time only."""
    kept = "" if evening.zone else Markup(' data-local="bare"')
    return Markup('<time datetime="{}"{}>{}</time> <span class="month-name">{}</span>').format(
        evening.starts_at.isoformat(timespec="seconds"), kept, f"{local:%H:%M}", evening.name
    )


def _month(ask: Ask, league: str, evenings: Sequence[Evening], now: datetime) -> Month:
    # A league has no time zone of its own, but its plans have one.
    zone = next((each.zone for each in evenings if each.zone), "UTC")
    now = now.astimezone(ZoneInfo(zone))
    first, locale = _asked_month(ask, now), ask.language.locale
    weekday = locale.first_week_day
    on: dict[date, list[tuple[Markup, str]]] = {}
    for each in evenings:
        local = each.starts_at.astimezone(ZoneInfo(each.zone or "UTC"))
        where = links.schedule(league)
        if each.tournament is not None:
            where = links.tournament(each.tournament)
        on.setdefault(local.date(), []).append((_in_month(each, local), where))
    weeks = [
        tuple(
            Day(
                day=day.day,
                at=day.isoformat(),
                links=tuple(on.get(day, ())),
                today=day == now.date(),
                other=day.month != first.month,
            )
            for day in week
        )
        for week in Calendar(weekday).monthdatescalendar(first.year, first.month)
    ]
    short, whole = (get_day_names(width, locale=locale) for width in ("abbreviated", "wide"))
    days = [(weekday + each) % 7 for each in range(7)]
    return Month(
        title=format_date(first, "LLLL y", locale=locale),
        weekdays=tuple((short[each], whole[each]) for each in days),
        weeks=tuple(weeks),
        before=(first - timedelta(days=1)).strftime(_MONTH),
        after=(first + timedelta(days=32)).strftime(_MONTH),
    )
