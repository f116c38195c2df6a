"""The result of an audit: a count for every check, and the faults by position."""

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from service.audit.play.fresh import Night
from service.audit.said import Said

_NOWHERE = 1 << 63
FAULTS_SHOWN = 20
"""The number of faults that a report shows for one check. All faults are counted."""


class Fault(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that does not hold: its place and a description, without any hidden value."""

    position: int
    """Position of the event in the league's log, or -1 if no single event is at fault."""

    stream: str
    what: str
    """The description, in English."""

    text: str = ""
    """The description with named gaps, as in the catalogue of texts."""

    facts: dict[str, str] = {}
    """The facts that fill the gaps."""


def fault_of(position: int, stream: str, what: Said) -> Fault:
    """Return a fault with its description."""
    facts = {name: str(fact) for name, fact in what.facts.items()}
    return Fault(position=position, stream=stream, what=str(what), text=what.text, facts=facts)


class Check(msgspec.Struct, kw_only=True):
    """One kind of proof: how often it was made, and its failures."""

    name: str
    title: str
    checked: int = 0
    failed: int = 0
    faults: list[Fault] = []


TITLES = {
    "positions": "positions dense",
    "canonical": "documents in canonical form",
    "chains": "hashes recomputed",
    "event_ids": "event identifiers derived",
    "guards": "guards held",
    "voided": "voided events found damaged",
    "readable": "events decoded",
    "folds": "events folded",
    "commitments": "commitments opened",
    "seeds": "seeds derived from their masters",
    "entropy": "entropy of entrants followed",
    "decks": "decks drawn again",
    "dice": "dice rolled again",
    "randomness": "dealt decks and fresh draws tested",
    "cards": "dealt cards found in their piles",
    "deals": "deals counted, voided deals opened",
    "cubes": "chance cubes rolled again",
    "reveals": "shown cards proved",
    "decisions": "actions decided again",
    "levels": "levels of hands compared",
    "pots": "pots built again from wagers",
    "hands": "hands balanced to the chip",
    "heads": "recorded ends of streams compared",
    "seat_draws": "seat draws repeated",
    "rounds": "rounds paired, scored and cut again",
    "moves": "moves between seats repeated",
    "rulings": "rulings compared with their acts",
    "chips": "tournaments conserved",
    "placings": "placings added up",
    "money": "money of tournaments added up again",
    "points": "points of seasons awarded again",
    "fates": "fates of tournaments checked",
    "texts": "texts compared with their digests",
    "opened": "cards shown at showdowns",
    "jobs": "jobs done in time",
    "tree": "signed heads and subtrees built again",
    "projections": "read models compared",
}
"""Every check, in the order in which a report lists them."""


class DealtDecks(msgspec.Struct, frozen=True, kw_only=True):
    """The statistics of one kind of deck that a league has dealt."""

    decks: int
    p_value: float | None
    """The p-value over every card at every position, or null while there are too few decks."""


class Report(msgspec.Struct, kw_only=True):
    """The result of auditing one league or one of its tournaments."""

    league: str
    tournament: str | None
    sandbox: bool = False
    """True for a sandbox. Its masters may be fixed, so its fairness proves nothing to strangers."""

    events: int = 0
    streams: int = 0
    """Streams from which events were read, each counted once. Rows outside the log do not count."""

    hands: int = 0
    voided_deals: int = 0
    """Deals that were voided and dealt again."""

    openings: int = 0
    """Openings of entrants' entropy, counted once for each deal that used them."""

    omissions: int = 0
    """Committed entropy that was not opened, once for each deal. Each may steer at most one bit."""

    lapsed_rounds: int = 0
    """Pulses of a beacon named too late or passed over. Each may steer at most one bit."""

    voided_positions: tuple[int, ...] = ()
    """Positions of damaged events that an operator has voided."""

    not_compared: tuple[str, ...] = ()
    """Read models whose rows are another version's. They wait for a rebuild."""

    decks: dict[str, DealtDecks] = {}
    """By deck, the statistics of all its shuffles together."""

    generator: Night | None = None
    """The statistics of fresh seeds from the night before. They belong to no league."""

    last_position: int = -1
    seconds: float = 0.0
    passed: bool = False
    first_bad_position: int | None = None
    first_bad: str | None = None
    checks: list[Check] = []

    def text(self) -> str:
        """Return the report as text for a person to read."""
        return "\n".join(self._lines()) + "\n"

    def _lines(self) -> Iterator[str]:
        about = f" tournament {self.tournament}" if self.tournament else ""
        yield f"Audit of league {self.league}{about}"
        yield (
            f"{self.events} events of {self.streams} streams up to position "
            f"{self.last_position}, {self.hands} hands, {self.seconds:.1f} s"
        )
        if self.voided_positions:
            named = ", ".join(map(str, self.voided_positions[:FAULTS_SHOWN]))
            yield f"{len(self.voided_positions)} events are out of folding, at positions {named}."
        if self.not_compared:
            named = ", ".join(self.not_compared)
            yield f"Read models that wait for a rebuild were not compared: {named}."
        if self.voided_deals:
            yield f"{self.voided_deals} deals were voided and dealt again."
        if self.openings or self.omissions:
            yield f"{self.openings} openings of entrants in decks, {self.omissions} omissions."
        if self.lapsed_rounds:
            yield f"{self.lapsed_rounds} pulses of the beacon were named too late or passed over."
        for name, dealt in self.decks.items():
            said = "too few to say" if dealt.p_value is None else f"p = {dealt.p_value:.3g}"
            yield f"{dealt.decks} decks {name} dealt; every card at every position: {said}"
        if self.generator is not None:
            lowest, name = self.generator.lowest
            yield (
                f"{len(self.generator.p_values)} statistics of fresh seeds in the night of "
                f"{self.generator.night}; the lowest, {name}: p = {lowest:.3g}"
            )
        if self.sandbox:
            yield "This league is a sandbox: its masters may have been fixed."
        for check in self.checks:
            verdict = "ok" if not check.failed else f"{check.failed} FAILED"
            yield f"  {check.title:<36} {check.checked:>9}  {verdict}"
            for fault in check.faults:
                yield f"      position {fault.position} ({fault.stream}): {fault.what}"
        if not self.passed:
            yield f"FAILED first at position {self.first_bad_position}"
        elif self.not_compared:
            yield f"passed, but not compared: {', '.join(self.not_compared)}"
        else:
            yield "passed"


class Findings:
    """Collects the results of checks while the log is read."""

    def __init__(self) -> None:
        self.checks = {name: Check(name=name, title=title) for name, title in TITLES.items()}
        self._first: Fault | None = None

    def hold(
        self, name: str, held: bool, position: int, stream: str, what: Said, count: int = 1
    ) -> bool:
        """Count a check of *name*, note a fault unless it *held*, and return whether it held."""
        check = self.checks[name]
        check.checked += count
        if not held:
            self._fail(check, fault_of(position, stream, what))
        return held

    def held(self, names: Iterable[str], count: int = 1) -> None:
        """Count checks that held, *count* for each of *names*."""
        for name in names:
            self.checks[name].checked += count

    def _fail(self, check: Check, fault: Fault) -> None:
        check.failed += 1
        if len(check.faults) < FAULTS_SHOWN:
            check.faults.append(fault)
        # A fault without a position is first only if no fault has a position.
        if self._first is None or 0 <= fault.position < (self._first.position % _NOWHERE):
            self._first = fault

    def kept(self) -> "Found":
        """Return the results in a form that another process can add up."""
        made = [check for check in self.checks.values() if check.checked or check.failed]
        return Found(checks=tuple(made), first=self._first)


class Figures(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The counts of one unit."""

    events: int = 0
    streams: int = 0
    """Own streams of the unit from which it has read events of the log."""

    hands: int = 0
    openings: int = 0
    omissions: int = 0
    lapsed_rounds: int = 0
    voided_deals: int = 0
    sandbox: bool = False
    dealt: dict[str, list[int]] = {}
    """By deck, the count of each card at each position, position after position."""


class Found(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The results of one unit's checks."""

    checks: tuple[Check, ...] = ()
    first: Fault | None = None


def _added_up(found: Sequence[Found]) -> tuple[list[Check], Fault | None]:
    """Return the sums of all checks, and the first fault. The order of *found* does not matter."""
    checks = {name: Check(name=name, title=title) for name, title in TITLES.items()}
    faults: dict[str, list[Fault]] = {name: [] for name in TITLES}
    for each in found:
        for check in each.checks:
            checks[check.name].checked += check.checked
            checks[check.name].failed += check.failed
            faults[check.name] += check.faults
    for name, check in checks.items():
        check.faults = sorted(faults[name], key=_place)[:FAULTS_SHOWN]
    firsts = [each.first for each in found if each.first is not None]
    return list(checks.values()), min(firsts, key=_place, default=None)


def close(report: Report, found: Sequence[Found]) -> Report:
    """Write the results *found* into *report*, and return it."""
    report.checks, first = _added_up(found)
    report.passed = first is None
    if first is not None:
        report.first_bad_position = first.position
        report.first_bad = f"{first.stream}: {first.what}"
    return report


def _place(fault: Fault) -> tuple[int, str, str]:
    """Return the sort key of a fault. Faults without a position come last."""
    return fault.position % _NOWHERE, fault.stream, fault.what
