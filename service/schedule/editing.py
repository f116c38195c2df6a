"""
Editing one occurrence or all later ones, together with their announced tournaments.

The season's event and the cancellations are one append. An edit is refused as a whole if it would
cancel a tournament that somebody has entered.
"""

from collections.abc import Callable, Sequence

from engine import season, tournament
from engine.season.schedule.commands import ChangeFixture, EndFixtures, ReplanFixtures
from engine.season.schedule.errors import RecurrenceUnknown
from engine.season.schedule.events import FixtureChanged, FixturesEnded, FixturesReplanned
from engine.season.schedule.state import Fixture, Recurrence
from engine.season.schedule.values import Entered, RecurrenceId
from engine.season.state import Opened
from engine.season.state import State as Season
from engine.tournament.model.commands import Cancel
from engine.tournament.model.state import Announced, Cancelled, Registering, entries_of
from service.director.runtime import Runtime
from service.log.streams import season_stream, tournament_stream
from service.log.writer import Order, Receipt, States, StreamEvents

Edit = ReplanFixtures | EndFixtures | ChangeFixture


def recurrence_in(state: Season, recurrence: str) -> Recurrence:
    """
    Return a recurrence of a season.

    Raises:
      RecurrenceUnknown: If the season has no such recurrence.
    """
    named = RecurrenceId(recurrence)
    found = state.schedule.of(named) if isinstance(state, Opened) else None
    if found is None:
        raise RecurrenceUnknown(recurrence=named)
    return found


async def edit(
    runtime: Runtime,
    league: str,
    season_id: str,
    order: Order,
    asked: Callable[[tuple[Entered, ...]], Edit],
) -> Receipt:
    """
    Append an edit, and the cancellation of every tournament that it withdraws.

    Args:
      asked: Returns the command, given the states of the tournaments that it may affect.

    Raises:
      CommandRejected: If the season refuses the edit.
    """
    stream = season_stream(season_id)

    async def decide(states: States) -> Sequence[StreamEvents]:
        state = (await states.load(stream)).state
        edited = asked(())
        touched = _touched(recurrence_in(state, edited.recurrence), edited)
        entered = [await _entered(states, each) for each in touched]
        events = season.decider.decide(state, asked(tuple(entered)))
        entries = [StreamEvents(stream, events)]
        cancel = Cancel(reason="fixture_edited", now=edited.now)
        withdrawn = [
            each
            for event in events
            if isinstance(event, FixturesReplanned | FixturesEnded | FixtureChanged)
            for each in event.withdrawn
        ]
        for each in withdrawn:
            before = (await states.load(tournament_stream(each.tournament))).state
            if not isinstance(before, Cancelled):
                cancelled = tournament.decider.decide(before, cancel)
                entries.append(StreamEvents(tournament_stream(each.tournament), cancelled))
        return entries

    return await runtime.writer.submit(league, order, decide)


def _touched(recurrence: Recurrence, edited: Edit) -> tuple[Fixture, ...]:
    if not isinstance(edited, ChangeFixture):
        return recurrence.announced_from(edited.since)
    known = recurrence.fixture_of(edited.occurrence)
    return (known,) if known is not None and known.became == "announced" else ()


async def _entered(states: States, fixture: Fixture) -> Entered:
    if fixture.tournament is None:
        raise TypeError("an announced fixture has a tournament")
    state = (await states.load(tournament_stream(fixture.tournament))).state
    return Entered(
        tournament=fixture.tournament,
        open=isinstance(state, Announced | Registering),
        cancelled=isinstance(state, Cancelled),
        entrants=len(entries_of(state)),
    )
