"""
The clock of one tournament on a television, without an account.

The holder of a screen key reads the room's clock, which people in the room see anyway. It shows no
card, no stack, and no seat that has not just changed.
"""

import asyncio
from datetime import datetime, timedelta
from typing import Annotated

import msgspec
from litestar import Response

from engine.coordination.views import BreakView, FloorLevel, FloorTable, floor_of
from engine.kit.denominations import Denomination
from engine.rulesets import Amounts, Ruleset
from engine.table.read.view_parts import NextLevelView
from engine.tournament.model.events import TournamentCancelled, TournamentFinished
from engine.tournament.model.state import Cancelled, Drafted, Finished, Phase, phase_of
from engine.values import Stream, stream_of
from service.api.http.access.phases import Tournament, entering_of, placings_of
from service.api.http.access.rights import TOURNAMENT
from service.api.http.declaring.queries import Query
from service.api.http.operations import operation
from service.api.http.reading.called import names_of
from service.api.http.reading.public import HIDDEN
from service.api.http.shell import Shell
from service.api.http.writing.submitting import encoded
from service.api.tournament.changes import KnockedOut, SeatChanged, knocked_out, seat_changes
from service.api.tournament.entering import AnnouncementListed
from service.api.tournament.floors import State, read_tables, with_break
from service.api.tournament.money import money_shown
from service.api.tournament.screen_keys import opened
from service.base.errors import StreamNotFound
from service.log.catalogue import tag_of
from service.log.read import read_last_of_types
from service.log.writer import Loaded
from service.people.texts import words

OPEN_AFTER = timedelta(hours=12)
"""The time for which a key shows the result after the evening's end."""

NOTICES_FOR = timedelta(minutes=15)
"""The time for which a notice to the players is shown."""

_ENDS = [tag_of(each) for each in (TournamentFinished, TournamentCancelled)]
_FRESH = {"Cache-Control": "private, no-store"}

KEY = Query("key", str, "A screen key.", "")


_OF_FLOOR = (
    "entrants", "entrants_left", "average_stack", "level", "next_level", "break_ends",
    "next_break", "hand_for_hand", "last_hands", "denominations",
)  # fmt: skip


class ScreenTable(msgspec.Struct, kw_only=True):
    """The level of an open table."""

    id: str
    """The table, `tbl_…`."""

    level: int
    """The level of the hand in play or next, from 1."""

    amounts: Amounts
    """The forced bets of that level."""

    next_level: NextLevelView | None
    """The next level, or null if none follows."""


class ScreenPlace(msgspec.Struct, kw_only=True):
    """An entrant with the place."""

    name: str | None
    """The player's name now."""

    placing: int
    """The place, from 1."""


class ScreenShown(msgspec.Struct, kw_only=True):
    """The room's clock."""

    tournament: str
    """The tournament, `trn_…`."""

    name: str
    """The tournament's name."""

    state: Phase
    """The phase of the tournament."""

    starts_at: datetime
    """The planned start."""

    place: str | None
    """The venue, as free text, or null."""

    suspended: bool
    """True while the operator has suspended the league."""

    closed_since: datetime | None
    """
    The instant since which an operator lets nobody change anything, or null. The clocks stand from
    then on.
    """

    ruleset: Ruleset
    """Every parameter of the game, with its levels."""

    currency: str | None
    """The currency (ISO 4217), or null if no money is played for."""

    prizes: tuple[int, ...]
    """The prize of each place as it stands, in minor units of `currency`."""

    entrants: int
    """The number of entries, with the eliminated ones."""

    entrants_left: int
    """The number of players who are still in, or 0 once the tournament is over."""

    average_stack: int
    """Chips in play for each seated entrant, rounded down, or 0 if nobody sits."""

    level: FloorLevel | None
    """The level of the hands opened now, or null if each table counts its own levels."""

    next_level: NextLevelView | None
    """The next level of the clock, or null without a clock or at the last level."""

    break_ends: datetime | None
    """The end of the present break, or null without a break."""

    next_break: BreakView | None
    """The next break after a level, or null if none is planned."""

    hand_for_hand: int | None
    """The number of the present hand in hand-for-hand play, or null."""

    last_hands: int | None
    """The hands that each table plays after last hands were called, or null before."""

    last_hands_at: datetime | None
    """The instant at which the last hands are called by the terms, or null."""

    denominations: tuple[Denomination, ...]
    """The chips of the game by name and value."""

    tables: tuple[ScreenTable, ...]
    """The levels of the open tables."""

    seat_changes: tuple[SeatChanged, ...]
    """The changes of seats in the last ten minutes, newest first, at most 50."""

    knocked_out: tuple[KnockedOut, ...]
    """The entrants who were eliminated last, newest first, at most 5."""

    placed: tuple[ScreenPlace, ...]
    """The places that are known, best first."""

    announcements: tuple[AnnouncementListed, ...]
    """The notices to the players of the last 15 minutes, oldest first."""

    now: datetime
    """The server's time, by which levels and breaks are counted."""


