"""The state of an audited table as far as it has been read."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from engine.kit.rng import Pile
from engine.table.model import events
from service.audit.event.tournament import TournamentAudit
from service.audit.report import Findings
from service.audit.said import Said

Audit = TypeVar("Audit", bound="Seen")

# Each handler takes its own event and state. A mapping of types cannot say so.
Handlers = Mapping[type[events.Event], Callable[[Audit, Any, Any], None]]
"""
The checks of an event in the state before it, by type of event.

A mapping cannot express that each handler takes the type of its key.
"""


@dataclass
class Hand:
    """The state of the hand in play, as far as it has been read."""

    opened: events.HandOpened
    openings: bytes
    piles: dict[int, Pile] = field(default_factory=dict)
    dealt: dict[int, set[tuple[int, int]]] = field(default_factory=dict)
    """By seat, the places of its cards in the piles."""

    wagers: dict[int, int] = field(default_factory=dict)
    spent: dict[int, int] = field(default_factory=dict)
    """Chips that are not wagers: antes into the Sabacc pot, fees, penalties."""

    dead: int = 0
    """Fees in the main pot."""

    sabacc_pot: int = 0
    pairs: int = 0
    """Number of rolls of two common dice."""

    penalties: dict[int, int] = field(default_factory=dict)
    """Penalty hands that seats were given during this hand."""

    live: set[int] = field(default_factory=set)
    shown: set[int] = field(default_factory=set)
    """Seats with open cards."""

    back: dict[int, int] = field(default_factory=dict)
    won: dict[int, int] = field(default_factory=dict)
    awarded: int = 0
    remainder: int = 0
    cubes: int = 0


class Seen:
    """
    A table as far as its events have been read.

    Args:
        stream: The table's stream.
        findings: Collects the results of the checks.
        tournament: Returns the audit of the tournament as far as it has been read. It is
            called only when needed.
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
        """The hand before. Its winner may still show its cards."""

        self.chips = 0
        """Stacks and carry of the table between hands."""

        self.hands = 0
        self.deals_voided = 0
        self.openings = 0
        self.omissions = 0
        """Committed entropy of entrants that was not opened, once for each deal."""

        self.awaited: events.TableBeaconAwaited | None = None
        """The pulse of a beacon that the next deal waits for."""

        self.lapsed = 0
        """Number of pulses that were named and then passed over, because a player came or left."""

        self.voided: Hand | None = None
        """The last voided deal, until its hand is dealt again."""

    def hold(self, name: str, held: bool, what: Said, count: int = 1) -> bool:
        """Record whether check *name* *held* at this event. *what* describes the fault."""
        return self._findings.hold(name, held, self.position, self._stream, what, count)

    def held(self, name: str, count: int) -> None:
        """Record that check *name* held *count* times."""
        self._findings.held((name,), count)

    def seed(self, use: str) -> bytes:
        """Return the seed of the hand in play for *use*: ``cards``, ``dice`` or ``draws``."""
        return bytes.fromhex(getattr(self.now().opened.seeds.value, use))

    def now(self) -> Hand:
        """
        Return the hand in play.

        Raises:
            LookupError: If no hand is in play.
        """
        if self.hand is None:
            raise LookupError("an event of a hand outside a hand")
        return self.hand
