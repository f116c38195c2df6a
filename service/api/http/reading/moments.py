"""
``?as_of=``: the same answer as of an earlier position or instant of the league's log.

The state is folded up to that position and shown to the caller like the current state. Values that
were hidden from the caller then stay hidden, even if they became public later. An instant stands
for the last position dated at or before it. It cannot lie in the future, because the same request
would get another answer later.
"""

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Annotated

from engine.league.roles import STAFF
from engine.tournament.model.state import Drafted, Unannounced
from engine.values import Stream, number_of
from service.api.http.access.rights import TournamentPlace
from service.api.http.declaring.by import By
from service.api.http.declaring.queries import AsOf
from service.api.http.reading.listing import Listing, Paging
from service.api.http.reading.paging import position_token
from service.api.http.reading.positions import position_named
from service.api.http.shell import Asked, shell_of
from service.base.errors import BadRequest, StreamNotFound
from service.log.past import PastStates, position_at
from service.log.read import last_position
from service.log.states import Loaded, State

AS_OF_PROBLEMS = ("invalid_as_of", "as_of_ahead", "as_of_too_far", "invalid_cursor")

HEADER = "Holotable-As-Of"
"""Header of an ``as_of`` answer. Its value is the token of the answer's position."""


@dataclass(frozen=True, slots=True)
class Moment:
    """A position in a league's log, for which a request wants an answer."""

    league: str
    epoch: int
    position: int
    fold: PastStates

    @property
    def headers(self) -> dict[str, str]:
        """The header with the token of the position, for repeating the request."""
        return {HEADER: position_token(self.league, self.epoch, self.position)}

    async def state(self, stream: Stream[State]) -> Loaded[State]:
        """Return the state of a stream at this position."""
        return await self.fold.state(stream)

    def listing(self, pages: Paging, name: str, *shapes: type) -> Listing:
        """Return the list that *pages* asks for. Its cursors fit no other position."""
        named = f"{name} as of {self.position}"
        return pages.listing(named, *shapes, league=self.league, epoch=self.epoch)


@dataclass(frozen=True, slots=True, kw_only=True)
class Earlier:
    """The earlier moment that a request may ask for."""

    request: Asked
    as_of: str | None

    async def moment(self, league: str) -> Moment | None:
        """
        Return the moment in *league* that the request names, or None if it names none.

        Raises:
            BadRequest: ``invalid_as_of`` if the value is neither a token nor an instant,
                ``invalid_cursor`` for another league's token, ``as_of_ahead`` beyond the log's end.
        """
        return None if self.as_of is None else await _moment(self.request, league, self.as_of)


async def _earlier(request: Asked, as_of: AsOf) -> Earlier:
    return Earlier(request=request, as_of=as_of)


Then = Annotated[Earlier, By(_earlier)]
"""Annotation of a handler's parameter. The route then takes ``as_of``."""


async def _moment(request: Asked, league: str, given: str) -> Moment:
    shell, number = shell_of(request), number_of(league)
    last = await last_position(shell.pool, number)
    if ":" in given:
        instant = _instant(given)
        if instant > shell.now():
            raise BadRequest("as_of_ahead", "this instant lies in the future")
        position = await position_at(shell.pool, number, instant, last)
    else:
        position = await position_named(request, league, given)
        if position > last:
            raise BadRequest("as_of_ahead", "the log has not reached this position")
    epoch = await shell.runtime.writer.epoch(league)
    keys = await shell.runtime.writer.store.keys(number)
    return Moment(league, epoch, position, PastStates(shell.pool, number, keys, position))


def _instant(text: str) -> datetime:
    # An unescaped plus sign arrives as a space.
    try:
        found = datetime.fromisoformat(text.replace(" ", "+"))
        if found.tzinfo is not None:
            return found.astimezone(UTC)
    except (ValueError, OverflowError):
        pass  # refused below
    raise BadRequest("invalid_as_of", "as_of is a position token, or an instant with an offset")


async def place_then(place: TournamentPlace, moment: Moment) -> TournamentPlace:
    """
    Return the tournament at *moment*.

    Raises:
        StreamNotFound: If it did not exist then, or was a draft that the caller may not see.
    """
    loaded = await moment.state(place.stream)
    hidden = isinstance(loaded.state, Drafted) and place.role not in STAFF
    if hidden or isinstance(loaded.state, Unannounced):
        raise StreamNotFound("it did not exist at that time, or you may not see it")
    return replace(place, loaded=loaded)
