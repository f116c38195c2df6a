"""Schedules, and calendars that other programs subscribe to."""

import asyncio
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Annotated
from uuid import UUID

import msgspec
from litestar import Response
from sqlalchemy.ext.asyncio import AsyncConnection

from engine.league.roles import may
from engine.league.state import Created
from engine.tournament.model.state import Announced, Registering, State
from engine.values import PlayerId, identifier, stream_of
from service.announcing.inputs import Instant, in_utc
from service.api.http.access.phases import entering_of
from service.api.http.access.rights import LeaguePlace, demand_form, league_of
from service.api.http.declaring.nothing import Nothing
from service.api.http.declaring.queries import Query
from service.api.http.operations import operation
from service.api.http.reading.bodies import invalid
from service.api.http.reading.called import names_of
from service.api.http.reading.etags import Tagging, Tags, not_modified
from service.api.http.reading.listing import Pages
from service.api.http.reading.paging import Page
from service.api.http.reading.positions import Reads
from service.api.http.shell import Shell
from service.api.http.wire.limiting import demand_room
from service.api.http.writing.submitting import Order, encoded
from service.api.me.signing_in import REPLAYED
from service.base.errors import EventUnreadable, StreamNotFound, Unauthenticated
from service.log.streams import tournament_stream
from service.people import calendar_keys
from service.people.idempotency import RecordedRequest
from service.people.rechecking import demand_alive
from service.people.tokens import MANAGE, Principal
from service.projections.reads import queries
from service.schedule.ics import MEDIA_TYPE, calendar
from service.schedule.items import ScheduledItem, Winner
from service.schedule.listing import schedule_of, schedule_of_player

SPAN_MAX = timedelta(days=366)
LOOKS_MAX = 8
"""Tournaments that one request loads at a time. A span may hold hundreds."""

_SPAN = timedelta(days=30)
_PRIVATE = {"Cache-Control": "private, max-age=300"}
_BEHIND, _AHEAD = timedelta(days=90), timedelta(days=366)
"""The spans before and after now that a calendar shows."""


_FIRST_YEAR, _LAST_YEAR = 1970, 9900

FROM = Query("from", Instant, "The beginning of the span. Without it, the span begins now.")
TO = Query("to", Instant, "The end of the span, at most 366 days later. Without it, 30 days later.")
KEY = Query("key", str, "A calendar key of the caller.", "")


class Schedule(msgspec.Struct, kw_only=True):
    """The tournaments that begin in a span, earliest first, at most 1000."""

    items: tuple[ScheduledItem, ...]
    """Announced and planned tournaments, earliest first."""

    unexpanded: tuple[str, ...] = ()
    """Seasons with plans that take too many steps. Only their announced tournaments are listed."""

    unreadable: tuple[str, ...] = ()
    """
    Tournaments and seasons with a stored event that cannot be read. Such a tournament is listed as
    the lists know it, without its waitlist. The plans of such a season are missing.
    """


class CalendarKeyMade(msgspec.Struct, kw_only=True):
    """A calendar key, shown only once. ``path`` leads to the caller's own calendar."""

    id: str
    """The identifier with which the key can be revoked. It is no secret."""

    key: str | None
    """Null in the answer to a retry, which carries ``Idempotent-Replayed: true``."""

    path: str | None
    """The path of the caller's own calendar, with the key. Null in the answer to a retry."""

    expires_at: datetime
    """The expiry of the token that made the key."""


class CalendarKeyListed(msgspec.Struct, kw_only=True):
    """A calendar key, without its secret."""

    id: str
    """The identifier with which the key can be revoked."""

    created_at: datetime
    """The time at which the key was made."""

    expires_at: datetime
    """The expiry of the token that made the key."""

    revoked_at: datetime | None
    """The time at which the key was revoked, or null."""


@operation(
    "GET", "/v1/leagues/{league_id:str}/schedule", "read_schedule",
    "List the tournaments of a league that begin in a span, announced or only planned.",
    needs="read_league", scope="leagues:read", answer=Schedule,
    problems=("validation_failed", "not_caught_up", "overloaded"),
)  # fmt: skip
async def read_schedule(
    place: LeaguePlace,
    shell: Shell,
    since: Annotated[datetime | None, FROM],
    until: Annotated[datetime | None, TO],
    reads: Reads,
) -> Response[bytes]:
    """Read tournaments from the read models and plans from the seasons."""
    await reads.caught_up(place.league, "tournaments")
    since, until = span_of(shell, since, until)
    found = await schedule_of(shell.runtime, shell.engine, place.id, since, until)
    listed = await with_winners(shell, found.items)
    states, unreadable = await states_of(shell, place.id, listed)
    items = tuple(with_line(each, states.get(each.uid)) for each in listed)
    schedule = Schedule(
        items=items,
        unexpanded=tuple(found.unexpanded),
        unreadable=(*found.unreadable, *unreadable),
    )
    return encoded(schedule)


