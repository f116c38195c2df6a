"""Confidential claims: members file them, and a referee opens a dispute or dismisses them."""

import logging
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Annotated
from uuid import UUID

import msgspec
from litestar import Response
from msgspec import Meta

from engine.dispute.errors import AnotherPersonNeeded
from engine.dispute.state import Claimed
from engine.dispute.values import Slug, Subject
from engine.league.roles import may
from engine.values import DisputeId, identifier, number_of, stream_of
from service.api.http.access.entered import numbers_of
from service.api.http.access.rights import (
    SEASON,
    TOURNAMENT,
    LeaguePlace,
    Place,
    belong,
    demand,
    demand_form,
    plays_in_disputed,
    reach,
)
from service.api.http.declaring.by import By
from service.api.http.declaring.rulebook import demand_known
from service.api.http.operations import operation
from service.api.http.reading.listing import Pages
from service.api.http.reading.paging import Page
from service.api.http.shell import Asked, Shell, principal_of, shell_of
from service.api.http.writing.submitting import Order, encoded
from service.api.proof.claiming import ClaimedOn, Disputed, opened
from service.api.proof.dispute_shapes import DisputeChanged, DisputeReason
from service.base.errors import BadRequest, EventUnreadable, StreamNotFound
from service.people import confidential_claims, suspending
from service.people.confidential_claims import Filed, State
from service.people.rechecking import demand_writer
from service.people.texts import Written
from service.people.tokens import Principal

_log = logging.getLogger(__name__)

WAITING_MAX = 20
"""Most claims of one person in one league that wait for a referee."""


class ConfidentialWanted(ClaimedOn, forbid_unknown_fields=True, kw_only=True):
    """A confidential claim, perhaps about one player's conduct. Only referees may read it."""

    about: Annotated[str, Meta(pattern="^plr_[0-9a-f]{32}$")] | None = None
    """The player that the claim is about. This player never sees it, even as a referee."""


