"""The rules of one ruleset as a page shows them."""

from dataclasses import dataclass, replace

from engine.rulesets import PRESETS, CorellianSpike, CoruscantShift, Ruleset, Traditional, preset
from service.console.languages import Spoken
from service.console.rules import shift, spike, traditional
from service.console.rules.examples import Example, example_of
from service.console.rules.writing import Chapter, Writer


@dataclass(frozen=True, slots=True)
class Rules:
    """A game in words."""

    lede: str
    """The aim of the game in one sentence."""

    chapters: tuple[Chapter, ...]
    example: Example


def rules_of(ruleset: Ruleset, named: str, language: Spoken) -> Rules:
    """
    Return the rules of *ruleset* in words.

    Args:
        named: The preset to compare the ruleset with. Sentences that differ from it are marked.
    """
    _ = Writer(language)
    usual = preset(named) if named in PRESETS else ruleset
    said = {(each.rule, each.text) for chapter in _chapters(_, usual) for each in chapter.sentences}
    return Rules(
        lede=_lede(_, ruleset),
        chapters=tuple(
            replace(
                chapter,
                sentences=tuple(
                    replace(each, differs=(each.rule, each.text) not in said)
                    for each in chapter.sentences
                ),
            )
            for chapter in _chapters(_, ruleset)
        ),
        example=example_of(_, ruleset),
    )


def _lede(_: Writer, ruleset: Ruleset) -> str:
    match ruleset:
        case CoruscantShift():
            return _("Keep the cards whose sum comes nearest to the number on the gold die.")
        case CorellianSpike():
            return _("Make a hand of two to five cards whose sum is 0.")
        case Traditional():
            return _("Come as near to 23 as you can, and not beyond.")


def _chapters(_: Writer, ruleset: Ruleset) -> tuple[Chapter, ...]:
    match ruleset:
        case CoruscantShift():
            return tuple(shift.chapters(_, ruleset))
        case CorellianSpike():
            return tuple(spike.chapters(_, ruleset))
        case Traditional():
            return tuple(traditional.chapters(_, ruleset))
