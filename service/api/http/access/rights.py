"""
Access checks: the objects a caller may see, and the actions their role allows.

Each route declares what it needs (``needs``). If the caller does not belong to the league of an
object, the answer is the same as for an object that does not exist.
"""

from dataclasses import dataclass
from datetime import timedelta
from functools import lru_cache
from typing import Any, Generic, TypeVar

import msgspec

from engine.dispute.state import Claimed
from engine.dispute.values import Subject
from engine.errors import InvariantViolated
from engine.league import state as league_state
from engine.league.roles import (
    CLOCK_AND_SEATING,
    LOST_WHEN_ENTERED,
    STAFF,
    Capability,
    Role,
    may,
    needed_over,
)
from engine.league.state import Created
from engine.season.state import Opened
from engine.table.model.state import Table
from engine.tournament.model.state import (
    Announced,
    Cancelled,
    Closed,
    Drafted,
    Finished,
    Registering,
    Running,
)
from engine.values import Stream, number_of, stream_of
from service.api.http.access.entered import identifiers_of, is_entered
from service.api.http.access.phases import Tournament
from service.api.http.shell import ENTERED, Asked, Shell, operation_of, principal_of, shell_of
from service.base.errors import Forbidden, StoreUnavailable, StreamNotFound
from service.log.addresses import league_of_stream
from service.log.writer import Loaded
from service.people.tokens import Principal

State_co = TypeVar("State_co", bound=msgspec.Struct, covariant=True)

MEMBERS_BELIEVED_FOR = timedelta(seconds=5)
"""The longest time for which a member removed by another process may still act at tables."""

_KEPT = 16_384
"""The streams and leagues remembered. Without a limit they would fill the memory in years."""


@dataclass(frozen=True, slots=True)
class Kind(Generic[State_co]):
    """A kind of object that a route can name."""

    parameter: str
    """The name of its path parameter."""

    prefix: str
    """The prefix of its identifiers."""

    states: tuple[type[State_co], ...]
    """The states in which the object exists."""


@dataclass(frozen=True, slots=True)
class Place(Generic[State_co]):
    """An object that the caller may see, with its league and the caller's role there."""

    id: str
    """The identifier as the request names it."""

    league: str
    role: Role
    stream: Stream[Any]  # its state type is wider, because an empty stream has the initial state
    loaded: Loaded[State_co]
    """The aggregate's state at the version that was read."""

    @property
    def state(self) -> State_co:
        """The aggregate's state."""
        return self.loaded.state


LeaguePlace = Place[Created]
SeasonPlace = Place[Opened]
TournamentPlace = Place[Tournament]
TablePlace = Place[Table]
DisputePlace = Place[Claimed]

LEAGUE = Kind("league_id", "lge", (Created,))
SEASON = Kind("season_id", "ssn", (Opened,))
TOURNAMENT: Kind[Tournament] = Kind(
    "tournament_id",
    "trn",
    (Drafted, Announced, Registering, Closed, Running, Finished, Cancelled),
)
TABLE = Kind("table_id", "tbl", (Table,))
DISPUTE = Kind("dispute_id", "dsp", (Claimed,))

KINDS: dict[object, Kind[msgspec.Struct]] = {
    Created: LEAGUE,
    Opened: SEASON,
    Tournament: TOURNAMENT,
    Table: TABLE,
    Claimed: DISPUTE,
}
"""The kinds by the state that a handler's ``Place`` holds."""

AS_KNOWN = "as known"
"""Annotation of a ``Place``: use this process's copy of the object, without asking the log."""

BELIEVED = "believed"
"""Annotation of a ``Place``: accept membership that is up to :data:`MEMBERS_BELIEVED_FOR` old."""


