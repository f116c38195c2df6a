"""A recurrence in a generated season: it is planned, edited, and played once."""

from datetime import timedelta

import msgspec

from engine.decider import AnyDecider
from engine.season.schedule.commands import ChangeFixture, EndFixtures, PlanFixtures
from engine.season.schedule.values import Entered, Plan, RecurrenceId
from engine.values import TournamentId, identifier
from service.base.documents import Document
from service.sandbox.generating.evening import decided
from service.sandbox.generating.night import Night
from service.schedule.editing import Edit, edit
from service.schedule.expansion import Budget
from service.schedule.materialising import materialise, tournament_of
from service.schedule.occurrences import between
from service.schedule.rules import STORED_STEPS
from service.schedule.zones import EDITION, written

_ZONES = ("Etc/UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata")


async def recurred(night: Night, season: str, decider: AnyDecider) -> TournamentId:
    """
    Plan a recurrence, announce its fixtures, and remove all but the first.

    Args:
        night: A night that submits orders in the league. No tournament belongs to it.
        season: The season of the recurrence.
        decider: The decider of seasons.

    Returns:
        The tournament made from the first occurrence, with open registration.
    """
    recurrence = RecurrenceId(identifier("rec", night.runtime.entropy.uuid()))
    plan = Plan(
        rrule=night.dice.one(("FREQ=DAILY;COUNT=3", "FREQ=WEEKLY;COUNT=4;BYDAY=FR,SA")),
        zone=night.dice.one(_ZONES),
        start=written((night.now + timedelta(days=2)).replace(second=0, microsecond=0)),
        tzdb=EDITION,
        ahead_hours=24 * 30,
        body=msgspec.json.encode(_body(night), order="sorted").decode(),
    )
    asked = PlanFixtures(recurrence=recurrence, plan=plan, now=night.now)
    await decided(night.runtime, night.league, season, decider, asked, night.order(night.director))
    await materialise(night.runtime, night.league, season, recurrence)
    known = (await night.state(season)).schedule.of(recurrence)
    first, second, third = between(
        known, night.now, night.now + timedelta(days=60), Budget(STORED_STEPS)
    )[:3]
    about: Document = {"recurrence": recurrence, "now": night.now}

    def skipped(entered: tuple[Entered, ...]) -> Edit:
        return ChangeFixture(
            occurrence=second.label, moment=None, body=None, skipped=True, entered=entered, **about
        )

    def ended(entered: tuple[Entered, ...]) -> Edit:
        return EndFixtures(since=third.label, entered=entered, **about)

    for each in (skipped, ended):
        order = night.order(night.director)
        await edit(night.runtime, night.league, season, order, each)
    return tournament_of(recurrence, first.label, 1)


def _body(night: Night) -> Document:
    """Return the body of the announcement, in the form that the API accepts."""
    return {
        "name": "Friday night",
        "ruleset": "better_simple",
        "starting_stack": night.dice.one((30, 40)),
        "table_seats": night.dice.between(3, 6),
        "payouts": night.dice.one(([1], [60, 40])),
        "prize_pool": 1_000,
        "currency": "EUR",
        "hands_between_seconds": night.dice.one((0, 3)),
        # Levels are short, because a night with only absent players takes hundreds of hands.
        "length_seconds": 1_200,
    }
