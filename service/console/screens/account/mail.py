"""The reader's e-mail address, and a new password for a forgotten one."""

import asyncio

import msgspec

from service.api.me.emails import EmailCode, EmailShown, EmailWanted, ResetAsked, ResetPromised
from service.api.me.passwords import PasswordReset, ResetWanted
from service.base.languages import N_
from service.console import links
from service.console.asking import Ask
from service.console.calling import Problem
from service.console.declaring import form, page
from service.console.forms import Given
from service.console.pages import Done, Page
from service.console.screens.account.notices import device_zone
from service.console.screens.account.signing_in import demand_encrypted, session_cookie

NO_SUCH_CODE = N_("This code is not valid, or was used, or is too old")
_CODE_UNKNOWN = "code_unknown"


class ConfirmScreen(msgspec.Struct, kw_only=True):
    """The page behind the link in a mail that asks to confirm an address."""

    login: str
    waiting: str | None
    """The address that is not confirmed yet, or null."""


class ForgottenScreen(msgspec.Struct, kw_only=True):
    """The pages of a forgotten password."""

    asked: bool
    """True once a code was asked for, so that the page asks for the code."""


@page(links.EMAIL)
async def email(ask: Ask) -> Page:
    """Show the address, and a new one that is not confirmed yet."""
    return Page("account/email.html", await ask.api.get("/v1/me/email", EmailShown))


@form(links.EMAIL, of=email)
async def set_email(ask: Ask, given: Given) -> Done:
    """Mail a code to a new address, or remove the addresses."""
    gone = given.flag("remove")
    wanted = given.into(EmailWanted, email=None) if gone else given.into(EmailWanted)
    await ask.api.send("PUT", "/v1/me/email", wanted, EmailShown, key=given.key)
    said = ask.gettext("The address is removed.") if gone else ask.gettext("A code is on its way.")
    return Done(links.EMAIL, said)


@form("/account/email/confirm", of=email)
async def confirm_email(ask: Ask, given: Given) -> Done:
    """Confirm the new address with its code."""
    return await _confirmed(
        ask, given.into(EmailCode, code=_typed(given), zone=device_zone(given)), given.key
    )


@page("/account/email/confirm/{code:str}")
async def ask_confirm(ask: Ask, code: str) -> Page:
    """Ask whether to confirm the address. Opening the link changes nothing."""
    me, shown = await asyncio.gather(ask.me(), ask.api.get("/v1/me/email", EmailShown))
    return Page("account/confirm.html", ConfirmScreen(login=me.login, waiting=shown.waiting))


@form("/account/email/confirm/{code:str}", of=ask_confirm)
async def confirm_by_link(ask: Ask, given: Given, code: str) -> Done:
    """Confirm the new address with the code in its link. A second press finds it confirmed."""
    try:
        return await _confirmed(ask, EmailCode(code=code, zone=device_zone(given)), given.key)
    except Problem as problem:
        if problem.code != _CODE_UNKNOWN:
            raise
        shown = await ask.api.get("/v1/me/email", EmailShown)
        if shown.email is None or shown.waiting is not None:
            raise
    return Done(links.EMAIL, ask.gettext("The address is confirmed."))


@page(links.FORGOTTEN, open=True)
async def forgotten(ask: Ask) -> Page:
    """Ask for the login of the account whose password was forgotten."""
    return Page("account/forgotten.html", ForgottenScreen(asked=False))


@form(links.FORGOTTEN, of=forgotten, open=True)
async def ask_code(ask: Ask, given: Given) -> Done:
    """Have a code mailed. The answer does not show whether the account exists."""
    wanted = given.into(ResetAsked)
    path = "/v1/password-resets/request"
    made = await ask.api.send("POST", path, wanted, ResetPromised, key=given.key)
    said = ask.gettext("If the account has a confirmed address, a mail from %(sender)s is coming.")
    return Done(links.RESET, said % {"sender": made.from_})


@page(links.RESET, open=True)
async def reset(ask: Ask) -> Page:
    """Ask for the code and a new password."""
    return Page("account/forgotten.html", ForgottenScreen(asked=True))


@form(links.RESET, of=reset, open=True)
async def use_code(ask: Ask, given: Given) -> Done:
    """Set the new password, and begin a session with it."""
    demand_encrypted(ask)
    wanted = given.into(ResetWanted, code=_typed(given))
    try:
        made = await ask.api.send(
            "POST", "/v1/password-resets", wanted, PasswordReset, key=given.key
        )
    except Problem as problem:
        raise _about_code(problem) from problem
    began = await session_cookie(ask, made.login, wanted.password)
    said = ask.gettext("Your new password is set. You are signed out everywhere else.")
    if made.email is not None:
        kept = ask.gettext(
            "Anybody who reads the mail of %(address)s can set a new one. "
            "Remove the address if it is not yours."
        )
        said = f"{said} {kept % {'address': made.email}}"
    return Done(links.HOME, said, cookies=(began,))


def _typed(given: Given) -> str:
    """Return the typed code without spaces. A mail program or a person may add some."""
    return "".join(given.text("code").split())


async def _confirmed(ask: Ask, wanted: EmailCode, key: str) -> Done:
    try:
        await ask.api.send("POST", "/v1/me/email/verification", wanted, EmailShown, key=key)
    except Problem as problem:
        raise _about_code(problem) from problem
    return Done(links.EMAIL, ask.gettext("The address is confirmed."))


def _about_code(problem: Problem) -> Problem:
    """Move a refusal of a code to the form's code field."""
    if problem.status != 404:
        return problem
    return Problem(400, {"code": _CODE_UNKNOWN, "title": NO_SUCH_CODE})
