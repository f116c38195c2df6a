"""Disputes are decided again from their events alone, and impossible decisions are found."""

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any, get_args
from uuid import UUID

import msgspec
import pytest
from msgspec.structs import replace

from engine import dispute
from engine.coordination.aggregates import DECIDERS
from engine.dispute import commands, events
from engine.dispute.values import LED_TO, Evidence
from engine.league.auditing import AuditReported
from service.api.proof.dispute_rulings import AnyAct
from service.audit.bytes.chain import Placed
from service.audit.event.acts import ActsAudit
from service.audit.event.rulings import ASKED, AttachedAudits, check_again
from service.audit.report import Findings
from tests.engine.dispute.test_disputes import (
    ACKBAR,
    HAND,
    LANDO,
    MON,
    NOW,
    WHY,
    claim,
    freeze,
    rule,
)

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
    """Return the positions of events in *appended* that cannot have been decided."""
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
        changed(events.DisputeRuled, by=MON),  # this referee has ruled before
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


BY = {"by": MON, "reason": {"digest": "0" * 64, "text": "txt_1"}}
OF_RESULT = "tournament-00000000000000000000000000000003"
OF_SEASON = "season-00000000000000000000000000000004"
ACTS = [
    {"command": "forfeit", "subject": "trn_00000000000000000000000000000003"},
    {"command": "adjust_points", "subject": "ssn_00000000000000000000000000000004"},
]
RULING = ("dispute-1", "dispute_ruled", BY | {"acts": ACTS})
FORFEITED = (OF_RESULT, "result_corrected", BY)
ADJUSTED = (OF_SEASON, "points_adjusted", {"author": MON, "reason": BY["reason"]})
WARNED = (OF_RESULT, "entrant_warned", BY)


def appended(*of_appends: Sequence[tuple[str, str, Any]]) -> Iterator[tuple[Placed, bool]]:
    """Yield the rows of the appends, each with True if it begins an append."""
    position = 0
    for each in of_appends:
        for index, (stream, type_, data) in enumerate(each):
            written = msgspec.json.encode(data)
            id_ = UUID(int=position)
            yield Placed(position, stream, 1, id_, type_, written, b"{}", bytes(32)), index == 0
            position += 1


def found_wrong(*of_appends: Sequence[tuple[str, str, Any]]) -> int:
    findings = Findings()
    acts = ActsAudit(findings)
    for recorded, begins in appended(*of_appends):
        acts.follow(recorded, begins)
    acts.end()
    assert findings.checks["rulings"].checked == 3 or findings.checks["rulings"].failed
    return findings.checks["rulings"].failed


def test_acts_that_stand_beside_their_ruling_are_found() -> None:
    assert found_wrong([WARNED], [RULING, FORFEITED, ADJUSTED], [FORFEITED]) == 0
    released = ("dispute-1", "dispute_unfrozen", BY)
    assert found_wrong([RULING, released, ADJUSTED, FORFEITED]) == 0


@pytest.mark.parametrize(
    ("acts", "voided", "wrong"),
    [
        ([FORFEITED, RULING, ADJUSTED], {1}, 0),
        ([FORFEITED, RULING, ADJUSTED], {3}, 0),
        ([FORFEITED, RULING, ADJUSTED], {1, 3}, 0),
        ([FORFEITED, RULING, WARNED], {3}, 1),  # not the act that is missing
        ([FORFEITED, RULING], {1}, 1),  # one act for two
        ([FORFEITED, RULING, ADJUSTED, WARNED], {1}, 1),
    ],
)
def test_a_voided_act_of_a_ruling_is_not_missing(
    acts: list[tuple[str, str, Any]], voided: set[int], wrong: int
) -> None:
    findings = Findings()
    audit, begins = ActsAudit(findings), False
    for recorded, first in appended([WARNED], acts, [WARNED]):
        begins = begins or first
        if recorded.position in voided:
            audit.pass_over(recorded)
        else:
            audit.follow(recorded, begins)
            begins = False
    audit.end()
    assert findings.checks["rulings"].failed == wrong


@pytest.mark.parametrize(
    "of_appends",
    [
        ([RULING, FORFEITED],),
        ([RULING, FORFEITED], [ADJUSTED]),  # in an append of its own
        ([RULING, FORFEITED, ADJUSTED, WARNED],),
        ([RULING, FORFEITED, FORFEITED, ADJUSTED],),
        ([RULING, (OF_SEASON, *FORFEITED[1:]), ADJUSTED],),
        ([RULING, (*FORFEITED[:2], BY | {"by": LANDO}), ADJUSTED],),
        ([RULING, (*FORFEITED[:2], BY | {"reason": {"text": "txt_2"}}), ADJUSTED],),
        ([RULING, (*FORFEITED[:2], {}), ADJUSTED],),
        ([(*RULING[:2], BY | {"acts": [{"command": "hush", "subject": OF_RESULT}]})],),
    ],
)
def test_an_act_that_is_not_beside_its_ruling_is_found(of_appends: Any) -> None:
    assert found_wrong(*of_appends) > 0


def test_every_act_of_a_ruling_leads_to_an_event() -> None:
    commands_of_acts = {each.__struct_config__.tag for each in get_args(AnyAct)}
    assert commands_of_acts == set(LED_TO)
    known = {
        each.__struct_config__.tag
        for category in ("tournament", "season")
        for each in get_args(DECIDERS[category].events)
    }
    assert known.issuperset(LED_TO.values())
