"""Public leagues: their descriptions, their announced tournaments, and their plans."""

from datetime import datetime, timedelta
from typing import Annotated

import msgspec
from litestar import Response

from engine.kit.structs import copied
from engine.league.state import Created
from engine.tournament.model.state import Phase
from service.api.http.declaring.by import By
from service.api.http.operations import operation
from service.api.http.reading.etags import Tags
from service.api.http.reading.paging import Page
from service.api.http.reading.positions import ReadPages
from service.api.http.reading.public import Kept, PublicPlace, public_league
from service.api.http.shell import Shell
from service.api.season.calendars import ics, with_winners
from service.projections.reads import public_queries
from service.projections.reads.rows import TournamentRow
from service.schedule.ics import MEDIA_TYPE, calendar
from service.schedule.items import ItemState, ScheduledItem, Winner
from service.schedule.listing import schedule_of

BEHIND, AHEAD = timedelta(days=30), timedelta(days=366)
"""The spans before and after now that a public schedule shows."""

_HOUR = timedelta(hours=1)

PublicLeaguePlace = Annotated[PublicPlace[Created], By(public_league)]


class PublicLeague(msgspec.Struct, kw_only=True):
    """A league as strangers see it."""

    id: str
    """The league, `lge_…`."""

    name: str
    """As shown to everybody."""

    description: str | None
    """A description of the league, for people to read, or null."""

    place: str | None
    """The place where the league usually plays, or null."""

    length_seconds: int | None
    """The usual length of an evening, or null."""

    url: str | None
    """The league's own page, or null."""

    sandbox: bool
    """True for a league of trials, whose tournaments may have fixed masters."""


class PublicTournamentListed(msgspec.Struct, kw_only=True):
    """A tournament in a list, as strangers see it."""

    id: str
    """The tournament, `trn_…`."""

    season: str | None
    """The season that counts the tournament, or null."""

    name: str
    """As shown to everybody."""

    state: Phase
    """The phase of the tournament."""

    ruleset_name: str
    """The preset that the announcement named."""

    starts_at: datetime | None
    """The planned start. A postponed start replaces it."""

    finished_at: datetime | None
    """The time at which the tournament finished or was cancelled, or null."""

    place: str | None
    """The venue, as free text, or null."""

    length_seconds: int | None
    """The planned length of the tournament, or null."""

    table_seats: int
    """The most players at a table."""

    entrants: int
    """The number of entrants now."""

    entrants_max: int
    """The number of places for entrants."""

    prize_pool: int
    """The prize pool that the terms name, in minor units of `currency`."""

    currency: str | None
    """The currency (ISO 4217), or null if no money is played for."""


class PublicScheduled(msgspec.Struct, kw_only=True):
    """A tournament of a schedule, announced or planned."""

    uid: str
    """The permanent identifier of the item, in every calendar."""

    name: str
    """The name of the tournament."""

    starts_at: datetime
    """The instant of the planned start."""

    started_at: datetime | None
    """The time at which play started, or null before."""

    standing: ItemState
    """
    `planned` until the announcement, then `on`, and at last `over` or `cancelled`. `missed` means
    that nobody could announce it in time.
    """

    state: Phase | None
    """The phase of the announced tournament, or null while it is only planned."""

    ends_at: datetime | None
    """The expected end by the planned or the usual length, or null if neither is known."""

    place: str | None
    """The venue, as free text, or null."""

    entrants: int | None
    """The number of entrants now, or null while the tournament is only planned."""

    entrants_max: int | None
    """The number of places for entrants, or null if it is not known yet."""

    tournament: str | None
    """The announced tournament, or null while it is only planned."""

    winners: tuple[Winner, ...]
    """The first place of a tournament that is `over`. It is shared if several have won."""

    local: str | None
    """The local time of the start in `zone`, or null without a recurrence."""

    zone: str | None
    """The IANA name of the recurrence's time zone, or null."""


class PublicSchedule(msgspec.Struct, kw_only=True):
    """The tournaments from 30 days ago to a year ahead, earliest first, at most 1000."""

    items: tuple[PublicScheduled, ...]
    """The tournaments, earliest first."""


