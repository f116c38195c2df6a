"""Who opened sealed values of a league, of whatever and by whatever right: one list."""

from litestar import Response
from litestar.params import FromPath

from service.api.http.access import reach
from service.api.http.listing import listed
from service.api.http.operations import operation
from service.api.http.paging import Page
from service.api.http.positions import listing_of
from service.api.http.shell import Asked, shell_of
from service.projections import dispute_queries


@operation(
    "GET", "/v1/leagues/{league_id:str}/openings", "list_openings",
    "Who opened sealed values, when, until when, and by which right; the newest first.",
    needs="read_league", scope="leagues:read", answer=Page,
    query=("limit", "cursor", "min_position"), problems=("invalid_cursor", "not_caught_up"),
)  # fmt: skip
async def list_openings(request: Asked, league_id: FromPath[str]) -> Response[bytes]:
    """List them to everybody: that somebody looked is no secret."""
    place = await reach(request, league_id, "lge", fresh=False)
    paged = await listing_of(
        request, place.league, f"openings {league_id}", int, projection="openings"
    )
    before = None if paged.after is None else paged.after[0]
    async with shell_of(request).engine.connect() as connection:
        rows = await dispute_queries.openings(
            connection, league_id, limit=paged.limit + 1, before=before
        )
    return listed(request, paged.page(rows, lambda each: (each.position,)))