async def reach(
    request: Asked,
    identifier: str,
    kind: Kind[State_co],
    *,
    fresh: bool = True,
    believe: bool = False,
) -> Place[State_co]:
    """
    Return the object that the route names, if the caller may do what the route declares.

    Args:
        fresh: True to read changes by other processes from the log.
        believe: True to accept membership that is up to :data:`MEMBERS_BELIEVED_FOR` old.

    Raises:
        StreamNotFound: If the object does not exist, or the caller may not see it.
        Forbidden: If the caller's role lacks a capability, which the error names.
    """
    place = await find(request, identifier, kind, fresh=fresh, believe=believe)
    demand(request, place.role)
    if operation_of(request).capability in LOST_WHEN_ENTERED:
        entered, staff_may_play = await _plays_at(shell_of(request), principal_of(request), place)
        demand(request, place.role, entered=entered, staff_may_play=staff_may_play)
        request.scope["state"][ENTERED] = entered
    return place


async def find(
    request: Asked,
    identifier: str,
    kind: Kind[State_co],
    *,
    fresh: bool = True,
    believe: bool = False,
) -> Place[State_co]:
    """
    Return an object that a request names, if the caller belongs to its league.

    Args:
        fresh: True to read changes by other processes from the log.
        believe: True to accept membership that is up to :data:`MEMBERS_BELIEVED_FOR` old.

    Raises:
        StreamNotFound: If the object does not exist, or the caller may not see it.
    """
    shell = shell_of(request)
    stream = _stream(identifier, kind.prefix)
    league = await league_of(shell, stream)
    if (role := await role_in(shell, principal_of(request), league, believe=believe)) is None:
        raise StreamNotFound("it does not exist, or you may not see it")
    shell.doors.demand_open(league, operation_of(request))
    loaded = await shell.runtime.writer.load(league, stream, fresh)
    hidden = isinstance(loaded.state, Drafted) and role not in STAFF
    if hidden or not isinstance(loaded.state, kind.states):
        raise StreamNotFound("it does not exist, or you may not see it")
    return Place(identifier, league, role, stream, loaded)


async def league_of(shell: Shell, stream: str) -> str:
    """Return the league of *stream*, or raise ``StreamNotFound`` if the stream has no events."""
    known = shell.leagues.get(stream)
    if known is None:
        try:
            number = await league_of_stream(shell.pool, stream)
        except OSError as error:
            raise StoreUnavailable("the database does not answer") from error
        if number is None:
            raise StreamNotFound("it does not exist, or you may not see it")
        if len(shell.leagues) >= _KEPT:
            shell.leagues.clear()
        known = shell.leagues[stream] = f"lge_{number.hex}"
    return known


async def role_in(
    shell: Shell, principal: Principal, league: str, *, fresh: bool = True, believe: bool = False
) -> Role | None:
    """
    Return the caller's role in *league*, or None for a stranger.

    Args:
        fresh: True to read the league's log. Followers of the league need not, because their
            channel keeps this process's copy as new as the events it hands out.
        believe: True to accept a role that is up to :data:`MEMBERS_BELIEVED_FOR` old. Changes
            made by this process count at once. The log is always read before a caller is treated as
            a stranger.
    """
    player = principal.account.player
    stream, now = stream_of(league), shell.now()
    asked = shell.members_asked.get(league)
    if believe and asked is not None and now < asked + MEMBERS_BELIEVED_FOR:
        known = shell.runtime.writer.known(league, stream)
        role = None if known is None else _role(shell, league, known, player)
        if role is not None:
            return role
    loaded = await shell.runtime.writer.load(league, stream, fresh)
    if fresh:
        if len(shell.members_asked) >= _KEPT:
            shell.members_asked.clear()
        shell.members_asked[league] = now
    return _role(shell, league, loaded, player)


def _role(
    shell: Shell, league: str, loaded: Loaded[league_state.State], player: str
) -> Role | None:
    if not isinstance(loaded.state, Created):
        return None
    members = loaded.state.members
    roles: dict[str, Role] = shell.index(
        league, members, lambda: {each.player: each.role for each in members}
    )
    return roles.get(player)