@operation(
    "GET", "/v1/public/leagues/{league_id:str}", "read_public_league",
    "Read a public league, without a token.",
    needs="anyone", answer=PublicLeague, public=True,
)  # fmt: skip
async def read_public_league(
    place: PublicLeaguePlace, tags: Tags, caching: Kept
) -> Response[bytes]:
    """Show the league's name and description, and nothing about its members."""
    shown = PublicLeague(
        id=place.id,
        name=place.state.name,
        sandbox=place.state.sandbox,
        **msgspec.structs.asdict(place.state.face),
    )
    return caching.answer(tags, shown)


@operation(
    "GET", "/v1/public/leagues/{league_id:str}/tournaments", "list_public_tournaments",
    "List the tournaments of a public league that strangers may see, newest first.",
    needs="anyone", answer=Page[PublicTournamentListed], public=True,
    problems=("invalid_cursor", "not_caught_up"),
)  # fmt: skip
async def list_public_tournaments(
    place: PublicLeaguePlace, shell: Shell, pages: ReadPages, caching: Kept
) -> Response[bytes]:
    """List the tournaments from the read model, the latest announcement first."""
    name = f"public tournaments {place.id} {' '.join(sorted(place.shown))}"
    paged = await pages.read(place.id, name, int, projection="tournaments")
    async with shell.engine.connect() as connection:
        rows = await public_queries.shown_tournaments(
            connection,
            place.id,
            place.shown,
            limit=paged.limit + 1,
            before=None if paged.after is None else paged.after[0],
        )
    page = paged.page(rows, lambda each: (each.announced_position,))
    shown = Page(items=[_listed(each) for each in page.items], next_cursor=page.next_cursor)
    return pages.answer(shown, caching.headers)


@operation(
    "GET", "/v1/public/leagues/{league_id:str}/schedule", "read_public_schedule",
    "Read the schedule of a public league: from 30 days ago to a year ahead.",
    needs="anyone", answer=PublicSchedule, public=True,
)  # fmt: skip
async def read_public_schedule(
    place: PublicLeaguePlace, shell: Shell, tags: Tags, caching: Kept
) -> Response[bytes]:
    """Show the plans of the league, and the announced tournaments that strangers may see."""
    items = await public_items(shell, place)
    listed = await with_winners(shell, items)
    shown = tuple(copied(PublicScheduled, each) for each in listed)
    return caching.answer(tags, PublicSchedule(items=shown))


@operation(
    "GET", "/v1/public/leagues/{league_id:str}/calendar.ics", "read_public_calendar",
    "Read the schedule of a public league as a calendar to subscribe to.",
    needs="anyone", answer=str, produces=(MEDIA_TYPE,), public=True,
)  # fmt: skip
async def read_public_calendar(
    place: PublicLeaguePlace, shell: Shell, tags: Tags, caching: Kept
) -> Response[bytes]:
    """Show the items of the public schedule, with the league's description."""
    items = await public_items(shell, place)
    return ics(tags, calendar(place.state.name, items, place.state.face), caching.headers)


async def public_items(shell: Shell, place: PublicPlace[Created]) -> list[ScheduledItem]:
    """
    Return the items of a schedule that strangers may see.

    The span begins at a full hour, so that an answer stays the same for an hour.
    """
    now = shell.now().replace(minute=0, second=0, microsecond=0)
    since, until = now - BEHIND, now + AHEAD + _HOUR
    found = await schedule_of(shell.runtime, shell.engine, place.id, since, until)
    named = [each.tournament for each in found.items if each.tournament is not None]
    async with shell.engine.connect() as connection:
        shown = await public_queries.shown_among(connection, named, place.shown)
    return [each for each in found.items if each.tournament is None or each.tournament in shown]


def _listed(row: TournamentRow) -> PublicTournamentListed:
    names = (each for each in PublicTournamentListed.__struct_fields__ if each != "id")
    return PublicTournamentListed(id=row.tournament, **{name: getattr(row, name) for name in names})
