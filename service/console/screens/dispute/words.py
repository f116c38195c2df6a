"""Disputes in words: kinds, rules, acts, and the steps of the disputed hand."""

import msgspec

from service.api.http.declaring.rule_names import NUMBERS
from service.api.http.problems.answers import catalogue
from service.api.proof.dispute_shapes import DisputeShown
from service.api.table.replays import ReplayShown
from service.base.languages import N_
from service.console.asking import Ask
from service.console.calling import Problem
from service.console.deeds import AT_TABLE, DEEDS
from service.console.languages import Spoken
from service.console.rules.titles import RuleNamed, rule_named
from service.console.screens.replay.shown import lines_of

_AROUND = 3
"""Steps shown before and after the disputed one."""

_ACTS = {
    "correct_result": N_("The order of finish was corrected"),
    "forfeit": N_("A result was taken away"),
    "reaward": N_("The prizes were divided again"),
    "warn": N_("A warning was given"),
    "penalise": N_("A penalty was given"),
    "disqualify": N_("A player was disqualified"),
    "adjust_points": N_("Points were adjusted"),
    "revoke_award": N_("The evening’s points were revoked"),
}


class StepLine(msgspec.Struct, kw_only=True):
    """A step of the hand in words."""

    number: int
    text: str
    disputed: bool


class HandSaid(msgspec.Struct, kw_only=True):
    """The disputed hand, around the disputed step."""

    id: str
    number: int
    step: int | None
    """The disputed step, or null if the whole hand is in dispute."""

    steps: int
    lines: tuple[StepLine, ...]
    texts: dict[int, str]
    """Every step of the hand in words, by the version of its event."""


def event_said(type: str, language: Spoken) -> str:
    """Return the words for an event of that type."""
    known = DEEDS.get(type) or AT_TABLE.get(type)
    return language.gettext(known) if known else type.replace("_", " ")


def refusal_said(code: str, language: Spoken) -> str:
    """Return the reason for a refusal, in words."""
    _, title = catalogue().get(code, (0, ""))
    return language.gettext(title) if title else code.replace("_", " ")


def kind_name(kind: str, language: Spoken) -> str:
    """Return the words for the kind of subject in dispute."""
    _ = language.gettext
    known = {
        "hand": _("A hand"),
        "step": _("A step of a hand"),
        "seating": _("Seating"),
        "payout": _("Places and prizes"),
        "standing": _("Standings"),
    }
    return known.get(kind, kind)


def act_name(command: str, language: Spoken) -> str:
    """Return the words for an act that a ruling carried out."""
    return language.gettext(_ACTS[command]) if command in _ACTS else command


def rulebook(language: Spoken) -> tuple[RuleNamed, ...]:
    """Return every rule, in the order of the rulebook."""
    return tuple(rule_named(name, language) for name in NUMBERS)


def rule_typed(text: str) -> str:
    """
    Return the name of a rule that was typed as its name or its number.

    >>> rule_typed("5.6")
    'betting.call'
    """
    by_number = {number: name for name, number in NUMBERS.items()}
    return by_number.get(text, text)


async def hand_said(ask: Ask, shown: DisputeShown) -> HandSaid | None:
    """Return the disputed hand as everybody sees it, or None if it cannot be seen yet."""
    subject = shown.subject
    if subject.hand is None:
        return None
    try:
        found = await ask.api.get(
            f"/v1/hands/{subject.hand}/replay", ReplayShown, **{"as": "public"}
        )
    except Problem:
        return None
    at = subject.step or len(found.steps)
    whole = lines_of(ask, found)
    lines = tuple(
        StepLine(
            number=each.number, text=each.said.text, disputed=each.number == (subject.step or 0)
        )
        for each in whole
        if abs(each.number - at) <= _AROUND
    )
    return HandSaid(
        id=subject.hand,
        number=found.number,
        step=subject.step,
        steps=len(whole),
        lines=lines,
        texts={step.version: each.said.text for step, each in zip(found.steps, whole, strict=True)},
    )
