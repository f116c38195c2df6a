"""That a league's log was audited, and what came of it, in figures."""

from datetime import datetime

import msgspec

from engine.values import HexDigest


class RecordAudit(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="record_audit"
):
    """Keep the outcome of an audit."""

    report: str
    scope: str
    passed: bool
    events: int
    hands: int
    last_position: int
    failed: tuple[str, ...]
    first_bad_position: int | None
    digest: HexDigest
    now: datetime


class AuditReported(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="audit_reported"
):
    """Somebody has looked: an audit opens every sealed value, and this is its record."""

    report: str
    """Under which name the whole report is kept."""
    scope: str
    """What was decided again: the league, or one tournament; bytes are always proved whole."""
    passed: bool
    events: int
    hands: int
    last_position: int
    """How far the log was read; -1 if it was empty."""
    failed: tuple[str, ...]
    """Names of the checks that did not hold."""
    first_bad_position: int | None
    """Null if nothing failed; -1 if no single event is at fault."""
    digest: HexDigest
    """SHA-256 of the report's canonical JSON."""
    at: datetime


Command = RecordAudit
Event = AuditReported


def decide(command: RecordAudit) -> tuple[AuditReported, ...]:
    """Return the record of an audit."""
    return (
        AuditReported(
            report=command.report,
            scope=command.scope,
            passed=command.passed,
            events=command.events,
            hands=command.hands,
            last_position=command.last_position,
            failed=command.failed,
            first_bad_position=command.first_bad_position,
            digest=command.digest,
            at=command.now,
        ),
    )
