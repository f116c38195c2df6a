"""Claims, which open disputes. The server attaches its evidence in the same append."""

from contextlib import AbstractAsyncContextManager, nullcontext
from datetime import datetime
from typing import Annotated

import msgspec
import sqlalchemy as sa
from litestar import Response
from msgspec import Meta
from sqlalchemy.dialects.postgresql import insert

from engine import dispute
from engine.coordination.policies import decide_in_turn
from engine.dispute.commands import AttachEvidence, Claim
from engine.dispute.state import Claimed
from engine.dispute.values import Kind, Slug, Subject
from engine.kit.audiences import PUBLIC
from engine.league.roles import may
from engine.tournament.model.state import Drafted
from engine.values import (
    DisputeId,
    HandId,
    LeagueId,
    PlayerId,
    SeasonId,
    TableId,
    TournamentId,
    identifier,
    number_of,
    stream_of,
)
from service.api.http.access.hands import find_hand
from service.api.http.access.rights import (
    SEASON,
    TABLE,
    TOURNAMENT,
    Place,
    TournamentPlace,
    find,
    plays_in_disputed,
    reach,
)
from service.api.http.declaring.by import By
from service.api.http.declaring.rulebook import demand_known
from service.api.http.operations import operation
from service.api.http.shell import Asked, Shell, shell_of
from service.api.http.writing.reasons import keep
from service.api.http.writing.submitting import Order, answer
from service.api.proof.dispute_shapes import DisputeChanged
from service.base.errors import BadRequest, StreamNotFound
from service.director.disputes.evidence import gather
from service.director.disputes.windows import too_late_at
from service.log.writer import States, StreamEvents
from service.people.texts import Written
from service.people.tokens import Principal
from service.projections.reads import dispute_queries
from service.projections.schema import audit_report
from service.replays.reading import read_replay

OPEN_MAX = 20
"""Most open disputes of one person in one league, because each starts an audit."""


