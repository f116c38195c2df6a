"""The entropy that the entrants of one tournament add, followed from the events alone."""

from collections.abc import Callable, Iterable

from engine.table.model.events import HandOpened
from engine.tournament.model.events import Event, TournamentAnnounced, entering
from engine.tournament.model.events import fairness as fairness_events
from engine.tournament.model.state import Finished, Registering, Running, State
from service.audit.play import generator
from service.audit.play.beacon import BeaconAudit
from service.audit.said import Said, said

Hold = Callable[[bool, int, Said], None]
"""Takes whether a check holds, the event's position, and a description of the fault."""


class EntropyAudit:
    """Follows commitments and openings, and gives the entropy of draws and of a table's decks."""

    def __init__(self, hold: Hold) -> None:
        self._hold = hold
        self.beacon = BeaconAudit(hold)
        self._asks = False
        """True if entrants must check in."""

        self._there: set[str] = set()
        self._bound: dict[str, str] = {}
        self._opened: dict[str, tuple[int, int, bytes]] = {}
        """By entrant: the version in the tournament's stream, the position and the value."""

        self._first_hand: dict[str, int] = {}
        """By entrant, the position of the first hand in which the entrant had a seat."""

    def see(self, event: Event, position: int, before: State, entered: Iterable[str]) -> None:
        """Check *event* of a tournament with the state *before*."""
        self.beacon.see(event, position, before)
        match event:
            case TournamentAnnounced():
                self._asks = event.entry.check_in_opens_before_seconds is not None
            case entering.TermsChanged():
                self._asks = event.entry.check_in_opens_before_seconds is not None
                if event.check_in_again:
                    self._there.clear()
            case entering.EntrantCheckedIn():
                self._there.add(event.entrant)
            case entering.CheckInUndone():
                self._there.discard(event.entrant)
            case entering.StartPostponed():
                self._there.clear()
            case fairness_events.EntropyCommitted(entrant=entrant):
                early = isinstance(before, Registering) and entrant not in self._bound
                self._hold(early, position, said("entropy was committed late or twice"))
                there = entrant in (self._there if self._asks else set(entered))
                self._hold(there, position, said("entropy came from an entrant who is not present"))
                self._bound.setdefault(entrant, event.commitment)
            case fairness_events.EntropyOpened(entrant=entrant):
                value = bytes.fromhex(event.value)
                fits = generator.entropy_commitment(value) == self._bound.get(entrant)
                self._hold(fits, position, said("the entropy does not match its commitment"))
                once = isinstance(before, Running) and entrant not in self._opened
                self._hold(once, position, said("entropy was opened early or twice"))
                self._opened.setdefault(entrant, (before.version + 1, position, value))
            case fairness_events.SeedsPublished():
                same = isinstance(before, Finished) and before.masters.cards == event.cards_master
                self._hold(
                    same, position, said("the published master of the cards is a different one")
                )

    def digest(self, entered: Iterable[str]) -> bytes:
        """Return the digest for draws at table 0. *entered* is in order of registration."""
        there = (each for each in entered if not self._asks or each in self._there)
        return generator.commitments_digest(
            (bytes.fromhex(self._bound[each]) for each in there if each in self._bound),
            self.beacon.added,
        )

    def hand(self, opened: HandOpened, position: int) -> None:
        """Check the openings that a hand counts, and the omissions that it records."""
        due, missing = [], []
        for books in opened.seats:
            first = self._first_hand.get(books.entrant, position)
            self._first_hand[books.entrant] = min(first, position)
            known = self._opened.get(books.entrant)
            if known is not None and known[0] <= opened.tournament_version:
                due.append((books.seat, known[2].hex()))
            elif books.entrant in self._bound:
                missing.append((books.entrant, "not_opened"))
        counted = [(each.seat, each.value) for each in opened.openings]
        self._hold(counted == due, position, said("the hand counts the wrong openings"))
        omitted = [(each.entrant, each.reason) for each in opened.omissions]
        self._hold(omitted == missing, position, said("an opening was left out without a record"))

    def end(self) -> None:
        """Check that nobody opened after a first hand. The whole log must have been read."""
        for entrant, (_, position, _) in self._opened.items():
            first = self._first_hand.get(entrant)
            in_time = first is None or position < first
            self._hold(in_time, position, said("entropy was opened after the first hand"))
