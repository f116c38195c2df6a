"""What the audit has seen of a table, and how it says what does not hold."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from engine.kit.rng import Pile
from engine.table.model import events
from service.audit.event.tournament import TournamentAudit
from service.audit.report import Findings

Audit = TypeVar("Audit", bound="Seen")

Handlers = Mapping[type[events.Event], Callable[[Audit, Any, Any], None]]
"""
What checks an event in the state before it, by the event's type.

A mapping cannot say that each handler takes the type it is kept under.
"""


@dataclass
class Hand:
    """What has been seen of the hand in play."""

    opened: events.HandOpened
    openings: bytes
    piles: dict[int, Pile] = field(default_factory=dict)
    dealt: dict[int, set[tuple[int, int]]] = field(default_factory=dict)
    """Places of the cards each seat was given."""

    wagers: dict[int, int] = field(default_factory=dict)
    spent: dict[int, int] = field(default_factory=dict)
    """Chips that are no wager: antes into the Sabacc pot, fees, penalties."""

    dead: int = 0
    """Fees in the main pot."""

    sabacc_pot: int = 0
    pairs: int = 0
    """Rolls of two common dice."""

    penalties: dict[int, int] = field(default_factory=dict)
    """Hands that seats were given to miss while it was played."""

    live: set[int] = field(default_factory=set)
    shown: set[int] = field(default_factory=set)
    """Seats whose cards are open."""

    back: dict[int, int] = field(default_factory=dict)
    won: dict[int, int] = field(default_factory=dict)
    awarded: int = 0
    remainder: int = 0
    cubes: int = 0


class Seen:
    """
    A table as far as its events have been read.

    Args:
        stream: Of the table.
        findings: Where it is written down what holds and what does not.
        tournament: The audit of the tournament, as far as it has been read; may be asked for late.
    """

    def __init__(
        self, stream: str, findings: Findings, tournament: Callable[[], TournamentAudit | None]
    ) -> None:
        self._stream = stream
        self._findings = findings
        self.tournament = tournament
        self.number = 0
        self.deck: tuple[str, ...] = ()
        self.position = 0
        self.hand: Hand | None = None
        self.before: Hand | None = None
        """The hand before, whose winner may still show it."""

        self.chips = 0
        """Stacks and carry of the table between hands."""

        self.hands = 0
        self.deals_voided = 0
        self.openings = 0
        self.omissions = 0
        """Entropy that entrants had committed to and did not open, once for each deal."""

        self.awaited: events.TableBeaconAwaited | None = None
        """The pulse of a beacon that the next deal waits for."""

        self.lapsed = 0
        """Rounds that were named and passed over, because somebody came or went."""

        self.voided: Hand | None = None
        """The deal voided last, while its hand waits to be dealt anew."""

    def hold(self, name: str, held: bool, what: str, count: int = 1) -> bool:
        """Write down whether check *name* *held* at this event, and if not, *what* is wrong."""
        return self._findings.hold(name, held, self.position, self._stream, what, count)

    def held(self, name: str, count: int) -> None:
        """Write down that check *name* held *count* times."""
        self._findings.held((name,), count)

    def seed(self, use: str) -> bytes:
        """Return the seed of the hand in play for *use*: ``cards``, ``dice`` or ``draws``."""
        return bytes.fromhex(getattr(self.now().opened.seeds.value, use))

    def now(self) -> Hand:
        """
        Return the hand in play.

        Raises:
            LookupError: If there is none.
        """
        if self.hand is None:
            raise LookupError("an event of a hand outside a hand")
        return self.hand