def span_of(
    shell: Shell, since: datetime | None, until: datetime | None
) -> tuple[datetime, datetime]:
    """
    Return the span of a schedule, by default the next 30 days.

    Raises:
        BadRequest: ``validation_failed`` if the span is empty or longer than 366 days.
    """
    since = _dated(FROM, since) or shell.now()
    until = _dated(TO, until) or since + _SPAN
    if not timedelta() < until - since <= SPAN_MAX:
        raise invalid("`to` must lie after `from`, by at most 366 days")
    return since, until


async def states_of(
    shell: Shell, league: str, items: Iterable[ScheduledItem]
) -> tuple[dict[str, State], list[str]]:
    """
    Return the tournaments of the items that are on, by item, and those that cannot be read.

    A few are loaded at a time. An unreadable one must not hide the others.
    """
    looks = asyncio.Semaphore(LOOKS_MAX)

    async def load(tournament: str) -> State | None:
        async with looks:
            try:
                loaded = await shell.runtime.writer.load(league, tournament_stream(tournament))
            except EventUnreadable:
                return None
        return loaded.state

    shown = {
        each.uid: each.tournament
        for each in items
        if each.tournament is not None and each.standing == "on"
    }
    found = await asyncio.gather(*(load(each) for each in shown.values()))
    states = dict(zip(shown, found, strict=True))
    return (
        {uid: state for uid, state in states.items() if state is not None},
        [shown[uid] for uid, state in states.items() if state is None],
    )


def with_line(item: ScheduledItem, state: State | None) -> ScheduledItem:
    """Return *item* with the waitlist's length and whether check-in is open, if it is on."""
    if state is None:
        return item
    entering = entering_of(state)
    return msgspec.structs.replace(
        item,
        waiting=len(entering.waiting),
        check_in_open=entering.check_in_opened and isinstance(state, Announced | Registering),
    )


async def with_winners(shell: Shell, items: Sequence[ScheduledItem]) -> list[ScheduledItem]:
    """
    Return *items* with the winners of those that are over.

    Call it without a connection. Names are read through another one of the same pool, and requests
    that hold one each while they wait for one more would all wait for one another.
    """
    over = [each.tournament for each in items if each.tournament and each.standing == "over"]
    won: dict[str, list[str]] = {}
    if over:
        async with shell.engine.connect() as connection:
            won = await queries.winners_of(connection, over)
    called = await names_of(shell, (player for each in won.values() for player in each))
    return [
        msgspec.structs.replace(
            each,
            winners=tuple(
                Winner(player=player, name=called.get(player))
                for player in won.get(each.tournament or "", ())
            ),
        )
        for each in items
    ]


@operation(
    "GET", "/v1/leagues/{league_id:str}/calendar.ics", "read_league_calendar",
    "Read a league's calendar, with a member's calendar key.",
    needs="anyone", answer=str, produces=("text/calendar",),
    problems=("unauthenticated",),
)  # fmt: skip
async def read_league_calendar(
    league_id: str, shell: Shell, key: Annotated[str, KEY], tags: Tags
) -> Response[bytes]:
    """Show the last 90 days and the next 366. The key must belong to a member."""
    player = await _player(shell, key)
    demand_form(league_id, "lge")
    await league_of(shell, stream_of(league_id))
    state = (await shell.runtime.writer.load(league_id, stream_of(league_id))).state
    roles = {each.player: each.role for each in state.members} if isinstance(state, Created) else {}
    if not may(roles.get(player), "read_league"):
        raise StreamNotFound("it does not exist, or you may not see it")
    now = shell.now()
    found = await schedule_of(shell.runtime, shell.engine, league_id, now - _BEHIND, now + _AHEAD)
    return ics(tags, calendar(state.name, found.items, state.face))


@operation(
    "GET", "/v1/me/calendar.ics", "read_my_calendar",
    "Read the calendar of the tournaments that a key's owner has entered.",
    needs="anyone", answer=str, produces=("text/calendar",),
    problems=("unauthenticated",),
)  # fmt: skip
async def read_my_calendar(shell: Shell, key: Annotated[str, KEY], tags: Tags) -> Response[bytes]:
    """Show the last 90 days and the next 366."""
    player = await _player(shell, key)
    now = shell.now()
    async with shell.engine.connect() as connection:
        items = await schedule_of_player(connection, player, now - _BEHIND, now + _AHEAD)
    return ics(tags, calendar("Holotable", items))


