"""
The order of the phases of Coruscant Shift.

Every preset has the same phases. The ruleset only decides their order.

Source: rulebook ``phases``.
"""

from functools import cache
from typing import Literal

from engine.rulesets import CoruscantShift, NoForcedBet

Phase = Literal[
    "forced",
    "roll",
    "deal",
    "kill",
    "select",
    "discard_unselected",
    "bet1",
    "replace",
    "improve",
    "discard_unused",
    "bet2",
    "reveal",
    "award",
]


def phases(ruleset: CoruscantShift, *, after: str | None = None) -> tuple[Phase, ...]:
    """
    Return the phases of one hand in order, or only those that follow *after*.

    No phase is skipped (rulebook ``phases.no_skip``).
    """
    forced = not isinstance(ruleset.forced, NoForcedBet)
    return _order_after(after, forced, ruleset.roll.when, ruleset.discard, ruleset.bet2)


@cache
def _order_after(
    after: str | None, forced: bool, roll: str, discard: str, bet2: str
) -> tuple[Phase, ...]:
    order = _order(forced, roll, discard, bet2)
    return order if after is None else order[order.index(after) + 1 :]


def _order(forced: bool, roll: str, discard: str, bet2: str) -> tuple[Phase, ...]:
    order: list[Phase] = ["forced"] if forced else []
    order += ["roll", "deal"] if roll == "before_deal" else ["deal", "roll"]
    order += ["kill", "select"]
    if discard == "with_selection":
        order += ["discard_unselected", "bet1"]
    else:
        order += ["bet1", "discard_unselected"]
    order.append("replace")
    if bet2 == "before_improve":
        order += ["bet2", "improve", "discard_unused"]
    else:
        order += ["improve", "discard_unused", "bet2"]
    return (*order, "reveal", "award")
