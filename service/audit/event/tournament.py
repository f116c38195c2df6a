"""One tournament, checked from its events: masters, seat draws, chips, placings, payouts."""

from engine.rulesets import Amounts
from engine.tournament.model import events
from engine.tournament.model.events import entering
from engine.tournament.model.events.correcting import ResultCorrected
from engine.tournament.model.events.floor import ClockSet, StackRemoved
from engine.tournament.model.events.money import (
    AddOnTaken,
    PrizeHandedOver,
    PrizeReturned,
    PrizeReversed,
)
from engine.tournament.model.events.rounds import RoundSeated
from engine.tournament.model.state import Finished, Running, State
from engine.tournament.model.terms.announced import Terms
from engine.tournament.model.terms.changeable import ChangeableTerms
from engine.tournament.model.values import Masters
from engine.values import EntrantId, number_of
from service.audit.event import corrections, moves
from service.audit.event.money import MoneyAudit
from service.audit.event.rounds import RoundsAudit
from service.audit.play import generator
from service.audit.play.entropy import EntropyAudit
from service.audit.report import Findings
from service.audit.said import NO_FAULT, Said, said

_DRAWS_TABLE = 0
_FIRST_DEAL = 1
_MOVING = ("floor", "format")
"""The terms with hours that move with the start."""

_KEPT = tuple(
    name
    for name in Terms.__struct_fields__
    if name not in (*ChangeableTerms.__struct_fields__, *_MOVING)
)


