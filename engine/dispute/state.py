"""The state of a dispute."""

from datetime import datetime
from typing import Literal

import msgspec

from engine.dispute.events import (
    AuditAttached,
    DisclosureGranted,
    DisclosureUsed,
    DisputeAppealed,
    DisputeOpened,
    DisputeRuled,
    HeadAttached,
)
from engine.dispute.values import Evidence
from engine.values import PlayerId, Sealed

Phase = Literal["open", "ruled", "appealed", "final"]


class Unclaimed(msgspec.Struct, frozen=True, kw_only=True):
    """The state of an empty stream."""


class Claimed(msgspec.Struct, frozen=True, kw_only=True):
    opened: DisputeOpened
    evidence: tuple[Sealed[Evidence], ...] = ()
    audits: tuple[AuditAttached, ...] = ()
    head: HeadAttached | None = None
    frozen: bool = False
    rulings: tuple[DisputeRuled, ...] = ()
    """At most one ruling for each instance. The last one is in force."""
    appeal: DisputeAppealed | None = None
    disclosures: tuple[DisclosureGranted, ...] = ()
    used: tuple[DisclosureUsed, ...] = ()

    @property
    def phase(self) -> Phase:
        """Return the dispute's phase."""
        if len(self.rulings) > 1:
            return "final"
        if self.appeal is not None:
            return "appealed"
        return "ruled" if self.rulings else "open"

    def disclosed(
        self, auditor: PlayerId, what: str, subject: str, now: datetime
    ) -> DisclosureGranted | None:
        """
        Return the grant that lets *auditor* open this at *now*, or None.

        The latest to end wins.
        """
        holding = [
            each
            for each in self.disclosures
            if (each.auditor, each.what, each.subject) == (auditor, what, subject)
            and now < each.until
        ]
        return max(holding, key=lambda each: each.until, default=None)


State = Unclaimed | Claimed
