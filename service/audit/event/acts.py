"""Comparing the acts that rulings on disputes name with the events of the same append."""

from collections import Counter

import msgspec

from engine.dispute.values import LED_TO, Act
from engine.values import stream_of
from service.audit.bytes.chain import Placed
from service.audit.report import Findings
from service.audit.said import said

_RULED = "dispute_ruled"
TELLING = frozenset((_RULED, *LED_TO.values()))
"""Types of events that this module reads."""


class _Signed(msgspec.Struct):
    """The author and the reason of an event that an act of a ruling led to."""

    reason: dict[str, object]
    by: str | None = None
    author: str | None = None


class _Ruled(msgspec.Struct):
    by: str
    reason: dict[str, object]
    acts: tuple[Act, ...] = ()


_ruled = msgspec.json.Decoder(_Ruled)
_signed = msgspec.json.Decoder(_Signed)


class ActsAudit:
    """
    Follows the log, and checks each append that contains a ruling.

    Source: rulebook ``disputes.ruling``.
    """

    def __init__(self, findings: Findings) -> None:
        self._findings = findings
        self._telling: list[Placed] = []
        """Rulings of the current append, and the events that acts of rulings lead to."""

        self._voided: list[Placed] = []
        """Such events that are voided, in the current append or right before it."""

        self._passed: list[Placed] = []
        """Such events that are voided, after the last other event: of this append or the next."""

    def pass_over(self, recorded: Placed) -> None:
        """Note a voided event. It may be an act of the ruling in its append."""
        if recorded.type in TELLING:
            self._passed.append(recorded)

    def follow(self, recorded: Placed, begins: bool) -> None:
        """Note the next event. If it *begins* another append, check the one before first."""
        if begins:
            if self._telling:
                self.end()
            self._voided = []
        if self._passed:
            self._voided += self._passed
            self._passed = []
        if recorded.type in TELLING:
            self._telling.append(recorded)

    def end(self) -> None:
        """Check the current append, which must be complete."""
        telling, self._telling = self._telling, []
        for recorded in telling:
            if recorded.type == _RULED:
                self._check(recorded, [each for each in telling if each.type != _RULED])

    def _check(self, recorded: Placed, done: list[Placed]) -> None:
        position, stream = recorded.position, recorded.stream
        try:
            ruled = _ruled.decode(recorded.data or b"")
            due = Counter((str(stream_of(act.subject)), LED_TO[act.command]) for act in ruled.acts)
            signed = [_signed.decode(each.data or b"") for each in done]
        except (msgspec.MsgspecError, LookupError, ValueError):
            what = said("the acts of a ruling cannot be read")
            self._findings.hold("rulings", False, position, stream, what)
            return
        found = Counter((each.stream, each.type) for each in done)
        # Nothing of a voided event can be read for certain, so it only stands for a missing act.
        voided = Counter((each.stream, each.type) for each in (*self._voided, *self._passed))
        missing, beside = (due - found - voided).total(), (found - due).total()
        what = said(
            "%(missing)s of %(all)s acts of a ruling are missing from its append",
            missing=missing,
            all=due.total(),
        )
        self._findings.hold("rulings", not missing, position, stream, what)
        what = said(
            "%(beside)s acts are in the append of a ruling that does not name them", beside=beside
        )
        self._findings.hold("rulings", not beside, position, stream, what)
        own = all(
            (each.by or each.author, each.reason) == (ruled.by, ruled.reason) for each in signed
        )
        what = said("an act of a ruling has another author or another reason")
        self._findings.hold("rulings", own, position, stream, what)
