"""Public results: the standings of seasons, and the replays of hands that are over."""

import hashlib
from typing import Annotated
from uuid import UUID

import msgspec
from litestar import Response

from engine.league.state import Created
from engine.season.state import Opened
from engine.table.model.state import Table
from engine.table.read.replay import Replay
from engine.values import number_of
from service.api.http.access import TOURNAMENT
from service.api.http.by import By
from service.api.http.etags import Tags, not_modified
from service.api.http.hands import find_hand
from service.api.http.negotiating import ALL, best
from service.api.http.operations import operation
from service.api.http.paging import Page
from service.api.http.positions import ReadPages
from service.api.http.public import (
    HIDDEN,
    Link,
    PublicPlace,
    kept,
    public_season,
    reach_public,
    shared,
)
from service.api.http.shell import Asked, Shell, operation_of
from service.base.errors import StreamNotFound
from service.log.streams import table_stream
from service.people.accounts import names
from service.projections import queries
from service.projections.hand_rows import HandRow
from service.replays.forms import JSON, WHOLE
from service.replays.reading import read_replay

_KEPT_MAX = 256
"""Replays that a process keeps. Each is about 30 KB."""

PublicSeasonPlace = Annotated[PublicPlace[Opened], By(public_season)]


class PublicSeason(msgspec.Struct, kw_only=True):
    """A season as strangers see it."""

    id: str
    """The season, `ssn_…`."""

    league: str
    """The league, `lge_…`."""

    league_name: str
    """The league's name now."""

    name: str
    """As shown to everybody."""

    closed: bool
    """True once the season is closed, so that its standings never change again."""


class PublicStanding(msgspec.Struct, kw_only=True):
    """A player's line in the standings, as strangers see it."""

    rank: int
    """Players who are level in points and in every tie-break share a rank."""

    shared: bool
    """True if other players have the same rank."""

    player: str
    """The player, `plr_…`."""

    name: str | None
    """The player's name now."""

    points: str
    """Decimal, at the season's scale."""

    qualified: bool
    """True if the player has played enough games. All other players rank below."""

    played: int
    """Tournaments that the player has played."""

    counted: int
    """Number of results that the points come from."""

    wins: int
    """Tournaments won outright."""

    best_placing: int | None
    """The best place in a counted tournament, or null without one."""


@operation(
    "GET", "/v1/public/seasons/{season_id:str}", "read_public_season",
    "Read a season whose tournaments are all public.",
    needs="anyone", answer=PublicSeason, public=True,
)  # fmt: skip
async def read_public_season(
    request: Asked, place: PublicSeasonPlace, tags: Tags
) -> Response[bytes]:
    """Show the name of the season and its league."""
    shown = PublicSeason(
        id=place.id,
        league=place.league.league,
        league_name=place.league.name,
        name=place.state.terms.name,
        closed=place.state.closed,
    )
    return shared(request, tags, shown)


@operation(
    "GET", "/v1/public/seasons/{season_id:str}/standings", "read_public_standings",
    "Read the standings of a season whose tournaments are all public.",
    needs="anyone", answer=Page[PublicStanding], public=True,
    problems=("invalid_cursor", "not_caught_up"),
)  # fmt: skip
async def read_public_standings(
    request: Asked, place: PublicSeasonPlace, shell: Shell, pages: ReadPages
) -> Response[bytes]:
    """Read the standings from the read model, with the names of the players."""
    name, league = f"public standings {place.id}", place.league.league
    paged = await pages.read(league, name, int, str, projection="standings")
    after = None if paged.after is None else (int(paged.after[0]), str(paged.after[1]))
    async with shell.engine.connect() as connection:
        rows = await queries.standings(connection, place.id, limit=paged.limit + 1, after=after)
    page = paged.page(rows, lambda each: (each.rank, each.player))
    called = await names(shell.engine, [UUID(hex=each.player[4:]) for each in page.items])
    plain = [each for each in PublicStanding.__struct_fields__ if each != "name"]
    shown = [
        PublicStanding(name=called.get(row.player), **{each: getattr(row, each) for each in plain})
        for row in page.items
    ]
    return pages.answer(Page(items=shown, next_cursor=page.next_cursor), kept(request))


@operation(
    "GET", "/v1/public/hands/{hand_id:str}/replay", "replay_public_hand",
    "Replay a hand of a public tournament once it is over, with the cards that were shown.",
    needs="anyone", answer=Replay, public=True,
    produces=(JSON, *(each for each in WHOLE if each != JSON)),
)  # fmt: skip
async def replay_public_hand(
    request: Asked, hand_id: str, link: Link, shell: Shell, tags: Tags
) -> Response[bytes]:
    """
    Answer what spectators have seen. A hand in play gets the answer of one that is hidden.

    Once its table has gone on, a hand that is over shows the same until an operator repairs the
    log. Such answers are kept, so that neither a reader who has the tag nor a crowd costs a replay.
    """
    row = await find_hand(request, hand_id)
    place = await reach_public(request, row.tournament, TOURNAMENT, link)
    media = best(request.headers.get("accept", ALL), operation_of(request).produces) or JSON
    tag = await _tag(shell, place.league, row, media)
    content = shell.replays.get(tag) if row.state == "settled" else None
    if content is None:
        content = await _replayed(shell, row, media)
        if len(shell.replays) >= _KEPT_MAX:
            shell.replays.clear()
        shell.replays[tag] = content
    if tags.unchanged(tag):
        return not_modified(tag, kept(request))
    return Response(content, media_type=media, headers={**kept(request), "ETag": tag})


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
