"""
The decorators that make functions the screens of the console.

A screen is closed unless it is declared open: a stranger is sent to the sign-in page. Nothing is
served without a declaration, because :class:`Screen` makes the only handlers there are.
"""

import inspect
import logging
import re
from collections.abc import Awaitable, Callable, Hashable, Mapping
from dataclasses import dataclass
from functools import cache
from math import ceil
from typing import Concatenate, Literal
from urllib.parse import parse_qsl, quote, urlencode

import msgspec
from litestar import Response, route
from litestar.exceptions import HTTPException
from litestar.handlers import HTTPRouteHandler
from litestar.response import Stream

from service.api.http.problems.answers import HTTP_CODES, SHELL_CATALOGUE
from service.api.http.shell import Asked, shell_of
from service.base.errors import TooManyRequests
from service.console import link_keys, links
from service.console.asking import Ask, ask_of, ended, secret_key
from service.console.calling import Edge, Problem
from service.console.csrf import FIELD, fits, same_site
from service.console.forms import Given, given_of
from service.console.pages import (
    Done,
    Page,
    Part,
    part_answer,
    part_of,
    rendered,
    saying,
    scheme_of,
)
from service.console.pieces import PART
from service.console.problems import SERVER_ERROR, TOO_MANY, Failure, failure_of
from service.console.sessions import set_cookie
from service.console.sharing import Sharing
from service.console.troubles import troubled

FORM_MAX = 256 * 1024
"""Largest form in bytes."""

_URLENCODED = "application/x-www-form-urlencoded"
_PARAMETER = re.compile(r"\{(\w+):str\}")
_PLAIN = re.compile(r"[A-Za-z0-9._~=-]{1,100}")
"""The characters that a path parameter may hold. An API path built from it stays in its place."""

_ADDRESS = "/?&=#%:@!$'()*+,;~"
"""The characters that an address may hold besides letters, digits and ``-._``."""

_log = logging.getLogger(__name__)

Result = Page | Done | Response[bytes] | Stream


Shows = Callable[Concatenate[Ask, ...], Awaitable[Result]]
"""A page's handler: the request, then the parts of the path by name."""

Does = Callable[Concatenate[Ask, Given, ...], Awaitable[Result]]
"""A form's handler: the request, what was typed, then the parts of the path by name."""


