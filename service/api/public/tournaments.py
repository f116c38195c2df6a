"""Public tournaments: their terms, entrants and results, and the floor while they are played."""

from collections.abc import Iterable
from datetime import datetime
from typing import Annotated
from uuid import UUID

import msgspec
from litestar import Response

from engine.coordination.views import FloorTable, floor_of
from engine.rulesets import Ruleset
from engine.tournament.model.state import Cancelled, Finished, Phase, phase_of
from engine.tournament.model.terms import EntryTerms, FormatTerms
from engine.values import Stream, stream_of
from service.api.http.access.phases import (
    Tournament,
    entering_of,
    entries_of,
    payouts_of,
    placings_of,
    tables_of,
)
from service.api.http.declaring.by import By
from service.api.http.operations import operation
from service.api.http.reading.etags import Tags
from service.api.http.reading.public import HIDDEN, Kept, PublicPlace, public_tournament
from service.api.http.shell import Shell
from service.api.public.floor_shapes import PublicFloor, PublicFloorTable, PublicSeat
from service.api.tournament.cancellations import public_reason
from service.api.tournament.changes import knocked_out, seat_changes
from service.api.tournament.entry_times import (
    late_registration_ends_at,
    started_at,
    with_outages,
)
from service.api.tournament.floors import State, read_tables, with_break
from service.api.tournament.money import money_shown
from service.base.errors import StreamNotFound
from service.log.writer import Loaded
from service.people.accounts import names

PublicTournamentPlace = Annotated[PublicPlace[Tournament], By(public_tournament)]


class PublicEntrant(msgspec.Struct, kw_only=True):
    """An entrant as strangers see it."""

    entrant: str
    """The entrant, `ent_…`."""

    player: str
    """The player, `plr_…`, for comparison with standings."""

    name: str | None
    """The player's name now."""

    bot: bool
    """True if the entrant is a program."""

    placing: int | None
    """The place, from 1, or null while it is unknown."""

    payout: int | None
    """The prize in minor units of `currency`, or null until the tournament is finished."""


class PublicTable(msgspec.Struct, kw_only=True):
    """The id and the number of an open table."""

    id: str
    """The table, `tbl_…`."""

    number: int
    """The table's number in the tournament."""


class PublicTournament(msgspec.Struct, kw_only=True):
    """A tournament as strangers see it."""

    id: str
    """The tournament, `trn_…`."""

    league: str
    """The league, `lge_…`."""

    league_name: str
    """The league's name now."""

    season: str | None
    """The season that counts the tournament, or null."""

    name: str
    """As shown to everybody."""

    state: Phase
    """The phase of the tournament."""

    starts_at: datetime
    """The planned start. A postponed start replaces it."""

    started_at: datetime | None
    """The time at which play started, or null before, and until the read models know it."""

    postponements: int
    """The number of times that too few were there and the start was postponed."""

    place: str | None
    """The venue, as free text, or null."""

    length_seconds: int | None
    """The planned length of the tournament, or null."""

    ruleset: Ruleset
    """Every parameter of the game."""

    ruleset_name: str
    """The preset that the announcement named."""

    ruleset_hash: str
    """SHA-256 over all parameters, in hexadecimal. Equal hashes mean equal games."""

    format: FormatTerms
    """Freezeout, single table, or rounds with a cut."""

    table_seats: int
    """The most players at a table."""

    starting_stack: int
    """Chips of every entrant at the start, or 0 for a game without chips."""

    entrants_min: int
    """With fewer entrants the tournament does not start."""

    entrants_max: int
    """The number of places for entrants."""

    prize_pool: int
    """The prize pool that the terms name, in minor units of `currency`."""

    prizes: tuple[int, ...]
    """The prize of each place as it stands, first place first, in minor units of `currency`."""

    currency: str | None
    """The currency (ISO 4217), or null if no money is played for."""

    entry: EntryTerms
    """The rules of entry, and what happens to no-shows."""

    late_registration: bool
    """True if late registration is open."""

    late_registration_ends_at: datetime | None
    """
    The likely end of late registration: by the plan before play, and then by the clock. Null
    without late registration, once it is over, and while the clock stands.
    """

    cancelled_because: str | None
    """
    The reason of a cancelled tournament, or null for any other: `director` for a decision of staff,
    `too_few_entrants`, `fixture_edited` for a change of the planned evenings, or `sandbox_ended`.
    The words of staff are only for members.
    """

    checked_in: int | None
    """
    The number of entrants who had checked in before a tournament was cancelled, or null for any
    other.
    """

    entrants: tuple[PublicEntrant, ...]
    """The entrants in order of registration, without waitlist, applicants and refused ones."""

    tables: tuple[PublicTable, ...]
    """The open tables, by number."""


