"""Lists and facts of played hands."""

from typing import Annotated

from litestar import Response
from msgspec import structs

from service.api.http.access import AS_KNOWN, TablePlace
from service.api.http.hands import Hand
from service.api.http.operations import operation
from service.api.http.paging import Page
from service.api.http.positions import ReadPages
from service.api.http.shell import Shell
from service.api.http.submitting import encoded
from service.projections import queries
from service.projections.hand_rows import HandRow


class HandShown(HandRow, frozen=True, kw_only=True):
    """One hand."""

    id: str
    """The same as `hand`."""


@operation(
    "GET", "/v1/tables/{table_id:str}/hands", "list_hands", "List a table's hands, in order.",
    needs="read_league",
    scope="leagues:read", answer=Page[HandRow],
    problems=("invalid_cursor", "not_caught_up"),
)  # fmt: skip
async def list_hands(
    place: Annotated[TablePlace, AS_KNOWN], shell: Shell, pages: ReadPages
) -> Response[bytes]:
    """List the hands from the read model, by number."""
    paged = await pages.read(place.league, f"hands {place.id}", int, projection="hands")
    async with shell.engine.connect() as connection:
        rows = await queries.hands(
            connection, place.id, limit=paged.limit + 1, after=paged.after[0] if paged.after else 0
        )
    return pages.answer(paged.page(rows, lambda each: (each.number,)))


@operation(
    "GET", "/v1/hands/{hand_id:str}", "read_hand", "Read one hand.",
    needs="read_league", scope="leagues:read", answer=HandShown,
)  # fmt: skip
async def read_hand(hand: Hand) -> Response[bytes]:
    """Read a hand from the read model. A hand of another league is reported as missing."""
    return encoded(HandShown(id=hand.hand, **structs.asdict(hand)))
