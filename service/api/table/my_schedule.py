"""The caller's schedule: the tournaments of all leagues that the caller belongs to."""

import asyncio
from datetime import datetime
from typing import Annotated

import msgspec
from litestar import Response

from service.api.http.access.my_leagues import leagues_now
from service.api.http.operations import operation
from service.api.http.reading.positions import own_seen
from service.api.http.shell import Asked, Shell
from service.api.http.writing.submitting import encoded
from service.api.season.calendars import FROM, TO, span_of, states_of, with_line, with_winners
from service.api.table.my_facts import Entered, entered
from service.api.table.my_items import EntryStatus
from service.people.tokens import Principal
from service.projections.reads import queries
from service.projections.reads.rows import Membership
from service.schedule.expansion import Budget
from service.schedule.items import ScheduledItem
from service.schedule.listing import ITEMS_MAX, LEAGUE_STEPS, schedule_of


class MyScheduled(ScheduledItem, frozen=True, kw_only=True):
    """A tournament of one of the caller's leagues, announced or planned."""

    league: str
    league_name: str
    """The league's name now."""

    entrant: str | None
    """The caller's entry, or null without one."""

    entry: EntryStatus | None
    """The caller's place in the tournament, or null if the caller has nothing to do with it."""


class MySchedule(msgspec.Struct, kw_only=True):
    """The tournaments of all leagues of the caller, earliest first, at most 1000."""

    items: tuple[MyScheduled, ...]
    """Announced and planned tournaments, earliest first."""

    unexpanded: tuple[str, ...]
    """Seasons with plans that take too many steps. Only their announced tournaments are listed."""

    unreadable: tuple[str, ...] = ()
    """
    Tournaments and seasons with a stored event that cannot be read. Such a tournament is listed as
    the lists know it, without its waitlist and without the own entry. The plans of such a season
    are missing.
    """

    now: datetime
    """The server's time."""


@operation(
    "GET", "/v1/me/schedule", "read_my_schedule",
    "List the tournaments of all the caller's leagues that begin in a span, with the own entries.",
    needs="account", scope="leagues:read", answer=MySchedule,
    problems=("validation_failed", "overloaded"),
)  # fmt: skip
async def read_my_schedule(
    request: Asked,
    shell: Shell,
    principal: Principal,
    since: Annotated[datetime | None, FROM],
    until: Annotated[datetime | None, TO],
) -> Response[bytes]:
    """Read each league's schedule, and the caller's place in each tournament."""
    player = principal.account.player
    since, until = span_of(shell, since, until)
    leagues = await leagues_now(shell, player)
    await asyncio.gather(*(own_seen(request, each.league, "tournaments") for each in leagues))
    items: list[MyScheduled] = []
    unexpanded: list[str] = []
    unreadable: list[str] = []
    budget = Budget(LEAGUE_STEPS)
    for league in leagues:
        found = await schedule_of(shell.runtime, shell.engine, league.league, since, until, budget)
        listed = await with_winners(shell, found.items)
        unexpanded += found.unexpanded
        mine, broken = await _mine(shell, player, league, listed)
        items += mine
        unreadable += [*found.unreadable, *broken]
    items.sort(key=lambda each: (each.starts_at, each.uid))
    shown = MySchedule(
        items=tuple(items[:ITEMS_MAX]),
        unexpanded=tuple(unexpanded),
        unreadable=tuple(unreadable),
        now=shell.now(),
    )
    return encoded(shown)


async def _mine(
    shell: Shell, player: str, league: Membership, items: list[ScheduledItem]
) -> tuple[list[MyScheduled], list[str]]:
    """
    Return the items of one league, with the place of *player* in each, and what is unreadable.

    Tournaments that are over no longer change, so the entries come from a read model.
    """
    states, unreadable = await states_of(shell, league.league, items)
    over = [each.tournament for each in items if each.tournament and each.standing == "over"]
    async with shell.engine.connect() as connection:
        played = await queries.entries_of(connection, player, over)
    found = []
    for each in items:
        state, mine = states.get(each.uid), None
        if each.tournament in played:
            mine = Entered(played[each.tournament], "out")
        elif state is not None and each.tournament is not None:
            mine = entered(shell, each.tournament, state, player)
        found.append(
            MyScheduled(
                **msgspec.structs.asdict(with_line(each, state)),
                league=league.league,
                league_name=league.name,
                entrant=None if mine is None else mine.entrant,
                entry=None if mine is None else mine.status,
            )
        )
    return found, unreadable
