"""What people have written: kept for the handlers that ask for reasons, shown to who may read."""

from datetime import datetime
from typing import Any
from uuid import UUID

import msgspec
from litestar import Response
from litestar.params import FromPath

from engine.values import PlayerId, TextId, TextRef, identifier, number_of
from service.api.access import belong, demand_form
from service.api.operations import operation
from service.api.shell import Asked, principal_of, shell_of
from service.api.submitting import Order, encoded
from service.errors import StreamNotFound
from service.texts import Audience, Draft, keep_text, text_of


class TextShown(msgspec.Struct, kw_only=True):
    """Somebody's words; null once they are erased."""

    id: str
    league: str
    author: str
    about: str | None
    text: str | None
    written_at: datetime


async def keep(
    request: Asked,
    league: str,
    order: Order,
    body: str,
    *,
    audience: Audience = "members",
    about: PlayerId | None = None,
    number: int = 0,
) -> TextRef:
    """
    Keep the caller's words for the event that *order* will cause; call it after all checks.

    Args:
        about: Whom they are about; erasing this person erases them too.
        number: Which text of this order, if it has several.
    """
    if order.command.rehearse:
        return TextRef(text=TextId(identifier("txt", order.new_id(0))), digest="0" * 64)
    shell = shell_of(request)
    draft = Draft(
        league=league,
        author=principal_of(request).account.number,
        body=body,
        audience=audience,
        subject=None if about is None else number_of(about),
    )
    salt, now = shell.desk.entropy.bytes(32), shell.now()
    return await keep_text(shell.engine, order.command_id, draft, salt=salt, now=now, number=number)


async def signed(
    request: Asked, league: str, order: Order, body: str, *, about: PlayerId | None = None
) -> dict[str, Any]:
    """Return what every decision of the staff bears: whose it is, why, and when it was received."""
    return {
        "by": principal_of(request).account.player,
        "reason": await keep(request, league, order, body, about=about),
        "now": order.command.received_at,
    }


@operation(
    "GET", "/v1/texts/{text_id:str}", "read_text", "What somebody wrote, as an event names it.",
    needs="read_league", scope="leagues:read", answer=TextShown, problems=("text_forged",),
)  # fmt: skip
async def read_text(request: Asked, text_id: FromPath[str]) -> Response[bytes]:
    """Show a text to members, or to its author and the staff; to others it is not there."""
    demand_form(text_id, "txt")
    found = await text_of(shell_of(request).engine, text_id)
    if found is None:
        raise StreamNotFound("there is nothing here under this name")
    role = await belong(request, found.league)
    mine = found.author == principal_of(request).account.number
    if found.audience == "staff" and role == "player" and not mine:
        raise StreamNotFound("there is nothing here under this name")
    shown = TextShown(
        id=text_id,
        league=found.league,
        author=_player(found.author),
        about=None if found.subject is None else _player(found.subject),
        text=found.body,
        written_at=found.written_at,
    )
    return encoded(shown)


def _player(number: UUID) -> str:
    return f"plr_{number.hex}"
