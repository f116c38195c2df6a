"""Positions in the log that clients name, to read their own writes and to continue after them."""

import asyncio

from engine.tournament.entering.staff import counts_as_entered
from engine.values import number_of
from service.api.http.listing import Listing, listing
from service.api.http.paging import parts_of, position_parts
from service.api.http.shell import Asked, principal_of, shell_of
from service.base.errors import BadRequest, NotCaughtUp
from service.director.in_play import open_tournaments
from service.log.own_writes import Written
from service.people.tokens import Principal
from service.projections import queries
from service.projections.progress import wait_for

WAIT_SECONDS = 5.0
"""The longest wait for a position that the caller names in the query."""

STANDING_SECONDS = 10.0
"""The time for which a projection that did not catch up is not waited for again."""

BEHIND = "Holotable-Behind"
"""Header of an answer that does not cover the caller's own writes yet."""

LEAGUES_MAX = 32
"""The number of positions in one header that are looked at."""

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
    Wait until *projection* has reached the caller's ``min_position``, or their own writes.

    ``min_position=none`` waits for nothing.

    Raises:
        NotCaughtUp: After five seconds, if the caller names a position in the query.
        BadRequest: ``invalid_cursor`` if the position belongs to another league.
    """
    wanted = request.query_params.get("min_position")
    if wanted is None:
        await own_seen(request, league, projection)
    elif wanted != "none":
        await reached(request, league, projection, await position_named(request, league, wanted))


async def own_seen(request: Asked, league: str, projection: str) -> None:
    """
    Wait, for a second by default, until *projection* covers the caller's writes in *league*.

    These are the writes that this process has answered, and those that the caller names in the
    header ``Min-Position``. If the time is up, the answer gets the header ``Holotable-Behind``.

    Raises:
        BadRequest: ``invalid_cursor`` if the header holds no positions.
    """
    shell, user = shell_of(request), request.scope.get("user")
    named = [parts_of(each.strip(), str, int, int) for each in _named(request)]
    places = [Written(since, at) for number, since, at in named if f"lge_{number}" == league]
    if isinstance(user, Principal):
        own = shell.runtime.writer.own.of(user.account.player, league)
        places += [] if own is None else [own]
    if not places:
        return
    epoch = await shell.runtime.writer.epoch(league)
    position = max((each.position for each in places if each.epoch == epoch), default=-1)
    loop, key = asyncio.get_running_loop(), (projection, league)
    # A projection that stands still must not delay every read of everybody who has written.
    patience = (
        0.0
        if loop.time() < shell.standing.get(key, 0.0)
        else shell.settings.own_writes_milliseconds / 1000
    )
    if await wait_for(shell.positions, projection, league, position, patience):
        shell.standing.pop(key, None)
        return
    if patience:
        shell.standing[key] = loop.time() + STANDING_SECONDS
    request.scope["state"][BEHIND] = True


def _named(request: Asked) -> list[str]:
    """Return the positions in the header ``Min-Position``."""
    given = request.headers.get("min-position")
    return [] if given is None else given.split(",")[:LEAGUES_MAX]


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
