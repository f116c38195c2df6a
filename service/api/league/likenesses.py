"""A check that new members do not use a name too similar to that of a member of the staff."""

from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncConnection

from engine.league.roles import STAFF
from engine.league.state import Created
from engine.values import PlayerId
from service.api.http.shell import Shell
from service.base.errors import BadRequest
from service.people.accounts import names_on
from service.people.skeletons import Taken
from service.people.tokens import Principal


async def names_in_office(connection: AsyncConnection, house: Created) -> list[str]:
    """Return the names of all staff of *house*."""
    staff = [UUID(hex=each.player[4:]) for each in house.members if each.role in STAFF]
    return list((await names_on(connection, staff)).values())


async def demand_distinct(shell: Shell, house: Created, name: str) -> None:
    """
    Check that a new member's *name* is not too similar to that of a member of the staff.

    Raises:
        BadRequest: ``name_taken``.
    """
    async with shell.engine.connect() as connection:
        await _demand_distinct(connection, house, name)


async def _demand_distinct(connection: AsyncConnection, house: Created, name: str) -> None:
    if name in Taken(await names_in_office(connection, house)):
        detail = "this name is too similar to that of a member of the staff; use another one"
        raise BadRequest("name_taken", detail, name=name)


async def demand_me_distinct(
    connection: AsyncConnection, principal: Principal, house: Created
) -> None:
    """Check the caller's name in the same way, unless they already belong to *house*."""
    me = principal.account
    if house.role_of(PlayerId(me.player)) is None:
        called = await names_on(connection, [me.number])
        await _demand_distinct(connection, house, called[me.player])
