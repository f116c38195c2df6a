"""Being erased."""

from typing import Annotated

import msgspec
from litestar import Response
from msgspec import Meta

from service import accounts
from service.api.authentication import forget
from service.api.bodies import read_body
from service.api.operations import operation
from service.api.shell import Asked, client_address, principal_of, shell_of
from service.api.submitting import encoded
from service.erasing import Erased, erase
from service.errors import BadRequest, WrongPassword


class ErasureWanted(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """That it is meant: the own player id, and the password."""

    player: str
    password: Annotated[str, Meta(max_length=256)]


@operation(
    "DELETE", "/v1/me", "erase_me",
    "Erase my account, my tokens, what I wrote and what was written about me; for ever.",
    needs="account", body=ErasureWanted, answer=Erased,
    problems=(
        "erasure_unconfirmed", "wrong_password", "still_entered", "last_owner", "not_caught_up",
    ),
)  # fmt: skip
async def erase_me(request: Asked) -> Response[bytes]:
    """Erase the caller; other processes believe the token for five seconds more."""
    shell, principal = shell_of(request), principal_of(request)
    body, _ = await read_body(request, ErasureWanted)
    me = principal.account
    if body.player != me.player:
        raise BadRequest("erasure_unconfirmed", "name your own player id to confirm")
    address = client_address(request)
    if await accounts.by_password(shell.engine, me.login, body.password, address) is None:
        raise WrongPassword("there is no such login with this password")
    erased = await erase(shell.engine, shell.desk.writer.store.keys, me.number, shell.now())
    forget(shell, principal)
    return encoded(erased)
