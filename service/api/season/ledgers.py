"""A season's ledger of awards, adjustments and corrections. Entries are never edited."""

from collections.abc import Sequence
from typing import Annotated, Literal

import msgspec
from litestar import Response
from msgspec import Meta, structs

from engine import season
from engine.coordination import season_points
from engine.season.commands import AdjustPoints, ReviseAward, RevokeAward, VoidAdjustment
from engine.season.errors import AwardUnknown
from engine.season.values import Adjustment, Points
from engine.tournament.freezing import decisions as freezing
from engine.tournament.model.state import Finished
from engine.values import AdjustmentId, PlayerId, TournamentId, stream_of
from service.api.http.access.entered import is_entered
from service.api.http.access.rights import (
    AS_KNOWN,
    TOURNAMENT,
    SeasonPlace,
    demand_also,
    demand_form,
    find,
)
from service.api.http.declaring.queries import Query
from service.api.http.operations import operation
from service.api.http.reading.called import names_of
from service.api.http.reading.paging import Page
from service.api.http.reading.positions import ReadPages
from service.api.http.shell import Asked, Shell, principal_of, shell_of
from service.api.http.writing.reasons import Authored, keep
from service.api.http.writing.submitting import Order, answer, decide_one
from service.director.corrections import demand_of_league
from service.log.writer import States, StreamEvents
from service.people.texts import Written
from service.projections.reads import ledger_queries
from service.projections.reads.ledger_rows import LedgerRow

_PLAYER = "^plr_[0-9a-f]{32}$"

PLAYER = Query("player", Annotated[str, Meta(pattern=_PLAYER)], "List only this player's entries.")


