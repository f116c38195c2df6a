"""
Each occurrence has one tournament at a time, after any plans, edits and nights without a worker.
"""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import CommandRejected
from engine.season import decider
from engine.season.commands import OpenSeason
from engine.season.schedule.commands import (
    ChangeFixture,
    EndFixtures,
    PlaceFixture,
    PlanFixtures,
    ReplanFixtures,
)
from engine.season.schedule.events import FixtureMaterialised, FixtureMissed
from engine.season.schedule.state import Recurrence
from engine.season.schedule.values import Entered, Plan, RecurrenceId
from engine.values import LeagueId, SeasonId, identifier
from service.schedule.expansion import Budget
from service.schedule.materialising import tournament_of
from service.schedule.occurrences import Occurrence, between, due
from service.schedule.rules import STORED_STEPS
from service.schedule.zones import EDITION, moment_of, written, zone_of

BEGIN = datetime(2026, 10, 20, 12, tzinfo=UTC)
"""Clocks go back in Berlin five days later."""

RECURRENCE = RecurrenceId(identifier("rec", UUID(int=1)))
ZONE = "Europe/Berlin"
RULES = ("FREQ=DAILY", "FREQ=WEEKLY;BYDAY=MO,TH", "FREQ=HOURLY;INTERVAL=5", "FREQ=DAILY;COUNT=6")

Step = tuple[str, int, int]
STEPS = st.lists(
    st.tuples(
        st.sampled_from(["wait", "work", "work", "enter", "move", "skip", "replan", "end"]),
        st.sampled_from([0, 3, 11, 26, 47, 100, 200]),
        st.sampled_from([0, 1, 2, 3]),
    ),
    min_size=4,
    max_size=20,
)


def local_at(at: datetime) -> str:
    """Return the time that a wall clock in the zone shows."""
    return written(at.astimezone(zone_of(ZONE)))


def plan(start: datetime, rule: int) -> Plan:
    return Plan(
        rrule=RULES[rule],
        zone=ZONE,
        start=local_at(start),
        tzdb=EDITION,
        ahead_hours=48,
        body="{}",
    )


class Season:
    """A season with a recurrence, a clock that only advances, and a worker that is often away."""

    def __init__(self, rule: int) -> None:
        self.now = BEGIN
        self.state: Any = decider.initial
        self.entered: set[str] = set()
        self.announced: dict[str, str] = {}
        """The occurrence of each tournament that was ever announced."""

        opening = OpenSeason(
            season=SeasonId(identifier("ssn", UUID(int=1))),
            league=LeagueId(identifier("lge", UUID(int=1))),
            name="Autumn",
            master="6b" * 32,
            salt="7c" * 32,
            now=self.now,
        )
        self.ask(opening)
        first = plan(self.now + timedelta(hours=1), rule)
        self.ask(PlanFixtures(recurrence=RECURRENCE, plan=first, now=self.now))

    @property
    def recurrence(self) -> Recurrence:
        found: Recurrence = self.state.schedule.of(RECURRENCE)
        return found

    def ask(self, command: Any) -> tuple[Any, ...]:
        """Return the decided events, or none if the command is refused."""
        try:
            events = decider.decide(self.state, command)
        except CommandRejected:
            return ()
        for event in events:
            self.state = decider.evolve(self.state, event)
        return events

    def standing(self) -> tuple[Entered, ...]:
        """Return the state of every tournament that is announced now."""
        return tuple(
            Entered(
                tournament=each.tournament,
                open=each.moment.at > self.now,
                cancelled=False,
                entrants=int(each.tournament in self.entered),
            )
            for each in self.recurrence.fixtures
            if each.tournament is not None
        )

    def work(self) -> None:
        """Do the work of a worker: everything due is settled, and nothing twice."""
        waiting, _ = due(self.recurrence, self.now)
        for each in waiting:
            (event,) = self.place(each)
            assert self.place(each) == ()
            assert isinstance(event, FixtureMissed) is (each.moment.at <= self.now)
            if isinstance(event, FixtureMaterialised):
                assert event.tournament not in self.announced
                self.announced[event.tournament] = event.occurrence
        again, next_at = due(self.recurrence, self.now)
        assert again == []
        assert next_at is None or next_at > self.now
        ahead = between(
            self.recurrence, BEGIN, self.now + timedelta(hours=48), Budget(STORED_STEPS)
        )
        assert [each.label for each in ahead if each.open] == []

    def place(self, each: Occurrence) -> tuple[Any, ...]:
        settled = self.recurrence.fixture_of(each.label)
        attempt = self.recurrence.attempt_at(each.label)
        if settled is not None and settled.became != "withdrawn":
            attempt = settled.attempt  # a second worker would have planned the same attempt
        command = PlaceFixture(
            recurrence=RECURRENCE,
            occurrence=each.label,
            tournament=tournament_of(RECURRENCE, each.label, attempt),
            moment=each.moment,
            now=self.now,
        )
        return self.ask(command)

    def do(self, step: Step) -> None:
        what, hours, choice = step
        then = self.now + timedelta(hours=hours)
        if what == "wait":
            self.now = self.now + timedelta(hours=hours / 4)
        elif what == "work":
            self.work()
        elif what == "enter":
            self.entered.update(list(self.announced)[choice::4])
        elif what == "replan":
            wanted = plan(then + timedelta(hours=1), choice)
            since = local_at(then)
            self.edit(ReplanFixtures, since=since, plan=wanted, entered=self.standing())
        elif what == "end":
            self.edit(EndFixtures, since=local_at(then), entered=self.standing())
        else:
            coming = between(self.recurrence, then, then + timedelta(days=9), Budget(STORED_STEPS))
            for each in coming[choice : choice + 1]:
                moved = moment_of(local_at(then + timedelta(hours=3)), ZONE)
                self.edit(
                    ChangeFixture,
                    occurrence=each.label,
                    moment=moved if what == "move" else None,
                    body=None,
                    skipped=what == "skip",
                    entered=self.standing(),
                )

    def edit(self, kind: Any, **asked: Any) -> None:
        kept = {each.tournament for each in self.recurrence.fixtures if each.became == "announced"}
        edits = self.recurrence.edits
        events = self.ask(kind(recurrence=RECURRENCE, now=self.now, **asked))
        withdrawn = {each.tournament for event in events for each in event.withdrawn}
        assert withdrawn.isdisjoint(self.entered)
        left = {each.tournament for each in self.recurrence.fixtures if each.became == "announced"}
        assert left == kept - withdrawn
        assert self.recurrence.edits == edits + len(events)


@given(st.sampled_from(range(len(RULES))), STEPS)
@settings(max_examples=150)
def test_each_occurrence_has_one_tournament_at_a_time_whatever_is_edited_when(
    rule: int, steps: list[Step]
) -> None:
    season = Season(rule)
    season.work()
    for step in [*steps, ("work", 0, 0)]:
        season.do(step)
        now = [each.occurrence for each in season.recurrence.fixtures]
        assert len(now) == len(set(now))