@dataclass(frozen=True, slots=True)
class Screen:
    """A declared page or form."""

    method: Literal["GET", "POST"]
    path: str
    name: str
    open: bool
    """True if strangers may ask. Closed screens send them to the sign-in page."""

    hidden: bool
    """True if the page may hold hidden cards. It is then never compressed."""

    file: bool = False
    """True for a file in memory, which counts for no limit."""

    from_log: bool = False
    """
    True if its parts show what is in the log, and no read model, which may be late. Then streams
    tell strangers the tags of the parts.
    """

    show: Shows | None = None
    do: Does | None = None
    of: "Screen | None" = None
    """The page that shows the form again with its faults."""

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names in the path."""
        return tuple(_PARAMETER.findall(self.path))

    def at(self, names: Mapping[str, str]) -> str:
        """Return the path with *names* in it."""
        return _PARAMETER.sub(lambda found: names[found[1]], self.path)

    def names_in(self, path: str) -> dict[str, str] | None:
        """Return the names in a *path* of this screen, or None for another path."""
        found = pattern(self.path).fullmatch(path)
        return None if found is None else dict(zip(self.parameters, found.groups(), strict=True))

    def handler(self) -> HTTPRouteHandler:
        """Return the handler that the framework registers."""

        async def answered(request: Asked) -> Response[bytes] | Stream:
            return await _answered(self, request)

        answered.__annotations__ = {"request": Asked, "return": Response[bytes] | Stream}
        return route(
            self.path, http_method=[self.method], opt={"screen": self}, name=f"console.{self.name}",
            status_code=200, include_in_schema=False, request_max_body_size=FORM_MAX,
        )(answered)  # fmt: skip


@cache
def pattern(path: str) -> re.Pattern[str]:
    """Return the form of the paths of a screen, with a group for each parameter."""
    return re.compile(_PARAMETER.sub("([^/]+)", path))


def page(
    path: str,
    *,
    open: bool = False,
    hidden: bool = False,
    file: bool = False,
    from_log: bool = False,
) -> Callable[[Shows], Screen]:
    """
    Declare the page at *path*.

    Args:
        open: True if strangers may read it. Its handler then asks only what the API tells them.
        hidden: True if the page may hold hidden cards.
        file: True for a file in memory, which counts for no limit.
        from_log: True if its parts show what is in the log, and no read model.

    Raises:
        TypeError: If the handler does not take what the path names.
    """

    def declared(show: Shows) -> Screen:
        screen = Screen("GET", path, show.__name__, open, hidden, file, from_log, show=show)
        _demand_parameters(screen, show, 1)
        return screen

    return declared


def form(path: str, *, of: Screen, open: bool = False) -> Callable[[Does], Screen]:
    """
    Declare the form that posts to *path*.

    Args:
        of: The page that holds the form. It is shown again if the API refuses.
        open: True if strangers may send it.

    Raises:
        TypeError: If the path lacks a name that the page's path has.
    """

    def declared(do: Does) -> Screen:
        screen = Screen("POST", path, do.__name__, open, of.hidden, do=do, of=of)
        _demand_parameters(screen, do, 2)
        if not set(of.parameters) <= set(screen.parameters):
            raise TypeError(f"the path of {screen.name} does not name what its page needs")
        return screen

    return declared


def _demand_parameters(screen: Screen, function: Callable[..., object], own: int) -> None:
    """Check that a handler takes what its path names, and stop the start if it does not."""
    takes = tuple(inspect.signature(function).parameters)[own:]
    if set(takes) != set(screen.parameters):
        raise TypeError(f"{screen.name} takes {takes}, and its path names {screen.parameters}")


def plain(names: Mapping[str, str]) -> bool:
    """Return whether an API path that is built from *names* stays in its place."""
    return all(_PLAIN.fullmatch(each) and each.strip(".") for each in names.values())


async def _answered(screen: Screen, request: Asked) -> Response[bytes] | Stream:
    ask = ask_of(request, edge_of(request))
    ask.request.scope["state"]["hidden"] = screen.hidden
    path: Mapping[str, str] = request.path_params
    if not plain(path):
        return await troubled(ask, Problem(404, {"code": "not_found"}))
    if screen.of is not None:
        ask.page = screen.of.at(path)
    if not screen.file and (refused := admit(ask)) is not None:
        return await troubled(ask, await _unread(ask, refused))
    if not screen.open and not ask.signed_in:
        return _to_sign_in(ask)
    try:
        try:
            return await _result(screen, ask, path)
        except Problem as problem:
            if not ended(problem, ask):
                raise
        # The session has ended. Strangers may read open pages; other pages send them to sign in.
        ask.forget_session()
        if screen.method == "POST" or not screen.open:
            return _to_sign_in(ask)
        return await _result(screen, ask, path)
    except Problem as problem:
        return await troubled(ask, problem)
    except HTTPException as error:
        code = HTTP_CODES.get(error.status_code, "bad_request")
        return await troubled(ask, Problem(error.status_code, {"code": code}))
    except Exception as error:  # noqa: BLE001 - every page answers with a page
        number = request.scope["state"]["request_id"]
        _log.error("page %s failed", number, exc_info=error)
        document = {"code": "internal_error", "instance": f"urn:uuid:{number}"}
        return await troubled(ask, Problem(500, document))


async def _result(screen: Screen, ask: Ask, path: Mapping[str, str]) -> Response[bytes] | Stream:
    if screen.show is not None:
        if screen.open and (followed := await _followed(ask, path)) is not None:
            return followed
        if ask.query(PART) and not ask.signed_in:
            return await _shared(screen.show, ask, path)
        return await _sent(ask, await screen.show(ask, **path))
    if screen.do is None or screen.of is None:
        raise TypeError(f"{screen.name} is neither a page nor a form")
    return await _done(screen.do, screen, screen.of, ask, path)


async def _done(
    do: Does, screen: Screen, of: Screen, ask: Ask, path: Mapping[str, str]
) -> Response[bytes] | Stream:
    """Carry out a form, or show its page again with the faults."""
    if not same_site(ask.request):
        said = ask.gettext("This form did not come from this site, so nothing was done.")
        ask.failure = Failure(screen.name, said, {}, {}, 403)
        return await _again(of, ask, path)
    given = await _read(ask)
    if not fits(given.text(FIELD), ask.session, secret_key(ask)):
        said = ask.gettext("This page was out of date. Nothing was done; send it again.")
        ask.failure = Failure(screen.name, said, {}, given.shown_again, 400)
        return await _again(of, ask, path)
    ask.sent = dict(given.values)
    try:
        return await _sent(ask, await do(ask, given, **path))
    except Problem as problem:
        # The command may have been carried out. Only the same form with the same key cannot repeat
        # it.
        if ended(problem, ask) or problem.status >= SERVER_ERROR:
            raise
        ask.failure = failure_of(problem, screen.name, given.shown_again, ask.language)
    return await _again(of, ask, path)


class _Opened(msgspec.Struct):
    """The members that are read of an answer that a link key opened."""

    id: str
    league: str = ""


async def _followed(ask: Ask, path: Mapping[str, str]) -> Response[bytes] | None:
    """
    Keep the link key in the address, and lead on to the same page without it.

    Returns:
        None if there is no key in the address, or it does not open the page.
    """
    key, shown = ask.query(link_keys.PARAMETER), link_keys.opened_by(path)
    if shown is None or not link_keys.is_key(key):
        return None
    try:
        found = await ask.api.get(shown, _Opened, link=key)
    except Problem as problem:
        if problem.status != 404:
            raise
        return None
    name = f"{link_keys.COOKIE}{found.league or found.id}"
    ask.set_cookie(set_cookie(name, key, ask.transport, link_keys.KEPT_SECONDS))
    query = bytes(ask.request.scope["query_string"]).decode("latin-1")
    given = parse_qsl(query, keep_blank_values=True)
    rest = [each for each in given if each[0] != link_keys.PARAMETER]
    here = quote(ask.path) + (f"?{urlencode(rest)}" if rest else "")
    return Response(b"", status_code=303, headers={"Location": here})


async def _shared(show: Shows, ask: Ask, path: Mapping[str, str]) -> Response[bytes]:
    """Answer a stranger with a part. Strangers who ask at the same time share one rendering."""
    sharing: Sharing[Part] = ask.request.scope["state"]["sharing"]
    try:
        part = await sharing.of(shared_key(ask), lambda: made_part(show, ask, path))
    except Problem as problem:
        if problem.status != TOO_MANY:
            raise
        part = await made_part(show, ask, path)  # the first asker met a limit of their own
    return part_answer(ask, part)


def shared_key(ask: Ask) -> Hashable:
    """Return everything that the part that a stranger asks for depends on, apart from the time."""
    query = bytes(ask.request.scope["query_string"])
    return ask.path, query, ask.language.code, ask.transport, scheme_of(ask), ask.api.links


async def made_part(show: Shows, ask: Ask, path: Mapping[str, str]) -> Part:
    """
    Return the part that a request asks for.

    Raises:
        Problem: If there is no such part, or the API does not show it to the reader.
    """
    found = await show(ask, **path)
    if not isinstance(found, Page):
        raise Problem(404, {"code": "not_found"})
    return part_of(ask, found, ask.query(PART))


async def _again(of: Screen, ask: Ask, path: Mapping[str, str]) -> Response[bytes] | Stream:
    """Answer with the page of a form and the faults in it."""
    if of.show is None:
        raise TypeError(f"{of.name} is no page")
    return await _sent(ask, await of.show(ask, **{name: path[name] for name in of.parameters}))


async def _unread(ask: Ask, refused: Problem) -> Problem:
    """Keep the fields of a form that was refused before it was read. Return the refusal."""
    if ask.request.method != "POST" or not same_site(ask.request):
        return refused
    try:
        given = await _read(ask)
    except (Problem, HTTPException):
        return refused
    if fits(given.text(FIELD), ask.session, secret_key(ask)):
        ask.sent = given.values
    return refused


async def _read(ask: Ask) -> Given:
    media = ask.request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media != _URLENCODED:
        raise Problem(415, {"code": "unsupported_media_type"})
    return given_of(await ask.request.body())


async def _sent(ask: Ask, result: Result) -> Response[bytes] | Stream:
    if isinstance(result, Page):
        return await rendered(ask, result)
    if isinstance(result, Done):
        answer = Response(b"", status_code=303, headers={"Location": quote(result.to, _ADDRESS)})
        for cookie in (*result.cookies, *((saying(ask, result.said),) if result.said else ())):
            ask.set_cookie(cookie)
        return answer
    return result


def admit(ask: Ask) -> Problem | None:
    """Count a request for a page. Return the refusal if the reader has asked too much."""
    secret = None if ask.session is None else ask.session.secret
    try:
        ask.api.admitted = shell_of(ask.request).limits.admit(ask.request.scope, secret)
    except TooManyRequests as error:
        title = SHELL_CATALOGUE[error.code][1]
        facts = {"code": error.code, "title": title, "retry_after": ceil(error.seconds)}
        return Problem(TOO_MANY, facts)
    return None


def _to_sign_in(ask: Ask) -> Response[bytes]:
    """Send the reader to the sign-in page, and back afterwards."""
    if ask.query(PART):
        return Response(b"", status_code=401)
    here = ask.address
    then = "" if here in (links.HOME, links.SIGN_IN) else f"?{urlencode({'then': here})}"
    return Response(b"", status_code=303, headers={"Location": f"{links.SIGN_IN}{then}"})


def edge_of(request: Asked) -> Edge:
    """Return the application's own edge, which the API is called through."""
    found: Edge = request.scope["state"]["edge"]
    return found
