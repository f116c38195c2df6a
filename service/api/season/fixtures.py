"""Recurring tournaments of a season: plan them, change one or all later occurrences, end them."""

from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timedelta
from itertools import islice

import msgspec
from litestar import Response

from engine import tournament
from engine.season.schedule.commands import (
    ChangeFixture,
    EndFixtures,
    PlanFixtures,
    ReplanFixtures,
    ScheduleClose,
)
from engine.season.schedule.errors import FixturePast, RecurrenceInvalid
from engine.season.schedule.state import Recurrence, Stretch
from engine.season.schedule.values import Entered, Local, Moment, Plan, RecurrenceId
from engine.tournament.model.state import Unannounced
from engine.values import LeagueId, TournamentId, identifier
from service.announcing.defaults import merged
from service.announcing.terms import announcement, demand_sandbox
from service.api.http.access.rights import LEAGUE, SeasonPlace, find
from service.api.http.operations import operation
from service.api.http.reading.bodies import invalid
from service.api.http.reading.listing import Pages
from service.api.http.reading.paging import Page
from service.api.http.shell import Asked, Shell, shell_of
from service.api.http.writing.preconditions import as_read
from service.api.http.writing.submitting import Order, answer, decide_one
from service.api.season.expanding import expanded
from service.api.season.fixture_shapes import (
    FixturesEnd,
    FixturesRewanted,
    FixturesWanted,
    FixtureWanted,
    RecurrenceEdited,
    RecurrenceShown,
    SeasonCloseTimeWanted,
    SeasonScheduled,
    Terms,
)
from service.api.season.templates import INSTANTS_WITHIN
from service.people.tokens import Principal
from service.schedule.editing import Edit, edit, recurrence_in
from service.schedule.materialising import wanted
from service.schedule.occurrences import coming, first_from, named
from service.schedule.rules import check
from service.schedule.zones import EDITION, moment_of

_GIVEN = ("season", "starts_at", "registration_opens_at", "masters", "draft")
_SHOWN = 5


@operation(
    "POST", "/v1/seasons/{season_id:str}/fixtures", "plan_fixtures",
    "Plan a recurring tournament. Each occurrence is announced ahead_hours before its start.",
    needs="manage_tournaments", scope="tournaments:manage",
    answer=RecurrenceShown, status=201,
    problems=("recurrence_invalid", "season_closed", "terms_invalid",
              "terms_contradict", "unknown_ruleset", "invalid_ruleset", "not_a_sandbox",
              "beacon_unknown"),
    key_required=True,
)  # fmt: skip
async def plan_fixtures(
    request: Asked,
    body: FixturesWanted,
    place: SeasonPlace,
    order: Order,
    now: datetime,
    shell: Shell,
    principal: Principal,
) -> Response[bytes]:
    """Check the rule, the zone and the terms, then store the plan."""
    plan = Plan(
        rrule=body.rrule,
        zone=body.zone,
        start=body.starts,
        tzdb=EDITION,
        ahead_hours=body.ahead_hours,
        body=await _terms(request, place, place.id, body.tournament),
    )
    await _checked(principal, plan)
    recurrence = RecurrenceId(identifier("rec", order.new_id(0)))
    command = PlanFixtures(recurrence=recurrence, plan=plan, now=now)
    receipt = await decide_one(shell, place.league, place.id, order, [command])
    (made,) = receipt.recorded
    stretch = Stretch(plan=made.event.plan, not_before=made.event.not_before)
    known = Recurrence(recurrence=recurrence, stretches=(stretch,))
    shown = await expanded(principal, _recurrence, place.id, known, made.event.not_before)
    return answer(receipt, msgspec.to_builtins(shown), version_of=place.stream)


@operation(
    "GET", "/v1/seasons/{season_id:str}/fixtures", "list_fixtures", "List a season's recurrences.",
    needs="read_league", scope="leagues:read", answer=Page[RecurrenceShown],
    problems=("invalid_cursor",),
)  # fmt: skip
async def list_fixtures(
    principal: Principal, place: SeasonPlace, shell: Shell, pages: Pages
) -> Response[bytes]:
    """List the recurrences from the aggregate, in order of planning."""
    now = shell.now()
    known = place.state.schedule.recurrences
    items = [await expanded(principal, _recurrence, place.id, each, now) for each in known]
    order = {each.id: number for number, each in enumerate(items)}
    paged = await pages.live(place.league, f"fixtures {place.id}", int)
    return pages.answer(paged.cut(items, lambda each: (order[each.id],)))


