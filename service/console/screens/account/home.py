"""Home: the reader's turns first, then their tasks, next evenings and leagues."""

import asyncio
from datetime import timedelta

import msgspec

from service.api.http.shell import shell_of
from service.api.me.accounts import MyLeague, MySeat
from service.api.table.my_schedule import MySchedule, MyScheduled
from service.api.table.my_waiting import MyWaiting, TurnWaiting, Waiting
from service.api.table.sandbox import SandboxShown
from service.console import links
from service.console.asking import Ask
from service.console.declaring import page
from service.console.pages import Page
from service.console.screens.league.schedules import phase_of
from service.console.screens.table.tables import by_urgency

_AHEAD = timedelta(days=30)
_BEHIND = timedelta(hours=12)
_EVENINGS_MAX = 8


class WelcomeScreen(msgspec.Struct, kw_only=True):
    """The home page of a stranger."""

    sandbox: str | None
    """The standing sandbox, if this installation has one."""


class HomeScreen(msgspec.Struct, kw_only=True):
    """The home page of somebody who has signed in."""

    seats: tuple[MySeat, ...]
    """The seats at tables, with those first where it is the reader's turn."""

    waiting: tuple[Waiting, ...]
    """The reader's tasks apart from turns."""

    evenings: tuple[tuple[MyScheduled, str], ...]
    """The next evenings, each with its phase, apart from those where the reader sits."""

    leagues: tuple[MyLeague, ...]
    sandbox: str | None
    """The standing sandbox, if this installation has one."""


@page(links.HOME, open=True)
async def home(ask: Ask) -> Page:
    """Show the reader's turns, tasks and evenings, or an introduction for a stranger."""
    if not ask.signed_in:
        return Page("account/welcome.html", WelcomeScreen(sandbox=await _sandbox(ask)))
    now = shell_of(ask.request).now()
    span = {"from": (now - _BEHIND).isoformat(), "to": (now + _AHEAD).isoformat()}
    me, waiting, schedule = await asyncio.gather(
        ask.me(),
        ask.api.get("/v1/me/waiting", MyWaiting),
        ask.api.get("/v1/me/schedule", MySchedule, **span),
    )
    seated = [each for each in me.seats if each.table is not None]
    evenings = [(each, phase_of(each)) for each in schedule.items]
    here = {each.tournament for each in seated}
    coming = [
        each
        for each in evenings
        if each[0].standing in ("on", "planned") and each[0].tournament not in here
    ]
    screen = HomeScreen(
        seats=tuple(by_urgency(seated)),
        waiting=tuple(each for each in waiting.items if not isinstance(each, TurnWaiting)),
        evenings=tuple(coming[:_EVENINGS_MAX]),
        leagues=me.leagues,
        sandbox=await _sandbox(ask),
    )
    return Page("account/home.html", screen)


async def _sandbox(ask: Ask) -> str | None:
    if shell_of(ask.request).sandbox is None:
        return None
    return (await ask.api.get("/v1/sandbox", SandboxShown)).league
