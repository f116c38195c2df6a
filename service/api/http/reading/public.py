"""
Access without a token: to leagues that are public, or shared by a link key.

Nothing here knows a caller or a role. A public route reads an object through :func:`reach_public`
and answers with a struct of its own, which lists the members that strangers may see. Hidden and
missing objects get the same answer.
"""

import hashlib
import hmac
from dataclasses import dataclass
from typing import Annotated, Generic, TypeVar

import msgspec
from litestar import Response

from engine.league.state import Created
from engine.season.state import Opened
from engine.tournament.model.state import Drafted
from engine.values import HexDigest, Visibility, stream_of
from service.api.http.access.phases import Tournament
from service.api.http.access.rights import LEAGUE, SEASON, TOURNAMENT, Kind, demand_form, league_of
from service.api.http.declaring.by import By
from service.api.http.declaring.queries import Query
from service.api.http.reading.etags import Tagging
from service.api.http.shell import Shell
from service.base.errors import StreamNotFound
from service.log.writer import Loaded
from service.projections.reads import public_queries

State_co = TypeVar("State_co", bound=msgspec.Struct, covariant=True)

LINK = Query("link", str, "The link key of a league that is shared by a link.")
Link = Annotated[str | None, LINK]

KEPT_SECONDS = 15
"""Seconds for which a cache may repeat an answer."""

HIDDEN = "it does not exist, or you may not see it"


@dataclass(frozen=True, slots=True)
class PublicPlace(Generic[State_co]):
    """An object that strangers may see. It has no role, because the caller is unknown."""

    id: str
    """The identifier as the request names it."""

    league: Created
    """The league's state. Answers show only the parts that they list."""

    loaded: Loaded[State_co]
    """The aggregate's state at the version that was read."""

    shown: frozenset[Visibility]
    """The visibilities of the tournaments that this request may see."""

    @property
    def state(self) -> State_co:
        """The aggregate's state."""
        return self.loaded.state


def digest_of(key: str) -> HexDigest:
    """Return the digest of a link key. A key has too many bytes to be found by trying."""
    return hashlib.sha256(key.encode()).hexdigest()


def shown_to(league: Created, link: str | None) -> frozenset[Visibility]:
    """
    Return the visibilities of the tournaments that the holder of *link* may see in *league*.

    It is empty if the league itself is hidden.
    """
    known = league.publicity
    holds = (
        known.link is not None
        and link is not None
        and hmac.compare_digest(known.link, digest_of(link))
    )
    if known.visibility == "members" or not (holds or known.visibility == "public"):
        return frozenset()
    public: set[Visibility] = {"public"}
    return frozenset(public | {"link"} if holds else public)


async def reach_public(
    shell: Shell, identifier: str, kind: Kind[State_co], link: str | None
) -> PublicPlace[State_co]:
    """
    Return an object that everybody, or the holder of *link*, may see.

    Raises:
        StreamNotFound: If the object does not exist, or is hidden.
    """
    demand_form(identifier, kind.prefix)
    stream = stream_of(identifier)
    number = await league_of(shell, stream)
    writer = shell.runtime.writer
    league = (await writer.load(number, stream_of(number))).state
    shown = shown_to(league, link) if isinstance(league, Created) else frozenset[Visibility]()
    if not (shown and isinstance(league, Created)):
        raise StreamNotFound(HIDDEN)
    loaded = await writer.load(number, stream)
    state = loaded.state
    if isinstance(state, Drafted) or not isinstance(state, kind.states):
        raise StreamNotFound(HIDDEN)
    if isinstance(state, TOURNAMENT.states) and state.terms.visibility not in shown:
        raise StreamNotFound(HIDDEN)
    if isinstance(state, Opened):
        async with shell.engine.connect() as connection:
            if await public_queries.hides_tournaments(connection, identifier, shown):
                raise StreamNotFound(HIDDEN)
    return PublicPlace(identifier, league, loaded, shown)


async def public_league(shell: Shell, league_id: str, link: Link) -> PublicPlace[Created]:
    """Return the league that the path names."""
    return await reach_public(shell, league_id, LEAGUE, link)


async def public_season(shell: Shell, season_id: str, link: Link) -> PublicPlace[Opened]:
    """Return the season that the path names. None of its tournaments may be hidden."""
    return await reach_public(shell, season_id, SEASON, link)


async def public_tournament(
    shell: Shell, tournament_id: str, link: Link
) -> PublicPlace[Tournament]:
    """Return the tournament that the path names."""
    return await reach_public(shell, tournament_id, TOURNAMENT, link)


@dataclass(frozen=True, slots=True)
class Caching:
    """The headers that let caches keep an answer. It depends on no token."""

    headers: dict[str, str]

    def answer(self, tags: Tagging, content: object) -> Response[bytes]:
        """
        Answer with *content*, or with 304. The tag changes with every part of the content.

        It holds no version. From a version strangers could count events that they may not see.
        """
        return tags.answer(content, 0, whole=True, headers=self.headers)


async def _caching(link: Link) -> Caching:
    """With a link key only the reader's own cache keeps it, because the address holds a secret."""
    keeper = "public" if link is None else "private"
    return Caching(
        {
            "Cache-Control": f"{keeper}, max-age={KEPT_SECONDS}",
            "Vary": "Accept, Accept-Encoding, Origin",
        }
    )


Kept = Annotated[Caching, By(_caching)]
"""Annotation of a handler's parameter: how caches may keep the answer."""
