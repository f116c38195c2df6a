"""Reading of texts that people have written, for those who may see them."""

from datetime import datetime
from uuid import UUID

import msgspec
from litestar import Response

from service.api.http.access.rights import belong, demand_form
from service.api.http.operations import operation
from service.api.http.shell import Asked, Shell
from service.api.http.writing.submitting import encoded
from service.base.errors import StreamNotFound
from service.people.texts import text_of
from service.people.tokens import Principal


class TextShown(msgspec.Struct, kw_only=True):
    """A text by a person. It is null once it has been erased or taken down."""

    id: str
    """The text, `txt_…`."""

    league: str
    author: str
    """The player who wrote the text."""

    about: str | None
    """The player whom the text is about, or null if it is about nobody."""

    text: str | None
    """Null once the text has been erased or taken down."""

    taken_down: bool
    """True if an operator has taken the text down."""

    written_at: datetime
    """The time at which the text was received."""


@operation(
    "GET", "/v1/texts/{text_id:str}", "read_text", "Read a text that an event refers to.",
    needs="read_league", scope="leagues:read", answer=TextShown, problems=("text_forged",),
)  # fmt: skip
async def read_text(
    request: Asked, text_id: str, shell: Shell, principal: Principal
) -> Response[bytes]:
    """Show a text to members. Staff texts are shown only to the staff and their author."""
    demand_form(text_id, "txt")
    found = await text_of(shell.engine, text_id)
    if found is None:
        raise StreamNotFound("it does not exist, or you may not see it")
    role = await belong(request, found.league)
    mine = found.author == principal.account.number
    if found.audience == "staff" and role == "player" and not mine:
        raise StreamNotFound("it does not exist, or you may not see it")
    shown = TextShown(
        id=text_id,
        league=found.league,
        author=_player(found.author),
        about=None if found.subject is None else _player(found.subject),
        text=found.body,
        taken_down=found.taken_down,
        written_at=found.written_at,
    )
    return encoded(shown)


def _player(number: UUID) -> str:
    return f"plr_{number.hex}"