@operation(
    "POST", "/v1/seasons/{season_id:str}/fixtures/{recurrence_id:str}/replan", "replan_fixtures",
    "Change all occurrences from a local time on.",
    needs="manage_tournaments", scope="tournaments:manage",
    answer=RecurrenceEdited, dry_run=True,
    problems=(
        "recurrence_invalid", "recurrence_unknown", "fixture_entered", "fixture_past",
        "season_closed", "terms_invalid", "terms_contradict", "unknown_ruleset", "invalid_ruleset",
        "not_a_sandbox", "beacon_unknown",
    ),
)  # fmt: skip
async def replan_fixtures(
    request: Asked,
    recurrence_id: str,
    body: FixturesRewanted,
    place: SeasonPlace,
    order: Order,
    now: datetime,
    principal: Principal,
    shell: Shell,
) -> Response[bytes]:
    """Apply the given members to the latest plan."""
    recurrence = recurrence_in(place.state, recurrence_id)
    before = recurrence.stretches[-1].plan
    zone = body.zone or before.zone
    _demand_future(body.since, zone, now)
    terms = merged(msgspec.json.decode(before.body), body.tournament)
    first = body.starts
    if first is None:
        first = await expanded(principal, first_from, recurrence, body.since)
    plan = Plan(
        rrule=body.rrule or before.rrule,
        zone=zone,
        start=first,
        tzdb=EDITION,
        ahead_hours=body.ahead_hours or before.ahead_hours,
        body=await _terms(request, place, place.id, terms),
    )
    await _checked(principal, plan)

    def asked(entered: tuple[Entered, ...]) -> Edit:
        return ReplanFixtures(
            recurrence=recurrence.recurrence,
            since=body.since,
            plan=plan,
            entered=entered,
            now=now,
        )

    return await _edited(shell, place, place.id, as_read(place, order), recurrence, asked)


@operation(
    "POST", "/v1/seasons/{season_id:str}/fixtures/{recurrence_id:str}/end", "end_fixtures",
    "End a recurrence at a local time.",
    needs="manage_tournaments", scope="tournaments:manage",
    answer=RecurrenceEdited, dry_run=True,
    problems=("recurrence_unknown", "recurrence_invalid", "fixture_entered", "fixture_past",
              "season_closed"),
)  # fmt: skip
async def end_fixtures(
    shell: Shell,
    recurrence_id: str,
    body: FixturesEnd,
    place: SeasonPlace,
    order: Order,
    now: datetime,
) -> Response[bytes]:
    """End a recurrence. Earlier occurrences stay."""
    recurrence = recurrence_in(place.state, recurrence_id)
    _demand_future(body.since, recurrence.stretches[-1].plan.zone, now)

    def asked(entered: tuple[Entered, ...]) -> Edit:
        return EndFixtures(
            recurrence=recurrence.recurrence, since=body.since, entered=entered, now=now
        )

    return await _edited(shell, place, place.id, order, recurrence, asked)


@operation(
    "POST",
    "/v1/seasons/{season_id:str}/fixtures/{recurrence_id:str}/occurrences/{occurrence:str}",
    "change_fixture", "Move, change or skip one occurrence.",
    needs="manage_tournaments", scope="tournaments:manage",
    answer=RecurrenceEdited, dry_run=True,
    problems=("recurrence_unknown", "recurrence_invalid", "occurrence_unknown",
              "fixture_entered", "fixture_past", "season_closed", "terms_invalid",
              "terms_contradict", "unknown_ruleset", "invalid_ruleset", "not_a_sandbox",
              "beacon_unknown"),
)  # fmt: skip
async def change_fixture(
    request: Asked,
    recurrence_id: str,
    occurrence: str,
    body: FixtureWanted,
    place: SeasonPlace,
    order: Order,
    now: datetime,
    principal: Principal,
    shell: Shell,
) -> Response[bytes]:
    """Store the changes. They replace all earlier changes of this occurrence."""
    recurrence = recurrence_in(place.state, recurrence_id)
    found = await expanded(principal, named, recurrence, occurrence)
    moment = None if body.starts is None else moment_of(body.starts, found.plan.zone)
    terms: str | None = None
    if body.tournament:
        content = merged(msgspec.json.decode(found.plan.body), body.tournament)
        terms = await _terms(request, place, place.id, content)

    def asked(entered: tuple[Entered, ...]) -> Edit:
        return ChangeFixture(
            recurrence=recurrence.recurrence,
            occurrence=found.label,
            moment=moment,
            body=terms,
            skipped=body.skipped,
            entered=entered,
            now=now,
        )

    return await _edited(shell, place, place.id, as_read(place, order), recurrence, asked)


