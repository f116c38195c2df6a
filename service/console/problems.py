"""Problems of the API in the reader's words."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from service.base.languages import LANGUAGES, N_
from service.console.calling import FieldError, Problem
from service.console.languages import Spoken
from service.console.refusals import told
from service.console.wordings import worded

FASTER = "stream_version_conflict"
"""The code for a form whose page was loaded before somebody else changed the data."""

TOO_MANY = 429
"""The status of a reader who has asked too much."""

SERVER_ERROR = 500
"""The least status of a request that failed by no fault of the reader's."""


@dataclass(frozen=True, slots=True)
class Failure:
    """The faults of a form, and the values typed into it."""

    form: str
    """The name of the form's handler."""

    message: str
    """A sentence for the summary."""

    fields: Mapping[str, str] = field(default_factory=dict)
    """A sentence for each field, by the field's name."""

    values: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The values that were typed, by field. Passwords are left out."""

    status: int = 400
    faster: bool = False
    """True if somebody else changed the data first. The page then shows the new data."""

    def __bool__(self) -> bool:
        """Return whether there is any fault."""
        return bool(self.message)

    def value(self, name: str, default: object = "") -> object:
        """Return the value typed into a field, or *default* if the form was not sent yet."""
        typed = self.values.get(name)
        return default if typed is None else typed[-1]

    def ticked(self, name: str, default: bool = False, value: str | None = None) -> bool:
        """Return whether a box was ticked, or *default* if the form was not sent yet."""
        if not self.form:
            return default
        typed = self.values.get(name, ())
        return bool(typed) if value is None else value in typed

    @property
    def listed(self) -> list[tuple[str, str]]:
        """The sentences of the summary, each with the field that it is about."""
        return [(said, name) for name, said in self.fields.items()]


NOTHING = Failure("", "")
"""The failure of a form that was not sent yet."""


_ON_PAGES: Mapping[str, str] = {
    "store_unavailable": N_("The server cannot reach its database."),
    "overloaded": N_("The server has too much to do just now. Nothing was done."),
    "not_caught_up": N_("The server is still working on an earlier change."),
    "too_many_requests": N_("That was too much at once."),
    "too_many_sign_ins": N_("Too many sign-ins have failed."),
    "too_many_connections": N_("Too many people are here just now."),
    "schema_unsupported": N_("The server is being updated."),
    "internal_error": N_("The program made a mistake. It has been recorded."),
    "idempotency_key_reused": N_(
        "This form was already sent, with something else in it. This page shows what came of it; "
        "check, and send your change again."
    ),
    "body_too_large": N_("That is more than a page may send at once."),
}
"""Texts for people, by code, for problems whose titles speak of programs."""

_FORBIDDEN = {
    "you are entered here": N_("You play here, so this is for staff who do not play."),
    "your role in this league": N_("Your role in this league does not allow this."),
}
"""The reasons of a ``forbidden`` by their first words."""


def sentence(problem: Problem, language: Spoken) -> str:
    """Return the meaning of a problem, in the reader's language."""
    _ = language.gettext
    if problem.code == FASTER:
        return _("Somebody else was faster. This page now shows what they changed; check, and send "
                 "your change again.")  # fmt: skip
    if problem.code == "forbidden":
        for begins, reason in _FORBIDDEN.items():
            if problem.detail.startswith(begins):
                return _(reason)
    if problem.code in _ON_PAGES:
        said = str(_(_ON_PAGES[problem.code]))
    else:
        title = _(problem.title) if problem.title else _("Something went wrong")
        said = f"{title.rstrip('.')}. {told(problem, language)}".strip()
    wait = problem.facts.get("retry_after")
    if isinstance(wait, int):
        said += " " + language.ngettext(
            "Try again in %(num)d second.", "Try again in %(num)d seconds.", wait
        ) % {"num": wait}  # fmt: skip
    return said


_WHOLE = frozenset({"league_suspended", "account_suspended"})
"""The codes of problems whose titles say everything."""