async def belong(request: Asked, league: str, *, fresh: bool = True) -> Role:
    """
    Return the caller's role in *league*, if it permits what the route declares.

    Args:
        fresh: True to read the log, as in :func:`role_in`.

    Raises:
        StreamNotFound: If the caller is a stranger there.
        Forbidden: If the role lacks a capability, which the error names.
    """
    role = await role_in(shell_of(request), principal_of(request), league, fresh=fresh)
    if role is None:
        raise StreamNotFound("it does not exist, or you may not see it")
    demand(request, role)
    return role


def demand(
    request: Asked, role: Role, *, entered: bool = False, staff_may_play: bool = False
) -> None:
    """
    Check that *role* permits what the route declares.

    Args:
        entered: True if the caller plays in the tournament or season. Staff lose some capabilities
            there.
        staff_may_play: True if the terms leave playing staff the clock and the seating.

    Raises:
        Forbidden: If a capability is missing. The error names it.
    """
    capability = operation_of(request).capability
    if capability is None:
        raise InvariantViolated("a route without a capability reached into a league")
    demand_also(role, capability, entered=entered, staff_may_play=staff_may_play)


def demand_also(
    role: Role, capability: Capability, *, entered: bool = False, staff_may_play: bool = False
) -> None:
    """
    Check a capability that the route does not declare, but the request's body makes necessary.

    Raises:
        Forbidden: If the capability is missing. The error names it.
    """
    if may(role, capability, entered=entered, staff_may_play=staff_may_play):
        return
    detail = "your role in this league does not allow this"
    if may(role, capability):
        detail = "you are entered here: ask a member of the staff who does not play"
        if capability in CLOCK_AND_SEATING:
            detail += ", or announce the next tournament with `staff_may_play`"
    raise Forbidden(detail, capability=capability)


def demand_over(role: Role, *held: Role | None) -> Capability:
    """
    Check that *role* may act on a person who holds, or will get, the roles *held*.

    Returns:
        The capability that is needed, for the check in the command's own turn.

    Raises:
        Forbidden: If a capability is missing. The error names it.
    """
    needed = needed_over(*held)
    demand_also(role, needed)
    return needed


async def _plays_at(
    shell: Shell, principal: Principal, place: Place[msgspec.Struct]
) -> tuple[bool, bool]:
    """
    Return whether the caller is entered in the tournament of *place*.

    The second value is whether its terms leave the clock and the seating to staff who play.
    """
    player = principal.account.player
    match place.state:
        case Claimed(opened=opened):
            return await plays_in_disputed(shell, principal, place.league, opened.subject), False
        case Table(tournament=tournament):
            # Read the tournament from the log: no table shows entries that another process
            # took, or entrants on the waitlist.
            writer = shell.runtime.writer
            state = (await writer.load(place.league, stream_of(tournament))).state
        case state:
            pass
    entered = await is_entered(shell, place.league, state, player)
    return entered, entered and state.terms.staff_may_play


async def plays_in_disputed(
    shell: Shell, principal: Principal, league: str, subject: Subject
) -> bool:
    """Return whether the caller plays in the disputed tournament, or otherwise in the season."""
    player = principal.account.player
    if subject.tournament is not None:
        state = (await shell.runtime.writer.load(league, stream_of(subject.tournament))).state
        return await is_entered(shell, league, state, player)
    state = (await shell.runtime.writer.load(league, stream_of(str(subject.season)))).state
    counted = state.counted if isinstance(state, Opened) else ()
    mine = await identifiers_of(shell, league, player)
    return any(award.player in mine for each in counted for award in each.awards)


def demand_form(identifier: str, prefix: str) -> None:
    """
    Check the form of *identifier* before the database is asked for it.

    Raises:
        StreamNotFound: If it is not *prefix*, an underscore and 32 hexadecimal digits.
    """
    try:
        if not identifier.startswith(f"{prefix}_"):
            raise StreamNotFound("it does not exist, or you may not see it")
        number_of(identifier)
    except ValueError as error:
        raise StreamNotFound("it does not exist, or you may not see it") from error


@lru_cache(maxsize=16_384)
# The type of the state depends on the prefix, so the signature cannot name it.
def _stream(identifier: str, prefix: str) -> Stream[Any]:
    demand_form(identifier, prefix)
    return stream_of(identifier)
