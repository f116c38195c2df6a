"""Lists and facts of played hands."""

from datetime import datetime
from typing import Annotated, Literal

import msgspec
from litestar import Response
from msgspec import structs

from service.api.http.access.hands import Hand
from service.api.http.access.rights import AS_KNOWN, TablePlace, TournamentPlace
from service.api.http.operations import operation
from service.api.http.reading.called import names_at
from service.api.http.reading.paging import Page
from service.api.http.reading.positions import ReadPages
from service.api.http.shell import Shell
from service.api.http.writing.submitting import encoded
from service.log.streams import tournament_stream
from service.projections.reads import queries
from service.projections.reads.hand_rows import HandRow


class HandShown(HandRow, frozen=True, kw_only=True):
    """One hand."""

    id: str
    """The same as `hand`."""

    names: dict[str, str]
    """The names of the players at the hand now, by entrant."""


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


class HandWon(msgspec.Struct, kw_only=True):
    """A seat that won a hand's main pot."""

    seat: int
    """The number of the seat, from 1."""

    entrant: str
    name: str | None
    """The player's name now."""

    chips: int
    """The chips won from all pots."""


class HandListed(msgspec.Struct, kw_only=True):
    """A hand in the list of a tournament."""

    hand: str
    table: str
    table_number: int | None
    """The table's number in the tournament, or null until the read models know the table."""

    number: int
    """The number of the hand at its table, from 1."""

    level: int | None
    """The level of the hand, from 1, or null for hands stored without one."""

    state: Literal["open", "settled", "voided"]
    """`open`, `settled`, or `voided` until the hand is dealt again."""

    pot: int
    """The chips in all pots, or 0 until they are formed."""

    winners: tuple[HandWon, ...]
    """The seats that won the main pot. Empty until the hand is settled."""

    opened_at: datetime
    """The time of the first deal."""

    settled_at: datetime | None
    """The time at which the hand was settled, or null."""


@operation(
    "GET", "/v1/tournaments/{tournament_id:str}/hands", "list_tournament_hands",
    "List a tournament's hands with pot and winners, newest first.",
    needs="read_league",
    scope="leagues:read", answer=Page[HandListed],
    problems=("invalid_cursor", "not_caught_up"),
)  # fmt: skip
async def list_tournament_hands(
    place: Annotated[TournamentPlace, AS_KNOWN], shell: Shell, pages: ReadPages
) -> Response[bytes]:
    """List the hands of all tables from the read model, in the order of opening."""
    paged = await pages.read(place.league, f"hands of {place.id}", int, projection="hands")
    async with shell.engine.connect() as connection:
        rows = await queries.tournament_hands(
            connection,
            place.id,
            limit=paged.limit + 1,
            before=paged.after[0] if paged.after else None,
        )
        numbers = {each.table: each.number for each in await queries.tables(connection, place.id)}
    page = paged.page(rows, lambda each: (each.first_position,))
    won = {each["entrant"] for row in page.items for each in row.winners}
    called = await names_at(shell, place.state, won)
    items = [_listed(each, numbers, called) for each in page.items]
    return pages.answer(Page(items=items, next_cursor=page.next_cursor))


def _listed(row: HandRow, numbers: dict[str, int], called: dict[str, str]) -> HandListed:
    return HandListed(
        hand=row.hand,
        table=row.table,
        table_number=numbers.get(row.table),
        number=row.number,
        level=row.level,
        state=row.state,
        pot=sum(each["chips"] for each in row.pots),
        winners=tuple(HandWon(name=called.get(each["entrant"]), **each) for each in row.winners),
        opened_at=row.opened_at,
        settled_at=row.settled_at,
    )


@operation(
    "GET", "/v1/hands/{hand_id:str}", "read_hand", "Read one hand.",
    needs="read_league", scope="leagues:read", answer=HandShown,
)  # fmt: skip
async def read_hand(hand: Hand, shell: Shell) -> Response[bytes]:
    """Read a hand from the read model. A hand of another league is reported as missing."""
    above = await shell.runtime.writer.load(hand.league, tournament_stream(hand.tournament))
    called = await names_at(shell, above.state, (each["entrant"] for each in hand.seats))
    return encoded(HandShown(id=hand.hand, names=called, **structs.asdict(hand)))
