"""Signing in, signing up and signing out. A session is a token of the API."""

import logging

import msgspec

from service.api.http.shell import shell_of
from service.api.me.accounts import AccountMade, SignUp
from service.api.me.tokens import SCOPES_OF_PEOPLE, TokenShown, TokenWanted
from service.base.languages import N_
from service.console import links, sessions
from service.console.asking import UNAUTHENTICATED, Ask
from service.console.calling import Problem
from service.console.declaring import form, page
from service.console.forms import Given
from service.console.pages import Done, Page

_log = logging.getLogger(__name__)

NOT_ENCRYPTED = N_("This connection is not encrypted, so nobody can sign in over it")
LINK_USED = N_("This link was used already, or has expired")
SENT_TWICE = N_("This form was sent twice")


class SignInScreen(msgspec.Struct, kw_only=True):
    """The sign-in page."""

    then: str
    """The page to go to afterwards."""


class LinkScreen(msgspec.Struct, kw_only=True):
    """The page of a sign-in link, which works once."""

    code: str


@page(links.SIGN_IN, open=True)
async def sign_in(ask: Ask) -> Page | Done:
    """Ask for login and password."""
    return await _asked(ask, "account/sign_in.html")


@form(links.SIGN_IN, of=sign_in, open=True)
async def begin_session(ask: Ask, given: Given) -> Done:
    """Make a token with the password, and keep it in the browser's cookie."""
    began = await session_cookie(ask, given.text("login"), given.exactly("password"))
    return Done(local(ask.query("then")), cookies=(began,))


@page(links.SIGN_UP, open=True)
async def sign_up(ask: Ask) -> Page | Done:
    """Ask for a name, a login and a password."""
    return await _asked(ask, "account/sign_up.html")


@form(links.SIGN_UP, of=sign_up, open=True)
async def open_account(ask: Ask, given: Given) -> Done:
    """Make an account, and begin its first session."""
    demand_encrypted(ask)
    wanted = given.into(SignUp)
    made = await ask.api.send("POST", "/v1/accounts", wanted, AccountMade, key=given.key)
    began = await first_session(ask, made, wanted.password)
    welcome = ask.gettext("Welcome. You are signed in.")
    return Done(local(ask.query("then")), welcome, cookies=(began,))


@page("/sign-in/{code:str}", open=True)
async def sign_in_link(ask: Ask, code: str) -> Page:
    """Ask whether to use a sign-in link. Opening it changes nothing."""
    return Page("account/link.html", LinkScreen(code=code))


@form("/sign-in/{code:str}", of=sign_in_link, open=True)
async def use_link(ask: Ask, given: Given, code: str) -> Done:
    """
    Take over the session of the link, with a new secret. So the link works once.

    Raises:
        Problem: If the link was used, or its session has ended.
    """
    demand_encrypted(ask)
    token, _, secret = code.partition(".")
    own, ask.api.token = ask.api.token, secret
    try:
        path = f"/v1/tokens/{token}/rotate"
        made = await ask.api.send("POST", path, None, TokenShown, key=given.key)
    except Problem as problem:
        if problem.status != UNAUTHENTICATED:
            raise
        # Only the link has ended. The reader may still have a session.
        raise Problem(UNAUTHENTICATED, {"code": "link_used", "title": LINK_USED}) from None
    finally:
        ask.api.token = own
    return Done(links.HOME, cookies=(_kept(ask, made),))


@form(links.SIGN_OUT, of=sign_in)
async def end_session(ask: Ask, given: Given) -> Done:
    """Revoke the session's token, and forget it."""
    if ask.session is not None:
        await ask.api.send("DELETE", f"/v1/tokens/{ask.session.id}", None, object, key=given.key)
    said = ask.gettext("You are signed out.")
    return Done(links.SIGN_IN, said, cookies=(sessions.ended(ask.transport),))


async def session_cookie(ask: Ask, login: str, password: str) -> str:
    """
    Begin a session with a password, for the rest of this request too. Return its cookie.

    A form that was sent twice begins two sessions. A retry could not show the secret again.

    Raises:
        Problem: If the password is wrong, or the connection is not encrypted.
    """
    demand_encrypted(ask)
    wanted = TokenWanted(
        login=login,
        password=password,
        name=sessions.label_of(ask.request),
        scopes=SCOPES_OF_PEOPLE,
        expires_in_days=sessions.DAYS,
    )
    ask.api.token = None
    made = await ask.api.send("POST", "/v1/tokens", wanted, TokenShown, key=_new_key(ask))
    ask.api.token = made.token
    return _kept(ask, made)


async def first_session(ask: Ask, made: AccountMade, password: str) -> str:
    """
    Begin the session of a person who has just signed up. Return its cookie.

    The token that came with the account ends. Nobody has it, and the list of sessions would show
    it as a program.
    """
    began = await session_cookie(ask, made.login, password)
    try:
        path = f"/v1/tokens/{made.token.id}"
        await ask.api.send("DELETE", path, None, object, key=_new_key(ask))
    except Problem as problem:  # an error page would lose the cookie of the new session
        _log.warning("the first token of a new account was not deleted: %s", problem.code)
    return began


def _new_key(ask: Ask) -> str:
    return shell_of(ask.request).runtime.entropy.uuid().hex


def demand_encrypted(ask: Ask) -> None:
    """
    Check that a password or a session may travel over the reader's connection.

    Raises:
        Problem: If it is not encrypted, and no setting allows that.
    """
    if ask.transport == "refused":
        raise Problem(403, {"code": "not_encrypted", "title": NOT_ENCRYPTED})


def local(then: str) -> str:
    """
    Return the address to go to, or the home page if *then* leads away from this site.

    >>> local("/leagues/lge_1?x=1"), local("//evil.example"), local("https://evil.example")
    ('/leagues/lge_1?x=1', '/', '/')
    """
    plain = then.startswith("/") and not then.startswith(("//", "/\\")) and then.isprintable()
    return then if plain and "\\" not in then else links.HOME


async def _asked(ask: Ask, template: str) -> Page | Done:
    """Return the form of *template*. Readers with a session go on instead."""
    then = local(ask.query("then"))
    if ask.signed_in and ask.failure is None:
        await ask.me()  # a session that has ended must not redirect in a circle
        return Done(then)
    return Page(template, SignInScreen(then=then))


def _kept(ask: Ask, made: TokenShown) -> str:
    """Return the cookie of a session whose token was just made."""
    if made.token is None:
        raise Problem(409, {"code": "sent_twice", "title": SENT_TWICE})
    seconds = int((made.expires_at - shell_of(ask.request).now()).total_seconds())
    return sessions.kept(sessions.Session(made.id, made.token), ask.transport, seconds)
