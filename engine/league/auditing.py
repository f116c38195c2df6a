"""The record of an audit in the league's log, in figures."""

from datetime import datetime

import msgspec

from engine.values import HexDigest


class RecordAudit(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="record_audit"
):
    """Record the outcome of an audit."""

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
    """Someone ran an audit. An audit opens every sealed value, so the log records it."""

    report: str
    """The name under which the whole report is kept."""
    scope: str
    """
    The events that were decided again: the league's, or one tournament's. Bytes are always
    proved for the whole log.
    """
    passed: bool
    events: int
    hands: int
    last_position: int
    """The last position read, or -1 if the log was empty."""
    failed: tuple[str, ...]
    """The names of the checks that failed."""
    first_bad_position: int | None
    """Null if nothing failed, and -1 if no single event is at fault."""
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
