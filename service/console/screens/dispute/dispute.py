"""One dispute: the claim, the hand beside the evidence, rulings and the appeal."""

import asyncio
from datetime import UTC, datetime

import msgspec

from service.api.me.accounts import Me
from service.api.proof.dispute_shapes import (
    DisputeReason,
    DisputeShown,
    EvidenceShown,
    RulingShown,
)
from service.console import links
from service.console.asking import Ask
from service.console.calling import Problem
from service.console.declaring import form, page
from service.console.forms import Given, Rehearsal, command
from service.console.pages import Done, Page
from service.console.rules.titles import RuleNamed, rule_named
from service.console.screens.dispute.ruling import Changes, changes_for, ruling_of
from service.console.screens.dispute.words import (
    HandSaid,
    act_name,
    event_said,
    hand_said,
    kind_name,
    refusal_said,
    rulebook,
)


class Recorded(msgspec.Struct, kw_only=True):
    """An event of the evidence, or a command that was refused."""

    position: int | None
    """Null for what was refused."""

    clock: str
    """The time of receipt, or of the event if nobody asked for it, in UTC to the millisecond."""

    at: datetime
    received_at: datetime | None
    what: str
    refused_to: str | None = None
    """The name of the player whose command was refused."""


class Attached(msgspec.Struct, kw_only=True):
    """The evidence, for a referee."""

    recorded: tuple[Recorded, ...]
    left_out: int
    signed: int | None
    """The size of the signed head that holds the events, or null."""

    earlier: tuple[str, ...]


class Decided(msgspec.Struct, kw_only=True):
    """A ruling in words."""

    instance: int
    won: bool
    by: str | None
    reason: str | None
    rules: tuple[RuleNamed, ...]
    acts: tuple[str, ...]


class DisputeScreen(msgspec.Struct, kw_only=True):
    """The page of a dispute."""

    id: str
    league: str
    about: str
    state: str
    frozen: bool
    claimant: str | None
    mine: bool
    """True if the reader is the claimant."""

    claim: str | None
    rules: tuple[RuleNamed, ...]
    tournament: str | None
    season: str | None
    hand: HandSaid | None
    hand_id: str | None
    step: int | None
    audits: tuple[tuple[str, bool, int], ...]
    """The operation of each audit, whether it passed, and its number of hands."""

    rulings: tuple[Decided, ...]
    appeal: str | None
    appealed: bool
    evidence: Attached | None
    """Null unless the reader is a referee who is not involved."""

    changes: Changes | None
    """The changes that a ruling may make, or null if the reader may not rule now."""

    rulebook: tuple[RuleNamed, ...]
    may_appeal: bool


@page("/disputes/{dispute:str}")
async def dispute(ask: Ask, dispute: str) -> Page:
    """Show the dispute. A referee sees the evidence and the form of the ruling."""
    shown, me = await asyncio.gather(_read(ask, dispute), ask.me())
    found, hand = await asyncio.gather(_evidence(ask, dispute), hand_said(ask, shown))
    evidence = None if found is None else await _attached(ask, dispute, found, hand)
    waits = shown.state in ("open", "appealed")
    first = next((each.by for each in shown.rulings), None)
    rules = evidence is not None and waits and me.id not in (first, shown.claimant)
    changes = await changes_for(ask, shown) if rules else None
    screen = DisputeScreen(
        id=shown.id,
        league=shown.league,
        about=kind_name(shown.subject.kind, ask.language),
        state=shown.state,
        frozen=shown.frozen,
        claimant=shown.claimant_name,
        mine=shown.claimant == me.id,
        claim=shown.claim,
        rules=tuple(rule_named(each, ask.language) for each in shown.rules),
        tournament=shown.subject.tournament,
        season=shown.subject.season,
        hand=hand,
        hand_id=shown.subject.hand,
        step=shown.subject.step,
        audits=tuple((each.operation, each.passed, each.hands) for each in shown.audits),
        rulings=tuple(_decided(ask, each) for each in shown.rulings),
        appeal=shown.appeal,
        appealed=shown.appealed_by is not None,
        evidence=evidence,
        changes=changes,
        rulebook=rulebook(ask.language) if rules else (),
        may_appeal=shown.state == "ruled" and await _concerned(ask, shown, me),
    )
    return Page("dispute/dispute.html", screen)


@form("/disputes/{dispute:str}/rule", of=dispute)
async def rule(ask: Ask, given: Given, dispute: str) -> Done | Page:
    """Rule, after the page has shown what the ruling changes."""
    shown = await _read(ask, dispute)
    changes = await changes_for(ask, shown)
    question = {
        "for": ask.gettext("Rule for %(name)s?"),
        "against": ask.gettext("Rule against %(name)s?"),
    }.get(given.text("outcome"), "")
    name = shown.claimant_name or ask.gettext("somebody who has left")
    return await command(
        ask, given, "POST", f"/v1/disputes/{dispute}/rulings", ruling_of(given, changes),
        said=ask.gettext("The ruling is given."), to=links.dispute(dispute),
        rehearse=Rehearsal(question % {"name": name}, currency=changes.currency),
    )  # fmt: skip