@operation(
    "GET", "/v1/screen", "read_screen", "Read the clock of the tournament that a screen key opens.",
    needs="anyone", answer=ScreenShown, problems=("not_found",),
    about="The key opens nothing else. It ends when staff revoke it, when its maker loses the "
    "office, and 12 hours after the evening.",
)  # fmt: skip
async def read_screen(key: Annotated[str, KEY], shell: Shell) -> Response[bytes]:
    """Show the clock as of one moment."""
    league, tournament = await opened(shell, key)

    async def load(stream: Stream[State]) -> Loaded[State]:
        return await shell.runtime.writer.load(league, stream)

    loaded, tables = await read_tables(load, stream_of(tournament))
    state, now = loaded.state, shell.now()
    if not isinstance(state, TOURNAMENT.states) or isinstance(state, Drafted):
        raise StreamNotFound(HIDDEN)
    await _demand_not_long_over(shell, league, state, now)
    floor = floor_of(state, tables)
    if floor is None:
        raise StreamNotFound(HIDDEN)
    closed_since = shell.doors.closed_since(league)
    floor = await with_break(shell, league, state, floor, closed_since or now)
    changes, out, placed, notices = await asyncio.gather(
        seat_changes(shell, league, load, loaded, now),
        knocked_out(shell, state),
        _placed(shell, state),
        _notices(shell, state, now),
    )
    terms = state.terms
    shown = ScreenShown(
        tournament=tournament,
        name=terms.name,
        state=phase_of(state),
        starts_at=terms.starts_at,
        place=terms.place,
        ruleset=terms.ruleset,
        currency=terms.currency,
        prizes=money_shown(state).prizes,
        suspended=league in shell.doors.suspended,
        closed_since=closed_since,
        **{name: getattr(floor, name) for name in _OF_FLOOR},
        last_hands_at=terms.floor.last_hands_at,
        tables=tuple(_table(each) for each in floor.tables),
        seat_changes=changes,
        knocked_out=out,
        placed=placed,
        announcements=notices,
        now=now,
    )
    return encoded(shown, headers=_FRESH)


async def _demand_not_long_over(
    shell: Shell, league: str, state: Tournament, now: datetime
) -> None:
    """
    Check that the evening did not end longer than :data:`OPEN_AFTER` ago.

    A later correction of the result does not open the key again.
    """
    if not isinstance(state, Finished | Cancelled):
        return
    stream = stream_of(state.terms.tournament)
    rows = await read_last_of_types(shell.pool, league, stream, _ENDS, 0, 1)
    if not rows or now - rows[0].at > OPEN_AFTER:
        raise StreamNotFound(HIDDEN)


async def _placed(shell: Shell, state: Tournament) -> tuple[ScreenPlace, ...]:
    found = sorted(placings_of(state), key=lambda each: each.place)
    called = await names_of(shell, (each.player for each in found))
    return tuple(ScreenPlace(name=called.get(each.player), placing=each.place) for each in found)


async def _notices(
    shell: Shell, state: Tournament, now: datetime
) -> tuple[AnnouncementListed, ...]:
    """Return the latest notices, with their numbers in the list of all of them."""
    listed = enumerate(entering_of(state).notices)
    recent = [(number, each) for number, each in listed if now - each.at <= NOTICES_FOR]
    said = await words(shell.engine, [each.text for _, each in recent])
    return tuple(
        AnnouncementListed(
            number=number, id=each.text.text, text=said.get(each.text.text), at=each.at
        )
        for number, each in recent
    )


def _table(table: FloorTable) -> ScreenTable:
    return ScreenTable(
        id=table.table, level=table.level, amounts=table.amounts, next_level=table.next_level
    )
