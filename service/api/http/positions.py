"""Positions in the log that clients name, to read their own writes and to continue after them."""

from engine.tournament.entering.staff import counts_as_entered
from engine.values import number_of
from service.api.http.listing import Listing, listing
from service.api.http.paging import position_parts
from service.api.http.shell import Asked, principal_of, shell_of
from service.base.errors import BadRequest, NotCaughtUp
from service.director.in_play import open_tournaments
from service.projections import queries
from service.projections.progress import wait_for

WAIT_SECONDS = 5.0

_KEPT = "SELECT min(size) FROM epoch_opening WHERE league = $1 AND epoch > $2"


async def position_named(request: Asked, league: str, text: str) -> int:
    """
    Return the position that a token stands for.

    Raises:
        BadRequest: ``invalid_cursor`` if the token belongs to another league, or if its position
            was lost when the log began a new epoch.
    """
    shell = shell_of(request)
    epoch, position = position_parts(text, league)
    current = await shell.runtime.writer.epoch(league)
    if epoch != current:
        kept = await shell.pool.fetchval(_KEPT, number_of(league), epoch)
        if epoch > current or (kept is not None and position >= kept):
            raise BadRequest("invalid_cursor", "the log has begun a new epoch before this position")
    return position


async def caught_up(request: Asked, league: str, projection: str) -> None:
    """
    Wait until *projection* has reached the caller's ``min_position``, if there is one.

    Raises:
        NotCaughtUp: After five seconds.
        BadRequest: ``invalid_cursor`` if the position belongs to another league.
    """
    wanted = request.query_params.get("min_position")
    if wanted is None:
        return
    await reached(request, league, projection, await position_named(request, league, wanted))


async def reached(request: Asked, league: str, projection: str, position: int) -> None:
    """
    Wait until *projection* has reached *position*.

    Raises:
        NotCaughtUp: After five seconds.
    """
    positions = shell_of(request).positions
    if not await wait_for(positions, projection, league, position, WAIT_SECONDS):
        raise NotCaughtUp("the read model has not reached this position yet")


async def listing_of(
    request: Asked, league: str, name: str, *shapes: type, projection: str
) -> Listing:
    """
    Return the page of a read model's list that *request* asks for, once it has caught up.

    The data is never older than ``min_position`` or than the page before.

    Raises:
        NotCaughtUp: After five seconds.
        BadRequest: ``invalid_cursor`` if the cursor or position belongs elsewhere.
    """
    shell = shell_of(request)
    await caught_up(request, league, projection)
    epoch = await shell.runtime.writer.epoch(league)
    async with shell.engine.connect() as connection:
        position = await queries.position_of(connection, projection, league)
    found = listing(request, name, *shapes, league=league, epoch=epoch, position=position)
    if found.position > position:
        await reached(request, league, projection, found.position)
    return found


async def live_listing(request: Asked, league: str, name: str, *shapes: type) -> Listing:
    """Return the page of an aggregate's list that *request* asks for. It is always up to date."""
    epoch = await shell_of(request).runtime.writer.epoch(league)
    return listing(request, name, *shapes, league=league, epoch=epoch)


async def plays_in(request: Asked, league: str) -> bool:
    """Return whether the caller counts as entered in an unfinished tournament of *league*."""
    shell, player = shell_of(request), principal_of(request).account.player
    for stream in await open_tournaments(shell.pool, league):
        state = (await shell.runtime.writer.load(league, stream)).state
        if counts_as_entered(state, player):
            return True
    return False
