"""Ratings of a league's players."""

import re
from typing import Annotated

import msgspec
from litestar import Response

from engine.values import number_of
from service.api.http.access.rights import AS_KNOWN, LeaguePlace, demand_form
from service.api.http.operations import operation
from service.api.http.reading.paging import Page
from service.api.http.reading.positions import ReadPages
from service.api.http.shell import Shell
from service.base.errors import BadRequest
from service.people.accounts import names
from service.projections.reads import queries
from service.projections.reads.rows import RatingChange

_ORDINAL = re.compile(r"-?[0-9]{1,12}(\.[0-9]{1,12})?")


class RatingShown(msgspec.Struct, kw_only=True):
    """A player's rating by the Plackett-Luce model, in decimals with six digits."""

    player: str
    name: str | None
    """The player's name now."""

    mu: str
    """The estimated strength."""

    sigma: str
    """The uncertainty of `mu`."""

    ordinal: str
    """``mu`` minus three ``sigma``. The list is sorted by it."""

    played: int
    """The number of tournaments that the rating counts."""


@operation(
    "GET", "/v1/leagues/{league_id:str}/ratings", "read_ratings",
    "List a league's players by rating, strongest first.",
    scope="leagues:read", needs="read_league", answer=Page[RatingShown],
    problems=("invalid_cursor", "not_caught_up"),
)  # fmt: skip
async def read_ratings(
    place: Annotated[LeaguePlace, AS_KNOWN], shell: Shell, pages: ReadPages
) -> Response[bytes]:
    """Read the ratings from the read models."""
    name = f"ratings {place.id}"
    paged = await pages.read(place.league, name, str, str, projection="ratings")
    if paged.after is not None and not _ORDINAL.fullmatch(paged.after[0]):
        raise BadRequest("invalid_cursor", "the cursor is not from this server")
    engine = shell.engine
    async with engine.connect() as connection:
        found = await queries.ratings(
            connection, place.id, limit=paged.limit + 1, after=paged.after
        )
    called = await names(engine, [number_of(each.player) for each in found])
    shown = [
        RatingShown(
            player=each.player,
            name=called.get(each.player),
            mu=each.mu,
            sigma=each.sigma,
            ordinal=each.ordinal,
            played=each.played,
        )
        for each in found
    ]
    return pages.answer(paged.page(shown, lambda each: (each.ordinal, each.player)))


@operation(
    "GET", "/v1/leagues/{league_id:str}/ratings/{player_id:str}", "read_rating_history",
    "List a player's ratings after each tournament of a league, latest first.",
    scope="leagues:read", needs="read_league", answer=Page[RatingChange],
    problems=("invalid_cursor", "not_caught_up"),
)  # fmt: skip
async def read_rating_history(
    player_id: str, place: Annotated[LeaguePlace, AS_KNOWN], shell: Shell, pages: ReadPages
) -> Response[bytes]:
    """Read the ratings from the read models. The list is empty for a player without results."""
    demand_form(player_id, "plr")
    name = f"ratings {place.id} {player_id}"
    paged = await pages.read(place.league, name, int, projection="ratings")
    async with shell.engine.connect() as connection:
        found = await queries.rating_history(connection, player_id, league=place.id)
    numbers = {each.tournament: number for number, each in enumerate(reversed(found))}
    return pages.answer(paged.cut(found, lambda each: (numbers[each.tournament],), descending=True))
