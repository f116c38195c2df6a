"""Problems of the API in the reader's words."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from service.base.languages import N_
from service.console.calling import Problem
from service.console.languages import Spoken

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


_NO_DEAL = {
    "not_running": N_("A deal is made while play goes on."),
    "deal_made": N_("A deal is made already."),
    "casino": N_("In a casino everybody leaves with their own chips. There is nothing to divide."),
    "others_may_still_enter": N_(
        "Others may still enter, and everybody who plays for the prizes has to accept a deal. It "
        "is possible once late registration has closed."
    ),
    "somebody_may_come_back": N_(
        "Somebody who has lost the last chip may still come back. A deal is possible once they "
        "have chips again, or the next hand of their table has begun."
    ),
    "nobody_to_deal_with": N_("Only one player is left."),
    "nothing_to_divide": N_("There are no prizes for the players who are left."),
    "out": N_("Only players who are left may propose a deal."),
    "others_play_now": N_("Others play now than when the deal was proposed."),
}
"""Texts for people, by the reason of ``deal_not_possible``."""


def no_deal(reason: str, language: Spoken) -> str:
    """Return why no deal is possible now, and when one will be."""
    return language.gettext(_NO_DEAL[reason])


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
    obstacle = str(problem.facts.get("reason"))
    if problem.code == "deal_not_possible" and obstacle in _NO_DEAL:
        return no_deal(obstacle, language)
    if problem.code in _ON_PAGES:
        said = str(_(_ON_PAGES[problem.code]))
    else:
        title = _(problem.title) if problem.title else _("Something went wrong")
        said = f"{title.rstrip('.')}."
    wait = problem.facts.get("retry_after")
    if isinstance(wait, int):
        said += " " + language.ngettext(
            "Try again in %(num)d second.", "Try again in %(num)d seconds.", wait
        ) % {"num": wait}  # fmt: skip
    return said


_WHOLE = frozenset({"league_suspended", "account_suspended"})
"""The codes of problems whose titles say everything."""


def reason_of(problem: Problem) -> str:
    """Return the API's own reason in English, or nothing if :func:`sentence` covers it."""
    told = problem.code == "forbidden" and problem.detail.startswith(tuple(_FORBIDDEN))
    told = told or problem.code in _WHOLE
    untold = told or problem.status in (404, TOO_MANY) or problem.status >= SERVER_ERROR
    return "" if untold else f"{problem.detail[:1].upper()}{problem.detail[1:]}"


def failure_of(
    problem: Problem, form: str, values: Mapping[str, tuple[str, ...]], language: Spoken
) -> Failure:
    """Return a problem as the failure of a form, with each error at its field."""
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


def fault_in_words(detail: str, language: Spoken) -> str:
    """Describe the fault of one value in the reader's language."""
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
    for pattern, said in (
        ("must not hold", _("Some of these characters are not allowed here.")),
        ("at least one letter", _("Use at least one letter or digit.")),
        ("matching regex", _("Some of these characters are not allowed here.")),
        ("missing required field", _("This field must be filled in.")),
        ("enum value", _("Choose one of the values.")),
        ("Expected `int`", _("Enter a whole number.")),
        ("Expected `float`", _("Enter a number.")),
        ("Expected `datetime`", _("Enter a date and a time.")),
    ):
        if pattern in detail:
            return said
    return detail
