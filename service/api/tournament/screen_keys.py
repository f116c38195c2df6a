"""
Screen keys: each opens the clock of one tournament.

The key identifies its tournament, so a request needs nothing else.
"""

from datetime import datetime
from typing import Final

import msgspec
from litestar import Response

from engine.league.roles import may
from engine.league.state import Created
from engine.values import identifier, number_of, stream_of
from service.api.http.access.rights import TournamentPlace, demand_form
from service.api.http.declaring.nothing import Nothing
from service.api.http.operations import operation
from service.api.http.reading.called import names_of
from service.api.http.reading.listing import Pages
from service.api.http.reading.paging import Page
from service.api.http.reading.public import HIDDEN
from service.api.http.shell import Shell
from service.api.http.wire.limiting import demand_room
from service.api.http.writing.submitting import Order, encoded
from service.api.me.signing_in import REPLAYED
from service.base.errors import StreamNotFound
from service.director.in_play import roles_since
from service.people import accounts, operator_log, screen_keys, suspending
from service.people.idempotency import RecordedRequest
from service.people.rechecking import demand_alive
from service.people.screen_keys import ScreenKey
from service.people.tokens import Principal

KEYS_MAX = 20
"""The most keys of one tournament that have not ended."""

_NEEDS: Final = "run_floor"
_PREFIX = "scr"


class ScreenKeyMade(msgspec.Struct, kw_only=True):
    """A screen key, shown only once."""

    id: str
    """The identifier with which the key can be revoked. It is no secret."""

    key: str | None
    """Null in the answer to a retry, which carries `Idempotent-Replayed: true`."""


class ScreenKeyListed(msgspec.Struct, kw_only=True):
    """A screen key, without its secret."""

    id: str
    """The identifier with which the key can be revoked."""

    made_by: str
    """The member of staff who made it, `plr_…`. It ends for good when they lose that office."""

    name: str | None
    """The name of that member of staff now."""

    created_at: datetime
    """The time at which the key was made."""

    revoked_at: datetime | None
    """The time at which the key was revoked, or null."""


@operation(
    "POST", "/v1/tournaments/{tournament_id:str}/screen-keys", "make_screen_key",
    "Make a key that opens only the clock of this tournament, for a television.",
    needs=_NEEDS, scope="tournaments:manage", body=Nothing, answer=ScreenKeyMade, status=201,
    problems=("forbidden", "quota_exhausted"), key_required=True,
)  # fmt: skip
async def make_screen_key(
    place: TournamentPlace, order: Order, shell: Shell, principal: Principal
) -> Response[bytes]:
    """Store the key's hash. A retry gets the same key, without its secret."""
    now, number = shell.now(), shell.runtime.entropy.uuid()
    me, tournament = principal.account.number, number_of(place.id)
    made = ScreenKey(number, number_of(place.league), tournament, me, now, None)
    key = screen_keys.key_text(shell.runtime.entropy.bytes(32))
    said = RecordedRequest(order.command_id, order.request, me, number)
    async with shell.engine.begin() as connection:
        before = await shell.requests.before(connection, said, now)
        if before is not None and before.made is not None:
            again = ScreenKeyMade(id=identifier(_PREFIX, before.made), key=None)
            return encoded(again, 201, dict(REPLAYED))
        await demand_alive(connection, principal, now)
        await suspending.demand_open(connection, place.league)
        held = await screen_keys.number_held(connection, tournament)
        demand_room("screen_keys", held, KEYS_MAX)
        await screen_keys.keep(connection, made, key)
        await operator_log.add(
            connection, [made.league], principal.account.player, "screen_key_made", place.id
        )
    return encoded(ScreenKeyMade(id=identifier(_PREFIX, number), key=key), 201)


@operation(
    "GET", "/v1/tournaments/{tournament_id:str}/screen-keys", "list_screen_keys",
    "List the screen keys of a tournament, newest first.",
    needs=_NEEDS, scope="tournaments:manage", answer=Page[ScreenKeyListed],
    problems=("forbidden", "invalid_cursor"),
)  # fmt: skip
async def list_screen_keys(place: TournamentPlace, shell: Shell, pages: Pages) -> Response[bytes]:
    """List all keys, revoked ones included."""
    async with shell.engine.connect() as connection:
        found = await screen_keys.keys_of(connection, number_of(place.id))
    makers = {each.number: identifier("plr", each.made_by) for each in found}
    called = await names_of(shell, makers.values())
    items = [
        ScreenKeyListed(
            id=identifier(_PREFIX, each.number),
            made_by=makers[each.number],
            name=called.get(makers[each.number]),
            created_at=each.created_at,
            revoked_at=each.revoked_at,
        )
        for each in found
    ]
    paged = pages.listing(f"screen keys {place.id}", str, str, league=place.league)
    return pages.answer(paged.newest(items))


@operation(
    "DELETE", "/v1/tournaments/{tournament_id:str}/screen-keys/{screen_key_id:str}",
    "revoke_screen_key", "End a screen key. The television goes dark at its next change.",
    needs=_NEEDS, scope="tournaments:manage", status=204, problems=("forbidden",),
)  # fmt: skip
async def revoke_screen_key(
    screen_key_id: str, place: TournamentPlace, shell: Shell, principal: Principal
) -> None:
    """End a key in all processes at once."""
    demand_form(screen_key_id, _PREFIX)
    tournament, number = number_of(place.id), number_of(screen_key_id)
    async with shell.engine.begin() as connection:
        await suspending.demand_open(connection, place.league)
        if not await screen_keys.revoke(connection, tournament, number, shell.now()):
            raise StreamNotFound(HIDDEN)
        await operator_log.add(
            connection, [number_of(place.league)], principal.account.player,
            "screen_key_revoked", place.id,
        )  # fmt: skip


async def opened(shell: Shell, text: str) -> tuple[str, str]:
    """
    Return the league and the tournament that a key opens.

    Raises:
        StreamNotFound: If the key is unknown or revoked, or its maker is suspended, may not
            make one now, or could not at any moment since.
    """
    async with shell.engine.connect() as connection:
        key = await screen_keys.opened_by(connection, text)
        if key is None or await accounts.any_suspended(
            connection, [identifier("plr", key.made_by)]
        ):
            raise StreamNotFound(HIDDEN)
    league = identifier("lge", key.league)
    house = (await shell.runtime.writer.load(league, stream_of(league))).state
    members = house.members if isinstance(house, Created) else ()
    maker = identifier("plr", key.made_by)
    held = next((each.role for each in members if each.player == maker), None)
    since = await roles_since(shell.pool, league, maker, key.created_at)
    if not all(may(role, _NEEDS) for role in (held, *since)):
        raise StreamNotFound(HIDDEN)
    return league, identifier("trn", key.tournament)
