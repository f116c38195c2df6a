"""
The hidden values of a world, and the audiences that are entitled to see them.

An audience's answers may differ between two worlds only in values that it is entitled to see.
These values are removed from the answers before the comparison.
"""

import re
from dataclasses import dataclass, field
from typing import Any

from service.console.drawing.spoken import spoken
from tests.noninterference.asking import (
    APPLICANT,
    AUDITOR,
    DIRECTOR,
    NO_TOKEN,
    OTHER,
    OWNER,
    PLAYER,
    PLAYING_DIRECTOR,
    REFEREE,
    SCORER,
    SPECTATOR,
    STRANGER,
)

STAFF = {"drafts", "applicants", "refusals", "bans"}
"""The kinds that all staff may read: drafts, applicants, reasons of refusals, and bans."""

ENTITLED: dict[str, set[str]] = {
    NO_TOKEN: set(),
    STRANGER: set(),
    SPECTATOR: set(),
    PLAYER: {"own cards", "claim"},  # the claim in confidence is this player's own
    OTHER: {"own cards"},
    PLAYING_DIRECTOR: STAFF | {"own cards"},
    SCORER: STAFF,
    AUDITOR: STAFF,
    REFEREE: STAFF | {"claim"},
    DIRECTOR: STAFF,
    OWNER: STAFF | {"claim"},
    APPLICANT: {"applicants"},
}

_CARD = re.compile(r"(?<![\w+/=-])(?:[CTS][+-]\d\d|Z[12])(?![\w+/=-])")
_PUBLIC = re.compile(r'"first_dealer_draws":\[[^\]]*\]')
"""Cards that everybody sees. Another deck may deal the same cards to a player."""

_OWN = re.compile(r'<own>(?:[\s",]*<own>)*')
_WRAPPED = re.compile(r"\n +")
_WORTH = re.compile(r"(?<=data-worth>).*?(?=</p>)", re.DOTALL)
"""The total of the reader's own cards, on the playing table."""


@dataclass(frozen=True)
class Hidden:
    """The values of one world that the public may not know."""

    cards: str
    """The master of the decks."""

    chosen: int
    """The number of cards that the player selects, hidden until all have selected."""

    spare: str
    """The member who applies and is refused."""

    refusal: str
    claim: str
    """A claim in confidence."""

    ban: str
    draft: dict[str, Any]
    """Terms of a draft, also used in the earlier draft of an announced tournament."""


@dataclass
class Secrets:
    """The hidden values of a world in the form in which an answer can contain them."""

    words: dict[str, set[str]] = field(default_factory=dict)
    """The texts by kind."""

    cards: dict[str, set[str]] = field(default_factory=dict)
    """The cards that each audience has held."""

    def add(self, kind: str, *values: str) -> None:
        """Add values of a kind."""
        self.words.setdefault(kind, set()).update(values)

    def held(self, audience: str, me: dict[str, Any] | None) -> None:
        """Add the cards that a view shows as the audience's own."""
        if me is not None:
            found = {card for part in ("cards", "selection", "new_cards") for card in me[part]}
            self.cards.setdefault(audience, set()).update(found)

    def without(self, audience: str, text: str, *, cards: bool) -> str:
        """
        Return *text* without the values that *audience* is entitled to see.

        Args:
            cards: True if the text may show the audience's own cards.
        """
        kinds = ENTITLED.get(audience, set())
        for kind in sorted(kinds & self.words.keys()):
            for value in sorted(self.words[kind], key=len, reverse=True):
                text = text.replace(value, "0" if value.isdigit() else f"<{kind}>")
        if "own cards" in kinds and cards:
            own = self.cards.get(audience, set())
            text = _PUBLIC.sub(lambda found: found.group().lower(), text)
            text = _CARD.sub(lambda found: "<own>" if found.group() in own else found.group(), text)
            for card in own:
                text = text.replace(f'aria-label="{spoken(card, str)}"', 'aria-label="<own>"')
            text = _WORTH.sub("<own>", text)
            # A player may also know the number of its own cards, and thus where a text wraps.
            text = _OWN.sub("<own>", _WRAPPED.sub(" ", text))
        return text
