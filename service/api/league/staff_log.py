"""The actions of staff and operators, read from the log."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Literal

import msgspec
import sqlalchemy as sa
from litestar import Response

from engine.league.events import LeagueCreated, MemberAdded, MemberRoleChanged
from engine.league.roles import STAFF
from engine.values import aggregate_of, number_of
from service.api.http.access.rights import LeaguePlace, demand
from service.api.http.operations import operation
from service.api.http.reading.called import names_of
from service.api.http.reading.listing import Pages
from service.api.http.reading.paging import POSITION_END, Page
from service.api.http.reading.positions import plays_in
from service.api.http.shell import Asked, Shell
from service.log.record import Metadata, league_number
from service.people.tokens import Principal
from service.projections import schema
from service.projections.reads import queries

SCAN_MAX = 20_000
"""Positions that one page searches. A page may be short although another follows."""

_AT_TABLES = ["deal_voided", "table_held", "table_resumed"]
"""The staff actions at a table. All other table events are play."""

_TABLE = schema.table_summary

_ROWS = """
    SELECT at, 'event' AS kind, type, stream, position AS index, metadata,
           CASE WHEN stream NOT LIKE 'table-%' THEN data ->> 'tournament' END AS tournament
      FROM events
     WHERE league = $1 AND position < $2 AND position >= $3
       AND (stream NOT LIKE 'table-%' OR type = ANY ($4))
     ORDER BY position DESC
"""
_BESIDE = """
    SELECT at, actor, 'operator' AS kind, kind AS type, about, size AS index, id AS number
      FROM operator_deed
     WHERE league = $1 AND size < $2 AND size >= $3
"""
_EPOCHS = """
    SELECT opened_at AS at, operator AS actor, 'epoch' AS kind, reason AS type, size AS index,
           epoch AS number
      FROM epoch_opening
     WHERE league = $1 AND size < $2 AND size >= $3
"""


class Deed(msgspec.Struct, kw_only=True):
    """An event caused by staff, an action outside the log, or an epoch begun by an operator."""

    at: datetime
    """The time of the action."""

    actor: str
    """``plr_…``, or the operator's name for an epoch."""
    name: str | None = None
    """The player's name now, or null for an operator."""
    kind: Literal["event", "operator", "epoch"]
    """``event``, ``epoch``, or ``operator`` for actions outside the log."""
    type: str
    """The event's type, the reason given for an epoch, or the kind of action."""
    stream: str | None = None
    """The stream of the event, or null for everything that is not an event."""

    tournament: str | None = None
    """The tournament that the action concerned, `trn_…`, or null."""

    tournament_name: str | None = None
    """The name of that tournament, or null."""

    about: str | None = None
    """
    For actions outside the log: the object, ``plr_…`` or ``hnd_…``. A dry run adds its operation.
    """
    index: int
    """The event's position. Otherwise the number of events in the log at that time."""
    number: int = 0
    """The number of the action outside the log, or of the epoch."""


@operation(
    "GET", "/v1/leagues/{league_id:str}/staff-log", "read_staff_log",
    "List the actions of staff and operators in a league, newest first.",
    needs="audit_hands", scope="hands:audit", answer=Page[Deed],
    problems=("forbidden", "invalid_cursor", "not_caught_up"),
)  # fmt: skip
async def read_staff_log(
    request: Asked, place: LeaguePlace, shell: Shell, pages: Pages, principal: Principal
) -> Response[bytes]:
    """List all actions of everybody who has ever held an office, from the log."""
    demand(request, place.role, entered=await plays_in(shell, principal, place.id))
    paged = await pages.live(place.id, f"staff log {place.id}", int, str)
    before, after_kind = paged.after or (POSITION_END, "")
    top = await shell.pool.fetchval(
        "SELECT coalesce(max(position), -1) + 1 FROM events WHERE league = $1",
        number_of(place.id),
    )
    high = min(int(before) + 1, top + 1)
    low = max(0, high - SCAN_MAX)
    deeds = await _deeds(shell, place.id, low, high)
    left = [each for each in deeds if paged.after is None or _key(each) < (before, after_kind)]
    page = paged.page(left[: paged.limit + 1], _key)
    if len(left) <= paged.limit and low > 0:
        page = Page(items=left, next_cursor=paged.cursor((low, "")))
    called = await names_of(shell, (each.actor for each in page.items if _is_player(each)))
    for each in page.items:
        each.name = called.get(each.actor)
    await _name_tournaments(shell, page.items)
    return pages.answer(page)


async def _name_tournaments(shell: Shell, deeds: Sequence[Deed]) -> None:
    """Write into *deeds* the tournaments that they concerned, also through a table."""
    subjects = [_subject(each) for each in deeds]
    tables = sorted({each for each in subjects if each.startswith("tbl_")})
    async with shell.engine.connect() as connection:
        rows = await connection.execute(
            sa.select(_TABLE.c.table, _TABLE.c.tournament).where(_TABLE.c.table.in_(tables))
        )
        above = {row.table: row.tournament for row in rows}
        found = [above.get(each, each) for each in subjects]
        wanted = sorted({each for each in found if each.startswith("trn_")})
        known = await queries.tournaments_named(connection, wanted)
    names = {each.tournament: each.name for each in known}
    for deed, tournament in zip(deeds, found, strict=True):
        if tournament.startswith("trn_"):
            deed.tournament, deed.tournament_name = tournament, names.get(tournament)


def _subject(deed: Deed) -> str:
    """Return the identifier of what *deed* is about, or nothing."""
    if deed.tournament is not None:  # an event of another stream, such as a season's, names it
        return deed.tournament
    if deed.stream is None:
        return (deed.about or "").rpartition(" ")[2]
    return aggregate_of(deed.stream)


def _is_player(deed: Deed) -> bool:
    return deed.actor.startswith("plr_")


def _key(deed: Deed) -> tuple[int, str]:
    """Return the sort key. Actions made when the log had n events come before event n."""
    if deed.kind == "event":
        return deed.index, "event"
    at = deed.at.astimezone(UTC).isoformat(timespec="microseconds")
    return deed.index, f"{at} {deed.kind} {deed.number:020}"


async def _deeds(shell: Shell, league: str, low: int, high: int) -> list[Deed]:
    """Return the staff's actions at positions *low* to *high* - 1, newest first."""
    number, staff = number_of(league), await _ever_staff(shell, league)
    rows = await shell.pool.fetch(_ROWS, number, high, low, _AT_TABLES)
    found = []
    for row in rows:
        columns = dict(row)
        actor = msgspec.json.decode(columns.pop("metadata"), type=Metadata).actor
        if actor in staff:
            found.append(Deed(actor=actor, **columns))
    for asked in (_EPOCHS, _BESIDE):
        found += [Deed(**row) for row in await shell.pool.fetch(asked, number, high, low)]
    return sorted(found, key=_key, reverse=True)


async def _ever_staff(shell: Shell, league: str) -> set[str]:
    """Return all players who have ever held an office in *league*."""
    writer, found, after = shell.runtime.writer, set(), 0
    number = league_number(league)
    while rows := await writer.store.stream(number, f"league-{number.hex}", after, 1_000):
        keys = await writer.store.keys(number)
        for row in rows:
            event = writer.codec.decode(row, keys)
            if isinstance(event, LeagueCreated):
                found.add(str(event.owner))
            elif isinstance(event, MemberAdded | MemberRoleChanged) and event.role in STAFF:
                found.add(str(event.player))
        after = rows[-1].stream_version
    return found
