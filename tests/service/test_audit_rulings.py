"""Disputes are decided again from their events alone; what cannot have been decided is found."""

from collections.abc import Sequence
from itertools import chain
from typing import Any, get_args

import pytest
from msgspec.structs import replace

from engine import dispute
from engine.dispute import commands, events
from engine.dispute.values import Evidence
from engine.league.auditing import AuditReported
from service.audit.report import Findings
from service.audit.rulings import ASKED, AttachedAudits, check_again
from tests.engine.test_disputes import ACKBAR, HAND, LANDO, MON, NOW, WHY, claim, freeze, rule

AUDIT = commands.AttachAudit(
    report="rep_1", passed=True, events=40, hands=2, last_position=39, now=NOW
)


def evidence() -> commands.AttachEvidence:
    found = Evidence(
        stream="table-1", events=(), left_out=0, digest="0" * 64, refused=(),
        epoch=None, size=None, root=None, earlier=(),
    )  # fmt: skip
    return commands.AttachEvidence(evidence=found, salt="5a" * 32, now=NOW)


def story() -> list[list[Any]]:
    """Return the events of each append of a dispute, as the engine decides them."""
    until = NOW.replace(day=28)
    granted = commands.GrantDisclosure(
        auditor=ACKBAR, what="hand", subject=HAND, until=until, by=MON, reason=WHY, now=NOW
    )
    used = commands.UseDisclosure(what="hand", subject=HAND, by=ACKBAR, now=NOW)
    appeal = commands.Appeal(by=LANDO, reason=WHY, now=NOW)
    asked = [
        [claim(), evidence()], [AUDIT], [freeze()], [granted], [used],
        [rule(MON)], [appeal], [freeze(ACKBAR)],
        [commands.Unfreeze(by=ACKBAR, reason=WHY, now=NOW)], [rule(ACKBAR)],
    ]  # fmt: skip
    state: Any = dispute.decider.initial
    appended = []
    for together in asked:
        made: list[Any] = []
        for command in together:
            for event in dispute.decider.decide(state, command):
                state = dispute.decider.evolve(state, event)
                made.append(event)
        appended.append(made)
    return appended


def faults(appended: Sequence[Sequence[Any]]) -> list[int]:
    """Return the positions at which *appended* cannot have been decided."""
    state: Any = dispute.decider.initial
    found, position = [], 0
    for group in appended:
        numbered = [(event, position + index) for index, event in enumerate(group)]
        position += len(group)
        check_again(state, numbered, NOW, lambda held, at, _: found.append((held, at)))
        for event in group:
            state = dispute.decider.evolve(state, event)
    assert found
    return [at for held, at in found if not held]


def changed(type_: type, **fields: Any) -> list[list[Any]]:
    """Return the story with the last event of one type changed."""
    appended = story()
    group, index = [
        (group, index)
        for group in appended
        for index, event in enumerate(group)
        if isinstance(event, type_)
    ][-1]
    group[index] = replace(group[index], **fields)
    return appended


def test_what_was_decided_is_decided_again() -> None:
    assert faults(story()) == []
    assert any(len(group) == 2 and isinstance(group[0], events.DisputeRuled) for group in story())


@pytest.mark.parametrize(
    "appended",
    [
        changed(events.DisputeRuled, by=LANDO),  # the claimant
        changed(events.DisputeRuled, by=MON),  # who has ruled before
        changed(events.DisputeRuled, rules=()),
        changed(events.DisputeRuled, rule="disputes.ruling"),
        changed(events.DisclosureGranted, auditor=LANDO),
        changed(events.DisclosureGranted, until=NOW.replace(month=12, day=28)),
        changed(events.DisclosureUsed, by=LANDO),
        changed(events.DisputeFrozen, rule="disputes.claim"),
    ],
)
def test_what_cannot_have_been_decided_is_found(appended: list[list[Any]]) -> None:
    forged = [
        position
        for position, (event, told) in enumerate(
            zip(chain.from_iterable(appended), chain.from_iterable(story()), strict=True)
        )
        if event != told
    ]
    assert faults(appended)[:1] == forged


def test_every_event_of_a_dispute_can_be_asked_for_again() -> None:
    known = {each.__struct_config__.tag for each in get_args(commands.Command)}
    for event in get_args(events.Event):
        assert ASKED[event.__struct_config__.tag] in known


def test_an_attached_audit_that_found_something_else_is_found() -> None:
    (attached,) = next(group for group in story() if isinstance(group[0], events.AuditAttached))
    reported = AuditReported(
        report="rep_1", scope="lge_1", passed=True, events=40, hands=2, last_position=39,
        failed=(), first_bad_position=None, digest="0" * 64, at=NOW,
    )  # fmt: skip
    for record, failed in ((reported, 0), (replace(reported, passed=False), 1)):
        findings = Findings()
        audits = AttachedAudits(findings)
        audits.see("dispute-1", attached, 7)
        audits.see("league-1", record, 8)
        audits.end()
        assert findings.checks["decisions"].failed == failed