class AdjustmentWanted(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """
    Points given or taken apart from any result. A penalty takes points. ``manual`` may do either.
    """

    player: Annotated[str, Meta(pattern=_PLAYER)]
    points: Points
    """A decimal number with at most the season's fraction digits. Negative takes points."""

    kind: Literal["knockouts", "attendance", "high_hand", "manual", "penalty"] = "manual"
    """The occasion. A `penalty` takes points, `manual` may do either, the others give points."""

    tournament: Annotated[str, Meta(pattern="^trn_[0-9a-f]{32}$")] | None = None
    """The counted tournament that the adjustment refers to. It has no other effect."""

    reason: Written
    """The reason, 1 to 2000 characters. Members of the league can read it."""


class Why(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """The reason for a correction."""

    reason: Written
    """The reason, 1 to 2000 characters. Members of the league can read it."""


class LedgerChanged(msgspec.Struct, kw_only=True):
    """A new or voided entry in a season's ledger."""

    season: str
    adjustment: str
    """The entry, `adj_…`. The identifier is needed to void it."""

    position: str | None


class AwardChanged(msgspec.Struct, kw_only=True):
    """A corrected award."""

    season: str
    tournament: str
    position: str | None


@operation(
    "POST", "/v1/seasons/{season_id:str}/adjustments", "adjust_points",
    "Give or take points apart from any result.",
    scope="tournaments:manage", needs="report_results", answer=LedgerChanged,
    status=201, key_required=True, dry_run=True,
    problems=(
        "forbidden", "season_closed", "frozen", "adjustment_invalid", "award_unknown",
        "own_points", "text_forged",
    ),
)  # fmt: skip
async def adjust_points(
    body: AdjustmentWanted, place: SeasonPlace, order: Order, shell: Shell
) -> Response[bytes]:
    """Add an adjustment to the ledger. Its id is needed to void it."""
    player = PlayerId(body.player)
    adjustment = Adjustment(
        id=AdjustmentId(f"adj_{order.new_id(0).hex}"),
        player=player,
        kind=body.kind,
        points=body.points,
        tournament=None if body.tournament is None else TournamentId(body.tournament),
    )
    signed = await _signed(shell, place, order, body.reason, about=player)
    command = AdjustPoints(adjustment=adjustment, **signed)

    async def decide(states: States) -> Sequence[StreamEvents]:
        state = (await states.load(place.stream)).state
        await demand_of_league(states, state, player)
        return [StreamEvents(place.stream, season.decider.decide(state, command))]

    receipt = await shell.runtime.writer.submit(place.league, order, decide)
    content = {"season": place.id, "adjustment": adjustment.id}
    return answer(receipt, content, 201, version_of=place.stream)


@operation(
    "POST", "/v1/seasons/{season_id:str}/adjustments/{adjustment_id:str}/void",
    "void_adjustment", "Void a bonus or an adjustment.",
    scope="tournaments:manage", needs="report_results", answer=LedgerChanged,
    key_required=True, dry_run=True,
    problems=(
        "forbidden", "season_closed", "frozen", "adjustment_unknown", "own_points", "text_forged",
    ),
)  # fmt: skip
async def void_adjustment(
    adjustment_id: str, body: Why, place: SeasonPlace, order: Order, shell: Shell
) -> Response[bytes]:
    """Append that the adjustment is void. Voiding it twice has no further effect."""
    demand_form(adjustment_id, "adj")
    voided = place.state.adjusted(AdjustmentId(adjustment_id))
    about = None if voided is None else voided.adjustment.player
    signed = await _signed(shell, place, order, body.reason, about=about)
    command = VoidAdjustment(adjustment=AdjustmentId(adjustment_id), **signed)
    receipt = await decide_one(shell, place.league, place.id, order, [command])
    content = {"season": place.id, "adjustment": adjustment_id}
    return answer(receipt, content, 200, version_of=place.stream)


@operation(
    "POST", "/v1/seasons/{season_id:str}/awards/{tournament_id:str}/revise", "revise_award",
    "Recount a tournament by its current result, even if its award was revoked.",
    scope="tournaments:manage", needs="report_results", answer=AwardChanged,
    key_required=True, dry_run=True,
    problems=("forbidden", "season_closed", "frozen", "award_unknown", "text_forged"),
)  # fmt: skip
async def revise_award(
    request: Asked, tournament_id: str, body: Why, place: SeasonPlace, order: Order, shell: Shell
) -> Response[bytes]:
    """Append the differences from the earlier award."""
    await _demand_counted(request, place, tournament_id)
    signed = await _signed(shell, place, order, body.reason)
    above = stream_of(tournament_id)

    async def decide(states: States) -> Sequence[StreamEvents]:
        result = (await states.load(above)).state
        freezing.demand_free(result)
        award = season_points.points_of(result, now=order.received_at)
        before = (await states.load(place.stream)).state
        events = season.decider.decide(before, ReviseAward(award=award, **signed))
        # Guard the tournament, because its result may be corrected meanwhile.
        return [StreamEvents(place.stream, events), StreamEvents(above)]

    receipt = await shell.runtime.writer.submit(place.league, order, decide)
    content = {"season": place.id, "tournament": tournament_id}
    return answer(receipt, content, 200, version_of=place.stream)


@operation(
    "POST", "/v1/seasons/{season_id:str}/awards/{tournament_id:str}/revoke", "revoke_award",
    "Revoke a tournament's award, as if it had not been played.",
    scope="tournaments:manage", needs="report_results", answer=AwardChanged,
    key_required=True, dry_run=True,
    problems=("forbidden", "season_closed", "frozen", "award_unknown", "text_forged"),
)  # fmt: skip
async def revoke_award(
    request: Asked, tournament_id: str, body: Why, place: SeasonPlace, order: Order, shell: Shell
) -> Response[bytes]:
    """Append that the tournament gives no points."""
    await _demand_counted(request, place, tournament_id)
    signed = await _signed(shell, place, order, body.reason)
    command = RevokeAward(tournament=TournamentId(tournament_id), **signed)
    receipt = await decide_one(shell, place.league, place.id, order, [command])
    content = {"season": place.id, "tournament": tournament_id}
    return answer(receipt, content, 200, version_of=place.stream)


class LedgerEntryShown(LedgerRow, frozen=True, kw_only=True):
    """An entry of a season's ledger."""

    name: str | None
    """The player's name now."""


@operation(
    "GET", "/v1/seasons/{season_id:str}/ledger", "read_ledger",
    "List all awards, bonuses, adjustments and corrections of a season, oldest first.",
    scope="leagues:read", needs="read_league", answer=Page[LedgerEntryShown],
    problems=("invalid_cursor", "not_caught_up"),
)  # fmt: skip
async def read_ledger(
    place: Annotated[SeasonPlace, AS_KNOWN],
    shell: Shell,
    player: Annotated[str | None, PLAYER],
    pages: ReadPages,
) -> Response[bytes]:
    """
    Read the read models. The entries up to any point add up to the points at that time.

    The entries of a player include those of players merged into them.
    """
    name = f"ledger {place.id} {player}"
    paged = await pages.read(place.league, name, int, int, projection="standings")
    async with shell.engine.connect() as connection:
        rows = await ledger_queries.ledger(
            connection, place.id, player=player, limit=paged.limit + 1, after=paged.after
        )
    called = await names_of(shell, (each.player for each in rows))
    shown = [
        LedgerEntryShown(**structs.asdict(each), name=called.get(each.player)) for each in rows
    ]
    return pages.answer(paged.page(shown, lambda each: (each.position, each.part)))


async def _demand_counted(request: Asked, place: SeasonPlace, tournament_id: str) -> None:
    """
    Check that a season can count a tournament, and that the caller did not play in it.

    Raises:
        Forbidden: If the caller was entered in the tournament.
        AwardUnknown: If it is not a finished tournament of this season.
    """
    state = (await find(request, tournament_id, TOURNAMENT)).state
    player = principal_of(request).account.player
    entered = await is_entered(shell_of(request), place.league, state, player)
    demand_also(place.role, "report_results", entered=entered)
    if not isinstance(state, Finished) or state.terms.season != place.state.terms.season:
        raise AwardUnknown


async def _signed(
    shell: Shell, place: SeasonPlace, order: Order, reason: str, *, about: PlayerId | None = None
) -> Authored:
    return {
        "reason": await keep(shell, place.league, order, reason, about=about),
        "author": PlayerId(order.actor),
        "now": order.received_at,
    }
