"""
Announcing the tournaments of occurrences when they are due.

The tournament's identifier follows from the occurrence, so that several workers announce only one.
The season's event and the tournament's events are one append.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

import msgspec
import structlog

from engine import season, tournament
from engine.errors import CommandRejected
from engine.league.state import Created, created_of
from engine.season.schedule.commands import PlaceFixture
from engine.season.schedule.errors import RecurrenceInvalid
from engine.season.schedule.events import FixtureMaterialised
from engine.season.schedule.state import Recurrence
from engine.season.schedule.values import RecurrenceId
from engine.season.state import Opened
from engine.tournament.model.commands import Command as TournamentCommand
from engine.tournament.model.events import Event as TournamentEvent
from engine.values import TournamentId, identifier, number_of
from service.announcing.defaults import completed
from service.announcing.terms import TournamentWanted, announcing
from service.base.uuids import uuid5
from service.director import season_ends
from service.director.next_hand import PlanChanged
from service.director.runtime import Runtime
from service.log.streams import league_stream, season_stream, tournament_stream
from service.log.writer import States, StreamEvents
from service.schedule.occurrences import Occurrence, due

AT_ONCE_MAX = 50
"""The most occurrences of one job run. The next run takes the rest."""

AFTER_THE_END = timedelta(hours=1)
"""The pause of a recurrence if its next occurrence lies after the season's end."""

_log = structlog.get_logger(__name__)


async def materialise(
    runtime: Runtime, league: str, season_id: str, recurrence: str
) -> datetime | None:
    """
    Announce the due occurrences of a recurrence, and record past ones as missed.

    A tournament that would start after the season closes is not announced.

    Returns:
      The instant of the next run, or None if no occurrence remains.

    Raises:
      CommandRejected: If the season has been closed, or the recurrence takes too many steps.
        Then only this recurrence stops, until it is ended or planned again.
    """
    for _ in range(AT_ONCE_MAX):
        now = runtime.clock.now()
        state = (await runtime.writer.load(league, season_stream(season_id))).state
        if not isinstance(state, Opened):
            return None
        found = state.schedule.of(RecurrenceId(recurrence))
        if found is None:
            return None
        try:
            waiting, next_at = due(found, now)
        except RecurrenceInvalid as refusal:
            _log.warning("a recurrence cannot be expanded", recurrence=recurrence, why=str(refusal))
            raise
        if not waiting:
            return next_at
        closes_at = state.schedule.closes_at
        if not state.closed and closes_at is not None and waiting[0].moment.at > closes_at:
            # The season is to be closed by then. Nothing more is announced unless it closes later.
            return now + AFTER_THE_END
        try:
            await _place(runtime, league, season_id, found, waiting[0], now)
        except PlanChanged:
            continue
    return runtime.clock.now()


def tournament_of(recurrence: str, label: str, attempt: int) -> TournamentId:
    """Return the tournament's identifier for one attempt at an occurrence."""
    name = label if attempt == 1 else f"{label}/{attempt}"
    return TournamentId(identifier("trn", uuid5(number_of(recurrence), name)))


async def _place(
    runtime: Runtime,
    league: str,
    season_id: str,
    planned: Recurrence,
    occurrence: Occurrence,
    now: datetime,
) -> None:
    """Announce one occurrence. If it is refused, record the refusal."""
    attempt = planned.attempt_at(occurrence.label)
    tournament_id = tournament_of(planned.recurrence, occurrence.label, attempt)
    command = PlaceFixture(
        recurrence=planned.recurrence,
        occurrence=occurrence.label,
        tournament=tournament_id,
        moment=occurrence.moment,
        now=now,
    )
    announcement: Sequence[TournamentCommand] = ()
    try:
        house = created_of((await runtime.writer.load(league, league_stream(league))).state)
        announcement = _commands(runtime, house, season_id, tournament_id, occurrence, now)
        await _append(runtime, league, season_id, planned, command, announcement, attempt)
    except PlanChanged:
        raise
    except (CommandRejected, msgspec.ValidationError) as refusal:
        code = refusal.code if isinstance(refusal, CommandRejected) else "validation_failed"
        if code == season.errors.SeasonClosedAlready.code:
            raise
        _log.warning("an occurrence cannot be announced", tournament=tournament_id, code=code)
        refused = msgspec.structs.replace(command, refused=code)
        await _append(runtime, league, season_id, planned, refused, (), attempt)


async def _append(
    runtime: Runtime,
    league: str,
    season_id: str,
    planned: Recurrence,
    command: PlaceFixture,
    announcement: Sequence[TournamentCommand],
    attempt: int,
) -> None:
    stream, there = season_stream(season_id), tournament_stream(command.tournament)

    async def decide(states: States) -> Sequence[StreamEvents]:
        state = (await states.load(stream)).state
        if isinstance(state, Opened) and state.schedule.of(planned.recurrence) != planned:
            raise PlanChanged
        events = season.decider.decide(state, command)
        entries = [StreamEvents(stream, events)]
        if any(isinstance(event, FixtureMaterialised) for event in events):
            above = (await states.load(there)).state
            announced: list[TournamentEvent] = []
            for asked in announcement:
                caused, above = tournament.decider.carry_out(above, asked)
                announced.extend(caused)
            entries.append(StreamEvents(there, tuple(announced), above))
            entries.extend(await season_ends.told(states, announced, command.now))
        return entries

    occurrence = f"fixture/{command.recurrence}/{command.occurrence}/{attempt}"
    await runtime.writer.submit(league, runtime.order(occurrence), decide)


def _commands(
    runtime: Runtime,
    house: Created,
    season_id: str,
    tournament_id: TournamentId,
    occurrence: Occurrence,
    now: datetime,
) -> list[TournamentCommand]:
    body = wanted(house, occurrence.body, season_id, occurrence.moment.at)
    # Terms planned under an older revision of the rules are played by the newest revision.
    body.overrides.pop("revision", None)
    return announcing(
        body,
        tournament_id,
        house.league,
        now,
        runtime.entropy.token,
        runtime.pulses,
        house.publicity.visibility,
    )


def wanted(house: Created, body: str, season_id: str, starts_at: datetime) -> TournamentWanted:
    """
    Return the announcement of one occurrence, completed from its template and the house rules.

    Raises:
      TemplateUnknown: If the league no longer has the template that *body* names.
      msgspec.ValidationError: If *body* is no longer a valid announcement.
    """
    content = completed(house, msgspec.json.decode(body)) | {
        "season": season_id,
        "starts_at": starts_at.isoformat(),
    }
    return msgspec.convert(content, TournamentWanted, strict=True)
