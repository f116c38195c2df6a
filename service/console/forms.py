"""Forms: reading what was typed, sending it to the API, and showing a dry run first."""

import hashlib
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar
from urllib.parse import parse_qsl

import msgspec

from service.api.http.problems.faults import Fault, fault
from service.api.http.writing.rehearsing import WouldChange
from service.console.asking import Ask
from service.console.calling import Body, Problem
from service.console.csrf import FIELD as CSRF
from service.console.pages import Done, Page
from service.console.rehearsals import ChangeList, tables_of

Shape = TypeVar("Shape", bound=msgspec.Struct)

KEY, IF_MATCH, DIGEST = "key", "if_match", "digest"
_OWN = frozenset({CSRF, KEY, IF_MATCH, DIGEST})
SECRET = frozenset({"password", "new_password", "code"})
"""Fields that are never written back into a page."""

_FIELDS_MAX = 2000


@dataclass(frozen=True, slots=True)
class Given:
    """The fields that a form sent."""

    values: dict[str, tuple[str, ...]]
    """The values by field, in the order of the form. A field may have several."""

    def keep(self, name: str, value: str) -> None:
        """Set the value that a field has if the form is shown again."""
        self.values[name] = (value,)

    def text(self, name: str, default: str = "") -> str:
        """Return the value of a field without the spaces around it."""
        found = self.values.get(name)
        return default if not found else found[-1].strip()

    def exactly(self, name: str) -> str:
        """Return the value of a field with its spaces, such as a password."""
        found = self.values.get(name)
        return "" if not found else found[-1]

    def texts(self, name: str) -> tuple[str, ...]:
        """Return all values of a field, such as ticked boxes."""
        return self.values.get(name, ())

    def flag(self, name: str) -> bool:
        """Return whether a box is ticked."""
        return self.text(name) not in ("", "false")

    @property
    def key(self) -> str:
        """The idempotency key, made when the form was rendered."""
        return self.text(KEY)

    @property
    def if_match(self) -> str | None:
        """The version that the form's page showed, or None if the form does not say."""
        return self.text(IF_MATCH) or None

    @property
    def digest(self) -> str | None:
        """The digest of the dry run that the reader has seen, or None before it."""
        return self.text(DIGEST) or None

    @property
    def fields(self) -> dict[str, tuple[str, ...]]:
        """The form's own fields, without the key, the version and the digest."""
        return {name: each for name, each in self.values.items() if name not in _OWN}

    @property
    def shown_again(self) -> dict[str, tuple[str, ...]]:
        """The fields that may be written into a page again: all but secrets."""
        return {name: each for name, each in self.fields.items() if name not in SECRET}

    def into(self, shape: type[Shape], flags: tuple[str, ...] = (), **fixed: object) -> Shape:
        """
        Return the fields as the body *shape* of the API.

        A dotted name goes into an object (``entry.waitlist``), and a name that ends in ``[]`` into
        a list. An empty field counts as not given, and a field that the body does not have is the
        page's own.

        Args:
            flags: The fields that are boxes: false unless ticked.
            fixed: Members that the page knows.

        Raises:
            Problem: ``validation_failed``, with each error at its field.
        """
        content: dict[str, object] = {}
        known = {each.encode_name for each in msgspec.structs.fields(shape)}
        for name, values in self.fields.items():
            if name.removesuffix("[]").partition(".")[0] not in known:
                continue  # a field of the page itself
            if name.endswith("[]"):
                _put(content, name[:-2], [each.strip() for each in values if each.strip()])
            elif name in SECRET and values[-1]:
                _put(content, name, values[-1])
            elif values[-1].strip():
                _put(content, name, values[-1].strip())
        for name in flags:
            _put(content, name, self.flag(name))
        content |= fixed
        try:
            return msgspec.convert(content, shape, strict=False)
        except msgspec.ValidationError as error:
            found = _faults(content, shape) or [fault(str(error))]
            listed = [each._asdict() for each in found]
            raise Problem(400, {"code": "validation_failed", "errors": listed}) from None


