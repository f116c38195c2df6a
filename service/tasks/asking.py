"""
The jobs that each type of event asks for.

The codec has decoded the events, so old schema versions ask for the same jobs as today's.
"""

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from typing import Any, Literal, NamedTuple
from uuid import UUID

from engine.dispute.events import DisputeOpened
from engine.season.events import SeasonClosed
from engine.season.freezing import StandingsReleased
from engine.season.schedule.events import (
    FixtureChanged,
    FixturesPlanned,
    FixturesReplanned,
    SeasonScheduled,
)
from engine.table.model.events.between_hands_events import DealVoided
from engine.table.model.events.showdown_events import HandSettled
from engine.table.model.events.table_events import TableOpened
from engine.tournament.model.events import (
    ClockStarted,
    LevelRaised,
    TournamentAnnounced,
    TournamentCancelled,
    TournamentFinished,
)
from engine.tournament.model.events.correcting import ResultCorrected
from engine.tournament.model.events.entering import (
    LateRegistrationExtended,
    LateRegistrationOpened,
    OfferExtended,
    PlaceOffered,
    StartPostponed,
    TermsChanged,
)
from engine.tournament.model.events.fairness import BeaconAwaited
from engine.tournament.model.events.floor import BreakStarted, ClockSet
from engine.tournament.model.events.freezing import ResultReleased
from engine.tournament.model.events.rounds import RoundEnded
from engine.values import identifier
from service.base.settings import Settings
from service.log.catalogue import tag_of
from service.tasks.jobs import Job


class Found(NamedTuple):
    """A decoded event of the log, with the identifiers that its jobs need."""

    league: str
    event_id: UUID
    subject: UUID
    """The number of the aggregate that the event belongs to."""

    version: int
    event: Any  # of any aggregate


class Ask(NamedTuple):
    """A job, and the effect if a job with the same occurrence exists."""

    job: Job
    known: Literal["leave", "again", "wake"] = "leave"
    """Leave the existing job alone, run it again even after its end, or wake it if unfinished."""


def asked_by(found: Found, now: datetime, settings: Settings) -> list[Ask]:
    """Return the jobs that an event asks for. Most types of event ask for none."""
    asking = _ASKING.get(type(found.event))
    return [] if asking is None else list(asking(found, now, settings))


def _watched(found: Found, now: datetime, _settings: Settings) -> Iterator[Ask]:
    table = identifier("tbl", found.subject)
    args = {"league": found.league, "table": table}
    yield Ask(Job(occurrence=f"watch:{table}", task="table.watch", args=args, due_at=now))


def _idle(found: Found, now: datetime, settings: Settings) -> Iterator[Ask]:
    table = identifier("tbl", found.subject)
    args = {"league": found.league, "table": table}
    left_lying = now + timedelta(seconds=settings.sweep_seconds)
    job = Job(occurrence=f"watch:{table}", task="table.watch", args=args, due_at=left_lying)
    yield Ask(job, "wake")


def _materialised(found: Found, now: datetime, _settings: Settings) -> Iterator[Ask]:
    """Materialise a recurrence now. Its plan fixes the next time."""
    recurrence = found.event.recurrence
    args = {
        "league": found.league,
        "season": identifier("ssn", found.subject),
        "recurrence": recurrence,
    }
    job = Job(
        occurrence=f"materialise:{recurrence}", task="season.materialise", args=args, due_at=now
    )
    yield Ask(job, "again")


def _closing(found: Found, _now: datetime, _settings: Settings) -> Iterator[Ask]:
    closes_at = found.event.closes_at
    if closes_at is not None:
        args = {
            "league": found.league,
            "season": identifier("ssn", found.subject),
            "closes_at": closes_at.isoformat(),
        }
        yield Ask(
            Job(
                occurrence=f"season.close:{found.event_id}",
                task="season.close",
                args=args,
                due_at=closes_at,
            )
        )


def _disputed(found: Found, now: datetime, settings: Settings) -> Iterator[Ask]:
    """Have the disputed streams audited, and a head signed at once if a signer is set up."""
    name, tournament = identifier("dsp", found.subject), found.event.subject.tournament
    number = found.subject.hex
    about = {"league": found.league, "report": f"rep_{number}", "dispute": name}
    if tournament is not None:
        about["tournament"] = tournament
    yield Ask(Job(occurrence=f"audit:{number}", task="audit.run", args=about, due_at=now))
    if settings.signer_url is not None:
        args = {"league": found.league, "dispute": name}
        yield Ask(
            Job(occurrence=f"prove:{name}", task="dispute.attach_head", args=args, due_at=now)
        )


def _recorded(found: Found, now: datetime, _settings: Settings) -> Iterator[Ask]:
    season = identifier("ssn", found.subject)
    yield Ask(
        Job(
            occurrence=f"season.record_tournaments:{season}",
            task="season.record_tournaments",
            args={"league": found.league, "season": season},
            due_at=now,
        )
    )


