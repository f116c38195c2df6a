"""The options of a night, and the request that announces each of its tournaments."""

from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Final

from service.base.documents import Document

RULESETS: Final = ("better", "cantina")
"""The rulesets that the tournaments use in turn."""

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
"""Starting stacks. Small ones end a tournament soon, and odd numbers of units make odd chips."""

HOUSE_RULES: Final[dict[str, Document]] = {"cantina": {"odd_chip": "carry"}}
"""Overrides by ruleset. They make odd chips carry over even if nobody ties in ``better``."""

_ORBIT: Final = {"kind": "double_per_orbit"}
_BY_PLAYERS: Final = {"kind": "ante_by_players", "inc": {"2": 5, "3": 3, "4": 2, "*": 1}}
ESCALATIONS: Final = {"better": _ORBIT, "better_simple": _ORBIT, "cantina": _BY_PLAYERS}
"""
The escalation that each announcement names. By default several tables have levels by the clock,
and the bots finish before the first level ends. With these the same seed deals the same night at
any speed.
"""

OPEN_HANDS: Final = {"casino": 12}
"""The number of hands, at one table, for a game that has no end of its own."""

ONE_TABLE: Final = 10
"""The seats of that one table. Further bots do not play."""

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
    The options of ``holotable demo``.

    Args:
        players: The number of bots at each tournament.
        ruleset: The ruleset of all tournaments. ``None`` takes :data:`RULESETS` in turn.
        seed: The seed of cards, dice, draws and moods. Seed 4 ties pots in the first hands.
        tournaments: The number of tournaments, played one after the other.
        keep: Keep the data and print where they are.
        summary: The file for the results as JSON.
        server: The address of a PostgreSQL server with a superuser's login. ``None`` starts one.
        watch: True if people look on in the console, so that the bots take their time.
    """

    players: int = 12
    ruleset: str | None = None
    seed: int = 4
    tournaments: int = 2
    keep: bool = False
    summary: Path | None = None
    server: str | None = None
    watch: bool = False

    @property
    def looking_seconds(self) -> float:
        """The time from the last entry to the start, in which a person may open the tournament."""
        return 20 if self.watch else 0

    @property
    def thinking_seconds(self) -> float:
        """The time that a bot takes for a decision."""
        return 1.2 if self.watch else 0

    def ruleset_of(self, number: int) -> str:
        """Return the ruleset of tournament *number*, from 1."""
        return self.ruleset or RULESETS[(number - 1) % len(RULESETS)]

    def names_of(self, number: int) -> list[str]:
        """Return the names of the bots that play in tournament *number*."""
        names = self.names()
        return names[:ONE_TABLE] if self.ruleset_of(number) in OPEN_HANDS else names

    def stack_of(self, number: int) -> int:
        """Return the starting stack in tournament *number*."""
        return STACKS.get(self.ruleset_of(number), 100)

    def masters_of(self, number: int) -> dict[str, str]:
        """
        Return the two masters of tournament *number* in hexadecimal.

        Only a sandbox league accepts masters from outside (ADR 0004).
        """
        return {
            name: sha256(f"holotable/demo/{self.seed}/{number}/{name}".encode()).hexdigest()
            for name in ("cards", "open")
        }

    def entropy_of(self, number: int, name: str) -> bytes:
        """Return the 32 bytes of entropy that the bot *name* adds in tournament *number*."""
        return sha256(f"holotable/demo/{self.seed}/{number}/entropy/{name}".encode()).digest()

    def names(self) -> list[str]:
        """Return the bots' names, without repetition."""
        rounds = range(1 + (self.players - 1) // len(PLAYER_NAMES))
        every = [
            name if turn == 0 else f"{name} {turn + 1}" for turn in rounds for name in PLAYER_NAMES
        ]
        return every[: self.players]


def tournament_request(options: Options, number: int, season: str, starts_at: str) -> Document:
    """Return the request body that announces tournament *number* of the night."""
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
        "decision_seconds": 15 if options.watch else 2,
        "grace_seconds": 0,
        "hands_between_seconds": 5 if options.watch else 0,
        "bots": "only",
        "prize_pool": 100 * options.players,
        "currency": "XXX",
        "payouts": [50, 30, 20],
        "masters": options.masters_of(number),
    }