def given_of(body: bytes) -> Given:
    """
    Return what an urlencoded form sent.

    Raises:
        Problem: If it has too many fields.
    """
    values: dict[str, tuple[str, ...]] = {}
    text = body.decode(errors="replace")
    try:
        pairs = parse_qsl(text, keep_blank_values=True, max_num_fields=_FIELDS_MAX)
    except ValueError:
        raise Problem(400, {"code": "bad_request"}) from None
    for name, value in pairs:
        values[name] = (*values.get(name, ()), value.replace("\r\n", "\n"))
    return Given(values)


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """
    A confirmation by dry run: the page shows its changes before the step is taken.

    Args:
        question: The title of the page that asks.
        names: The names of tables and tournaments, by identifier. The API names the players.
        currency: The currency of prizes, or None.
        grave: True for a step that nobody can take back. Its button warns.
        effect: A sentence about what the dry run cannot show, or nothing.
        own: Returns a further table, of changes that the dry run does not list, such as another
            start.
    """

    question: str
    names: Mapping[str, str] = field(default_factory=dict)
    currency: str | None = None
    grave: bool = False
    effect: str = ""
    own: Callable[[WouldChange], Awaitable[ChangeList]] | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """A confirmation by a sentence about the effect, for steps without a dry run."""

    question: str
    effect: str
    about: tuple[str, ...] = ()
    """The subjects of the sentence, if they may change while the reader looks at it."""

    @property
    def digest(self) -> str:
        """The value that changes with the subjects."""
        return hashlib.sha256("\n".join(("sure", *self.about)).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Confirm:
    """The screen that shows the changes of a command and asks whether to send it."""

    question: str
    action: str
    """The path to send the form to again."""

    back: str
    """The page to go back to if the reader does not confirm."""

    tables: list[ChangeList]
    unknown: tuple[str, ...]
    """A sentence about effects that nobody can know yet, such as the end of a hand in play."""

    digest: str
    fields: Mapping[str, tuple[str, ...]]
    """The fields that were typed, to be sent again."""

    if_match: str | None
    key: str
    """The key of the form. A text gets its identifier by it, so a new one would be a new effect."""

    changed: bool
    """True if the effect has changed since the reader saw it."""

    effect: str = ""
    """A sentence about an effect that no dry run shows, or nothing."""

    grave: bool = False
    """True for a step that nobody can take back."""


async def command(
    ask: Ask,
    given: Given,
    method: str,
    path: str,
    body: Body = None,
    *,
    said: str,
    to: str,
    rehearse: Rehearsal | Question | None = None,
) -> Done | Page:
    """
    Send a form's command to the API, and return to a page.

    Args:
        said: A sentence that the next page shows once.
        to: The page to return to.
        rehearse: Shows the dry run or the question first. The reader confirms what it shows.

    Raises:
        Problem: If the API refuses.
    """
    if isinstance(rehearse, Question):
        if given.digest != rehearse.digest:
            return Page("confirm.html", _asked(ask, given, to, rehearse))
    elif rehearse is not None:
        changes = await ask.api.rehearse(method, path, body, key=given.key)
        unseen = given.digest != changes.digest  # not shown yet, or it has changed since
        if unseen and not changes.done:
            return Page("confirm.html", await _confirm(ask, given, to, rehearse, changes))
    await ask.api.send(method, path, body, object, key=given.key, if_match=given.if_match)
    return Done(to, said)


async def _confirm(
    ask: Ask, given: Given, to: str, rehearse: Rehearsal, changes: WouldChange
) -> Confirm:
    _ = ask.gettext
    unknown = {
        "hand_in_play": _("The rest depends on the hand in play."),
        "hidden_value": _("The rest depends on a card, a draw or a lot."),
    }
    names = {**changes.names, **rehearse.names}
    tables = tables_of(changes, names, rehearse.currency, ask.language)
    if rehearse.own is not None and (own := await rehearse.own(changes)).rows:
        tables.insert(0, own)
    return Confirm(
        question=rehearse.question,
        grave=rehearse.grave,
        effect=rehearse.effect,
        action=ask.path,
        back=to,
        tables=tables,
        unknown=tuple(dict.fromkeys(unknown[each.on] for each in changes.depends_on)),
        digest=changes.digest,
        fields=given.fields,
        if_match=given.if_match,
        key=given.key,
        changed=given.digest is not None,
    )


def _asked(ask: Ask, given: Given, to: str, asked: Question) -> Confirm:
    return Confirm(
        question=asked.question,
        grave=True,
        action=ask.path,
        back=to,
        tables=[],
        unknown=(),
        digest=asked.digest,
        fields=given.fields,
        if_match=given.if_match,
        key=given.key,
        changed=given.digest is not None,
        effect=asked.effect,
    )


def _faults(content: Mapping[str, object], shape: type[msgspec.Struct]) -> list[Fault]:
    """Return the first fault of each member."""
    found = []
    for member in msgspec.structs.fields(shape):
        inside = f"/{member.encode_name}"
        if member.encode_name not in content:
            if member.required:
                found.append(Fault(inside, "missing required field", "invalid_value"))
            continue
        try:
            msgspec.convert(content[member.encode_name], member.type, strict=False)
        except msgspec.ValidationError as error:
            found.append(fault(str(error), inside))
    return found


def _put(content: dict[str, object], name: str, value: object) -> None:
    """Put a value under a dotted name."""
    *above, last = name.split(".")
    inside = content
    for each in above:
        found = inside.setdefault(each, {})
        inside = found if isinstance(found, dict) else inside
    inside[last] = value
