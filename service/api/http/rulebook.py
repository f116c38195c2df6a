"""The rules that can be named: those which stand in the rulebook, as it is today."""

import difflib
from collections.abc import Iterable

from service.api.http.rule_names import NAMES
from service.base.errors import BadRequest

_KNOWN = frozenset(NAMES)
_NEAREST_MAX = 3


def demand_known(rules: Iterable[str]) -> None:
    """
    Check that each of *rules* stands in the rulebook.

    Raises:
        BadRequest: ``rule_unknown``, with the unknown ones and for each its nearest names.
    """
    unknown = [each for each in dict.fromkeys(rules) if each not in _KNOWN]
    if unknown:
        raise BadRequest(
            "rule_unknown",
            "the rulebook has no such rule; see the nearest names",
            unknown=[{"rule": each, "nearest": nearest(each)} for each in unknown],
        )


def nearest(name: str) -> list[str]:
    """
    Return the rules that somebody may have meant, the likeliest first; none is like nothing.

    >>> nearest("betting.reopen")[0]
    'betting.reopening'
    """
    chapter = name.partition(".")[0]
    like = difflib.get_close_matches(name, NAMES, _NEAREST_MAX)
    same = [each for each in NAMES if each.partition(".")[0] == chapter]
    return list(dict.fromkeys((*like, *same)))[:_NEAREST_MAX]
