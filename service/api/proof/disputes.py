"""Reading disputes and their evidence, freezing their subjects, and appeals."""

from typing import Annotated

import msgspec
from litestar import Response
from msgspec import structs

from engine.dispute.commands import Appeal, Freeze, Unfreeze
from engine.dispute.errors import AnotherPersonNeeded
from engine.dispute.state import Claimed
from engine.values import (
    PlayerId,
    number_of,
)
from service.api.http.access.entered import identifiers_of, numbers_of
from service.api.http.access.rights import (
    AS_KNOWN,
    DisputePlace,
    LeaguePlace,
    Place,
    plays_in_disputed,
)
from service.api.http.operations import operation
from service.api.http.reading.called import names_of
from service.api.http.reading.etags import Tags
from service.api.http.reading.listing import Pages
from service.api.http.reading.paging import Page
from service.api.http.reading.positions import ReadPages
from service.api.http.shell import Shell
from service.api.http.writing.reasons import keep
from service.api.http.writing.submitting import Order, answer, decide_one, encoded
from service.api.proof.dispute_shapes import (
    AuditShown,
    DisputeChanged,
    DisputeReason,
    DisputeShown,
    EvidenceShown,
    HeadShown,
    ProofShown,
    RulingShown,
)
from service.base.errors import Forbidden, StreamNotFound
from service.director.disputes.ruling import frozen
from service.log.writer import Receipt, States, StreamEvents
from service.people import confidential_claims
from service.people.texts import words
from service.people.tokens import Principal
from service.projections.reads import dispute_queries
from service.projections.reads.rows import DisputeRow
from service.transparency import ledger

_PROBLEMS = (
    "forbidden",
    "dispute_phase",
    "dispute_invalid",
    "another_person_needed",
    "text_forged",
)


class DisputeListed(DisputeRow, frozen=True, kw_only=True):
    """A dispute in a list."""

    claimant_name: str | None
    """The claimant's name now."""


@operation(
    "GET", "/v1/leagues/{league_id:str}/disputes", "list_disputes",
    "List the disputes of a league, newest first.",
    needs="read_league", scope="leagues:read", answer=Page[DisputeListed],
    problems=("invalid_cursor", "not_caught_up"),
)  # fmt: skip
async def list_disputes(
    place: Annotated[LeaguePlace, AS_KNOWN], shell: Shell, pages: ReadPages
) -> Response[bytes]:
    """List the disputes from the read model, the latest opening first."""
    paged = await pages.read(place.league, f"disputes {place.id}", int, projection="disputes")
    before = None if paged.after is None else paged.after[0]
    async with shell.engine.connect() as connection:
        rows = await dispute_queries.disputes(
            connection, place.id, limit=paged.limit + 1, before=before
        )
    called = await names_of(shell, (each.claimant for each in rows))
    shown = [
        DisputeListed(**structs.asdict(each), claimant_name=called.get(each.claimant))
        for each in rows
    ]
    return pages.answer(paged.page(shown, lambda each: (each.opened_position,)))


@operation(
    "GET", "/v1/disputes/{dispute_id:str}", "read_dispute",
    "Read one dispute: its claim, audits, rulings and appeal.",
    needs="read_league", scope="leagues:read", answer=DisputeShown,
    problems=("text_forged",),
)  # fmt: skip
async def read_dispute(place: DisputePlace, shell: Shell, tags: Tags) -> Response[bytes]:
    """Read the dispute from the aggregate. The ``ETag`` begins with its version."""
    state = place.state
    appeal = state.appeal
    refs = [state.opened.claim, *(each.reason for each in state.rulings)]
    said = await words(shell.engine, refs + ([appeal.reason] if appeal else []))
    people = [state.opened.claimant, *(each.by for each in state.rulings)]
    called = await names_of(shell, people)
    shown = DisputeShown(
        id=place.id,
        league=place.league,
        state=state.phase,
        subject=state.opened.subject,
        claimant=state.opened.claimant,
        claimant_name=called.get(state.opened.claimant),
        claim=said.get(state.opened.claim.text),
        rules=state.opened.rules,
        frozen=state.frozen,
        audits=tuple(
            AuditShown(
                operation=f"opr_{each.report.removeprefix('rep_')}",
                passed=each.passed,
                hands=each.hands,
                events=each.events,
            )
            for each in state.audits
        ),
        head=_head(state),
        rulings=tuple(
            RulingShown(
                instance=each.instance,
                outcome=each.outcome,
                rules=each.rules,
                by=each.by,
                name=called.get(each.by),
                reason=said.get(each.reason.text),
                acts=each.acts,
            )
            for each in state.rulings
        ),
        appealed_by=None if appeal is None else appeal.by,
        appeal=None if appeal is None else said.get(appeal.reason.text),
    )
    return tags.answer(shown, place.loaded.version, whole=True)


@operation(
    "GET", "/v1/disputes/{dispute_id:str}/evidence", "read_evidence",
    "Read the evidence: events with their times of receipt, refusals, signed head and rulings.",
    needs="rule_disputes", scope="hands:audit", answer=EvidenceShown,
    problems=("forbidden", "another_person_needed"),
)  # fmt: skip
async def read_evidence(shell: Shell, principal: Principal, place: DisputePlace) -> Response[bytes]:
    """Show the latest evidence to a referee who is not involved in the dispute."""
    await demand_uninvolved(shell, principal, place)
    sealed = place.state.evidence
    return encoded(EvidenceShown(id=place.id, evidence=sealed[-1].value if sealed else None))


