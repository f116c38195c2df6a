"""The list of all openings of hidden values in a league."""

from typing import Annotated

from litestar import Response

from service.api.http.access.rights import AS_KNOWN, LeaguePlace
from service.api.http.operations import operation
from service.api.http.reading.paging import Page
from service.api.http.reading.positions import ReadPages
from service.api.http.shell import Shell
from service.projections.reads import dispute_queries
from service.projections.reads.rows import OpeningRow


@operation(
    "GET", "/v1/leagues/{league_id:str}/openings", "list_openings",
    "List openings of hidden values, newest first: by whom, when, until when and by which right.",
    needs="read_league", scope="leagues:read", answer=Page[OpeningRow],
    problems=("invalid_cursor", "not_caught_up"),
)  # fmt: skip
async def list_openings(
    place: Annotated[LeaguePlace, AS_KNOWN], shell: Shell, pages: ReadPages
) -> Response[bytes]:
    """List the openings from the read model. Every member may see that somebody looked."""
    paged = await pages.read(place.league, f"openings {place.id}", int, projection="openings")
    before = None if paged.after is None else paged.after[0]
    async with shell.engine.connect() as connection:
        rows = await dispute_queries.openings(
            connection, place.id, limit=paged.limit + 1, before=before
        )
    return pages.answer(paged.page(rows, lambda each: (each.position,)))
