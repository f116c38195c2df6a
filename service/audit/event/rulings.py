"""
Deciding disputes again: each ruling must follow from the state before it.

Each event repeats its request. Only the time of the request comes from the log's own time.
"""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Final, get_args

from msgspec.structs import asdict

from engine.coordination.aggregates import Event
from engine.dispute import commands, events
from engine.dispute.decisions import decide
from engine.dispute.evolution import evolve
from engine.dispute.state import State
from engine.errors import EngineError
from engine.league.auditing import AuditReported
from service.audit.report import Findings
from service.audit.said import Said, said

_MOMENT = timedelta(microseconds=1)

ASKED: Final = {
    "dispute_opened": "claim",
    "evidence_attached": "attach_evidence",
    "audit_attached": "attach_audit",
    "head_attached": "attach_head",
    "dispute_frozen": "freeze",
    "dispute_unfrozen": "unfreeze",
    "dispute_ruled": "rule",
    "dispute_appealed": "appeal",
    "disclosure_granted": "grant_disclosure",
    "disclosure_used": "use_disclosure",
}
"""By tag of an event, the tag of the command that leads to it."""

_COMMANDS: Final = {each.__struct_config__.tag: each for each in get_args(commands.Command)}

TELLING = frozenset((events.AuditAttached, AuditReported))
"""Types of events that :class:`AttachedAudits` reads."""

Hold = Callable[[bool, int, Said], None]
"""Takes whether a check holds, the event's position, and a description of the fault."""


def check_again(
    state: State, group: Sequence[tuple[events.Event, int]], at: datetime, hold: Hold
) -> None:
    """
    Decide the events of one command again for a dispute in *state*.

    Args:
        group: Events with their positions.
        at: The time of the append.
    """
    rest = list(group)
    while rest:
        released = isinstance(rest[0][0], events.DisputeRuled) and (
            len(rest) > 1 and isinstance(rest[1][0], events.DisputeUnfrozen)
        )
        part, rest = rest[: 1 + released], rest[1 + released :]
        stored = tuple(event for event, _ in part)
        try:
            decided = decide(state, _command_of(stored[0], at))
            for event in stored:
                state = evolve(state, event)
        except (EngineError, LookupError, TypeError, ValueError, AttributeError) as error:
            what = said("refused when decided again: %(error)s", error=type(error).__name__)
            hold(False, part[0][1], what)
            return
        hold(decided == stored, part[0][1], said("deciding again gives different events"))


def _command_of(event: events.Event, at: datetime) -> commands.Command:
    asked = _COMMANDS[ASKED[str(event.__struct_config__.tag)]]
    told = asdict(event)
    told["now"] = at
    match event:
        case events.DisputeOpened():
            told["by"] = event.claimant
            if event.rule == "disputes.window":  # too late, but opened by somebody who may rule
                told |= {"closes_at": at, "ruling": True}
        case events.EvidenceAttached():
            told |= {"evidence": event.evidence.value, "salt": event.evidence.salt.hex()}
        case events.DisclosureGranted():
            told["now"] = min(at, event.until - _MOMENT)
        case events.DisclosureUsed():
            told["now"] = event.at
    command: commands.Command = asked(
        **{name: told[name] for name in asked.__struct_fields__ if name in told}
    )
    return command


class AttachedAudits:
    """Compares the audits that disputes name with those recorded in the league's log."""

    def __init__(self, findings: Findings) -> None:
        self._findings = findings
        self._attached: list[tuple[str, int, events.AuditAttached]] = []
        self._reported: dict[str, tuple[bool, int, int, int]] = {}

    def see(self, stream: str, event: Event, position: int) -> None:
        """Note *event*."""
        match event:
            case events.AuditAttached():
                self._attached.append((stream, position, event))
            case AuditReported():
                self._reported[event.report] = _figures(event)

    def end(self) -> None:
        """Compare after everything is read. A record may come later than its use, or be missing."""
        for stream, position, event in self._attached:
            held = self._reported.get(event.report, _figures(event)) == _figures(event)
            what = said("the attached audit differs from the one in the log")
            self._findings.hold("decisions", held, position, stream, what)


def _figures(event: events.AuditAttached | AuditReported) -> tuple[bool, int, int, int]:
    return event.passed, event.events, event.hands, event.last_position
