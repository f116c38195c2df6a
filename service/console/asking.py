"""A reader's request, which calls the API in the reader's name, with session and language."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from ipaddress import ip_address
from typing import Concatenate, ParamSpec, TypeVar, cast
from urllib.parse import urlsplit

from litestar import Request
from litestar.types import Scope

from service.api.http.shell import Asked, client_address, shell_of
from service.api.me.accounts import Me
from service.console import sessions
from service.console.calling import Api, Edge, Problem
from service.console.languages import LANGUAGE_COOKIE, Spoken, best_language
from service.console.link_keys import held_in
from service.console.problems import Failure
from service.console.sessions import Session, Transport, host_of, session_of, transport_of

UNAUTHENTICATED = 401

_KEPT = ("request_id", "shell")
"""The keys in a request's state that the request for another page has too."""

Args = ParamSpec("Args")
Seen = TypeVar("Seen")
Other = TypeVar("Other")


@dataclass(slots=True)
class Ask:
    """A request for a page or a form."""

    request: Asked
    api: Api
    """The API, called in the reader's name."""

    transport: Transport
    session: Session | None
    """The reader's session, or None for a stranger."""

    language: Spoken
    failure: Failure | None = None
    """The refusal of the form that was sent, when its page is shown again."""

    page: str | None = None
    """The path of the page that holds the form, if a form was sent."""

    sent: Mapping[str, tuple[str, ...]] | None = None
    """The values of a sent form, by field. They are set if a page of this session made the form."""

    without_me: bool = False
    """True for a page that must not ask who the reader is, because nobody could say."""

    _me: asyncio.Task[Me] | None = field(default=None, repr=False)

    @property
    def signed_in(self) -> bool:
        """True if the reader has a session. The API decides if it is still good."""
        return self.session is not None

    @property
    def path(self) -> str:
        """The path of the request."""
        return str(self.request.scope["path"])

    @property
    def here(self) -> str:
        """The path of the page that is shown. The path of a form cannot be opened."""
        return self.page or self.path

    @property
    def address(self) -> str:
        """The path of the page that is shown, with its query."""
        query = bytes(self.request.scope["query_string"]).decode("latin-1")
        return self.here + (f"?{query}" if query else "")

    def query(self, name: str, default: str = "") -> str:
        """Return a parameter of the address."""
        found = self.request.query_params.get(name, default)
        return str(found)

    def gettext(self, text: str) -> str:
        """Return *text* in the reader's language."""
        return self.language.gettext(text)

    def ngettext(self, one: str, many: str, number: int) -> str:
        """Return the form of a text for *number*, in the reader's language."""
        return self.language.ngettext(one, many, number)

    async def me(self) -> Me:
        """
        Return the reader's account, leagues and seats. The API is asked once a request.

        Raises:
            Problem: If the session has ended.
        """
        if self._me is None:
            self._me = asyncio.create_task(self.api.get("/v1/me", Me))
        return await asyncio.shield(self._me)

    def forget_session(self) -> None:
        """Go on as a stranger, because the session has ended. The browser forgets it too."""
        self.as_stranger()
        self.set_cookie(sessions.ended(self.transport))

    def as_stranger(self) -> None:
        """Answer as if nobody were signed in."""
        self.session = self.api.token = self._me = None

    def elsewhere(self, address: str) -> "Ask":
        """Return the reader's request for another page, by its address."""
        path, _, query = address.partition("?")
        state = {name: self.request.scope["state"][name] for name in _KEPT}
        scope = {**self.request.scope, "path": path, "query_string": query.encode(), "state": state}
        request: Asked = Request(cast(Scope, scope))
        api = replace(self.api, scope=request.scope, admitted=None)
        return Ask(request, api, self.transport, self.session, self.language)

    def set_cookie(self, header: str) -> None:
        """Send a header ``Set-Cookie`` with the answer."""
        state = self.request.scope["state"]
        state["cookies"] = (*state.get("cookies", ()), header)


def ask_of(request: Asked, edge: Edge) -> Ask:
    """Return *request* as an :class:`Ask`. No call has been made yet."""
    transport = transport_of(request)
    session = session_of(request, transport)
    chosen = sessions.cookie(request, LANGUAGE_COOKIE)
    language = best_language(chosen, request.headers.get("accept-language"))
    api = Api(
        edge=edge,
        scope=request.scope,
        token=None if session is None else session.secret,
        address=client_address(request),
        language=language.code,
        links=held_in(sessions.cookies(request)),
    )
    return Ask(request, api, transport, session, language)


def ended(problem: Problem, ask: Ask) -> bool:
    """Return whether *problem* says that the reader's session is over."""
    return (
        problem.status == UNAUTHENTICATED
        and problem.code == "unauthenticated"
        and ask.session is not None
    )


def house_address(ask: Ask) -> str:
    """Return the address at which phones reach this installation, for links on paper."""
    known = shell_of(ask.request).settings.public_url
    if known:
        return known.rstrip("/")
    scheme = "https" if ask.transport == "tls" else "http"
    return f"{scheme}://{host_of(ask.request.scope)}"


def only_here(ask: Ask) -> bool:
    """Return whether links to this installation open on this machine only."""
    try:
        name = urlsplit(house_address(ask)).hostname or ""
        return name == "localhost" or ip_address(name).is_loopback
    except ValueError:  # another name
        return False


def secret_key(ask: Ask) -> str:
    """Return the key that signs the tokens of forms."""
    return shell_of(ask.request).settings.secret_key


async def seen_by(
    ask: Ask,
    as_member: Callable[Concatenate[Ask, Args], Awaitable[Seen]],
    as_stranger: Callable[Concatenate[Ask, Args], Awaitable[Other]],
    *args: Args.args,
    **kwargs: Args.kwargs,
) -> Seen | Other:
    """Return the member's answer, or the stranger's if the API no longer shows the member's."""
    if ask.signed_in:
        try:
            return await as_member(ask, *args, **kwargs)
        except Problem as problem:
            if problem.status != 404:
                raise
    return await as_stranger(ask, *args, **kwargs)
