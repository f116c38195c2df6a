"""
Rendering: a page of a template, or one of its parts alone.

A page is a template and the screen that it shows. A part is a block of the same template, which
``?part=<name>`` asks for alone: same handler, same authorisation. Its tag shows if it has changed.
"""

import hashlib
import re
from dataclasses import dataclass
from functools import cache, partial
from itertools import count

from jinja2 import Environment, PackageLoader, StrictUndefined
from jinja2.ext import Extension
from litestar import Response
from markupsafe import Markup

from service.api.http.reading.etags import matches, not_modified
from service.api.http.shell import shell_of
from service.api.me.accounts import Me, MyLeague
from service.base.languages import Language
from service.base.settings import Admission
from service.base.sources import SystemEntropy
from service.console import links, sessions
from service.console.asking import Ask, ended, only_here, secret_key
from service.console.assets import static
from service.console.calling import Problem
from service.console.csrf import token_for
from service.console.drawing.drawn import Drawn
from service.console.languages import NAMES, spoken
from service.console.marking import Fault, marked
from service.console.pieces import PART, beginning, page_of
from service.console.problems import NOTHING, Failure
from service.console.words import Words

HTML = "text/html"
SAID_COOKIE = "holotable-said"
SCHEME_COOKIE = "holotable-scheme"
SCHEMES = ("light", "dark")
AUTO = "auto"
"""The scheme of the reader's device."""

_SAID_SECONDS = 60
_MASK_BYTES = 16

_entropy = SystemEntropy()
_CSRF_MARK = f"csrf{_entropy.token()}"
_KEY_MARK = f"key{_entropy.token()}"
"""
Placeholders that templates write for tokens and keys.

The real ones are filled in after the tag is made, so an unchanged part keeps its tag.
"""


@dataclass(frozen=True, slots=True)
class Page:
    """
    A template with the screen that it shows.

    Args:
        template: The file below ``templates``.
        screen: What the page shows, as ``screen`` in the template.
        status: The status of the answer. That of a failed form replaces it.
    """

    template: str
    screen: object = None
    status: int = 200


@dataclass(frozen=True, slots=True)
class Done:
    """A form that was carried out: go to a page, which says so once."""

    to: str
    said: str = ""
    cookies: tuple[str, ...] = ()
    """Headers ``Set-Cookie``."""


@dataclass(frozen=True, slots=True)
class Reader:
    """The reader, as every page knows them."""

    signed_in: bool
    me: Me | None
    """The account, or None for a stranger, or in a part."""

    plain: bool
    """True if the connection is not encrypted, by a setting."""

    refused: bool
    """True if the connection is not encrypted, so that nobody can sign in."""

    sign_up: Admission
    """The setting of who may sign up here."""

    maintenance: bool
    """True while the operator lets nobody change anything."""

    language: str
    scheme: str
    """The colours that the reader chose, ``light`` or ``dark``, or ``auto`` for the device's."""

    @property
    def turns(self) -> int:
        """The number of tables that wait for the reader."""
        return 0 if self.me is None else sum(each.your_turn for each in self.me.seats)

    def role(self, league: str | None) -> str | None:
        """Return the reader's role in a league, or None for somebody who does not belong to it."""
        found = self._league(league)
        return None if found is None else found.role

    def league_name(self, league: str | None) -> str | None:
        """Return the name of a league of the reader's, or None for another one."""
        found = self._league(league)
        return None if found is None else found.name

    def suspended(self, league: str | None) -> bool:
        """Return whether a league of the reader's takes no commands."""
        found = self._league(league)
        return found is not None and found.suspended

    def _league(self, league: str | None) -> MyLeague | None:
        mine = () if self.me is None else self.me.leagues
        return next((each for each in mine if each.id == league), None)


@dataclass(frozen=True, slots=True)
class Context:
    """The functions that a template calls about its own request."""

    ask: Ask

    def form_token(self, etag: str | None = None, key: str = "") -> Markup:
        """
        Return the hidden fields of a form: token, key, and the version it was made for.

        Args:
            key: The key of a form that is sent again, or nothing for a new one.
        """
        fields = Markup(
            '<input type="hidden" name="csrf" value="{}">'
            '<input type="hidden" name="key" value="{}">'
        ).format(_CSRF_MARK, key or _KEY_MARK)
        if etag is not None:
            fields += Markup('<input type="hidden" name="if_match" value="{}">').format(etag)
        return fields

    def part(self, name: str, *topics: str | None) -> Markup:
        """
        Return the attributes of a live part, whose block has the same *name*.

        Args:
            topics: The things that it depends on: leagues, tournaments, tables, ``me``.
        """
        listed = " ".join(each for each in topics if each)
        return Markup('id="{0}" data-part="{0}" data-topics="{1}"').format(name, listed)

    def only_here(self) -> bool:
        """Return whether links on this page are of no use to a phone."""
        return only_here(self.ask)

    def failed(self, *forms: str) -> Failure:
        """Return the faults of one of these forms. The result is false if there are none."""
        failure = self.ask.failure
        return failure if failure is not None and failure.form in forms else NOTHING


