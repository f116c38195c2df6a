"""
Finding again in the pots of a hand the players who knocked an entrant out.

The method differs from the engine's. Of the pots that held the seat's chips, it takes the
last awarded pot with winners who could have taken them. Source: rulebook ``bounty.pot``.
"""

from dataclasses import dataclass, field

from engine.coordination.aggregates import Event
from engine.table.model.events import HandOpened, HandSettled, PotAwarded, PotsFormed
from engine.tournament.model.events.money import EntrantKnockedOut
from engine.values import stream_of
from service.audit.report import Findings
from service.audit.said import said

_Fatal = tuple[int, frozenset[str]]
"""The number of a pot, and its winners."""

TELLING = frozenset((HandOpened, PotsFormed, PotAwarded, HandSettled, EntrantKnockedOut))
"""Types of events that this module reads."""


@dataclass(slots=True)
class _Pots:
    """The pots of the hand that is being settled at one table."""

    eligible: list[tuple[int, ...]] = field(default_factory=list)
    winners: dict[int, set[int]] = field(default_factory=dict)


class KnockoutAudit:
    """Compares the knock-outs that tournaments record with the pots at their tables."""

    def __init__(self, findings: Findings) -> None:
        self._findings = findings
        self._pots: dict[str, _Pots] = {}
        self._fatal: dict[tuple[str, int, str], _Fatal] = {}
        self._said: list[tuple[str, int, EntrantKnockedOut]] = []

    def see(self, stream: str, event: Event, position: int) -> None:
        """Note *event*."""
        match event:
            case HandOpened():
                self._pots[stream] = _Pots()
            case PotsFormed():
                self._pots[stream] = _Pots(eligible=[pot.eligible for pot in event.pots])
            case PotAwarded():
                winners = self._pots[stream].winners.setdefault(event.pot, set())
                winners |= {share.seat for share in event.shares if share.chips}
            case HandSettled() if event.busts:
                self._settled(stream, event)
            case EntrantKnockedOut():
                self._said.append((stream, position, event))

    def end(self) -> None:
        """Compare all knock-outs. Both streams of every hand must have been read."""
        for stream, position, event in self._said:
            told = (event.pot, frozenset(event.by))
            seen = self._fatal.get((stream_of(event.table), event.hand, event.entrant))
            what = said("%(entrant)s lost its last chips to another entrant", entrant=event.entrant)
            self._findings.hold("money", seen == told, position, stream, what)

    def _settled(self, stream: str, event: HandSettled) -> None:
        pots = self._pots[stream]
        entrants = {each.seat: each.entrant for each in event.stacks}
        for bust in event.busts:
            fatal = 1
            for number, seats in enumerate(pots.eligible, start=1):
                if bust.seat in seats:
                    fatal = number
            won = pots.winners.get(fatal, set()) - {bust.seat}
            key = (stream, event.number, bust.entrant)
            self._fatal[key] = (fatal, frozenset(entrants[seat] for seat in won))
