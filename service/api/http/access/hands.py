"""Hands that a request names, from the read model."""

from typing import Annotated

from engine.league.roles import Role
from service.api.http.access.rights import belong, demand_form
from service.api.http.declaring.by import By
from service.api.http.shell import Asked, Shell, shell_of
from service.base.errors import StreamNotFound
from service.projections.reads import queries
from service.projections.reads.hand_rows import HandRow


async def reach_hand(request: Asked, identifier: str) -> tuple[HandRow, Role]:
    """
    Return a hand and the caller's role in its league, if the role permits what the route declares.

    Raises:
        StreamNotFound: If the hand does not exist, or the caller is a stranger in its league.
        Forbidden: If the role lacks a capability, which the error names.
    """
    row = await find_hand(shell_of(request), identifier)
    return row, await belong(request, row.league)


async def find_hand(shell: Shell, identifier: str) -> HandRow:
    """
    Return a hand. The caller's rights are not checked.

    Raises:
        StreamNotFound: If the hand does not exist.
    """
    demand_form(identifier, "hnd")
    async with shell.engine.connect() as connection:
        row = await queries.hand(connection, identifier)
    if row is None:
        raise StreamNotFound("it does not exist, or you may not see it")
    return row


async def _reached(request: Asked, hand_id: str) -> HandRow:
    row, _ = await reach_hand(request, hand_id)
    return row


Hand = Annotated[HandRow, By(_reached)]
"""Annotation of a handler's parameter: the hand in the path, which the caller may see."""
