"""What a night is asked to be."""

from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Final

from service.base.documents import Document

RULESETS: Final = ("better", "cantina")
"""One tournament each, in turn."""

STACKS: Final = {
    "official": 0,
    "halcyon_10": 10,
    "holo": 10,
    "better": 145,
    "better_simple": 31,
    "cantina": 100,
    "traditional": 20,
    "spike": 21,
}
"""Small stacks decide a tournament in few hands; an odd number of units makes odd chips."""

HOUSE_RULES: Final[dict[str, Document]] = {"cantina": {"odd_chip": "carry"}}
"""So that a night in which nobody ties for an odd pot of ``better`` has carried chips too."""

_ORBIT: Final = {"kind": "double_per_orbit"}
_BY_PLAYERS: Final = {"kind": "ante_by_players", "inc": {"2": 5, "3": 3, "4": 2, "*": 1}}
ESCALATIONS: Final = {"better": _ORBIT, "better_simple": _ORBIT, "cantina": _BY_PLAYERS}
"""
Said in each announcement, for several tables have levels by the clock by default: bots are done
before the first level ends, and the same seed is to deal the same night at any speed.
"""

OPEN_HANDS: Final = {"casino": 12}
"""A game without an end is played for so many hands, at one table."""

ONE_TABLE: Final = 10
"""Seats of that table; whoever is more watches."""

PLAYER_NAMES: Final = [
    "Han",
    "Lando",
    "Qira",
    "Tobias",
    "Dryden",
    "Enfys",
    "Rio",
    "Val",
    "Jyn",
    "Cassian",
    "Bodhi",
    "Chirrut",
    "Baze",
    "Saw",
    "Kleya",
    "Vel",
    "Cinta",
    "Luthen",
    "Mon",
    "Bix",
    "Leida",
    "Syril",
    "Dedra",
    "Kino",
    "Melshi",
    "Brasso",
    "Maarva",
    "Nemik",
    "Taramyn",
    "Skeen",
    "Gorn",
    "Lonni",
    "Partagaz",
    "Tay",
    "Davo",
    "Perrin",
    "Vanis",
    "Eedy",
    "Pegla",
    "Xan",
    "Timm",
    "Wilmon",
    "Salman",
    "Jezzi",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """
    Args:
        players: Bots at each tournament.
        ruleset: One for all tournaments; ``None`` takes :data:`RULESETS` in turn.
        seed: Of the cards, dice, draws and moods; with 4 pots are tied in the first hands.
        tournaments: How many are played, one after the other.
        keep: Leave the data and say where they are.
        summary: File for the counts as JSON.
        server: Address of a PostgreSQL to use, with a superuser's login; ``None`` starts one.
    """

    players: int = 12
    ruleset: str | None = None
    seed: int = 4
    tournaments: int = 2
    keep: bool = False
    summary: Path | None = None
    server: str | None = None

    def ruleset_of(self, number: int) -> str:
        """Return the ruleset of tournament *number*, from 1."""
        return self.ruleset or RULESETS[(number - 1) % len(RULESETS)]

    def names_of(self, number: int) -> list[str]:
        """Return who plays in tournament *number*."""
        names = self.names()
        return names[:ONE_TABLE] if self.ruleset_of(number) in OPEN_HANDS else names

    def stack_of(self, number: int) -> int:
        """Return everybody's starting stack in tournament *number*."""
        return STACKS.get(self.ruleset_of(number), 100)

    def masters_of(self, number: int) -> dict[str, str]:
        """
        Return the two masters of tournament *number* in hexadecimal.

        Only a sandbox league takes masters from outside (ADR 0004).
        """
        return {
            name: sha256(f"holotable/demo/{self.seed}/{number}/{name}".encode()).hexdigest()
            for name in ("cards", "open")
        }

    def entropy_of(self, number: int, name: str) -> bytes:
        """Return what *name* adds to the decks of tournament *number*; others draw at random."""
        return sha256(f"holotable/demo/{self.seed}/{number}/entropy/{name}".encode()).digest()

    def names(self) -> list[str]:
        """Return the bots' names, each once."""
        rounds = range(1 + (self.players - 1) // len(PLAYER_NAMES))
        every = [
            name if turn == 0 else f"{name} {turn + 1}" for turn in rounds for name in PLAYER_NAMES
        ]
        return every[: self.players]


def tournament_request(options: Options, number: int, season: str, starts_at: str) -> Document:
    """Return the body that schedules tournament *number* of the night."""
    ruleset = options.ruleset_of(number)
    open_end = ruleset in OPEN_HANDS
    return {
        "name": f"{ruleset.replace('_', ' ').title()} Open {number}",
        "season": season,
        "ruleset": ruleset,
        "overrides": {
            **({"escalation": ESCALATIONS[ruleset]} if ruleset in ESCALATIONS else {}),
            **HOUSE_RULES.get(ruleset, {}),
            **({"rebuy": {"seconds": 0}} if open_end else {}),
        },
        "starting_stack": options.stack_of(number),
        "table_seats": ONE_TABLE if open_end else 6,
        "hands_max": OPEN_HANDS.get(ruleset),
        "entrants_min": 2,
        "entrants_max": options.players,
        "starts_at": starts_at,
        "decision_seconds": 2,
        "grace_seconds": 0,
        "hands_between_seconds": 0,
        "bots": "only",
        "prize_pool": 100 * options.players,
        "currency": "XXX",
        "payouts": [50, 30, 20],
        "masters": options.masters_of(number),
    }
