"""
``?as_of=``: the same answer as of an earlier position or instant of the league's log.

It is the same fold, stopped earlier, and the same view of it for whoever asks: what
was hidden from the caller then is not in it, and what became public since neither.
An instant means the last position dated then or before; it cannot lie ahead, or the
same question would get another answer later.
"""

from dataclasses import dataclass, replace
from datetime import UTC, datetime

from engine.league.roles import STAFF
from engine.tournament.model.state import Drafted, Unannounced
from engine.values import Stream, number_of
from service.api.http.access import TournamentPlace
from service.api.http.listing import Listing, listing
from service.api.http.paging import position_token
from service.api.http.positions import position_named
from service.api.http.shell import Asked, shell_of
from service.base.errors import BadRequest, StreamNotFound
from service.log.past import Fold, position_at
from service.log.read import last_position
from service.log.states import Loaded, State

AS_OF_PROBLEMS = ("invalid_as_of", "as_of_ahead", "as_of_too_far", "invalid_cursor")

HEADER = "Holotable-As-Of"
"""Of answers as of earlier: the token of the position they were made at."""


@dataclass(frozen=True, slots=True)
class Moment:
    """A position of a league's log at which something is looked at."""

    league: str
    epoch: int
    position: int
    fold: Fold

    @property
    def headers(self) -> dict[str, str]:
        """Which position it is, for asking the same again."""
        return {HEADER: position_token(self.league, self.epoch, self.position)}

    async def state(self, stream: Stream[State]) -> Loaded[State]:
        """Return a stream as it stood."""
        return await self.fold.state(stream)

    def listing(self, request: Asked, name: str, *shapes: type) -> Listing:
        """Return how *request* pages through a list of then; its cursors fit no other moment."""
        named = f"{name} as of {self.position}"
        return listing(request, named, *shapes, league=self.league, epoch=self.epoch)


async def moment_of(request: Asked, league: str) -> Moment | None:
    """
    Return the moment that the caller names with ``as_of``; None if none is named.

    Raises:
        BadRequest: ``invalid_as_of`` if it is neither a token nor an instant,
            ``invalid_cursor`` if it is a token of elsewhere, ``as_of_ahead`` if the log
            has not come so far.
    """
    given = request.query_params.get("as_of")
    if given is None:
        return None
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
    return Moment(league, epoch, position, Fold(shell.pool, number, keys, position))


def _instant(text: str) -> datetime:
    # A plus that nobody escaped arrives as a space.
    try:
        found = datetime.fromisoformat(text.replace(" ", "+"))
        if found.tzinfo is not None:
            return found.astimezone(UTC)
    except (ValueError, OverflowError):
        pass  # said below
    raise BadRequest("invalid_as_of", "as_of is a position token, or an instant with its offset")


async def place_then(place: TournamentPlace, moment: Moment) -> TournamentPlace:
    """Return a tournament as it stood; ``StreamNotFound`` if it was not announced yet."""
    loaded = await moment.state(place.stream)
    hidden = isinstance(loaded.state, Drafted) and place.role not in STAFF
    if hidden or isinstance(loaded.state, Unannounced):
        raise StreamNotFound("it did not exist then, or you may not see it")
    return replace(place, loaded=loaded)
