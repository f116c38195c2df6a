"""Reading one's own writes from read models: ``?min_position=`` waits, with a limit."""

from service.api.paging import position_in
from service.api.shell import Asked, shell_of
from service.errors import NotCaughtUp
from service.projections import queries

WAIT_SECONDS = 5.0


async def caught_up(request: Asked, league: str, projection: str) -> None:
    """
    Wait until *projection* has reached the position the caller names, if one is named.

    Raises:
        NotCaughtUp: After five seconds.
        BadRequest: ``invalid_cursor`` if it is a position of another league.
    """
    wanted = request.query_params.get("min_position")
    if wanted is None:
        return
    await reached(request, league, projection, position_in(wanted, league))


async def reached(request: Asked, league: str, projection: str, position: int) -> None:
    """
    Wait until *projection* has reached *position*.

    Raises:
        NotCaughtUp: After five seconds.
    """
    engine = shell_of(request).engine
    if not await queries.wait_for(engine, projection, league, position, WAIT_SECONDS):
        raise NotCaughtUp("the read model has not reached this position yet")
