"""The hands of a public tournament that are over, and their replays."""

import hashlib
from datetime import datetime

import msgspec
from litestar import Response

from engine.league.state import Created
from engine.table.model.state import Table
from engine.table.read.replay import Replay
from engine.values import number_of
from service.api.http.access.hands import find_hand
from service.api.http.access.rights import TOURNAMENT
from service.api.http.operations import operation
from service.api.http.reading.called import names_at
from service.api.http.reading.etags import Tags, not_modified
from service.api.http.reading.paging import Page
from service.api.http.reading.positions import ReadPages
from service.api.http.reading.public import HIDDEN, Kept, Link, reach_public
from service.api.http.shell import Asked, Shell, operation_of
from service.api.http.wire.negotiating import ALL, best
from service.api.public.tournaments import PublicTournamentPlace
from service.base.errors import StreamNotFound
from service.log.streams import table_stream
from service.projections.reads import queries
from service.projections.reads.hand_rows import HandRow
from service.replays.forms import JSON, WHOLE
from service.replays.reading import read_replay

_KEPT_MAX = 256
"""Replays that a process keeps. Each is about 30 KB."""


class PublicHandWon(msgspec.Struct, kw_only=True):
    """A seat that won a hand's main pot, as strangers see it."""

    seat: int
    """The number of the seat, from 1."""

    entrant: str
    """The entrant, `ent_…`."""

    name: str | None
    """The player's name now."""

    chips: int
    """The chips won from all pots."""


class PublicHand(msgspec.Struct, kw_only=True):
    """A hand that is over, as strangers see it in the list of a tournament."""

    hand: str
    """The hand, `hnd_…`. Its replay is public."""

    table: str
    """The table, `tbl_…`."""

    table_number: int | None
    """The table's number in the tournament, or null until the read models know the table."""

    number: int
    """The number of the hand at its table, from 1."""

    pot: int
    """The chips in all pots."""

    winners: tuple[PublicHandWon, ...]
    """The seats that won the main pot."""

    opened_at: datetime
    """The time of the first deal."""

    settled_at: datetime | None
    """The time at which the hand was settled."""


@operation(
    "GET", "/v1/public/tournaments/{tournament_id:str}/hands", "list_public_hands",
    "List the hands of a public tournament that are over, newest first.",
    needs="anyone", answer=Page[PublicHand], public=True,
    problems=("invalid_cursor", "not_caught_up"),
)  # fmt: skip
async def list_public_hands(
    place: PublicTournamentPlace, shell: Shell, pages: ReadPages, caching: Kept
) -> Response[bytes]:
    """List the settled hands of all tables from the read model, in the order of opening."""
    name, league = f"public hands of {place.id}", place.league.league
    paged = await pages.read(league, name, int, projection="hands")
    before = None if paged.after is None else paged.after[0]
    async with shell.engine.connect() as connection:
        rows = await queries.tournament_hands(
            connection, place.id, limit=paged.limit + 1, before=before, settled=True
        )
        numbers = {each.table: each.number for each in await queries.tables(connection, place.id)}
    page = paged.page(rows, lambda each: (each.first_position,))
    won = {each["entrant"] for row in page.items for each in row.winners}
    called = await names_at(shell, place.state, won)
    shown = [_listed(each, numbers, called) for each in page.items]
    return pages.answer(Page(items=shown, next_cursor=page.next_cursor), caching.headers)


def _listed(row: HandRow, numbers: dict[str, int], called: dict[str, str]) -> PublicHand:
    winners = [(each["seat"], each["entrant"], each["chips"]) for each in row.winners]
    return PublicHand(
        hand=row.hand,
        table=row.table,
        table_number=numbers.get(row.table),
        number=row.number,
        pot=sum(each["chips"] for each in row.pots),
        winners=tuple(
            PublicHandWon(seat=seat, entrant=entrant, name=called.get(entrant), chips=chips)
            for seat, entrant, chips in winners
        ),
        opened_at=row.opened_at,
        settled_at=row.settled_at,
    )


@operation(
    "GET", "/v1/public/hands/{hand_id:str}/replay", "replay_public_hand",
    "Replay a hand of a public tournament once it is over, with the cards that were shown.",
    needs="anyone", answer=Replay, public=True,
    produces=(JSON, *(each for each in WHOLE if each != JSON)),
)  # fmt: skip
async def replay_public_hand(
    request: Asked, hand_id: str, link: Link, shell: Shell, tags: Tags, caching: Kept
) -> Response[bytes]:
    """
    Show what spectators have seen. A hand in play gets the same answer as a hidden one.

    Once its table has gone on, the answer for a finished hand changes only if an operator repairs
    the log. Such answers are kept, so that neither a reader who has the tag nor a crowd costs a
    replay.
    """
    row = await find_hand(shell, hand_id)
    place = await reach_public(shell, row.tournament, TOURNAMENT, link)
    media = best(request.headers.get("accept", ALL), operation_of(request).produces) or JSON
    tag = await _tag(shell, place.league, row, media)
    content = shell.replays.get(tag) if row.state == "settled" else None
    if content is None:
        content = await _replayed(shell, row, media)
        if len(shell.replays) >= _KEPT_MAX:
            shell.replays.clear()
        shell.replays[tag] = content
    if tags.unchanged(tag):
        return not_modified(tag, caching.headers)
    return Response(content, media_type=media, headers={**caching.headers, "ETag": tag})


async def _replayed(shell: Shell, row: HandRow, media: str) -> bytes:
    keys = await shell.runtime.writer.store.keys(number_of(row.league))
    found = await read_replay(shell.pool, row, keys, "public")
    if not found.over:
        raise StreamNotFound(HIDDEN)
    return WHOLE[media](found)


async def _tag(shell: Shell, league: Created, row: HandRow, media: str) -> str:
    """
    Return the tag of a replay. It changes with everything that the replay can depend on.

    Until the next hand opens, a seat may still show its cards, so the table's version counts.
    """
    writer = shell.runtime.writer
    table = await writer.load(row.league, table_stream(row.table))
    gone_on = isinstance(table.state, Table) and table.state.hand_number > row.number
    parts = (
        row.hand, row.last_position, await writer.epoch(row.league), len(league.voided),
        media, None if gone_on else table.version,
    )  # fmt: skip
    return f'"{hashlib.sha256(repr(parts).encode()).hexdigest()[:32]}"'
