"""Erasing the caller's own account."""

from typing import ClassVar

import msgspec
from litestar import Response

from service.api.http.access.authentication import forget
from service.api.http.operations import operation
from service.api.http.reading.clients import Address
from service.api.http.shell import Shell
from service.api.http.writing.submitting import encoded
from service.api.me.signing_in import signed_in
from service.api.me.tokens import PasswordGiven
from service.base.errors import BadRequest
from service.people.erasure import Erased, erase
from service.people.tokens import Principal


class ErasureWanted(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """A confirmation by the caller's own player id and password."""

    SECRET: ClassVar = ("password",)

    player: str
    """The caller's own id, as a confirmation."""

    password: PasswordGiven
    """The password of the account."""


@operation(
    "DELETE", "/v1/me", "erase_me",
    "Erase the caller's account and tokens, and all texts by or about the caller, for ever.",
    needs="account", answer=Erased,
    problems=(
        "erasure_unconfirmed", "wrong_password", "too_many_sign_ins", "still_entered",
        "still_owner", "not_caught_up",
    ),
)  # fmt: skip
async def erase_me(
    body: ErasureWanted, address: Address, shell: Shell, principal: Principal
) -> Response[bytes]:
    """Erase the caller. All processes forget the token."""
    me = principal.account
    if body.player != me.player:
        raise BadRequest("erasure_unconfirmed", "confirm with your own player id")
    proven = await signed_in(shell, address, me.login, body.password)
    keys = shell.runtime.writer.store.keys
    erased = await erase(shell.engine, keys, me.number, shell.now(), kept=proven.kept)
    forget(shell, principal)
    shell.called.pop(me.player, None)
    return encoded(erased)
