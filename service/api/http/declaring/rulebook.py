"""The rule names of the current rulebook, and a check of names that people send."""

import difflib
from collections.abc import Iterable

from service.api.http.declaring.rule_names import NAMES
from service.base.errors import BadRequest

_KNOWN = frozenset(NAMES)
_NEAREST_MAX = 3


def demand_known(rules: Iterable[str]) -> None:
    """
    Check that the rulebook has each of *rules*.

    Raises:
        BadRequest: ``rule_unknown``, with the unknown names and the nearest known names of each.
    """
    unknown = [each for each in dict.fromkeys(rules) if each not in _KNOWN]
    if unknown:
        raise BadRequest(
            "rule_unknown",
            "the rulebook has no such rule; use one of the nearest names",
            unknown=[{"rule": each, "nearest": nearest(each)} for each in unknown],
        )


def nearest(name: str) -> list[str]:
    """
    Return up to three rule names like *name*, the most similar first, then those of its chapter.

    >>> nearest("betting.reopen")[0]
    'betting.reopening'
    """
    chapter = name.partition(".")[0]
    like = difflib.get_close_matches(name, NAMES, _NEAREST_MAX)
    same = [each for each in NAMES if each.partition(".")[0] == chapter]
    return list(dict.fromkeys((*like, *same)))[:_NEAREST_MAX]
