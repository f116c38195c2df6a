"""Positions in the log that clients name, to read their own writes and to continue after them."""

import asyncio
from dataclasses import dataclass
from typing import Annotated

from engine.tournament.entering.staff import counts_as_entered
from engine.values import number_of
from service.api.http.declaring.by import By
from service.api.http.declaring.queries import Cursor, Limit, MinPosition
from service.api.http.reading.listing import Listing, Paging
from service.api.http.reading.paging import parts_of, position_parts
from service.api.http.shell import Asked, Shell, shell_of
from service.api.http.wire.crowding import PLACE, Place
from service.base.errors import BadRequest, NotCaughtUp
from service.director.in_play import open_tournaments
from service.log.own_writes import LogPosition
from service.log.read import last_position
from service.people.tokens import Principal
from service.projections.reads import queries
from service.projections.reads.progress import wait_for

WAIT_SECONDS = 5.0
"""The longest wait for a position that the caller names in the query."""

STANDING_SECONDS = 10.0
"""The time for which a projection that did not catch up is not waited for again."""

WAITS_MAX = 256
"""The number of reads in one process that wait for projections at a time."""

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
    places = [LogPosition(since, at) for number, since, at in named if f"lge_{number}" == league]
    if isinstance(user, Principal):
        own = shell.runtime.writer.own.of(user.account.player, league)
        places += [] if own is None else [own]
    if not places:
        return
    epoch = await shell.runtime.writer.epoch(league)
    position = max((each.position for each in places if each.epoch == epoch), default=-1)
    if await _seen(shell, projection, league, position):
        return
    patience, now = shell.settings.own_writes_milliseconds / 1000, asyncio.get_running_loop().time()
    # A projection that stands still must not delay every read of every writer, and a position that
    # nobody has written delays nobody.
    if (
        not patience
        or now < shell.standing.get((projection, league), 0.0)
        or position > await last_position(shell.pool, league)
        or not await _waited(request, projection, league, position, patience)
    ):
        request.scope["state"][BEHIND] = True


def _named(request: Asked) -> list[str]:
    """Return the positions in the header ``Min-Position``."""
    given = request.headers.get("min-position")
    return [] if given is None else given.split(",")[:LEAGUES_MAX]


async def reached(request: Asked, league: str, projection: str, position: int) -> None:
    """
    Wait until *projection* has reached *position*.

    Raises:
        NotCaughtUp: After five seconds, or at once if many reads wait already.
        BadRequest: ``invalid_cursor`` if the log has no such position. Nobody would ever reach it.
    """
    shell = shell_of(request)
    if await _seen(shell, projection, league, position):
        return
    if position > await last_position(shell.pool, league):
        raise BadRequest("invalid_cursor", "the log has not reached this position")
    if not await _waited(request, projection, league, position, WAIT_SECONDS):
        raise NotCaughtUp("the read model has not reached this position yet")


async def _seen(shell: Shell, projection: str, league: str, position: int) -> bool:
    """Return whether *projection* has reached *position* by now."""
    if not await wait_for(shell.positions, projection, league, position, 0.0):
        return False
    shell.standing.pop((projection, league), None)
    return True


async def _waited(
    request: Asked, projection: str, league: str, position: int, patience: float
) -> bool:
    """
    Wait for *projection*, without being under way. Return whether it has reached *position*.

    Return False at once if :data:`WAITS_MAX` reads wait already.

    Args:
        position: A position that the log has. Otherwise the projection would seem to stand still.
    """
    shell = shell_of(request)
    if shell.waiting >= WAITS_MAX:
        return False
    place: Place = request.scope["state"][PLACE]
    shell.waiting += 1
    try:
        seen = await place.resting(
            wait_for(shell.positions, projection, league, position, patience)
        )
    finally:
        shell.waiting -= 1
    if not seen:
        now = asyncio.get_running_loop().time()
        shell.standing[projection, league] = now + STANDING_SECONDS
    return seen


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A read of the read models, which waits for the positions that its caller knows."""

    request: Asked
    min_position: str | None

    async def caught_up(self, league: str, projection: str) -> None:
        """
        Wait until *projection* has reached the caller's ``min_position``, or their own writes.

        ``min_position=none`` waits for nothing.

        Raises:
            NotCaughtUp: After five seconds, if the caller names a position in the query.
            BadRequest: ``invalid_cursor`` if the position belongs to another league.
        """
        if self.min_position is None:
            await own_seen(self.request, league, projection)
        elif self.min_position != "none":
            position = await position_named(self.request, league, self.min_position)
            await reached(self.request, league, projection, position)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadPaging(Paging):
    """The part of a read model's list that a request asks for."""

    reading: Reading

    async def read(self, league: str, name: str, *shapes: type, projection: str) -> Listing:
        """
        Return the list *name*, once its read model has caught up.

        The data is never older than ``min_position`` or than the page before.

        Raises:
            NotCaughtUp: After five seconds.
            BadRequest: ``invalid_cursor`` if the cursor or position belongs elsewhere.
        """
        shell = shell_of(self.request)
        await self.reading.caught_up(league, projection)
        epoch = await shell.runtime.writer.epoch(league)
        async with shell.engine.connect() as connection:
            position = await queries.position_of(connection, projection, league)
        found = self.listing(name, *shapes, league=league, epoch=epoch, position=position)
        if found.position > position:
            await reached(self.request, league, projection, found.position)
        return found


async def _reading(request: Asked, min_position: MinPosition) -> Reading:
    return Reading(request=request, min_position=min_position)


Reads = Annotated[Reading, By(_reading)]
"""Annotation of a handler's parameter. The route then takes ``min_position``."""


async def _read_paging(request: Asked, limit: Limit, cursor: Cursor, reading: Reads) -> ReadPaging:
    return ReadPaging(request=request, limit=limit, after=cursor, reading=reading)


ReadPages = Annotated[ReadPaging, By(_read_paging)]
"""Annotation of a handler's parameter. The route takes ``limit``, ``cursor``, ``min_position``."""


async def plays_in(shell: Shell, principal: Principal, league: str) -> bool:
    """Return whether the caller counts as entered in an unfinished tournament of *league*."""
    player = principal.account.player
    for stream in await open_tournaments(shell.pool, league):
        state = (await shell.runtime.writer.load(league, stream)).state
        if counts_as_entered(state, player):
            return True
    return False
