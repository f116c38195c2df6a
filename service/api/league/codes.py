"""Codes for the person who holds one: an invitation or a claim code."""

from datetime import datetime
from typing import Literal

import msgspec
from litestar import Response

from engine.league.errors import InvitationExpired
from engine.league.state import Created
from engine.values import number_of, stream_of
from service.api.http.access.rights import league_of
from service.api.http.operations import operation
from service.api.http.shell import Shell
from service.api.http.writing.submitting import encoded
from service.api.league.claim_codes import demand_claimable
from service.api.league.invitations import digest_of, good, league_in
from service.base.errors import StreamNotFound
from service.people import accounts

_HEADERS = {"Cache-Control": "no-store", "Referrer-Policy": "no-referrer"}


class CodeShown(msgspec.Struct, kw_only=True):
    """A valid code, with the names that it stands for."""

    kind: Literal["invitation", "claim"]
    """The kind of code. An invitation lets anybody in. A claim code is for one entered player."""

    league: str
    league_name: str
    """The name of the league that its holder joins."""

    name: str | None = None
    """The name of the player whom a claim code is for, or null for an invitation."""


@operation(
    "GET", "/v1/codes/{code:str}", "read_code",
    "Read which league an invitation or a claim code opens.",
    needs="anyone", answer=CodeShown, problems=("not_found", "invitation_expired"),
    about="A code that is unknown, used up or revoked is not found.",
)  # fmt: skip
async def read_code(code: str, now: datetime, shell: Shell) -> Response[bytes]:
    """Return nothing but the two names. Every invalid code gets the same answer."""
    found = await _invitation(shell, code, now) or await _claim(shell, code, now)
    return encoded(found, headers=_HEADERS)


async def _invitation(shell: Shell, code: str, now: datetime) -> CodeShown | None:
    """Return the names of an invitation, or None if *code* is none. Raise if it has expired."""
    try:
        # Refuse a made-up league before loading it, because loading would create its key.
        stream = stream_of(league_in(code))
        league = await league_of(shell, stream)
    except StreamNotFound:
        return None
    house = (await shell.runtime.writer.load(league, stream)).state
    held = await good(shell, house, digest_of(code)) if isinstance(house, Created) else None
    if held is None:
        return None
    if held.expires_at is not None and now >= held.expires_at:
        raise InvitationExpired
    return CodeShown(kind="invitation", league=league, league_name=house.name)


async def _claim(shell: Shell, code: str, now: datetime) -> CodeShown:
    """Return the names of a claim code. Raise StreamNotFound if *code* is none."""
    async with shell.engine.begin() as connection:
        found, house = await demand_claimable(shell, connection, code, now)
        name = await accounts.name_of(connection, number_of(found.player))
    return CodeShown(kind="claim", league=found.league, league_name=house.name, name=name)
