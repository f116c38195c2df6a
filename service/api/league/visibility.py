"""The people who may see a league: its members, those with its link, or everybody."""

import msgspec
from litestar import Response

from engine.league.describing import SetVisibility
from engine.values import PlayerId, Visibility
from service.api.http.access.rights import LeaguePlace
from service.api.http.operations import operation
from service.api.http.reading.public import digest_of
from service.api.http.shell import Shell
from service.api.http.writing.submitting import Order, answer, decide_one
from service.people.tokens import Principal

_KEY_BYTES = 24


class VisibilityWanted(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """The people who may see a league from now on."""

    visibility: Visibility
    """`members`, `link` for people with its link key too, or `public` for everybody."""

    new_link: bool = False
    """True for a new link key. The old one then no longer works."""


class VisibilityShown(msgspec.Struct, kw_only=True):
    """The people who may see a league."""

    league: str
    visibility: Visibility
    """The people who may see the league: its members, those with a link key, or everybody."""

    link: str | None
    """
    The new link key, shown only once, or null if the old one stays valid. It is also null in the
    answer to a retry, which carries `Idempotent-Replayed: true`.
    """

    position: str | None = None


@operation(
    "PUT", "/v1/leagues/{league_id:str}/visibility", "set_visibility",
    "Set who may see the league and the tournaments that it announces from now on.",
    needs="manage_league", scope="leagues:manage", answer=VisibilityShown,
    problems=("forbidden",),
)  # fmt: skip
async def set_visibility(
    body: VisibilityWanted, place: LeaguePlace, order: Order, shell: Shell, principal: Principal
) -> Response[bytes]:
    """
    Set the visibility.

    The log gets the digest of a new link key, and the caller gets the key.
    """
    key = f"lnk_{shell.runtime.entropy.bytes(_KEY_BYTES).hex()}"
    digest = digest_of(key)
    command = SetVisibility(
        visibility=body.visibility,
        link=digest if body.new_link or body.visibility == "link" else None,
        new_link=body.new_link,
        by=PlayerId(principal.account.player),
    )
    receipt = await decide_one(shell, place.id, place.id, order, [command])
    # A retry has another key than the event, and so has an owner whom another was ahead of.
    in_force = any(each.event.link == digest for each in receipt.recorded)
    content = {
        "league": place.id,
        "visibility": body.visibility,
        "link": key if in_force else None,
    }
    return answer(receipt, content, 200, version_of=place.stream)
