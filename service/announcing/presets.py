"""Named presets of terms for announcements, with their overrides for rulesets."""

from typing import Literal, get_args

import msgspec

from engine.rulesets import resolve
from service.base.documents import Document

PresetName = Literal["tda-2024"]


class Fitting(msgspec.Struct, frozen=True, kw_only=True):
    """Overrides for rulesets with a ``parameter`` of this ``kind``."""

    parameter: Literal["forced", "betting"]
    """The parameter of the ruleset that decides."""

    kind: str
    """The overrides apply if the parameter has this kind."""

    overrides: Document
    """Parameters to lay over the ruleset."""


class TermsPreset(msgspec.Struct, frozen=True, kw_only=True):
    """Members of an announcement, and the overrides of its ruleset that the rules require."""

    name: PresetName
    """The name that an announcement gives as `terms`."""

    source: str
    """The rules that the preset follows."""

    terms: Document
    """Members of an announcement."""

    overrides: tuple[Fitting, ...]
    """Overrides for rulesets of some kinds."""

    def fitting(self, ruleset: str, overrides: Document) -> list[Document]:
        """
        Return the overrides for *ruleset* as *overrides* change it, in parts.

        Raises:
          RulesetUnknown: If no ruleset has this name.
          RulesetInvalid: If the overrides do not make a playable game of it.
        """
        game = msgspec.to_builtins(resolve(ruleset, overrides))
        return [
            each.overrides
            for each in self.overrides
            if game.get(each.parameter, {}).get("kind") == each.kind
        ]


_TDA_2024 = TermsPreset(
    name="tda-2024",
    source="Poker Tournament Directors Association, rules of 2024",
    terms={
        "decision_seconds": 25,
        "grace_seconds": 5,
        "floor": {
            "size_tolerance": 1,
            "halt_when_short": 3,
            "hand_for_hand": {"at_bubble": True, "ties": "shared", "clock_seconds": 120},
        },
    },
    overrides=(
        Fitting(
            parameter="forced",
            kind="blinds",
            overrides={"button": "dead", "headsup": "dealer_small_blind"},
        ),
        Fitting(
            parameter="betting",
            kind="poker_nl",
            overrides={"betting": {"min_raise": "last_raise"}, "odd_chip": "seat_order"},
        ),
    ),
)
"""The guide ``tda-terms.md`` gives the rule behind each member."""

PRESETS: dict[str, TermsPreset] = {each.name: each for each in (_TDA_2024,)}

if set(PRESETS) != set(get_args(PresetName)):
    raise AssertionError("a preset of terms has no name, or a name has no preset")
