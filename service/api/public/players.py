"""The record of a player in a public league, made only from its public tournaments."""

from uuid import UUID

import msgspec
from litestar import Response

from service.api.http.access.rights import demand_form
from service.api.http.operations import operation
from service.api.http.reading.encoding import encoded
from service.api.http.reading.positions import ReadPages
from service.api.http.reading.public import HIDDEN, Kept
from service.api.http.shell import Shell
from service.api.public.leagues import PublicLeaguePlace
from service.base.errors import StreamNotFound
from service.people.accounts import names
from service.projections.reads import public_queries
from service.projections.reads.public_queries import PublicGame


class PublicRecord(msgspec.Struct, kw_only=True):
    """A player's games in the public tournaments of one league, and their totals."""

    player: str
    """The player, `plr_…`."""

    name: str | None
    """The player's name now."""

    league: str
    """The league, `lge_…`."""

    league_name: str
    """The league's name now."""

    tournaments: int
    """Public tournaments in which play began. Several entries in one count once."""

    wins: int
    """First places that are not shared."""

    knockouts: int
    """Opponents knocked out for good."""

    games: tuple[PublicGame, ...]
    """One page of the entries, newest first."""

    next_cursor: str | None


@operation(
    "GET", "/v1/public/leagues/{league_id:str}/players/{player_id:str}", "read_public_record",
    "Read a player's places in the public tournaments of a league.",
    needs="anyone", answer=PublicRecord, public=True,
    problems=("invalid_cursor", "not_caught_up"),
)  # fmt: skip
async def read_public_record(
    player_id: str, place: PublicLeaguePlace, shell: Shell, pages: ReadPages, caching: Kept
) -> Response[bytes]:
    """
    Read the record from the read models.

    Answer 404 for somebody who is in no public tournament, because the list of members is not
    public.
    """
    demand_form(player_id, "plr")
    name = f"public record {place.id} {player_id} {' '.join(sorted(place.shown))}"
    paged = await pages.read(place.id, name, int, projection="records")
    before = paged.after[0] if paged.after else None
    async with shell.engine.connect() as connection:
        rows = await public_queries.games(
            connection, place.id, player_id, place.shown, limit=paged.limit + 1, before=before
        )
        sums = await public_queries.sums(connection, place.id, player_id, place.shown)
    if not rows and before is None:
        raise StreamNotFound(HIDDEN)
    page = paged.page(rows, lambda each: (each[0],))
    called = await names(shell.engine, [UUID(hex=player_id[4:])])
    shown = PublicRecord(
        player=player_id,
        name=called.get(player_id),
        league=place.id,
        league_name=place.state.name,
        tournaments=sums.tournaments,
        wins=sums.wins,
        knockouts=sums.knockouts,
        games=tuple(game for _, game in page.items),
        next_cursor=page.next_cursor,
    )
    return encoded(shown, headers=caching.headers)