class ClaimedOn(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """A claim that something was against the rules in one hand, tournament or season."""

    kind: Kind
    """The kind of thing in dispute."""

    claim: Written
    """The claimant's words, 1 to 2000 characters."""

    hand: str | None = None
    """The disputed hand, for the kinds `hand` and `step`."""

    step: Annotated[int, Meta(ge=1, le=100_000)] | None = None
    """The step of the hand's replay, from 1, for the kind `step`."""

    tournament: str | None = None
    """The disputed tournament, for the kinds `seating` and `payout`."""

    season: str | None = None
    """The disputed season, for the kind `standing`."""

    rules: Annotated[tuple[Slug, ...], Meta(max_length=10)] = ()
    """Names of rules in the rulebook."""


class DisputeWanted(ClaimedOn, forbid_unknown_fields=True, kw_only=True):
    """A claim that every member of the league may read."""


async def disputed(request: Asked, body: ClaimedOn) -> tuple[Place[msgspec.Struct], Subject]:
    """
    Return the place and the complete subject of a claim.

    Raises:
        BadRequest: If the claim names no subject, or more than one.
        StreamNotFound: If the caller may not see the subject, or the hand has no such step.
    """
    named = [each for each in (body.hand, body.tournament, body.season) if each is not None]
    if len(named) != 1:
        raise BadRequest("bad_request", "a claim must name exactly one hand, tournament or season")
    if body.season is not None:
        season = await reach(request, body.season, SEASON)
        return season, Subject(kind=body.kind, season=SeasonId(body.season), step=body.step)
    if body.tournament is not None:
        place = await reach(request, body.tournament, TOURNAMENT)
        return place, _in_tournament(place, body)
    table, tournament = await _of_hand(request, str(body.hand), body.step)
    place = await reach(request, tournament, TOURNAMENT)
    return place, _in_tournament(place, body, table=table)


Disputed = Annotated[tuple[Place[msgspec.Struct], Subject], By(disputed)]


@operation(
    "POST", "/v1/disputes", "open_dispute",
    "Open a dispute: claim that a hand, step, seating, payout or standing is wrong.",
    needs="enter_tournaments", scope="leagues:read", answer=DisputeChanged,
    status=201, key_required=True,
    problems=(
        "bad_request", "not_found",
        "dispute_invalid", "claim_too_late", "rule_unknown", "too_many_disputes", "text_forged",
    ),
)  # fmt: skip
async def open_dispute(
    shell: Shell, principal: Principal, body: DisputeWanted, about: Disputed, order: Order
) -> Response[bytes]:
    """Open the dispute and attach the evidence in one append, then start an audit."""
    place, subject = about
    demand_known(body.rules)
    name = DisputeId(identifier("dsp", order.new_id(0)))
    with shell.limits.claims.begun((place.league, principal.account.player), name) as before:
        few = await _few(shell, principal, place.league, before)
        return await opened(shell, principal, order, place, subject, body, name, few=few)


async def opened(
    shell: Shell,
    principal: Principal,
    order: Order,
    place: Place[msgspec.Struct],
    subject: Subject,
    body: ClaimedOn,
    name: DisputeId,
    *,
    few: bool = True,
    around_append: AbstractAsyncContextManager[None] | None = None,
) -> Response[bytes]:
    """
    Open the dispute *name* with the caller's claim, and answer the request.

    Args:
        place: The disputed tournament or season, or the tournament of a disputed hand.
        body: The claim about *subject*. Its rules have been checked.
        few: True if the caller may open another dispute.
        around_append: Entered before the append, and left with its success or refusal.
    """
    now, stream = order.received_at, stream_of(name)
    entered = await plays_in_disputed(shell, principal, place.league, subject)
    league = (await shell.runtime.writer.load(place.league, stream_of(place.league))).state
    evidence = await gather(shell.pool, shell.engine, place.league, subject, body.rules, now)
    claim = Claim(
        dispute=name,
        league=LeagueId(place.league),
        subject=subject,
        by=PlayerId(principal.account.player),
        claim=await keep(shell, place.league, order, body.claim),
        rules=tuple(body.rules),
        closes_at=await too_late_at(shell.pool, shell.engine, league, subject),
        ruling=may(place.role, "rule_disputes", entered=entered),
        now=now,
    )
    attached = AttachEvidence(evidence=evidence, salt=shell.runtime.entropy.token(), now=now)

    async def decide(states: States) -> list[StreamEvents]:
        state = (await states.load(stream)).state
        if isinstance(state, Claimed):
            return [StreamEvents(stream)]  # nobody replaces attached evidence
        _demand(few)  # only for a new dispute: a retry was answered above
        return [StreamEvents(stream, *decide_in_turn(dispute.decider, state, (claim, attached)))]

    async with around_append or nullcontext():
        receipt = await shell.runtime.writer.submit(place.league, order, decide)
    await _list_audit(shell, place.league, name, subject, now)
    content = {"id": name, "state": "open", "frozen": False}
    return answer(receipt, content, 201, version_of=stream)


async def _of_hand(request: Asked, hand: str, step: int | None) -> tuple[TableId, TournamentId]:
    shell = shell_of(request)
    row = await find_hand(shell, hand)
    table = await find(request, row.table, TABLE)
    if step is not None:
        keys = await shell.runtime.writer.store.keys(number_of(row.league))
        if step > len((await read_replay(shell.pool, row, keys, PUBLIC)).steps):
            raise StreamNotFound("the hand has no such step")
    return TableId(row.table), table.state.tournament


def _in_tournament(
    place: TournamentPlace, body: ClaimedOn, table: TableId | None = None
) -> Subject:
    state = place.state
    if isinstance(state, Drafted):
        raise StreamNotFound("it does not exist, or you may not see it")
    return Subject(
        kind=body.kind,
        tournament=state.terms.tournament,
        season=state.terms.season,
        table=table,
        hand=None if body.hand is None else HandId(body.hand),
        step=body.step,
    )


def _demand(few: bool) -> None:
    """
    Refuse the claim unless the caller has only a *few* open disputes.

    Raises:
        BadRequest: ``too_many_disputes`` if *few* is False.
    """
    if not few:
        raise BadRequest(
            "too_many_disputes",
            "you have too many open disputes; wait until some of them have a ruling",
            max=OPEN_MAX,
        )


async def _few(shell: Shell, principal: Principal, league: str, before: frozenset[str]) -> bool:
    """Return True if the caller, with the disputes begun *before*, has fewer than ``OPEN_MAX``."""
    player = principal.account.player
    async with shell.engine.connect() as connection:
        shown = await dispute_queries.disputes_known(connection, before)
        held = await dispute_queries.disputes_open(connection, league, player)
    shell.limits.claims.forget((league, player), shown)
    return held + len(before - shown) < OPEN_MAX


async def _list_audit(
    shell: Shell, league: str, name: DisputeId, subject: Subject, now: datetime
) -> None:
    """List the audit of the disputed streams as waiting. A ticker finds the dispute and arms it."""
    report = f"rep_{number_of(name).hex}"
    async with shell.engine.begin() as connection:
        await connection.execute(
            insert(audit_report)
            .values(
                id=report,
                league=league,
                scope=subject.tournament or "league",
                state="waiting",
                progress=0.0,
                requested_at=now,
                report=sa.null(),
            )
            .on_conflict_do_nothing()
        )