@operation(
    "POST", "/v1/me/calendar-keys", "make_calendar_key",
    "Make a key that can only read the caller's calendars. It ends with the token in use.",
    needs="account", scope="leagues:read", body=Nothing, answer=CalendarKeyMade, status=201,
    problems=("quota_exhausted",),
)  # fmt: skip
async def make_calendar_key(order: Order, shell: Shell, principal: Principal) -> Response[bytes]:
    """Store the key's hash. A retry gets the same key, without its secret."""
    me, now = principal.account.number, shell.now()
    number = shell.runtime.entropy.uuid()
    key = calendar_keys.key_text(shell.runtime.entropy.bytes(32))
    said = RecordedRequest(order.command_id, order.request, me, number)
    async with shell.engine.begin() as connection:
        before = await shell.requests.before(connection, said, now)
        if before is not None and before.made is not None:
            return await _made_before(connection, me, before.made)
        await demand_alive(connection, principal, now)
        held = await calendar_keys.number_held(connection, me, now)
        demand_room("calendar_keys", held, shell.limits.settings.account_tokens)
        await calendar_keys.keep(connection, number, me, principal.token, key, now)
    made = CalendarKeyMade(
        id=identifier("cal", number),
        key=key,
        path=f"/v1/me/calendar.ics?key={key}",
        expires_at=principal.expires_at,
    )
    return encoded(made, 201)


async def _made_before(connection: AsyncConnection, owner: UUID, number: UUID) -> Response[bytes]:
    """Answer a retry with the key made before, without its secret."""
    found = [
        each for each in await calendar_keys.keys_of(connection, owner) if each.number == number
    ]
    again = CalendarKeyMade(
        id=identifier("cal", number), key=None, path=None, expires_at=found[0].expires_at
    )
    return encoded(again, 201, dict(REPLAYED))


@operation(
    "GET", "/v1/me/calendar-keys", "list_calendar_keys", "List the caller's calendar keys.",
    needs="account", scope="leagues:read", answer=Page[CalendarKeyListed],
    problems=("invalid_cursor",),
)  # fmt: skip
async def list_calendar_keys(shell: Shell, principal: Principal, pages: Pages) -> Response[bytes]:
    """List the caller's keys, ended ones included, newest first."""
    owner = principal.account
    async with shell.engine.connect() as connection:
        found = await calendar_keys.keys_of(connection, owner.number)
    items = [
        CalendarKeyListed(
            id=f"cal_{each.number.hex}",
            created_at=each.created_at,
            expires_at=each.expires_at,
            revoked_at=each.revoked_at,
        )
        for each in found
    ]
    paged = pages.listing(f"calendar keys {owner.player}", str, str)
    return pages.answer(paged.newest(items))


@operation(
    "DELETE", "/v1/me/calendar-keys/{key_id:str}", "revoke_calendar_key",
    "End one of the caller's calendar keys.", needs="account", scope=MANAGE, status=204,
)  # fmt: skip
async def revoke_calendar_key(key_id: str, shell: Shell, principal: Principal) -> None:
    """End a key in all processes at once."""
    demand_form(key_id, "cal")
    owner = principal.account.number
    async with shell.engine.begin() as connection:
        if not await calendar_keys.revoke(connection, owner, UUID(hex=key_id[4:]), shell.now()):
            raise StreamNotFound("it does not exist, or you may not see it")


async def _player(shell: Shell, key: str) -> PlayerId:
    """
    Return the owner of the key in the URL.

    Raises:
        Unauthenticated: If the key is not valid.
    """
    async with shell.engine.connect() as connection:
        owner = await calendar_keys.owner_of(connection, key, shell.now())
    if owner is None:
        raise Unauthenticated("the key is missing, unknown or revoked")
    return PlayerId(f"plr_{owner.hex}")


def ics(tags: Tagging, content: bytes, headers: Mapping[str, str] = _PRIVATE) -> Response[bytes]:
    """Answer with a calendar, or with 304 if the client has it already."""
    tag = f'"{hashlib.sha256(content).hexdigest()[:32]}"'
    if tags.unchanged(tag):
        return not_modified(tag, dict(headers))
    return Response(content, headers={**headers, "ETag": tag}, media_type=MEDIA_TYPE)


def _dated(query: Query, given: datetime | None) -> datetime | None:
    """Return an instant of the query in UTC, or refuse it."""
    if given is None:
        return None
    try:
        found = in_utc(given)
        if _FIRST_YEAR <= found.year <= _LAST_YEAR:
            return found
    except (OverflowError, ValueError):
        pass  # refused below
    raise query.refused("Expected an instant with an offset, from 1970 to 9900")
