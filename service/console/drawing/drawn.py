"""Cards and dice as templates place them. Templates have this as ``drawn``."""

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from service.console.assets import static
from service.console.drawing import dice, sprite
from service.console.drawing.spoken import number, spoken, suit_name
from service.console.languages import Spoken

_DIE = f"0 0 {dice.SIZE} {dice.SIZE}"


@dataclass(frozen=True, slots=True)
class Drawn:
    """Places drawings, with their names in one language."""

    language: Spoken

    def card(self, card: str) -> Markup:
        """Return the front of *card*."""
        return _placed("card", "", card, self.name(card))

    def fan(self, cards: Sequence[str]) -> Markup:
        """Return the fronts of the cards of one hand, which are named together."""
        named = ", ".join(self.name(each) for each in cards)
        fronts = Markup("").join(
            Markup('<svg><use href="{}#{}"/></svg>').format(static("cards.svg"), each)
            for each in cards
        )
        return Markup('<span class="fan" role="img" aria-label="{}">{}</span>').format(
            named, fronts
        )

    def back(self) -> Markup:
        """Return the back of a card. It has no spoken name, because the page gives the number."""
        return _placed("card", "", sprite.BACK, "")

    def backs(self, count: int, said: str) -> Markup:
        """Return overlapping backs, at most five. *said* is their number in words."""
        shown = min(count, sprite.BACKS_MAX)
        return _placed("backs", sprite.backs_box(shown), sprite.backs(shown), said)

    def gold(self, value: int) -> Markup:
        """Return the gold die."""
        said = self.language.gettext("Target %(number)s") % {"number": self._number(value)}
        return _placed("die", _DIE, sprite.gold(value), said)

    def silver(self, suit: str) -> Markup:
        """Return the silver die."""
        said = self.language.gettext("Target suit: %(suit)s") % {"suit": self.suit(suit)}
        return _placed("die", _DIE, sprite.silver(suit), said)

    def spike(self, value: int) -> Markup:
        """Return a common die."""
        return _placed("die", _DIE, sprite.spike(value), str(value))

    def name(self, card: str) -> str:
        """Return the spoken name of *card*."""
        return spoken(card, self.language.gettext)

    def suit(self, suit: str) -> str:
        """Return the name of *suit*, as a plural."""
        return suit_name(suit, self.language.gettext)

    def _number(self, value: int) -> str:
        return number(value, self.language.gettext)


def _placed(kind: str, box: str, name: str, said: str) -> Markup:
    role = (
        Markup('role="img" aria-label="{}"').format(said) if said else Markup('aria-hidden="true"')
    )
    # The shape of a card is in the style sheets, because a page may hold forty.
    shape = Markup(' viewBox="{}"').format(box) if box else ""
    return Markup('<svg class="{}"{} {}><use href="{}#{}"/></svg>').format(
        kind, shape, role, static("cards.svg"), name
    )
