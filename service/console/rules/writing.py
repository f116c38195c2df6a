"""
Sentences of rules, each with its rule of the rulebook.

Sentences are written from the ruleset in play, never from the name of its preset. So they are
right for every override.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from service.api.http.declaring.rule_names import NUMBERS
from service.console.languages import Spoken
from service.console.words import Words


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of the rules."""

    text: str
    rule: str
    """The name of its rule in the rulebook."""

    differs: bool = False
    """True if the named preset does not say this."""

    @property
    def number(self) -> str:
        """The number of its rule in the rulebook."""
        return NUMBERS[self.rule]


@dataclass(frozen=True, slots=True)
class Chapter:
    """Sentences under one heading."""

    title: str
    sentences: tuple[Sentence, ...]


Pairs = Iterable[tuple[str, str]]
"""Rules by name, each with a sentence."""


@dataclass(frozen=True, slots=True)
class Writer:
    """Writes in one language."""

    language: Spoken

    def __call__(self, text: str, **values: str) -> str:
        """Return *text* in the language, with *values* in their places."""
        return self.language.gettext(text) % values

    def ngettext(self, one: str, several: str, number: int) -> str:
        """Return the form of a text for a number. The text's placeholder is ``number``."""
        return self.language.ngettext(one, several, number) % {"number": self.chips(number)}

    def chips(self, value: int) -> str:
        """Return a number of chips."""
        return Words(self.language).number(value)

    def chapter(self, title: str, sentences: Pairs) -> Chapter:
        """Return a chapter of *sentences*."""
        return Chapter(title, tuple(Sentence(text, rule) for rule, text in sentences))


def signed(value: int) -> str:
    """
    Return a number with its sign.

    >>> signed(-5), signed(0), signed(3)
    ('−5', '0', '+3')
    """
    return f"{value:+d}".replace("-", "−") if value else "0"
