"""The record of a player in a league."""

from typing import Annotated
from uuid import UUID

import msgspec
from litestar import Response

from service.api.http.access.rights import AS_KNOWN, LeaguePlace, demand_form
from service.api.http.operations import operation
from service.api.http.reading.positions import ReadPages
from service.api.http.shell import Shell
from service.api.http.writing.submitting import encoded
from service.base.errors import StreamNotFound
from service.people.accounts import names
from service.projections.reads import record_queries


class PlayerRecord(msgspec.Struct, kw_only=True):
    """A player's games in one league, latest first, and their totals."""

    player: str
    name: str | None
    """The player's name now."""

    sums: record_queries.Sums
    """Totals over all games, not only those of this page."""

    games: tuple[record_queries.Game, ...]
    """One page of the player's entries, newest first."""

    next_cursor: str | None


@operation(
    "GET", "/v1/leagues/{league_id:str}/players/{player_id:str}/record", "read_record",
    "Read a player's tournaments, places, winnings, points and hands in a league.",
    needs="read_league", scope="leagues:read", answer=PlayerRecord,
    problems=("invalid_cursor", "not_caught_up"),
)  # fmt: skip
async def read_record(
    player_id: str, place: Annotated[LeaguePlace, AS_KNOWN], shell: Shell, pages: ReadPages
) -> Response[bytes]:
    """
    Read the record from the read models. Answer 404 for a player who never belonged to the league.
    """
    demand_form(player_id, "plr")
    engine = shell.engine
    await pages.reading.caught_up(place.id, "standings")
    name = f"record {place.id} {player_id}"
    paged = await pages.read(place.id, name, int, projection="records")
    before = paged.after[0] if paged.after else None
    async with engine.connect() as connection:
        rows = await record_queries.games(
            connection, place.id, player_id, limit=paged.limit + 1, before=before
        )
        sums = await record_queries.sums(connection, place.id, player_id)
    members = {each.player for each in place.state.members}
    if not rows and before is None and player_id not in members:
        raise StreamNotFound("it does not exist, or you may not see it")
    page = paged.page(rows, lambda each: (each.registered_position,))
    called = await names(engine, [UUID(hex=player_id[4:])])
    found = PlayerRecord(
        player=player_id,
        name=called.get(player_id),
        sums=sums,
        games=tuple(page.items),
        next_cursor=page.next_cursor,
    )
    return encoded(found)
