"""
What is hidden, and which audience is entitled to see which of it.

An audience's answers may differ between two worlds in what it is entitled to, and in nothing
else: the values are taken out of its answers before these are compared.
"""

import re
from dataclasses import dataclass, field
from typing import Any

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
"""What everybody with an office reads: what is not announced, who asked, and why not."""

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
"""Cards that everybody sees, which another deck may deal to somebody again."""

_OWN = re.compile(r'<own>(?:[\s",]*<own>)*')
_WRAPPED = re.compile(r"\n +")


@dataclass(frozen=True)
class Hidden:
    """What nobody at the rail may know, in one world."""

    cards: str
    """The master of the decks."""

    chosen: int
    """Cards that the player in the hand has selected, before selections are shown."""

    spare: str
    """Who applies, and is refused."""

    refusal: str
    claim: str
    """A claim in confidence."""

    ban: str
    draft: dict[str, Any]
    """Terms of a draft, and of what was written before it was announced."""


@dataclass
class Secrets:
    """The hidden values of a world as they can stand in an answer."""

    words: dict[str, set[str]] = field(default_factory=dict)
    """By kind."""

    cards: dict[str, set[str]] = field(default_factory=dict)
    """By audience: the cards it has held."""

    def add(self, kind: str, *values: str) -> None:
        """Take in further values of a kind."""
        self.words.setdefault(kind, set()).update(values)

    def held(self, audience: str, me: dict[str, Any] | None) -> None:
        """Take in the cards that a view shows as the audience's own."""
        if me is not None:
            found = {card for part in ("cards", "selection", "new_cards") for card in me[part]}
            self.cards.setdefault(audience, set()).update(found)

    def without(self, audience: str, text: str) -> str:
        """Return *text* without what *audience* is entitled to see."""
        kinds = ENTITLED.get(audience, set())
        for kind in sorted(kinds & self.words.keys()):
            for value in sorted(self.words[kind], key=len, reverse=True):
                text = text.replace(value, "0" if value.isdigit() else f"<{kind}>")
        if "own cards" in kinds:
            own = self.cards.get(audience, set())
            text = _PUBLIC.sub(lambda found: found.group().lower(), text)
            text = _CARD.sub(lambda found: "<own>" if found.group() in own else found.group(), text)
            # How many cards one holds is one's own business too, and where a text is wrapped.
            text = _OWN.sub("<own>", _WRAPPED.sub(" ", text))
        return text
