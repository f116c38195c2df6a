"""Founding leagues, and listing the caller's leagues."""

from typing import Annotated

import msgspec
from litestar import Response
from msgspec import Meta
from msgspec.structs import replace

from engine.league.commands import CreateLeague
from engine.league.describing import (
    DESCRIPTION_LENGTH_MAX,
    LENGTH_MAX,
    LENGTH_MIN,
    URL_LENGTH_MAX,
    DescribeLeague,
    Face,
)
from engine.league.roles import Role
from engine.league.state import Created
from engine.values import LeagueId, PlayerId, Visibility, stream_of
from service.announcing.inputs import Name
from service.api.http.access.my_leagues import leagues_now
from service.api.http.access.rights import LeaguePlace
from service.api.http.operations import operation
from service.api.http.reading.etags import Tags
from service.api.http.reading.listing import Pages
from service.api.http.reading.paging import Page
from service.api.http.shell import Shell
from service.api.http.wire.limiting import demand_room
from service.api.http.writing.submitting import Order, answer, decide_one
from service.people import admission
from service.people.memberships import roles_of
from service.people.names import NO_INSTANT, named
from service.people.relocations import given_up
from service.people.tokens import Principal

_PAGE = r'^https?://[^\s<>"]+$'


class LeagueWanted(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """A new league. A sandbox stays a sandbox for ever, and every audit of it says so."""

    name: Name
    """As shown to everybody, 1 to 120 characters."""

    sandbox: bool = False
    """True for a league of trials, whose tournaments may have fixed masters."""


class LeagueDescription(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """The name and the description of a league. Parts that are left out become empty."""

    name: Name
    """As shown to everybody, 1 to 120 characters."""

    description: (
        Annotated[str, Meta(min_length=1, max_length=DESCRIPTION_LENGTH_MAX, pattern=NO_INSTANT)]
        | None
    ) = None
    """A description of the league, for people to read."""

    place: Name | None = None
    """The place where the league usually plays."""

    length_seconds: Annotated[int, Meta(ge=LENGTH_MIN, le=LENGTH_MAX)] | None = None
    """The usual length of an evening."""

    url: Annotated[str, Meta(pattern=_PAGE, max_length=URL_LENGTH_MAX)] | None = None
    """The league's own page, an address that begins with `https://` or `http://`."""

    def __post_init__(self) -> None:
        """Refuse names with invisible characters."""
        self.name = named(self.name)
        self.place = None if self.place is None else named(self.place)


class League(msgspec.Struct, kw_only=True):
    """A league, with the caller's role in it."""

    id: str
    """The league, `lge_…`."""

    name: str
    """As shown to everybody."""

    sandbox: bool
    """True for a league of trials, whose tournaments may have fixed masters."""

    role: Role
    """The caller's role in the league."""

    position: str | None = None


class LeagueShown(League, kw_only=True):
    """A league with its description, as its members see it."""

    description: str | None
    """A description of the league, for people to read, or null."""

    place: str | None
    """The place where the league usually plays, or null."""

    length_seconds: int | None
    """The usual length of an evening, or null."""

    url: str | None
    """The league's own page, or null."""

    visibility: Visibility
    """The people who may see the league: its members, those with a link key, or everybody."""


@operation(
    "POST", "/v1/leagues", "create_league", "Found a league as its owner.",
    needs="account", scope="leagues:manage", answer=League, status=201,
    problems=("league_name_invalid", "quota_exhausted", "founding_closed"),
    key_required=True,
)  # fmt: skip
async def create_league(
    body: LeagueWanted, order: Order, shell: Shell, principal: Principal
) -> Response[bytes]:
    """Begin a league's log. The id follows from the command, so a retry finds the same league."""
    league = LeagueId(f"lge_{order.new_id(0).hex}")
    command = CreateLeague(
        league=league,
        name=body.name,
        owner=PlayerId(principal.account.player),
        sandbox=body.sandbox,
    )
    if shell.settings.found_leagues != "open":
        async with shell.engine.connect() as connection:
            await admission.demand_founder(
                connection, shell.settings.found_leagues, principal.account.number
            )
    with shell.limits.foundings.begun(principal.account.number, league) as before:
        await _demand_room(shell, principal, league, before)
        receipt = await decide_one(shell, league, league, order, [command])
    content = {"id": league, "name": body.name, "sandbox": body.sandbox, "role": "owner"}
    return answer(receipt, content, version_of=stream_of(league))


@operation(
    "GET", "/v1/leagues", "list_leagues", "List the caller's leagues.",
    needs="account", scope="leagues:read",
    answer=Page[League], problems=("invalid_cursor",),
)  # fmt: skip
async def list_leagues(shell: Shell, principal: Principal, pages: Pages) -> Response[bytes]:
    """List the caller's leagues by name, as of the end of the log."""
    player = principal.account.player
    items = [
        League(id=each.league, name=each.name, sandbox=each.sandbox, role=each.role)
        for each in await leagues_now(shell, player)
    ]
    paged = pages.listing(f"leagues {player}", str, str)
    return pages.answer(paged.cut(items, lambda each: (each.name, each.id)))


@operation(
    "GET", "/v1/leagues/{league_id:str}", "read_league", "Read a league.",
    needs="read_league", scope="leagues:read", answer=LeagueShown,
)  # fmt: skip
async def read_league(place: LeaguePlace, tags: Tags) -> Response[bytes]:
    """Read a league from the aggregate."""
    return tags.answer(_shown(place, place.state), place.loaded.version, whole=True)


@operation(
    "PUT", "/v1/leagues/{league_id:str}", "describe_league",
    "Change a league's name and description, and its usual place and length of play.",
    needs="manage_league", scope="leagues:manage", answer=LeagueShown,
    problems=("forbidden", "league_name_invalid", "league_description_invalid"),
)  # fmt: skip
async def describe_league(
    body: LeagueDescription, place: LeaguePlace, order: Order, shell: Shell, principal: Principal
) -> Response[bytes]:
    """Replace name and description. Announced tournaments keep their own place and length."""
    told = msgspec.structs.asdict(body)
    name = str(told.pop("name"))
    command = DescribeLeague(name=name, face=Face(**told), by=PlayerId(principal.account.player))
    receipt = await decide_one(shell, place.id, place.id, order, [command])
    shown = _shown(place, replace(place.state, name=name, face=command.face))
    return answer(receipt, msgspec.structs.asdict(shown), 200, version_of=place.stream)


def _shown(place: LeaguePlace, state: Created) -> LeagueShown:
    return LeagueShown(
        id=place.id,
        name=state.name,
        sandbox=state.sandbox,
        role=place.role,
        visibility=state.publicity.visibility,
        **msgspec.structs.asdict(state.face),
    )


async def _demand_room(
    shell: Shell, principal: Principal, league: str, begun: frozenset[str]
) -> None:
    """
    Check that the caller may own one more league.

    A retry of the request that founded the last league passes. A league that is arriving from
    another cell counts already. One that was given up to another cell counts no more.

    Args:
        begun: The leagues that the caller was already founding.

    Raises:
        QuotaExhausted: If the caller owns as many leagues as allowed.
    """
    player = principal.account.player
    async with shell.engine.connect() as connection:
        roles = await roles_of(connection, player)
        gone = await given_up(connection)
    owned = {each for each, role in roles.items() if role == "owner"} - gone | begun
    demand_room("leagues", len(owned - {league}), shell.limits.settings.account_leagues)
