"""A token for one of the reader's programs. Its secret is shown once."""

import msgspec

from service.api.me.tokens import SCOPES_OF_PEOPLE, TokenShown, TokenWanted
from service.base.languages import N_
from service.console import links
from service.console.asking import Ask
from service.console.declaring import form, page
from service.console.forms import Given
from service.console.pages import Page

_RIGHTS = {
    "leagues:read": N_("Read everything I may read"),
    "tables:play": N_("Play at my tables"),
    "tournaments:manage": N_("Run evenings"),
    "leagues:manage": N_("Run leagues"),
    "hands:audit": N_("Audit"),
    "tokens:manage": N_("Make and end tokens"),
    "webhooks:manage": N_("Send webhooks"),
}
_DAYS = 90


class ProgramScreen(msgspec.Struct, kw_only=True):
    """The page of a new token."""

    rights: tuple[tuple[str, str], ...]
    days: int
    made: TokenShown | None
    """The token that was just made, with its secret."""


@page(links.PROGRAMS)
async def program(ask: Ask) -> Page:
    """Ask for the rights of the program."""
    return Page("account/program.html", _screen(ask, None))


@form(links.PROGRAMS, of=program)
async def make_token(ask: Ask, given: Given) -> Page:
    """Make a token with the password, so that it outlives this browser's session."""
    me = await ask.me()
    wanted = given.into(TokenWanted, login=me.login, scopes=given.texts("scopes[]"))
    made = await ask.api.send("POST", "/v1/tokens", wanted, TokenShown, key=given.key)
    return Page("account/program.html", _screen(ask, made))


def _screen(ask: Ask, made: TokenShown | None) -> ProgramScreen:
    rights = tuple(
        (each, ask.gettext(_RIGHTS[each]) if each in _RIGHTS else each) for each in SCOPES_OF_PEOPLE
    )
    return ProgramScreen(rights=rights, days=_DAYS, made=made)