@form("/disputes/{dispute:str}/freeze", of=dispute)
async def freeze(ask: Ask, given: Given, dispute: str) -> Done | Page:
    """Freeze prizes, points and the season's end until there is a ruling."""
    said = ask.gettext("Prizes and points wait for the ruling.")
    return await _explained(ask, given, dispute, "freeze", said)


@form("/disputes/{dispute:str}/unfreeze", of=dispute)
async def unfreeze(ask: Ask, given: Given, dispute: str) -> Done | Page:
    """End a freeze before there is a ruling."""
    said = ask.gettext("Prizes and points are free again.")
    return await _explained(ask, given, dispute, "unfreeze", said)


async def _explained(ask: Ask, given: Given, dispute: str, act: str, said: str) -> Done | Page:
    """Send an act of a referee that takes only a reason."""
    return await command(
        ask, given, "POST", f"/v1/disputes/{dispute}/{act}",
        given.into(DisputeReason, reason=given.text("why")), said=said, to=links.dispute(dispute),
    )  # fmt: skip


@form("/disputes/{dispute:str}/appeal", of=dispute)
async def appeal(ask: Ask, given: Given, dispute: str) -> Done | Page:
    """Ask another referee for a second ruling, which is final."""
    return await command(
        ask, given, "POST", f"/v1/disputes/{dispute}/appeals", given.into(DisputeReason),
        said=ask.gettext("Your appeal is filed. Another referee decides."),
        to=links.dispute(dispute),
    )  # fmt: skip


async def _read(ask: Ask, dispute: str) -> DisputeShown:
    return await ask.api.get(f"/v1/disputes/{dispute}", DisputeShown)


async def _evidence(ask: Ask, dispute: str) -> EvidenceShown | None:
    """Return the evidence, or None if the reader may not rule."""
    try:
        return await ask.api.get(f"/v1/disputes/{dispute}/evidence", EvidenceShown)
    except Problem as problem:
        if problem.status != 403 and problem.code != "another_person_needed":
            raise
        return None


async def _attached(
    ask: Ask, dispute: str, found: EvidenceShown, hand: HandSaid | None
) -> Attached:
    """Return the evidence in words: those of the hand's replay, if the reader may see it."""
    evidence = found.evidence
    if evidence is None:
        return Attached(recorded=(), left_out=0, signed=None, earlier=())
    names = {str(each.player) for each in evidence.refused}
    called = await _called(ask, dispute, names) if names else {}
    texts = {} if hand is None else hand.texts
    recorded = [
        Recorded(
            position=each.position,
            clock=_clock(each.received_at or each.at),
            at=each.at,
            received_at=each.received_at,
            what=texts.get(each.version) or event_said(each.type, ask.language),
        )
        for each in evidence.events
    ]
    recorded += [
        Recorded(
            position=None,
            clock=_clock(each.received_at),
            at=each.received_at,
            received_at=each.received_at,
            what=refusal_said(each.code, ask.language),
            refused_to=called.get(each.player, "?"),
        )
        for each in evidence.refused
    ]
    return Attached(
        recorded=tuple(sorted(recorded, key=lambda each: each.received_at or each.at)),
        left_out=evidence.left_out,
        signed=evidence.size,
        earlier=evidence.earlier,
    )


def _clock(at: datetime) -> str:
    return at.astimezone(UTC).strftime("%H:%M:%S.%f")[:-3]


async def _called(ask: Ask, dispute: str, players: set[str]) -> dict[str, str]:
    """Return the names of *players* of the disputed evening."""
    changes = await changes_for(ask, await _read(ask, dispute))
    return {each.player: each.name or "?" for each in changes.parties if each.player in players}


async def _concerned(ask: Ask, shown: DisputeShown, me: Me) -> bool:
    """Return whether the reader may appeal. The API decides; this hides a useless form."""
    if shown.claimant == me.id:
        return True
    changes = await changes_for(ask, shown)
    return any(each.player == me.id for each in changes.parties)


def _decided(ask: Ask, ruling: RulingShown) -> Decided:
    return Decided(
        instance=ruling.instance,
        won=ruling.outcome == "for",
        by=ruling.name,
        reason=ruling.reason,
        rules=tuple(rule_named(each, ask.language) for each in ruling.rules),
        acts=tuple(act_name(each.command, ask.language) for each in ruling.acts),
    )