@operation(
    "POST", "/v1/seasons/{season_id:str}/closing", "schedule_close",
    "Set or cancel the instant at which a season closes by itself.",
    needs="manage_seasons", scope="tournaments:manage",
    answer=SeasonScheduled,
    problems=("recurrence_invalid", "season_closed"),
)  # fmt: skip
async def schedule_close(
    body: SeasonCloseTimeWanted, place: SeasonPlace, order: Order, shell: Shell
) -> Response[bytes]:
    """Set the instant at which a worker closes the season. The latest setting counts."""
    closes_at = body.closes_at
    command = ScheduleClose(closes_at=closes_at, now=shell.now())
    receipt = await decide_one(shell, place.league, place.id, order, [command])
    content = {"id": place.id, "closes_at": closes_at}
    return answer(receipt, content, 200, version_of=place.stream)


async def _edited(
    shell: Shell,
    place: SeasonPlace,
    season_id: str,
    order: Order,
    recurrence: Recurrence,
    asked: Callable[[tuple[Entered, ...]], Edit],
) -> Response[bytes]:
    runtime = shell.runtime
    receipt = await edit(runtime, place.league, season_id, order, asked)
    withdrawn = [
        each.tournament
        for made in receipt.recorded
        if made.stream == place.stream
        for each in made.event.withdrawn
    ]
    content = {"id": recurrence.recurrence, "season": season_id, "cancelled": withdrawn}
    return answer(receipt, content, 200, version_of=place.stream)


def _recurrence(season_id: str, recurrence: Recurrence, now: datetime) -> RecurrenceShown:
    plan = recurrence.stretches[-1].plan
    moments: tuple[Moment, ...] = ()
    with suppress(RecurrenceInvalid):  # too many steps: staff must see it to end it
        moments = tuple(each.moment for each in islice(coming(recurrence, now), _SHOWN))
    return RecurrenceShown(
        id=recurrence.recurrence,
        season=season_id,
        rrule=plan.rrule,
        zone=plan.zone,
        starts=plan.start,
        ahead_hours=plan.ahead_hours,
        tournament=msgspec.json.decode(plan.body),
        next=moments,
    )


def _demand_future(since: Local, zone: str, now: datetime) -> None:
    if moment_of(since, zone).at <= now:
        raise FixturePast(occurrence=since)


async def _checked(principal: Principal, plan: Plan) -> None:
    """Check the rule and the zone. Expanding a rule without occurrences takes long."""
    moment_of(plan.start, plan.zone)
    await expanded(principal, check, plan)


async def _terms(request: Asked, place: SeasonPlace, season_id: str, terms: Terms) -> str:
    """
    Return the stored form of a recurring tournament's terms, after a trial announcement.

    Raises:
        BadRequest: If the terms are invalid, or have a member that each occurrence sets.
        CommandRejected: If no tournament can be announced with them.
    """
    for name in _GIVEN:
        if name in terms:
            raise invalid(f"Object contains unknown field `{name}` - at `$.tournament`")
    for outer, inner in INSTANTS_WITHIN:
        within = terms.get(outer)
        if isinstance(within, dict) and within.get(inner):
            raise invalid(f"`{inner}` belongs to one occurrence - at `$.tournament.{outer}`")
    text = msgspec.json.encode(terms, order="sorted").decode()
    now = shell_of(request).now()
    league = await find(request, place.league, LEAGUE)
    try:
        body = wanted(league.state, text, season_id, now + timedelta(days=1))
    except msgspec.ValidationError as error:
        raise invalid(str(error).replace("`$", "`$.tournament")) from error
    demand_sandbox(body, league.state.sandbox)
    trial = TournamentId(identifier("trn", shell_of(request).runtime.entropy.uuid()))
    pulses = shell_of(request).runtime.pulses
    asked = announcement(body, trial, LeagueId(place.league), now, pulses)
    tournament.decider.decide(Unannounced(), asked)
    return text