@operation(
    "GET", "/v1/public/tournaments/{tournament_id:str}", "read_public_tournament",
    "Read a public tournament: its terms, its entrants, and their places and prizes.",
    needs="anyone", answer=PublicTournament, public=True,
)  # fmt: skip
async def read_public_tournament(
    place: PublicTournamentPlace, shell: Shell, tags: Tags, caching: Kept
) -> Response[bytes]:
    """Show the announced terms, the entries and the prizes, without matters of the staff."""
    state = await with_outages(shell, place.league.league, place.state)
    terms, entries = state.terms, entries_of(state)
    places = {each.entrant: each.place for each in placings_of(state)}
    prizes = {each.entrant: each.amount for each in payouts_of(state)}
    over = isinstance(state, Finished)
    called = await _called(shell, (each.player for each in entries))
    plain = (
        "season", "name", "starts_at", "place", "length_seconds", "ruleset", "ruleset_name",
        "ruleset_hash", "format", "table_seats", "starting_stack", "entrants_min", "entrants_max",
        "prize_pool", "currency", "entry",
    )  # fmt: skip
    known, cancelled = entering_of(state), isinstance(state, Cancelled)
    shown = PublicTournament(
        id=place.id,
        league=place.league.league,
        league_name=place.league.name,
        state=phase_of(state),
        prizes=money_shown(state).prizes,
        started_at=await started_at(shell, state),
        postponements=known.postponements,
        late_registration=known.late,
        late_registration_ends_at=late_registration_ends_at(state),
        cancelled_because=public_reason(state) if isinstance(state, Cancelled) else None,
        checked_in=sum(e.entrant in known.checked_in for e in entries) if cancelled else None,
        entrants=tuple(
            PublicEntrant(
                entrant=each.entrant,
                player=each.player,
                name=called.get(each.player),
                bot=each.bot,
                placing=places.get(each.entrant),
                payout=prizes.get(each.entrant, 0) if over else None,
            )
            for each in entries
        ),
        tables=tuple(PublicTable(id=each.table, number=each.number) for each in tables_of(state)),
        **{name: getattr(terms, name) for name in plain},
    )
    return caching.answer(tags, shown)


@operation(
    "GET", "/v1/public/tournaments/{tournament_id:str}/floor", "read_public_floor",
    "Read the floor of a public tournament: clock, tables, seats and stacks.",
    needs="anyone", answer=PublicFloor, public=True,
)  # fmt: skip
async def read_public_floor(
    place: PublicTournamentPlace, shell: Shell, tags: Tags, caching: Kept
) -> Response[bytes]:
    """Show the floor as of one moment."""
    league = place.league.league

    async def load(stream: Stream[State]) -> Loaded[State]:
        return await shell.runtime.writer.load(league, stream)

    loaded, tables = await read_tables(load, stream_of(place.state.terms.tournament))
    seen = floor_of(loaded.state, tables)
    if seen is None:
        raise StreamNotFound(HIDDEN)
    now, closed_since = shell.now(), shell.doors.closed_since(league)
    seen = await with_break(shell, league, loaded.state, seen, closed_since or now)
    players = (seat.player for table in seen.tables for seat in table.seats)
    called = await _called(shell, (each for each in players if each is not None))
    shown = PublicFloor(
        tournament=place.id,
        league=league,
        league_name=place.league.name,
        name=seen.name,
        state=seen.state,
        entrants=seen.entrants,
        entrants_left=seen.entrants_left,
        average_stack=seen.average_stack,
        level=seen.level,
        next_level=seen.next_level,
        break_ends=seen.break_ends,
        next_break=seen.next_break,
        denominations=seen.denominations,
        closed_since=closed_since,
        seat_changes=await seat_changes(shell, league, load, loaded, now),
        knocked_out=await knocked_out(shell, loaded.state),
        tables=tuple(_table(each, called) for each in seen.tables),
    )
    return caching.answer(tags, shown)


def _table(table: FloorTable, called: dict[str, str]) -> PublicFloorTable:
    return PublicFloorTable(
        id=table.table,
        number=table.number,
        doing=table.doing,
        hand=table.hand,
        hand_number=table.hand_number,
        level=table.level,
        amounts=table.amounts,
        sabacc_pot=table.sabacc_pot,
        seats=tuple(
            PublicSeat(
                seat=each.seat,
                entrant=each.entrant,
                player=each.player,
                name=None if each.player is None else called.get(each.player),
                bot=each.bot,
                stack=each.stack,
                wager=each.wager,
                disqualified=each.disqualified,
            )
            for each in table.seats
        ),
    )


async def _called(shell: Shell, players: Iterable[str]) -> dict[str, str]:
    return await names(shell.engine, [UUID(hex=each[4:]) for each in sorted(set(players))])