class OpeningOfClaim(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """The public text of the dispute: the referee's own words, and the rules."""

    claim: Written
    """The claim in the referee's own words. Members of the league can read it."""

    rules: Annotated[tuple[Slug, ...], Meta(max_length=10)] = ()
    """Names of rules in the rulebook."""


class ConfidentialClaim(msgspec.Struct, kw_only=True):
    """A confidential claim as its claimant and the referees see it."""

    id: str
    """The claim, `cnf_…`."""

    league: str
    state: State
    """``opened`` leads to a dispute, ``dismissed`` to an answer."""

    subject: Subject
    """The thing in dispute."""

    claimant: str
    """The player who filed the claim."""

    about: str | None
    """The player whom the claim is about, or null. This player never sees it."""

    claim: str | None
    """The text of the claim, or null once it is erased."""

    rules: tuple[str, ...]
    """Names of rules in the rulebook."""

    filed_at: datetime
    """The time of the claim."""

    handled_at: datetime | None
    """The time at which a referee opened or dismissed it, or null."""

    handled_by: str | None
    """The referee who handled it, or null."""

    answer: str | None
    """The reason for the dismissal."""

    dispute: str | None
    """The dispute that the referee opened, or null."""


_PROBLEMS = ("forbidden", "another_person_needed", "claim_handled")


async def _looked_into(request: Asked, claim_id: str) -> tuple[Filed, Place[msgspec.Struct]]:
    """
    Return a claim that the caller may handle, with the tournament or season in dispute.

    Raises:
        StreamNotFound: If the claim does not exist, or is about the caller.
        Forbidden: If the role does not allow it, or the caller plays in what is disputed.
        AnotherPersonNeeded: If the caller filed the claim.
    """
    demand_form(claim_id, "cnf")
    shell, me = shell_of(request), principal_of(request).account.player
    async with shell.engine.connect() as connection:
        keys = shell.runtime.writer.store.keys
        filed = await confidential_claims.claim_of(connection, keys, number_of(claim_id))
    if filed is None:
        raise StreamNotFound("it does not exist, or you may not see it")
    league, subject = identifier("lge", filed.league), filed.subject
    mine = await numbers_of(shell, league, me)
    if filed.about in mine:
        raise StreamNotFound("it does not exist, or you may not see it")
    role = await belong(request, league)
    demand(
        request,
        role,
        entered=await plays_in_disputed(shell, principal_of(request), league, subject),
    )
    if filed.claimant in mine:
        raise AnotherPersonNeeded
    if subject.tournament is not None:
        return filed, await reach(request, subject.tournament, TOURNAMENT)
    return filed, await reach(request, str(subject.season), SEASON)


LookedInto = Annotated[tuple[Filed, Place[msgspec.Struct]], By(_looked_into)]


@operation(
    "POST", "/v1/confidential-claims", "file_confidential_claim",
    "File a confidential claim, which only referees can read.",
    needs="enter_tournaments", scope="leagues:read",
    answer=ConfidentialClaim, status=201, key_required=True,
    problems=("bad_request", "not_found", "dispute_invalid", "rule_unknown", "too_many_disputes"),
)  # fmt: skip
async def file_confidential_claim(
    body: ConfidentialWanted,
    about: Disputed,
    order: Order,
    shell: Shell,
    principal: Principal,
) -> Response[bytes]:
    """Store the claim outside the log, which never mentions it."""
    place, subject = about
    demand_known(body.rules)
    subject.demand_whole()
    keys = shell.runtime.writer.store.keys
    me, league = principal.account.number, number_of(place.league)
    filed = Filed(
        id=confidential_claims.keyed(await keys(league), b"claim", order.command_id),
        league=league,
        claimant=me,
        about=None if body.about is None else number_of(body.about),
        subject=subject,
        rules=tuple(body.rules),
        claim=body.claim,
        state="filed",
        filed_at=order.received_at,
    )
    async with shell.engine.begin() as connection:
        await demand_writer(connection, me, filed.about)
        made = await confidential_claims.file(
            connection, keys, filed, shell.requests, order.command_id, order.request
        )
        if made:
            await suspending.demand_open(connection, place.league)
        if made and await confidential_claims.waiting(connection, keys, league, me) > WAITING_MAX:
            raise BadRequest(
                "too_many_disputes",
                "you have too many unanswered claims; wait until a referee answers some of them",
                max=WAITING_MAX,
            )
        kept = await confidential_claims.claim_of(connection, keys, filed.id)
    return encoded(_shown(kept or filed), 201)


@operation(
    "GET", "/v1/leagues/{league_id:str}/confidential-claims", "list_confidential_claims",
    "List the caller's confidential claims. Referees also see those that they may handle.",
    needs="enter_tournaments", scope="leagues:read", answer=Page[ConfidentialClaim],
    problems=("invalid_cursor",),
)  # fmt: skip
async def list_confidential_claims(
    place: LeaguePlace, shell: Shell, principal: Principal, pages: Pages
) -> Response[bytes]:
    """List the confidential claims that the caller may see, oldest first."""
    me, league = principal.account.number, number_of(place.id)
    ruling = may(place.role, "rule_disputes")
    mine = await numbers_of(shell, place.id, principal.account.player)
    async with shell.engine.connect() as connection:
        keys = shell.runtime.writer.store.keys
        found = await confidential_claims.claims_in(
            connection, keys, league, of=None if ruling else mine
        )
    shown = [_shown(each) for each in found if await _sees(shell, principal, place, each, mine)]
    paged = await pages.live(place.id, f"confidential {place.id} {me.hex}", str, str)
    return pages.answer(paged.cut(shown, lambda each: (each.filed_at.isoformat(), each.id)))


@operation(
    "POST", "/v1/confidential-claims/{claim_id:str}/open", "open_confidential_claim",
    "Open a dispute from a confidential claim. It names the referee, not the claimant.",
    needs="rule_disputes", scope="tournaments:manage", answer=DisputeChanged,
    status=201, key_required=True, problems=(*_PROBLEMS, "rule_unknown", "text_forged"),
)  # fmt: skip
async def open_confidential_claim(
    claim_id: str,
    body: OpeningOfClaim,
    found: LookedInto,
    order: Order,
    shell: Shell,
    principal: Principal,
) -> Response[bytes]:
    """
    Open the claim's only dispute, and mark the claim as opened. A refusal takes the mark back.

    If this process dies between the two commits, the dispute is open and the claim is not marked.
    Nobody can dismiss it, and whoever opens it finds the dispute.
    """
    filed, place = found
    demand_known(body.rules)
    subject = filed.subject
    name = confidential_claims.dispute_of(filed.id)
    if filed.state == "dismissed" or filed.dispute not in (None, name):
        raise _handled(filed)  # no words are stored for it
    claimed = ClaimedOn(kind=subject.kind, claim=body.claim, rules=body.rules)
    marked = _marked(shell, filed, principal.account.number, order.received_at, name)
    return await opened(
        shell, principal, order, place, subject, claimed, name, around_append=marked
    )


@operation(
    "POST", "/v1/confidential-claims/{claim_id:str}/dismiss", "dismiss_confidential_claim",
    "Dismiss a confidential claim. Its claimant can read the reason.",
    needs="rule_disputes", scope="tournaments:manage",
    answer=ConfidentialClaim, key_required=True, problems=_PROBLEMS,
)  # fmt: skip
async def dismiss_confidential_claim(
    claim_id: str,
    body: DisputeReason,
    found: LookedInto,
    order: Order,
    shell: Shell,
    principal: Principal,
) -> Response[bytes]:
    """Dismiss the claim. The same dismissal by the same referee changes nothing."""
    filed, place = found
    me = principal.account.number
    now = order.received_at
    async with shell.engine.begin() as connection:
        keys = shell.runtime.writer.store.keys
        await demand_writer(connection, me, filed.about)
        waited = await confidential_claims.handle(
            connection, keys, filed, me, now, answer=body.reason
        )
        if waited:
            await suspending.demand_open(connection, place.league)
            await _demand_undisputed(shell, place.league, filed)
        kept = await confidential_claims.claim_of(connection, keys, filed.id) or filed
    if not waited and (kept.state, kept.handled_by, kept.answer) != ("dismissed", me, body.reason):
        raise _handled(kept)
    return encoded(_shown(kept))


@asynccontextmanager
async def _marked(
    shell: Shell, filed: Filed, me: UUID, now: datetime, dispute: DisputeId
) -> AsyncIterator[None]:
    """
    Mark the claim as opened if the block succeeds. Nobody dismisses it meanwhile.

    Raises:
        BadRequest: If it was dismissed.
    """
    keys = shell.runtime.writer.store.keys
    async with shell.engine.begin() as connection:
        if not await confidential_claims.handle(connection, keys, filed, me, now, dispute=dispute):
            kept = await confidential_claims.claim_of(connection, keys, filed.id) or filed
            if kept.dispute != dispute:
                raise _handled(kept)
        yield


async def _demand_undisputed(shell: Shell, league: str, filed: Filed) -> None:
    """
    Check that the log has no dispute of the claim. The claim may not be marked as opened.

    Raises:
        BadRequest: If there is one.
    """
    stream = stream_of(confidential_claims.dispute_of(filed.id))
    if isinstance((await shell.runtime.writer.load(league, stream)).state, Claimed):
        raise _handled(filed._replace(state="opened"))


async def _sees(
    shell: Shell,
    principal: Principal,
    place: Place[msgspec.Struct],
    filed: Filed,
    mine: Collection[UUID],
) -> bool:
    """
    Return True if the caller, the claimant or a referee, may see the claim.

    Nobody knows who plays in a damaged tournament. A claim about one is left out, not all claims.
    """
    if filed.claimant in mine:
        return True
    if filed.about in mine:
        return False
    try:
        return not await plays_in_disputed(shell, principal, place.league, filed.subject)
    except EventUnreadable as error:
        name = identifier("cnf", filed.id)
        _log.warning("the list of claims leaves %s out: %s", name, error.detail)
        return False


def _handled(filed: Filed) -> BadRequest:
    return BadRequest("claim_handled", "the claim has already been handled", state=filed.state)


def _shown(filed: Filed) -> ConfidentialClaim:
    return ConfidentialClaim(
        id=identifier("cnf", filed.id),
        league=identifier("lge", filed.league),
        state=filed.state,
        subject=filed.subject,
        claimant=identifier("plr", filed.claimant),
        about=None if filed.about is None else identifier("plr", filed.about),
        claim=filed.claim,
        rules=filed.rules,
        filed_at=filed.filed_at,
        handled_at=filed.handled_at,
        handled_by=None if filed.handled_by is None else identifier("plr", filed.handled_by),
        answer=filed.answer,
        dispute=filed.dispute,
    )
