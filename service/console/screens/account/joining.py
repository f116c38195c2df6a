"""Joining a league by a link: an invitation, or the claim code of a player who was entered."""

import logging
from urllib.parse import quote

import msgspec

from service.api.league.claim_codes import ClaimWanted, CodeWanted
from service.api.league.codes import CodeShown
from service.api.league.members import Membership
from service.api.me.accounts import AccountMade, Me, SignUp
from service.console import links
from service.console.asking import Ask
from service.console.calling import Problem
from service.console.declaring import form, page
from service.console.forms import Given
from service.console.pages import Done, Page
from service.console.screens.account.signing_in import demand_encrypted, first_session

_log = logging.getLogger(__name__)

_UNKNOWN = 404
_EXPIRED = "invitation_expired"


class _Mine(msgspec.Struct):
    promised_table: str | None


class _Playing(msgspec.Struct):
    """The members of a tournament that lead to a table."""

    my: _Mine | None


class JoinScreen(msgspec.Struct, kw_only=True):
    """The page of a code."""

    code: str
    opens: CodeShown | None
    """The invitation or the claim code, or None if it is not valid now."""

    expired: bool = False
    """True for an invitation that has expired."""


@page(links.JOIN, open=True)
async def join_by_code(_ask: Ask) -> Page:
    """Ask for the code that somebody has on paper."""
    return Page("account/join_by_code.html", None)


@form(links.JOIN, of=join_by_code, open=True)
async def use_typed_code(_ask: Ask, given: Given) -> Done:
    """Open the page of a typed code. Spaces do not count, and a whole link is understood too."""
    code = "".join(given.text("code").split()).rpartition("/")[2]
    return Done(links.join(quote(code, safe="")) if code else links.JOIN)


@page("/join/{code:str}", open=True)
async def join(ask: Ask, code: str) -> Page:
    """Ask a member to use the code, or a newcomer for a login and a password."""
    try:
        opens = await ask.api.get(f"/v1/codes/{code}", CodeShown)
    except Problem as problem:
        if problem.status != _UNKNOWN and problem.code != _EXPIRED:
            raise
        shown = JoinScreen(code=code, opens=None, expired=problem.code == _EXPIRED)
        return Page("account/join.html", shown, status=problem.status)
    return Page("account/join.html", JoinScreen(code=code, opens=opens))


@form("/join/{code:str}", of=join)
async def use_code(ask: Ask, given: Given, code: str) -> Done:
    """Join the league with the reader's account."""
    league = await _joined(ask, code, given.key)
    return Done(links.league(league), ask.gettext("You are in."))


@form("/join/{code:str}/new", of=join, open=True)
async def use_code_as_newcomer(ask: Ask, given: Given, code: str) -> Done:
    """Make an account and join with it. A claim code has the player's name already."""
    demand_encrypted(ask)
    wanted = given.into(SignUp)
    made, took_over = await _made(ask, code, wanted, given.key)
    cookie = await first_session(ask, made, wanted.password)
    welcome = ask.gettext("Welcome. You are signed in.")
    if took_over:
        return Done(await _own_table(ask), welcome, cookies=(cookie,))
    try:
        league = await _joined(ask, code, given.key)
    except Problem:  # the account exists now, so the code's page shows what is wrong with the code
        return Done(links.join(code), welcome, cookies=(cookie,))
    return Done(links.league(league), welcome, cookies=(cookie,))


async def _own_table(ask: Ask) -> str:
    """Return the address of the reader's table, of a promised one too, or the home page."""
    try:
        for each in (await ask.api.get("/v1/me", Me)).seats:
            mine = (await ask.api.get(f"/v1/tournaments/{each.tournament}", _Playing)).my
            table = each.table or (None if mine is None else mine.promised_table)
            if table is not None:
                return links.table(table)
    except Problem as problem:  # an error page would lose the cookie of the new session
        _log.warning("the table of a new player was not found: %s", problem.code)
    return links.HOME


async def _made(ask: Ask, code: str, wanted: SignUp, key: str) -> tuple[AccountMade, bool]:
    """
    Make the newcomer's login. Return it, and True if a claim code gave it a player.

    Each attempt counts as a sign-up and hashes the password, so the right one comes first. A code
    that is used up opens nothing, but this form may have used it up, and is sent again.
    """
    try:
        kind = (await ask.api.get(f"/v1/codes/{code}", CodeShown)).kind
    except Problem as problem:
        if problem.status != _UNKNOWN and problem.code != _EXPIRED:
            raise
        kind = None
    if kind != "invitation":
        try:
            claimed = ClaimWanted(code=code, login=wanted.login, password=wanted.password)
            return await ask.api.send("POST", "/v1/claims", claimed, AccountMade, key=key), True
        except Problem as problem:
            if problem.status != _UNKNOWN or kind == "claim":
                raise
    return await ask.api.send("POST", "/v1/accounts", wanted, AccountMade, key=key), False


async def _joined(ask: Ask, code: str, key: str) -> str:
    """Use an invitation, or else a claim code. Return the league."""
    try:
        path = f"/v1/invitations/{code}/accept"
        return (await ask.api.send("POST", path, None, Membership, key=key)).league
    except Problem as problem:
        if problem.status != _UNKNOWN:
            raise
    wanted = CodeWanted(code=code)
    return (await ask.api.send("POST", "/v1/me/claims", wanted, Membership, key=key)).league
