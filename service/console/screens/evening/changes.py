"""The changes of an announced evening, with their reasons, as its players read them."""

from collections.abc import Iterable, Mapping
from datetime import datetime

import msgspec
from markupsafe import Markup, escape

from service.api.http.reading.paging import Page
from service.api.tournament.terms_changes import TermChanged, TermsChangeShown
from service.base.languages import N_
from service.console.asking import Ask
from service.console.words import Words

TERMS: dict[str, str] = {
    "name": N_("Name"),
    "place": N_("Venue"),
    "starts_at": N_("Start"),
    "length_seconds": N_("Length"),
    "registration_opens_at": N_("Entries open"),
    "entrants_max": N_("Maximum players"),
    "entrants_min": N_("Minimum players"),
    "entry.late_registration_level": N_("Late entry to the end of level"),
    "currency": N_("Currency"),
    "payouts": N_("Shares of the places"),
    "prize_pool": N_("The house adds"),
    "fees.amounts": N_("Prizes by hand"),
}
"""The terms that pages name one by one, in the words of the form that changes them."""

MONEY = frozenset({"prize_pool", "fees.amounts"})
"""The terms that are money, in minor units."""

_OTHERS = {"entry": N_("The rules of entry"), "fees": N_("Price and prizes")}
"""The words for all other terms, by the member that holds them."""


_FURTHER = N_("Further terms")


class Changed(msgspec.Struct, kw_only=True):
    """A change, in words."""

    at: datetime
    by: str | None
    """The name of the member of staff, or null for somebody who has left."""

    reason: str | None
    """The words of the staff, or null once they are erased."""

    said: tuple[str, ...]
    """The terms that were changed, with both values."""


async def changes_of(ask: Ask, tournament: str) -> tuple[TermsChangeShown, ...]:
    """Return the latest changes of an announced evening, the newest first."""
    path = f"/v1/tournaments/{tournament}/terms-changes"
    return tuple((await ask.api.get(path, Page[TermsChangeShown])).items)


def in_words(
    ask: Ask, changes: Iterable[TermsChangeShown], currency: str | None
) -> tuple[Changed, ...]:
    """
    Return *changes* in words.

    Args:
        currency: The present currency of the evening.
    """
    told = []
    for each in changes:
        named = {term.member: term for term in each.changed}
        money = named.get("currency")
        before, after = (money.before, money.after) if money else (currency, currency)
        said = dict.fromkeys(_said(ask, term, before, after) for term in _sorted(named))
        told.append(Changed(at=each.at, by=each.by_name, reason=each.reason, said=tuple(said)))
        currency = before
    return tuple(told)


def _sorted(named: Mapping[str, TermChanged]) -> list[TermChanged]:
    """Return the terms in the order of the form, and others behind them."""
    return [named[each] for each in (*TERMS, *sorted(set(named) - set(TERMS))) if each in named]


def _said(ask: Ask, term: TermChanged, before: str | None, after: str | None) -> str:
    _, what = ask.gettext, TERMS.get(term.member)
    if what is None:
        return _(_OTHERS.get(term.member.partition(".")[0], _FURTHER))
    said = escape(_("%(what)s: %(after)s instead of %(before)s"))
    was, becomes = _value(ask, term, term.before, before), _value(ask, term, term.after, after)
    return said % {"what": _(what), "before": was, "after": becomes}


def _value(ask: Ask, term: TermChanged, value: object, currency: str | None) -> str | Markup:
    words = Words(ask.language)
    if isinstance(value, str) and term.member in ("starts_at", "registration_opens_at"):
        return words.when(datetime.fromisoformat(value))
    if isinstance(value, int) and term.member == "length_seconds":
        return words.length(value)
    listed = value if isinstance(value, list) else [value]
    if term.member in MONEY:
        listed = [words.money(each, currency) for each in listed if isinstance(each, int)]
    shown = (each if isinstance(each, Markup) else str(each) for each in listed if each)
    return Markup(", ").join(shown) or "–"
