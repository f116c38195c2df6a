"""Rulings of referees, with the commands that carry them out in the same append."""

from datetime import datetime
from typing import Annotated

import msgspec
from litestar import Response
from msgspec import Meta

from engine.coordination.aggregates import DECIDERS
from engine.dispute.commands import Rule
from engine.dispute.errors import AnotherPersonNeeded
from engine.dispute.values import Outcome, Slug, Subject
from engine.season.commands import AdjustPoints, RevokeAward
from engine.season.values import Adjustment
from engine.tournament.model.commands import Command as TournamentCommand
from engine.tournament.model.commands.correcting import CorrectResult, Forfeit, Reaward
from engine.tournament.model.commands.floor import Disqualify, Penalise, Warn
from engine.tournament.model.values import Award
from engine.values import AdjustmentId, EntrantId, PlayerId, Stream, TextRef, identifier, stream_of
from service.api.http.access.entered import identifiers_of
from service.api.http.access.rights import DisputePlace
from service.api.http.declaring.rulebook import demand_known
from service.api.http.operations import operation
from service.api.http.shell import Shell
from service.api.http.writing.reasons import Authored, StaffDecision, keep
from service.api.http.writing.rehearsing import State, would_change
from service.api.http.writing.submitting import Order
from service.api.proof.dispute_shapes import DisputeChanged
from service.api.proof.disputes import changed, demand_uninvolved
from service.base.errors import BadRequest
from service.director.disputes.ruling import Acts, ruled, taken
from service.director.next_hand import lead_on
from service.log.rehearsal import Certain, Rehearsed, carried_out
from service.log.writer import Decide, States, StreamEvents
from service.people.texts import Written
from service.people.tokens import Principal

Entrant = Annotated[str, Meta(pattern="^ent_[0-9a-f]{32}$")]


class _Act(msgspec.Struct, forbid_unknown_fields=True, kw_only=True, tag_field="act"):
    pass


class OrderAct(_Act, forbid_unknown_fields=True, kw_only=True, tag="correct_result"):
    """The complete order of finish, winner first. Entrants in one group share their places."""

    order: tuple[tuple[Entrant, ...], ...]
    """Every entrant stands in exactly one group."""


class ForfeitAct(_Act, forbid_unknown_fields=True, kw_only=True, tag="forfeit"):
    """The entrant that loses its result and prize."""

    entrant: Entrant
    """The entrant that loses its result."""


class ReawardAct(_Act, forbid_unknown_fields=True, kw_only=True, tag="reaward"):
    """The new division of the money paid out."""

    awards: tuple[Award, ...]
    """The new payout of each entrant who gets one."""


class WarnAct(_Act, forbid_unknown_fields=True, kw_only=True, tag="warn"):
    """The entrant to warn."""

    entrant: Entrant
    """The entrant to warn."""


class PenaliseAct(_Act, forbid_unknown_fields=True, kw_only=True, tag="penalise"):
    """The entrant to penalise, and the number of penalty hands."""

    entrant: Entrant
    """The entrant to penalise."""

    hands: Annotated[int, Meta(ge=1, le=1000)]
    """The number of penalty hands."""


class DisqualifyAct(_Act, forbid_unknown_fields=True, kw_only=True, tag="disqualify"):
    """The entrant to disqualify."""

    entrant: Entrant
    """The entrant to disqualify."""


class AdjustAct(_Act, forbid_unknown_fields=True, kw_only=True, tag="adjust_points"):
    """Points that a player gains in the season, or loses if negative."""

    player: Annotated[str, Meta(pattern="^plr_[0-9a-f]{32}$")]
    """The player who gains or loses the points."""

    points: Annotated[str, Meta(pattern=r"^-?(0|[1-9]\d{0,11})(\.\d{1,6})?$")]
    """A decimal number, negative to take points."""


