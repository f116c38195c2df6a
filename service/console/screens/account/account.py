"""My account: the name, the password, and the browsers and programs that are signed in."""

import asyncio
from datetime import datetime

import msgspec

from service.api.http.reading.paging import Page as ApiPage
from service.api.me.accounts import Me
from service.api.me.emails import EmailShown
from service.api.me.passwords import PasswordChange, PasswordChanged, SignInListed
from service.api.me.tokens import SignedOut, TokenListed
from service.base.languages import N_
from service.console import links, sessions
from service.console.asking import Ask
from service.console.declaring import form, page
from service.console.forms import Given, command
from service.console.pages import Done, Page

_SIGN_INS = 8
_UNNAMED = "token"
"""The name that the API gives a token without one."""

_SAID = {
    "signed_up": N_("Signed up"),
    "claimed": N_("Joined with a claim code"),
    "password": N_("Signed in with the password"),
    "operator": N_("The operator made a token"),
    "password_changed": N_("The password was changed"),
    "password_reset": N_("A new password was set with a code"),
    "signed_out": N_("Signed out everywhere"),
}


class SignedIn(msgspec.Struct, kw_only=True):
    """A browser or a program that is signed in."""

    id: str
    name: str | None
    """The name that a program's token was given, or null for a browser, or without one."""

    device: str | None
    """The browser and the device, nothing if they are unknown, or null for a program."""

    this: bool
    """True for the reader's own browser."""

    created_at: datetime
    last_used_at: datetime | None
    expires_at: datetime


class SignedInAt(msgspec.Struct, kw_only=True):
    """A sign-in, or an action that ended sessions, in words."""

    at: datetime
    said: str
    address: str | None
    """Null if the operator did it on the server."""


class AccountScreen(msgspec.Struct, kw_only=True):
    """The page of the reader's account."""

    login: str
    name: str
    has_password: bool
    """False for an account that an operator made, until its person sets one."""

    email: str | None
    """The confirmed address, or null."""

    waiting: str | None
    """The address that is not confirmed yet, or null."""

    sessions: tuple[SignedIn, ...]
    sign_ins: tuple[SignedInAt, ...]
    """The latest sign-ins, and the actions that ended sessions."""


@page(links.ACCOUNT)
async def account(ask: Ask) -> Page:
    """Show the account, with the browsers and programs that are signed in."""
    me, listed, mail, sign_ins = await asyncio.gather(
        ask.api.get("/v1/me", Me),
        ask.api.get("/v1/tokens", ApiPage[TokenListed], limit=100),
        ask.api.get("/v1/me/email", EmailShown),
        ask.api.get("/v1/me/sign-ins", ApiPage[SignInListed], limit=_SIGN_INS),
    )
    mine = "" if ask.session is None else ask.session.id
    found = [
        SignedIn(
            id=each.id,
            name=None if each.name == _UNNAMED else each.name,
            device=sessions.device_named(each.name),
            this=each.id == mine,
            created_at=each.created_at,
            last_used_at=each.last_used_at,
            expires_at=each.expires_at,
        )
        for each in listed.items
        if each.revoked_at is None and each.expires_at > me.now
    ]
    screen = AccountScreen(
        login=me.login,
        name=me.name,
        has_password=me.has_password,
        email=mail.email,
        waiting=mail.waiting,
        sessions=tuple(found),
        sign_ins=tuple(
            SignedInAt(at=each.at, said=ask.gettext(_SAID[each.kind]), address=each.address)
            for each in sign_ins.items
        ),
    )
    return Page("account/account.html", screen)


@form("/account/password", of=account)
async def change_password(ask: Ask, given: Given) -> Done:
    """Change the password, which signs every other browser and program out, or set the first."""
    wanted = given.into(PasswordChange, flags=("remove_email",))
    await ask.api.send("PUT", "/v1/me/password", wanted, PasswordChanged, key=given.key)
    if wanted.password is None:
        return Done(links.ACCOUNT, ask.gettext("Your password is set."))
    said = ask.gettext("Your password is changed. You are signed out everywhere else.")
    return Done(links.ACCOUNT, said)


@form("/account/sessions/{token:str}/end", of=account)
async def end(ask: Ask, given: Given, token: str) -> Done | Page:
    """Sign another browser or a program out."""
    return await command(
        ask, given, "DELETE", f"/v1/tokens/{token}", said=ask.gettext("That sign-in has ended."),
        to=links.ACCOUNT,
    )  # fmt: skip


@form("/account/sign-out-everywhere", of=account)
async def sign_out_everywhere(ask: Ask, given: Given) -> Done:
    """End every session and token, this one too."""
    await ask.api.send("DELETE", "/v1/tokens", None, SignedOut, key=given.key)
    said = ask.gettext("You are signed out everywhere.")
    return Done(links.SIGN_IN, said, cookies=(sessions.ended(ask.transport),))
