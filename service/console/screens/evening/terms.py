"""The terms of a new evening, made of the fields of its proposal."""

import msgspec

from engine.rulesets import UNLIMITED
from service.console.calling import Problem
from service.console.forms import Given
from service.console.numbers import listed
from service.console.screens.evening.prices import NO_LIST, prices_of
from service.console.screens.evening.questions import Questions, unread
from service.console.screens.evening.typed import (
    NUMBERS,
    entry_terms_of,
    levels_of,
    rebuys_of,
    rows_of,
)


def terms_of(given: Given, asked: Questions) -> dict[str, object]:
    """
    Return the body of the announcement, without season and times.

    Raises:
        Problem: ``validation_failed``, with each error at its field.
    """
    start = {"date": "starts_at", "time": "time"}
    wrong = {start[each]: "Expected `datetime`" for each in unread(given.values)}
    terms: dict[str, object] = {
        "name": given.text("name"),
        "ruleset": asked.ruleset,
        "length_seconds": asked.minutes * 60,
        "staff_may_play": given.flag("staff_may_play"),
    }
    if given.text("place"):
        terms["place"] = given.text("place")
    for name in NUMBERS:
        number = _whole(given, name, wrong)
        if number is not None:
            terms[name] = number
    terms["entry"] = _entry(given, wrong)
    prices = prices_of(given.values, asked.currency, asked.players, 0, wrong)
    terms |= prices.terms(asked.currency, given.text("payment") or "recorded")
    levels = _levels(given, wrong)
    if levels:
        overrides: dict[str, object] = {
            "escalation": {"kind": "levels", "by": "clock", "levels": levels}
        }
        for name in ("rebuys", "rebuys_level"):
            _whole(given, name, wrong)
        seconds = _whole(given, "rebuys_seconds", wrong)
        if rebuys := rebuys_of(given.values):
            # An empty level must stay null: it removes the level that a template set.
            unlimited = {"max": UNLIMITED} if rebuys["max"] is None else {}
            timed = {} if seconds is None else {"seconds": seconds}
            overrides["rebuy"] = rebuys | unlimited | timed
        terms["overrides"] = overrides
    terms["floor"] = _floor(given, len(levels), wrong)
    if wrong:
        errors = [
            {"pointer": f"/{name.replace('.', '/')}", "detail": said}
            for name, said in wrong.items()
        ]
        raise Problem(400, {"code": "validation_failed", "errors": errors})
    return terms


def _entry(given: Given, wrong: dict[str, str]) -> dict[str, object]:
    entry: dict[str, object] = {"waitlist": given.flag("waitlist")}
    late = _whole(given, "late", wrong)
    if late:
        entry["late_registration_level"] = late
    for name in ("postpone_minutes", "postponements_max"):
        _whole(given, name, wrong)
    return entry | entry_terms_of(given.values)


def _floor(given: Given, levels: int, wrong: dict[str, str]) -> dict[str, object]:
    floor: dict[str, object] = {}
    found = listed(given.text("breaks"))
    if found is None:
        wrong["floor.breaks"] = NO_LIST
    after = [each for each in found or () if each < levels]
    minutes = _whole(given, "break_minutes", wrong)
    if after and minutes:
        floor["breaks"] = [{"level": each, "seconds": minutes * 60} for each in sorted(set(after))]
    last = _whole(given, "last_hands", wrong)
    if last:
        floor["last_hands_after_minutes"] = last
    return floor


def _levels(given: Given, wrong: dict[str, str]) -> list[dict[str, int | None]]:
    """Return the levels of the form, of which the last never ends."""
    rows = rows_of(given.values)
    levels = levels_of(rows)
    if rows and not levels:
        wrong["levels"] = "Expected `int`"
    return [msgspec.structs.asdict(each) for each in levels]


def _whole(given: Given, name: str, wrong: dict[str, str]) -> int | None:
    text = given.text(name)
    if not text:
        return None
    if not text.isdecimal() or len(text) > 12:
        wrong[name] = "Expected `int`"
        return None
    return int(text)