class TournamentAudit:
    """Follows the events of one tournament."""

    def __init__(self, stream: str, findings: Findings) -> None:
        self.stream = stream
        self._findings = findings
        self._money = MoneyAudit(stream, findings)
        self.entropy = EntropyAudit(lambda *told: self._hold("entropy", *told))
        self._terms: Terms | None = None
        self._entered: dict[EntrantId, int] = {}
        """Entrants with their numbers of registration, without those who withdrew."""

        self.masters: Masters | None = None
        self.chips: int | None = None
        """Chips in play since the seats were drawn."""

        self.last_position = 0
        self._rounds: RoundsAudit | None = None
        self._at = 0
        self._levels: dict[int, tuple[int, Amounts]] = {}
        """The levels set by the clock, by the version of the event that set them."""

    def level_at(self, version: int) -> tuple[int, int, Amounts] | None:
        """Return the level in force at *version*: when it was set, its number and amounts."""
        set_by = max((known for known in self._levels if known <= version), default=None)
        return None if set_by is None else (set_by, *self._levels[set_by])

    def see(self, event: events.Event, position: int, before: State) -> None:
        """Check *event*."""
        self.last_position = position
        self._money.see(event, position)
        self._in_rounds(event, position)
        self.entropy.see(event, position, before, self._entered)
        for name, held, what in moves.proofs_of(event, before, self.masters, self._digest):
            self._hold(name, held, position, what)
        match event:
            case events.TournamentAnnounced():
                self._terms = event
            case entering.TermsChanged():
                self._change(event, position)
            case events.RegistrationOpened():
                self._committed(event, position)
            case events.EntrantRegistered():
                self._entered[event.entrant] = event.number
            case events.EntrantWithdrawn() | entering.NoShowReleased():
                self._entered.pop(event.entrant, None)
            case events.SeatsDrawn():
                self._drawn(event, position)
            case events.ClockStarted() | events.LevelRaised() | ClockSet():
                self._see_clock(event, before)
            case entering.LateSeatDrawn():
                self._late_seat(event, position)
            case entering.TableAdded():
                self._comes(event.chips)
            case entering.NoShowPurged():
                self._comes(-event.stack)
                if event.struck:
                    self._entered.pop(event.entrant)
            case events.RebuyTaken() | AddOnTaken():
                self._comes(event.chips)
            case events.ChipsBrought():
                self._comes(event.chips)
            case events.EntrantCashedOut():
                self._comes(-event.stack)
            case events.ItemStaked():
                self._comes(event.value)
            case events.ItemReturned():
                self._comes(-event.value)
            case StackRemoved():
                self._comes(-event.chips)
            case _:
                self._see_result(event, position, before)

    def _change(self, event: entering.TermsChanged, position: int) -> None:
        """Check that changed terms keep the game, and follow them."""
        old = self._known()
        kept = all(getattr(event, name) == getattr(old, name) for name in _KEPT)
        self._hold("rulings", kept, position, said("a term changed that must never change"))
        self._terms = event

    def _see_clock(
        self, event: events.ClockStarted | events.LevelRaised | ClockSet, before: State
    ) -> None:
        """Note a level that comes into force. A clock that goes on keeps its level."""
        clock = before.clock if isinstance(before, Running) else None
        if clock is None or clock.level != event.level:
            self._levels[before.version + 1] = (event.level, event.amounts)

    def _see_result(self, event: events.Event, position: int, before: State) -> None:
        """Check a result, a correction of it, or a prize that was handed over."""
        match event:
            case events.TournamentFinished():
                self._finished(event, position, before)
            case PrizeHandedOver():
                due = corrections.prize_due(before, event.entrant)
                what = said(
                    "a prize of %(amount)s was handed over, and %(due)s was due",
                    amount=event.amount,
                    due=due,
                )
                self._hold("money", 0 < event.amount == due, position, what)
            case PrizeReturned():
                beyond = -corrections.prize_due(before, event.entrant)
                what = said(
                    "%(amount)s of a prize was given back, and %(beyond)s was beyond it",
                    amount=event.amount,
                    beyond=beyond,
                )
                self._hold("money", 0 < event.amount == beyond, position, what)
            case PrizeReversed():
                given = corrections.handed_over(before, event.entrant)
                what = said("a prize was taken back that was never handed over")
                self._hold("money", 0 < event.amount <= given, position, what)
            case ResultCorrected():
                if not isinstance(before, Finished):
                    raise LookupError("a result was corrected before there was one")
                faults = corrections.faults_of(event, before)
                self._hold("placings", not faults, position, NO_FAULT)

    def _in_rounds(self, event: events.Event, position: int) -> None:
        if isinstance(event, RoundSeated) and event.round == 1 and self.masters is not None:
            self._rounds = RoundsAudit(
                self._known(), self.masters, self._in_order(), self._hold_now, self._digest
            )
        if self._rounds is not None:
            self._at = position
            chips = self._rounds.see(event)
            self.chips = self.chips if chips is None else chips

    def _hold_now(self, name: str, held: bool, what: Said) -> None:
        self._hold(name, held, self._at, what)

    def _in_order(self) -> list[EntrantId]:
        """Return the entrants in order of registration."""
        return sorted(self._entered, key=lambda entrant: self._entered[entrant])

    def _digest(self) -> bytes:
        return self.entropy.digest(self._in_order())

    def _comes(self, chips: int) -> None:
        """Add *chips* from outside. A negative number leaves play."""
        if self.chips is not None:
            self.chips += chips

    def balance(self, on_tables: int) -> None:
        """Compare the chips in play with those *on_tables*, after everything is read."""
        if self.chips is not None:
            self._hold(
                "chips",
                on_tables == self.chips,
                self.last_position,
                said(
                    "%(on_tables)s chips are on the tables, not %(due)s",
                    on_tables=on_tables,
                    due=self.chips,
                ),
            )

    def _hold(self, name: str, held: bool, position: int, what: Said) -> None:
        self._findings.hold(name, held, position, self.stream, what)

    def _committed(self, event: events.RegistrationOpened, position: int) -> None:
        self.masters = Masters(cards=event.cards.value, open=event.open.value)
        number = number_of(self._known().tournament)
        for name, master, published in (
            ("cards", self.masters.cards, event.cards_commitment),
            ("open", self.masters.open, event.open_commitment),
        ):
            due = generator.master_commitment(number, name, bytes.fromhex(master))
            what = said("the master %(name)s does not match its commitment", name=name)
            self._hold("seeds", due == published, position, what)

    def _drawn(self, event: events.SeatsDrawn, position: int) -> None:
        if self.masters is None:
            raise LookupError("seats were drawn before any master")
        entered = self._in_order()
        self.entropy.beacon.drawn(position)
        draw = event.draw
        master = bytes.fromhex(self.masters.open)
        seed = generator.seed(master, "draws", _DRAWS_TABLE, draw.number, _FIRST_DEAL)
        order = generator.Draws(seed, draw.label, 1, self._digest()).order(entered)
        self._hold(
            "seat_draws",
            tuple(order) == draw.order,
            position,
            said("the draw gives a different order"),
        )
        seated = [assignment.entrant for assignment in event.assignments]
        places = {(each.table, each.seat) for each in event.assignments}
        everyone = sorted(seated) == sorted(entered) and len(places) == len(seated)
        self._hold("seat_draws", everyone, position, said("not everyone has a seat of their own"))
        self.chips = sum(assignment.stack for assignment in event.assignments)
        due = self._known().starting_stack * len(entered)
        self._hold(
            "chips", self.chips == due, position, said("%(due)s chips should be in play", due=due)
        )

    def _late_seat(self, event: entering.LateSeatDrawn, position: int) -> None:
        if self.masters is None:
            raise LookupError("a seat was drawn before any master")
        master = bytes.fromhex(self.masters.open)
        seed = generator.seed(master, "draws", _DRAWS_TABLE, event.draw.number, _FIRST_DEAL)
        places = [f"{each.table}/{each.seat}" for each in event.draw.candidates]
        order = generator.Draws(seed, "seats", 1, self._digest()).order(places)
        held = order[0] == f"{event.table}/{event.seat}"
        self._hold("seat_draws", held, position, said("the draw gives a different seat"))

    def _finished(self, event: events.TournamentFinished, position: int, before: State) -> None:
        places: dict[int, int] = {}
        for placing in event.placings:
            places[placing.place] = places.get(placing.place, 0) + 1
        following = 1
        for place in sorted(places):
            self._hold(
                "placings",
                place == following,
                position,
                said("place %(place)s is out of order", place=place),
            )
            following += places[place]
        shared = all(placing.shared == places[placing.place] for placing in event.placings)
        self._hold(
            "placings", shared, position, said("a shared place has the wrong number of entrants")
        )
        everyone = sorted(each.entrant for each in event.placings) == sorted(self._entered)
        self._hold("placings", everyone, position, said("not everyone has a place"))
        if not isinstance(before, Running):
            raise LookupError("a tournament finished that was not being played")
        kept = set(before.placings) <= set(event.placings)
        self._hold("placings", kept, position, said("the place of an eliminated entrant changed"))
        if self.masters is not None:
            published = event.open_master == self.masters.open
            self._hold(
                "seeds", published, position, said("the published open master is a different one")
            )

    def _known(self) -> Terms:
        if self._terms is None:
            raise LookupError("a tournament without terms")
        return self._terms
