"""
Coruscant Shift: the order of its phases.

One machine plays every preset; only the order of the blocks differs.  Source:
rulebook ``phases``.
"""

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


def phases(ruleset: CoruscantShift) -> tuple[Phase, ...]:
    """Return the phases of one hand in order."""
    order: list[Phase] = [] if isinstance(ruleset.forced, NoForcedBet) else ["forced"]
    order += ["roll", "deal"] if ruleset.roll.when == "before_deal" else ["deal", "roll"]
    order += ["kill", "select"]
    if ruleset.discard == "with_selection":
        order += ["discard_unselected", "bet1"]
    else:
        order += ["bet1", "discard_unselected"]
    order.append("replace")
    if ruleset.bet2 == "before_improve":
        order += ["bet2", "improve", "discard_unused"]
    else:
        order += ["improve", "discard_unused", "bet2"]
    return (*order, "reveal", "award")
