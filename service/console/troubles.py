"""
Pages that say what went wrong, and offer a way on: to open the page again, or to send the form
again.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from litestar import Response

from service.base.languages import N_
from service.console.asking import Ask
from service.console.calling import Problem
from service.console.csrf import FIELD as CSRF
from service.console.forms import KEY, SECRET
from service.console.pages import Page, rendered
from service.console.pieces import PART
from service.console.problems import SERVER_ERROR, TOO_MANY, reason_of, sentence

_GONE_WRONG = N_("Something went wrong here")
_TITLES = {
    403: N_("This page is not open to you"),
    404: N_("There is no such page"),
    410: N_("This is no longer here"),
    TOO_MANY: N_("That was too fast"),
    503: N_("Not available just now"),
}


@dataclass(frozen=True, slots=True)
class Again:
    """A form that was not answered, as it was sent. Its key makes a second sending harmless."""

    action: str
    key: str
    fields: tuple[tuple[str, str], ...]
    """Name and value of every field but the secret ones, in the order of the form."""

    secrets: tuple[str, ...]
    """The names of fields that are typed again, such as passwords."""


@dataclass(frozen=True, slots=True)
class Shown:
    """The screen of a page that explains a problem."""

    title: str
    said: str
    status: int
    number: str
    """The number of the request, which helps the operator find it in the log."""

    reason: str = ""
    """The reason in the words of the API, on English pages only, or nothing."""

    again: Again | None = None
    """The form to send again, or None."""

    retry: str = ""
    """The address to open again, or nothing."""


def passes(problem: Problem) -> bool:
    """Return whether the same request may be answered later."""
    return problem.status >= SERVER_ERROR or problem.status == TOO_MANY


async def troubled(ask: Ask, problem: Problem) -> Response[bytes]:
    """Answer with a page that explains a problem."""
    _ = ask.gettext
    other = _GONE_WRONG if problem.status >= SERVER_ERROR else N_("This did not work")
    title = _(_TITLES.get(problem.status, other))
    said = sentence(problem, ask.language)
    if problem.status == 404:
        said = _("It does not exist, or you may not see it.")
    number = problem.instance.removeprefix("urn:uuid:")
    again, retry = None, ""
    if passes(problem):
        ask.without_me = True  # this page must not need the part that has just failed
        again = None if ask.sent is None else _again(ask, ask.sent)
        retry = ask.address if again is None else ""
    shown = Shown(
        title, said, problem.status, number, reason_of(problem, ask.language), again, retry
    )
    ask.failure = None
    if ask.query(PART):
        return Response(b"", status_code=problem.status)
    page = Page("problem.html", shown, problem.status)
    try:
        return await rendered(ask, page)
    except Problem:
        ask.without_me = True  # nobody can say who the reader is, whatever went wrong before
        return await rendered(ask, page)


def _again(ask: Ask, sent: Mapping[str, tuple[str, ...]]) -> Again:
    query = bytes(ask.request.scope["query_string"]).decode("latin-1")
    own = {CSRF, KEY, *SECRET}
    return Again(
        action=ask.path + (f"?{query}" if query else ""),
        key=sent.get(KEY, ("",))[-1],
        fields=tuple((name, each) for name in sent if name not in own for each in sent[name]),
        secrets=tuple(name for name in sent if name in SECRET),
    )
