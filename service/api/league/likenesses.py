"""A check that new members do not use a name too similar to that of a member of the staff."""

from uuid import UUID

from engine.league.roles import STAFF
from engine.league.state import Created
from engine.values import PlayerId
from service.api.http.shell import Asked, principal_of, shell_of
from service.base.errors import BadRequest
from service.people.accounts import names
from service.people.skeletons import Taken


async def names_in_office(request: Asked, house: Created) -> list[str]:
    """Return the names of all staff of *house*."""
    staff = [UUID(hex=each.player[4:]) for each in house.members if each.role in STAFF]
    return list((await names(shell_of(request).engine, staff)).values())


async def demand_distinct(request: Asked, house: Created, name: str) -> None:
    """
    Check that a new member's *name* is not too similar to that of a member of the staff.

    Raises:
        BadRequest: ``name_taken``.
    """
    if name in Taken(await names_in_office(request, house)):
        detail = "this name is too similar to that of a member of the staff; use another one"
        raise BadRequest("name_taken", detail, name=name)


async def demand_me_distinct(request: Asked, house: Created) -> None:
    """Check the caller's name in the same way, unless they already belong to *house*."""
    me = principal_of(request).account
    if house.role_of(PlayerId(me.player)) is None:
        called = await names(shell_of(request).engine, [me.number])
        await demand_distinct(request, house, called[me.player])