def _once(found: Found, task: str, due_at: datetime, **more: str) -> Ask:
    """Return a tournament's job, named after this event so that it is armed only once."""
    args = {"league": found.league, "tournament": identifier("trn", found.subject), **more}
    return Ask(Job(occurrence=f"{task}:{found.event_id}", task=task, args=args, due_at=due_at))


def _finished(found: Found, now: datetime, _settings: Settings) -> Iterator[Ask]:
    yield _once(found, "season.award_points", now)
    yield _once(found, "tournament.record_tables", now)


def _cancelled(found: Found, now: datetime, _settings: Settings) -> Iterator[Ask]:
    yield _once(found, "tournament.record_tables", now)


def _counted(found: Found, now: datetime, _settings: Settings) -> Iterator[Ask]:
    yield _once(found, "season.award_points", now)


def _levels(found: Found, _now: datetime, _settings: Settings) -> Iterator[Ask]:
    if found.event.due is not None:  # no level follows the last one
        yield _once(found, "tournament.level", found.event.due, run_by=str(found.version))


def _round(found: Found, _now: datetime, _settings: Settings) -> Iterator[Ask]:
    ended: RoundEnded = found.event
    if ended.next_at is not None:  # no round follows the last one
        yield _once(found, "tournament.round", ended.next_at, after=str(ended.round))


def _drawn(found: Found, now: datetime, _settings: Settings) -> Iterator[Ask]:
    yield _once(found, "tournament.draw", now)


def _break(found: Found, _now: datetime, _settings: Settings) -> Iterator[Ask]:
    yield _once(found, "tournament.break", found.event.due, begun_by=str(found.version))


def _offered(found: Found, _now: datetime, _settings: Settings) -> Iterator[Ask]:
    offer: PlaceOffered | OfferExtended = found.event
    yield _once(found, "waitlist.offer", offer.until, entrant=offer.entrant)


def _late_entry(found: Found, _now: datetime, _settings: Settings) -> Iterator[Ask]:
    if found.event.until is not None:
        yield _once(found, "tournament.close_late", found.event.until)


def _announced(found: Found, _now: datetime, _settings: Settings) -> Iterator[Ask]:
    terms: TournamentAnnounced | TermsChanged = found.event
    starts_at, entry = terms.starts_at, terms.entry
    yield _once(found, "tournament.start", starts_at)
    if closes := entry.registration_closes_before_seconds:
        closes_at = starts_at - timedelta(seconds=closes)
        yield _once(found, "tournament.close_registration", closes_at)
    if opens := entry.check_in_opens_before_seconds:
        yield _once(found, "tournament.check_in", starts_at - timedelta(seconds=opens))
    if terms.registration_opens_at is not None:
        yield _once(found, "tournament.open_registration", terms.registration_opens_at)
    if terms.floor.last_hands_at is not None:
        yield _once(found, "tournament.last_hands", terms.floor.last_hands_at)


def _changed(found: Found, now: datetime, settings: Settings) -> Iterator[Ask]:
    """Ask for the jobs of the new terms. The jobs of the old terms find nothing due."""
    terms: TermsChanged = found.event
    yield from _announced(found, now, settings)
    if terms.late_registration_until is not None:
        yield _once(found, "tournament.close_late", terms.late_registration_until)


def _postponed(found: Found, _now: datetime, _settings: Settings) -> Iterator[Ask]:
    start: StartPostponed = found.event
    yield _once(found, "tournament.start", start.until)
    if start.registration_closes_at is not None:
        yield _once(found, "tournament.close_registration", start.registration_closes_at)
    if start.check_in_opens_at is not None:
        yield _once(found, "tournament.check_in", start.check_in_opens_at)
    if start.last_hands_at is not None:
        yield _once(found, "tournament.last_hands", start.last_hands_at)


_ASKING: dict[type, Callable[[Found, datetime, Settings], Iterator[Ask]]] = {
    TableOpened: _watched,
    HandSettled: _idle,
    DealVoided: _idle,
    FixturesPlanned: _materialised,
    FixturesReplanned: _materialised,
    FixtureChanged: _materialised,
    SeasonScheduled: _closing,
    StandingsReleased: _closing,
    SeasonClosed: _recorded,
    DisputeOpened: _disputed,
    TournamentAnnounced: _announced,
    TermsChanged: _changed,
    StartPostponed: _postponed,
    LateRegistrationOpened: _late_entry,
    LateRegistrationExtended: _late_entry,
    PlaceOffered: _offered,
    OfferExtended: _offered,
    ClockStarted: _levels,
    LevelRaised: _levels,
    ClockSet: _levels,
    RoundEnded: _round,
    BreakStarted: _break,
    BeaconAwaited: _drawn,
    TournamentFinished: _finished,
    TournamentCancelled: _cancelled,
    ResultCorrected: _counted,
    ResultReleased: _counted,
}

ASKING = sorted(map(tag_of, _ASKING))
"""The types of events that ask for jobs. Events of other types are not read."""
