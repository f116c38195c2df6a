"""The page behind the link in a mail: no more mails of this kind, without signing in."""

import msgspec

from service.api.me.opt_outs import OptOutShown
from service.console import links
from service.console.asking import Ask
from service.console.declaring import form, page
from service.console.forms import Given
from service.console.pages import Done, Page
from service.console.screens.account.notices import KINDS


class OptOutScreen(msgspec.Struct, kw_only=True):
    """The question, or the confirmation once the kind is off."""

    code: str
    kind: str
    """The name of the kind."""

    hint: str
    wanted: bool


@page("/opt-outs/{opt_out:str}", open=True)
async def ask_opt_out(ask: Ask, opt_out: str) -> Page:
    """Ask whether to turn the kind off. A GET changes nothing."""
    shown = await ask.api.get(f"/v1/opt-outs/{opt_out}", OptOutShown)
    name, hint = KINDS[shown.kind]
    screen = OptOutScreen(
        code=opt_out,
        kind=ask.gettext(name),
        hint=ask.gettext(hint) if hint else "",
        wanted=shown.wanted,
    )
    return Page("account/opt_out.html", screen)


@form("/opt-outs/{opt_out:str}", of=ask_opt_out, open=True)
async def turn_off(ask: Ask, given: Given, opt_out: str) -> Done:
    """Turn the kind off."""
    await ask.api.send("POST", f"/v1/opt-outs/{opt_out}", None, OptOutShown, key=given.key)
    return Done(links.opt_out(opt_out))