class RevokeAct(_Act, forbid_unknown_fields=True, kw_only=True, tag="revoke_award"):
    """Revoke the season's award for the disputed tournament."""


OfTournament = OrderAct | ForfeitAct | ReawardAct | WarnAct | PenaliseAct | DisqualifyAct
OfSeason = AdjustAct | RevokeAct
AnyAct = OfTournament | OfSeason


class RulingWanted(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """A ruling to make: its outcome, its rules, its reason and its acts."""

    dry_run: Annotated[str, Meta(pattern="^[0-9a-f]{64}$")] | None = None
    """The ``digest`` of a dry run of this ruling. A ruling with acts needs it."""

    outcome: Outcome
    """`for` or `against` the claimant."""

    rules: Annotated[tuple[Slug, ...], Meta(min_length=1, max_length=10)]
    """Names of the rulebook's rules on which the ruling rests."""

    reason: Written
    """The reason, 1 to 2000 characters. Members of the league can read it."""

    acts: Annotated[tuple[AnyAct, ...], Meta(max_length=20)] = ()
    """Commands that are carried out in the same append. They change what is disputed."""


@operation(
    "POST", "/v1/disputes/{dispute_id:str}/rulings", "rule_dispute",
    "Rule on a dispute. Its acts are carried out in the same append.",
    needs="rule_disputes", scope="tournaments:manage", answer=DisputeChanged,
    status=201, key_required=True, dry_run=True,
    problems=(
        "bad_request",
        "forbidden", "dispute_phase", "dispute_invalid", "another_person_needed",
        "tournament_not_finished", "correction_invalid", "tournament_not_running",
        "ruling_not_possible", "entrant_unknown", "adjustment_invalid", "award_unknown",
        "season_closed", "frozen", "rule_unknown", "dry_run_needed", "dry_run_outdated",
        "text_forged",
    ),
)  # fmt: skip
async def rule_dispute(
    body: RulingWanted,
    place: DisputePlace,
    order: Order,
    shell: Shell,
    principal: Principal,
) -> Response[bytes]:
    """Rule on the dispute, and release everything that it froze in the same append."""
    demand_known(body.rules)
    await demand_uninvolved(shell, principal, place)
    await _demand_another(shell, principal, place)
    subject = place.state.opened.subject
    reason = await keep(shell, place.league, order, body.reason)
    player = PlayerId(principal.account.player)
    acts = _acts(order, subject, body, player, reason)
    command = Rule(
        by=player,
        reason=reason,
        outcome=body.outcome,
        rules=tuple(body.rules),
        acts=taken(subject, acts),
        dry_run=body.dry_run if acts else None,
        now=order.received_at,
    )

    asked = _asked(place.id, body)

    async def rule(states: States) -> list[StreamEvents]:
        return await ruled(shell.runtime, states, place.stream, command, acts)

    async def decide(states: States) -> list[StreamEvents]:
        entries = await rule(states)
        if not acts or order.rehearse:
            return entries
        return [*entries, *await _as_shown(states, rule, asked, body.dry_run, shell.now())]

    runtime = shell.runtime
    try:
        receipt = await runtime.writer.submit(place.league, order, decide)
    except Rehearsed as rehearsed:
        rehearsed.asked = asked
        raise
    if subject.tournament is not None and acts.tournament:
        running = await runtime.writer.load(
            place.league, stream_of(subject.tournament), fresh=False
        )
        lead_on(runtime, place.league, running.state)
    return await changed(shell, place, receipt, 201)


async def _demand_another(shell: Shell, principal: Principal, place: DisputePlace) -> None:
    """
    Check that nobody merged into the caller was a party to the dispute, or ruled on it.

    The engine checks the caller's own identifier.

    Raises:
        AnotherPersonNeeded: If somebody was.
    """
    me, state = PlayerId(principal.account.player), place.state
    before = {state.opened.claimant, *(each.by for each in state.rulings)}
    if state.appeal is not None:
        before.add(state.appeal.by)
    others = {*await identifiers_of(shell, place.league, me)} - {me}
    if others & before:
        raise AnotherPersonNeeded


def _asked(dispute_id: str, body: RulingWanted) -> bytes:
    """Return the ruling as bytes, without its reason and the digest of its dry run."""
    asked = [dispute_id, body.outcome, body.rules, body.acts]
    return msgspec.json.encode(asked, order="sorted")


async def _as_shown(
    states: States, rule: Decide, asked: bytes, shown: str | None, now: datetime
) -> list[StreamEvents]:
    """
    Check that a ruling does what its dry run showed. Return guards on the streams read.

    The check is another dry run, because effects that depend on a hand in play were not shown.

    Raises:
        BadRequest: ``dry_run_needed`` without a digest, or ``dry_run_outdated`` if the effects
            differ.
    """
    if shown is None:
        raise BadRequest("dry_run_needed", "a ruling with acts needs the digest of its dry run")
    consulted: list[StreamEvents] = []

    async def load(_: str, stream: Stream[State]) -> State:
        consulted.append(StreamEvents(stream))
        return (await states.load(stream)).state

    found = await carried_out(DECIDERS, Certain(states), rule)
    found.asked = asked
    if (await would_change(found, load, now)).digest != shown:
        raise BadRequest(
            "dry_run_outdated", "the effect has changed since the dry run; make a new dry run"
        )
    return consulted


def _acts(
    order: Order, subject: Subject, body: RulingWanted, player: PlayerId, reason: TextRef
) -> Acts:
    """
    Return the commands of a ruling, with the referee *player* as their author.

    Raises:
        BadRequest: If an act cannot change the subject of the dispute.
    """
    now = order.received_at
    to_tournament = [each for each in body.acts if not isinstance(each, OfSeason)]
    to_season = [each for each in body.acts if isinstance(each, OfSeason)]
    if (to_tournament and subject.tournament is None) or (to_season and subject.season is None):
        raise BadRequest("bad_request", "this act cannot change the subject of the dispute")
    signed: StaffDecision = {"by": player, "reason": reason, "now": now}
    written: Authored = {"author": player, "reason": reason, "now": now}
    return Acts(
        tournament=tuple(_to_tournament(each, signed) for each in to_tournament),
        season=tuple(
            _to_season(each, written, order, subject, number)
            for number, each in enumerate(to_season)
        ),
    )


def _to_tournament(act: OfTournament, signed: StaffDecision) -> TournamentCommand:
    match act:
        case OrderAct(order=groups):
            order = tuple(tuple(EntrantId(each) for each in group) for group in groups)
            return CorrectResult(order=order, **signed)
        case ForfeitAct(entrant=entrant):
            return Forfeit(entrant=EntrantId(entrant), **signed)
        case ReawardAct(awards=awards):
            return Reaward(awards=awards, **signed)
        case WarnAct(entrant=entrant):
            return Warn(entrant=EntrantId(entrant), **signed)
        case PenaliseAct(entrant=entrant, hands=hands):
            return Penalise(entrant=EntrantId(entrant), hands=hands, **signed)
        case DisqualifyAct(entrant=entrant):
            return Disqualify(entrant=EntrantId(entrant), **signed)


def _to_season(
    act: OfSeason, written: Authored, order: Order, subject: Subject, number: int
) -> AdjustPoints | RevokeAward:
    if isinstance(act, AdjustAct):
        adjustment = Adjustment(
            id=AdjustmentId(identifier("adj", order.new_id(number + 1))),
            player=PlayerId(act.player),
            kind="manual",
            points=act.points,
            tournament=None,
        )
        return AdjustPoints(adjustment=adjustment, **written)
    if subject.tournament is None:
        raise BadRequest("bad_request", "only a dispute about a tournament can revoke its points")
    return RevokeAward(tournament=subject.tournament, **written)