def reason_of(problem: Problem, language: Spoken) -> str:
    """
    Return the API's own reason, or nothing if :func:`sentence` covers it.

    The API speaks English, so a page in another language leaves the reason out.
    """
    covered = problem.code == "forbidden" and problem.detail.startswith(tuple(_FORBIDDEN))
    covered = covered or problem.code in _WHOLE or bool(told(problem, language))
    covered = covered or problem.status in (404, TOO_MANY) or problem.status >= SERVER_ERROR
    if covered or language.code != LANGUAGES[0]:
        return ""
    return f"{problem.detail[:1].upper()}{problem.detail[1:]}"


def placed(problem: Problem) -> None:
    """Put the wording of a problem that names a field at this field."""
    field = problem.facts.get("field")
    if isinstance(field, str) and not problem.errors and (free := problem.wording):
        problem.errors = (FieldError(f"/{field.replace('.', '/')}", free),)


def failure_of(
    problem: Problem, form: str, values: Mapping[str, tuple[str, ...]], language: Spoken
) -> Failure:
    """Return a problem as the failure of a form, with each error at its field."""
    placed(problem)
    fields = {
        each.pointer.strip("/").replace("/", "."): fault_in_words(each.detail, language)
        for each in problem.errors
    }
    return Failure(
        form=form,
        message=sentence(problem, language)
        if problem.title or not fields
        else _marked(len(fields), language),
        fields=fields,
        values=values,
        status=problem.status,
        faster=problem.code == FASTER,
    )


def _marked(count: int, language: Spoken) -> str:
    """Return the failure of a form in which the page itself found the faults."""
    return language.ngettext(
        "One thing is not right yet.", "%(num)d things are not right yet.", count
    ) % {"num": count}


_BOUND = re.compile(
    r"(?P<kind>str|int|float|array|object)` (?P<what>of length )?(?P<sign>[<>]=?) (?P<n>-?[\d.]+)"
)
_RANGE = re.compile(r"(?:be|have) (?:between )?(?P<least>\d+) (?:to|and) (?P<most>\d+)")
_UNITS = re.compile(r"must be a multiple of (?P<unit>\d+)")

_FAULTS = (
    ("must not hold", N_("Some of these characters are not allowed here.")),
    ("at least one letter", N_("Use at least one letter or digit.")),
    ("matching regex", N_("Some of these characters are not allowed here.")),
    ("missing required field", N_("This field must be filled in.")),
    ("enum value", N_("Choose one of the values.")),
    ("Expected `int`", N_("Enter a whole number.")),
    ("Expected `float`", N_("Enter a number.")),
    ("Expected numbers", N_("Enter whole numbers above 0 with commas, such as 50, 30, 20.")),
    ("Expected `datetime`", N_("Enter a date and a time.")),
)
"""The API's words for a fault of one value, and ours."""


def fault_in_words(detail: str, language: Spoken) -> str:
    """Describe the fault of one value in the reader's language."""
    if known := worded(detail, language):
        return known
    _ = language.gettext
    bound = _BOUND.search(detail)
    if bound is not None:
        number = {"number": bound["n"]}
        if bound["kind"] == "array":
            least, most = _("Give at least %(number)s."), _("Give at most %(number)s.")
        elif bound["what"]:
            least = _("Use at least %(number)s characters.")
            most = _("Use at most %(number)s characters.")
        else:
            least, most = _("The least is %(number)s."), _("The most is %(number)s.")
        return (least if bound["sign"].startswith(">") else most) % number
    inside, units = _RANGE.search(detail), _UNITS.search(detail)
    if inside is not None and "characters" in detail:
        return _("Use %(least)s to %(most)s characters.") % inside.groupdict()
    if inside is not None:
        return _("Use a number from %(least)s to %(most)s.") % inside.groupdict()
    if units is not None:
        return _("Use a multiple of %(unit)s.") % units.groupdict()
    for pattern, said in _FAULTS:
        if pattern in detail:
            return _(said)
    # The API speaks English.
    return detail if language.code == LANGUAGES[0] else _("This value does not fit here.")