@operation(
    "GET", "/v1/disputes/{dispute_id:str}/proofs", "list_proofs",
    "List the proofs that the events of the evidence are in the dispute's signed head.",
    needs="read_league", scope="leagues:read", answer=Page[ProofShown],
    problems=("invalid_cursor", "log_incomplete"),
)  # fmt: skip
async def list_proofs(place: DisputePlace, shell: Shell, pages: Pages) -> Response[bytes]:
    """Prove one page of events. The list is empty until the dispute has a signed head."""
    state, head = place.state, place.state.head
    known = state.evidence[-1].value.events if state.evidence and head is not None else ()
    paged = await pages.live(place.league, f"proofs {place.id}", int)
    page = paged.cut(known, lambda each: (each.position,))
    size, league = 0 if head is None else head.size, number_of(place.league)
    async with shell.pool.acquire() as connection:
        proven = [
            ProofShown(
                index=each.position,
                version=each.version,
                type=each.type,
                leaf=each.hash,
                path=[
                    node.hex()
                    for node in await ledger.inclusion(connection, league, each.position, size)
                ],
            )
            for each in page.items
        ]
    return pages.answer(Page(items=proven, next_cursor=page.next_cursor))


@operation(
    "POST", "/v1/disputes/{dispute_id:str}/freeze", "freeze_disputed",
    "Freeze prizes, points and the season's end until there is a ruling.",
    needs="rule_disputes", scope="tournaments:manage", answer=DisputeChanged,
    key_required=True, problems=_PROBLEMS, dry_run=True,
)  # fmt: skip
async def freeze_disputed(
    shell: Shell, principal: Principal, body: DisputeReason, place: DisputePlace, order: Order
) -> Response[bytes]:
    """Freeze the disputed tournament and season, in the same append."""
    return await _freeze(shell, principal, body.reason, place, order, Freeze)


@operation(
    "POST", "/v1/disputes/{dispute_id:str}/unfreeze", "unfreeze_disputed",
    "End a freeze before there is a ruling.",
    needs="rule_disputes", scope="tournaments:manage", answer=DisputeChanged,
    key_required=True, problems=_PROBLEMS, dry_run=True,
)  # fmt: skip
async def unfreeze_disputed(
    shell: Shell, principal: Principal, body: DisputeReason, place: DisputePlace, order: Order
) -> Response[bytes]:
    """Release everything that this dispute froze."""
    return await _freeze(shell, principal, body.reason, place, order, Unfreeze)


@operation(
    "POST", "/v1/disputes/{dispute_id:str}/appeals", "appeal_ruling",
    "Appeal a ruling. Another person makes the second ruling, which is final.",
    needs="own_entry", scope="leagues:read", answer=DisputeChanged, status=201,
    key_required=True, problems=_PROBLEMS,
)  # fmt: skip
async def appeal_ruling(
    body: DisputeReason,
    place: DisputePlace,
    order: Order,
    shell: Shell,
    principal: Principal,
) -> Response[bytes]:
    """Appeal as the claimant, or as a player in what is disputed."""
    opened, player = place.state.opened, principal.account.player
    mine = opened.claimant in await identifiers_of(shell, place.league, player)
    if not mine and not await plays_in_disputed(shell, principal, place.league, opened.subject):
        raise Forbidden("only the people concerned may appeal", capability="own_entry")
    command = Appeal(
        by=PlayerId(player),
        reason=await keep(shell, place.league, order, body.reason),
        now=order.received_at,
    )
    receipt = await decide_one(shell, place.league, place.id, order, [command])
    return await changed(shell, place, receipt, 201)


async def changed(
    shell: Shell, place: Place[msgspec.Struct], receipt: Receipt, status: int = 200
) -> Response[bytes]:
    """Answer with the state of the dispute after a command."""
    loaded = await shell.runtime.writer.load(place.league, place.stream, fresh=False)
    state = loaded.state
    if not isinstance(state, Claimed):
        raise StreamNotFound("it does not exist, or you may not see it")
    content = {"id": state.opened.dispute, "state": state.phase, "frozen": state.frozen}
    return answer(receipt, content, status, version_of=place.stream)


def _head(state: Claimed) -> HeadShown | None:
    head = state.head
    if head is None:
        return None
    return HeadShown(epoch=head.epoch, size=head.size, root=head.root, note="\n".join(head.note))


async def demand_uninvolved(shell: Shell, principal: Principal, place: DisputePlace) -> None:
    """
    Check that no confidential claim behind the dispute is by the caller or about the caller.

    Raises:
        AnotherPersonNeeded: If there is such a claim.
    """
    mine = await numbers_of(shell, place.league, principal.account.player)
    keys = shell.runtime.writer.store.keys
    async with shell.engine.connect() as connection:
        if await confidential_claims.involved(connection, keys, place.id, mine):
            raise AnotherPersonNeeded


async def _freeze(
    shell: Shell,
    principal: Principal,
    reason: str,
    place: DisputePlace,
    order: Order,
    wanted: type[Freeze] | type[Unfreeze],
) -> Response[bytes]:
    await demand_uninvolved(shell, principal, place)
    command = wanted(
        by=PlayerId(principal.account.player),
        reason=await keep(shell, place.league, order, reason),
        now=order.received_at,
    )

    async def decide(states: States) -> list[StreamEvents]:
        return await frozen(states, place.stream, command)

    receipt = await shell.runtime.writer.submit(place.league, order, decide)
    return await changed(shell, place, receipt)