async def rendered(ask: Ask, page: Page) -> Response[bytes]:
    """
    Return the answer with *page*, or with the part of it that the request asks for.

    Raises:
        Problem: If the reader's session has ended.
    """
    part = ask.query(PART)
    if part and ask.failure is None:
        return part_answer(ask, part_of(ask, page, part))
    me = await _me(ask)
    template = environment(ask.language.code).get_template(page.template)
    text = template.render(_values(ask, page, me))
    if ask.failure:
        text = marked(text, ask.path, ask.failure, _fault(ask.language.code))
    status = ask.failure.status if ask.failure is not None else page.status
    answer = Response(_filled(ask, text), status_code=status, media_type=HTML)
    if sessions.cookie(ask.request, SAID_COOKIE) is not None:
        answer.headers["set-cookie"] = sessions.set_cookie(SAID_COOKIE, "", ask.transport, 0)
    return answer


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a page, before the secrets of its forms are filled in."""

    text: str
    tag: str
    """Its ``ETag``. What a page counts down by itself does not change it."""


def part_of(ask: Ask, page: Page, name: str) -> Part:
    """
    Return one part of *page*.

    Raises:
        Problem: If the page has no such part.
    """
    template = environment(ask.language.code).get_template(page.template)
    if name not in template.blocks:
        raise Problem(404, {"code": "not_found"})
    context = template.new_context(_values(ask, page, None))
    next(iter(template.root_render_func(context)), None)  # it imports what the blocks use
    text = "".join(template.blocks[name](context))
    return Part(text, f'W/"{hashlib.sha256(_still(text).encode()).hexdigest()[:32]}"')


def part_answer(ask: Ask, part: Part) -> Response[bytes]:
    """Return the answer with a part, or 304 if the page shows it already."""
    known = ask.request.headers.get("if-none-match")
    if known is not None and matches(known, part.tag):
        return not_modified(part.tag)
    return Response(_filled(ask, part.text), headers={"ETag": part.tag}, media_type=HTML)


_TICKING = (
    (re.compile(r' data-now="[^"]*"'), ""),
    (re.compile(r'((?:data-in="[^"]*"|countdown-text"[^>]*)>)[^<]*'), r"\1"),
    (re.compile(r'(<rect class="left" width=)"[^"]*"'), r"\1"),
)
"""The attributes that a page counts down by itself, with the server time it counts by."""


def _still(text: str) -> str:
    """Return a part without the values that change every second, to compute its tag."""
    for pattern, kept in _TICKING:
        text = pattern.sub(kept, text)
    return text


def _fault(code: Language) -> Fault:
    """Return the macro that writes the fault of a field."""
    fields = environment(code).get_template("parts/fields.html").make_module({})
    found: Fault = fields.fault  # type: ignore[attr-defined]
    return found


async def _me(ask: Ask) -> Me | None:
    """Return the reader's account. A session that has ended is forgotten."""
    if not ask.signed_in or ask.without_me:
        return None
    try:
        return await ask.me()
    except Problem as problem:
        if not ended(problem, ask):
            raise
        ask.forget_session()
        return None


def _values(ask: Ask, page: Page, me: Me | None) -> dict[str, object]:
    context, shell = Context(ask), shell_of(ask.request)
    reader = Reader(
        signed_in=ask.signed_in,
        me=me,
        plain=ask.transport == "plain",
        refused=ask.transport == "refused",
        sign_up=shell.settings.sign_up,
        maintenance=shell.doors.maintenance is not None,
        language=ask.language.code,
        scheme=scheme_of(ask),
    )
    return {
        "screen": page.screen,
        "reader": reader,
        "here": ask.here,
        "address": ask.address,
        "answers_form": ask.request.method == "POST",
        "said": said(ask),
        "failure": ask.failure,
        "failed": context.failed,
        "form_token": context.form_token,
        "part": context.part,
        "only_here": context.only_here,
        "beginning": partial(beginning, ask),
        "page_of": partial(page_of, ask),
    }


def _filled(ask: Ask, text: str) -> bytes:
    """
    Return the page with a token and a key of its own in each form.

    The keys of one page differ only in their numbers. A random one in each of several hundred forms
    would be most of what is sent.
    """
    token = token_for(ask.session, secret_key(ask), _entropy.bytes(_MASK_BYTES))
    text = text.replace(_CSRF_MARK, token)
    page, numbers = _entropy.uuid().hex, count(1)
    return re.sub(_KEY_MARK, lambda _: f"{page}-{next(numbers)}", text).encode()


def scheme_of(ask: Ask) -> str:
    """Return the colours that the reader chose."""
    found = sessions.cookie(ask.request, SCHEME_COOKIE) or ""
    return found if found in SCHEMES else AUTO


def said(ask: Ask) -> str:
    """Return the message that the previous form left for this page, if any."""
    given = sessions.cookie(ask.request, SAID_COOKIE) or ""
    try:
        return bytes.fromhex(given).decode()
    except ValueError:
        return ""


def saying(ask: Ask, text: str) -> str:
    """Return the header ``Set-Cookie`` that makes the next page say *text* once."""
    value = text.encode().hex()
    return sessions.set_cookie(SAID_COOKIE, value, ask.transport, _SAID_SECONDS)


class _Tight(Extension):
    """Leaves out the indentation of templates, which no page needs. Values stay as they are."""

    def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:
        """Return the text of a template without it."""
        return _INDENTATION.sub("", source)


_INDENTATION = re.compile(r"^[ \t]+", re.MULTILINE)


@cache
def environment(code: Language) -> Environment:
    """Return the templates in one language."""
    speaks = spoken(code)
    found = Environment(
        loader=PackageLoader("service.console"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        extensions=["jinja2.ext.i18n", "jinja2.ext.do", _Tight],
    )
    found.install_gettext_callables(  # type: ignore[attr-defined]
        speaks.gettext, speaks.ngettext, newstyle=True
    )
    found.globals |= {
        "links": links,
        "languages": NAMES,
        "static": static,
        "words": Words(speaks),
        "drawn": Drawn(speaks),
    }
    return found
